"""Items whose answer is known: marked by admins, for training or to be mixed in; corrected, rested, given back.

Such an item stands aside in stage `known`: it gets no votes, becomes neither gold nor disputed and is in no figure
but its own. It goes back to `ready` only while nobody has answered it; after that it can be rested.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from annotation.assignment.make_seats import make_check_seats
from annotation.assignment.release_seats import free_seats_of_item
from annotation.consensus.close import lock_item, move_locked_item
from annotation.core.transactions import short_transaction
from annotation.domain.categories import UnknownCategory
from annotation.domain.category_sets import BadSet, as_stored, read_set
from annotation.domain.choices import Choose, EventVerb, Stage
from annotation.domain.formats.base import RowError
from annotation.models import Category, Item, KnownAnswer, Label, Membership, Project, Seat, TrainingAnswer, record

MARKABLE = (Stage.IMPORTED, Stage.READY)
"""Where an item may be marked from: nobody has been asked about it."""
AT_ONCE = 2_000
"""Items marked by one form."""


class NotMarkable(ValueError):
    """The item is in a stage in which its answer cannot be declared known; `sentence` says why."""

    code = "not_markable"

    def __init__(self, item: Item) -> None:
        self.sentence = (
            f"{item.external_id} is {item.stage}: only items that nobody was asked about yet (imported or ready) can "
            "get a known answer."
        )
        super().__init__(self.sentence)


class Answered(ValueError):
    """Somebody has answered the item, so it stays a control item."""

    code = "known_answered"
    sentence = "Somebody has answered this post by now, so it stays one with a known answer. It can be rested."


class BadRows(ValueError):
    """Some lines are wrong, so none was stored; `errors` names them all."""

    def __init__(self, errors: Sequence[RowError]) -> None:
        super().__init__(f"{len(errors)} lines cannot be done.")
        self.errors = tuple(errors)


@dataclass(frozen=True)
class KnownAnswerKey:
    """The known answer of an item: its category, the explanation (shown after a training answer), and its use.

    `categories` are the codes of all where there are several, as rows keep them: an answer is right if it names just
    these.
    """

    category: Category
    explanation: str = ""
    training: bool = False
    categories: tuple[int, ...] = ()

    @property
    def facts(self) -> dict[str, Any]:
        """The key as events keep it."""
        several = {"categories": list(self.categories)} if self.categories else {}
        return {"category": self.category.code, **several, "training": self.training}


@dataclass(frozen=True)
class KnownAnswerLine:
    """A line of the form that marks many items: the external id, the category as written."""

    number: int
    external_id: str
    category: str
    explanation: str


@short_transaction
def mark_control_item(item: Item, admin: Membership | None, key: KnownAnswerKey) -> KnownAnswer:
    """Declare the item's answer known, or change the known answer.

    Earlier training feedback stays as it was; figures about the item follow the new key.

    Raises NotMarkable if the item's stage does not allow it.
    """
    locked = lock_item(item)
    if locked.stage == Stage.KNOWN:
        return _change(locked, admin, key)
    if locked.stage not in MARKABLE:
        raise NotMarkable(locked)
    move_locked_item(locked, Stage.KNOWN)
    row = KnownAnswer.objects.create(
        item=locked,
        category=key.category,
        categories=list(key.categories),
        explanation=key.explanation,
        training=key.training,
    )
    make_check_seats(locked.project, locked)
    record(EventVerb.KNOWN_MARKED, project=locked.project, actor=admin, item=locked, **key.facts)
    return row


@short_transaction
def set_control_item_active(item: Item, admin: Membership | None, *, active: bool) -> bool:
    """Take the item out of use, or use it again; answers stay. Return False if nothing changed."""
    locked = lock_item(item)
    if locked.stage != Stage.KNOWN:
        return False
    if not KnownAnswer.objects.filter(item=locked, active=not active).update(active=active):
        return False
    make_check_seats(locked.project, locked)
    record(EventVerb.KNOWN_USED if active else EventVerb.KNOWN_RESTED, project=locked.project, actor=admin, item=locked)
    return True


@short_transaction
def unmark_control_item(item: Item, admin: Membership | None) -> bool:
    """Remove the known answer: the item is ready to be opened like any other.

    Whoever has it in front of them unanswered loses the seat.

    Returns False if it is no control item.

    Raises Answered if somebody has answered it.
    """
    locked = lock_item(item)
    if locked.stage != Stage.KNOWN:
        return False
    if is_answered(locked):
        raise Answered
    free_seats_of_item(locked)
    Seat.objects.filter(item=locked).delete()
    KnownAnswer.objects.filter(item=locked).delete()
    record(EventVerb.KNOWN_ENDED, project=locked.project, actor=admin, item=locked)
    move_locked_item(locked, Stage.READY, round=1, taken=0, seats=locked.project.seats)
    return True


@short_transaction
def mark_control_items(admin: Membership, lines: Sequence[KnownAnswerLine], *, training: bool) -> int:
    """Mark all the items that the lines name, or none; return how many.

    Raises BadRows with every wrong line.
    """
    project = admin.project
    values, rows = project.category_values(), {row.code: row for row in project.categories.all()}
    there = Item.objects.filter(project=project, external_id__in=[line.external_id for line in lines])
    items = {item.external_id: item for item in there}
    errors: list[RowError] = []
    keys: dict[str, KnownAnswerKey] = {}
    for line in lines:
        try:
            read = read_set(line.category, values, Choose(project.choose))
            _refuse_line(line, items, keys)
        except (UnknownCategory, BadSet, _BadLine) as fault:
            errors.append(RowError(line.number, fault.code, fault.sentence, external_id=line.external_id))
        else:
            codes = tuple(as_stored(category.code for category in read))
            keys[line.external_id] = KnownAnswerKey(rows[read[0].code], line.explanation, training, codes)
    if errors:
        raise BadRows(errors)
    for name, key in keys.items():
        mark_control_item(items[name], admin, key)
    return len(keys)


def is_answered(item: Item) -> bool:
    """Whether anybody answered the item, in training or as a check."""
    return Label.objects.filter(item=item).exists() or TrainingAnswer.objects.filter(item=item).exists()


def known_answer_of(item: Item) -> KnownAnswer | None:
    """Return the known answer of the item, if any."""
    return KnownAnswer.objects.filter(item=item).select_related("category").first()


def has_training_items(project: Project) -> bool:
    """Whether the project has a training item that can be shown."""
    return KnownAnswer.objects.filter(
        item__project=project, item__stage=Stage.KNOWN, item__picture_missing=False, training=True, active=True
    ).exists()


class _BadLine(ValueError):
    def __init__(self, code: str, sentence: str) -> None:
        super().__init__(sentence)
        self.code, self.sentence = code, sentence


def _refuse_line(line: KnownAnswerLine, items: dict[str, Item], seen: dict[str, KnownAnswerKey]) -> None:
    if line.external_id not in items:
        raise _BadLine("unknown_id", f"The project has no item {line.external_id}; import it first.")
    if line.external_id in seen:
        raise _BadLine("duplicate_id", f"The id {line.external_id} stands twice.")
    item = items[line.external_id]
    if item.stage not in (*MARKABLE, Stage.KNOWN):
        raise _BadLine(NotMarkable.code, NotMarkable(item).sentence)


def _change(item: Item, admin: Membership | None, key: KnownAnswerKey) -> KnownAnswer:
    row = KnownAnswer.objects.select_related("category").get(item=item)
    stored_key = KnownAnswerKey(row.category, row.explanation, row.training, tuple(row.categories))
    before, after = stored_key.facts | {"active": row.active}, key.facts | {"active": True}
    if before == after and row.explanation == key.explanation:
        return row
    row.category, row.categories = key.category, list(key.categories)
    row.explanation, row.training, row.active = key.explanation, key.training, True
    row.save()
    make_check_seats(item.project, item)
    move_locked_item(item, Stage.KNOWN)
    record(EventVerb.KNOWN_CHANGED, project=item.project, actor=admin, item=item, before=before, after=after)
    return row
