"""Items whose answer is known: marked by admins, for training or to be mixed in; corrected, rested, given back.

Such an item stands aside in stage `known`: it gets no votes, becomes neither gold nor disputed and is in no figure
but its own. It goes back to `ready` only while nobody has answered it; after that it can be rested.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from annotation.consensus import hold, move_held
from annotation.domain.category_names import UnknownCategory, read_category
from annotation.domain.formats.rows import RowError
from annotation.domain.words import Stage
from annotation.freeing import free_held_seats, wake
from annotation.models import Category, Item, KnownAnswer, Label, Membership, Project, Seat, TrainingAnswer, record
from annotation.transactions import short_transaction

MARKABLE = (Stage.IMPORTED, Stage.READY)
"""Where an item may be marked from: nobody has been asked about it."""
AT_ONCE = 2_000
"""Items marked by one form."""


class NotMarkable(ValueError):
    """The item is past the point where its answer can be declared known; `sentence` says why."""

    code = "not_markable"

    def __init__(self, item: Item) -> None:
        self.sentence = (
            f"{item.external_id} is {item.stage}: only items that nobody was asked about yet (imported or ready) can "
            "get a known answer."
        )
        super().__init__(self.sentence)


class Answered(ValueError):
    """Somebody has answered the item, so it stays one with a known answer."""

    code = "known_answered"
    sentence = "Somebody has answered this post by now, so it stays one with a known answer. It can be rested."


class BadRows(ValueError):
    """Some lines cannot be done, so none was; `errors` names them all."""

    def __init__(self, errors: Sequence[RowError]) -> None:
        super().__init__(f"{len(errors)} lines cannot be done.")
        self.errors = tuple(errors)


@dataclass(frozen=True)
class Key:
    """The known answer of an item: its category, why (shown after a training answer), and what it is for."""

    category: Category
    explanation: str = ""
    training: bool = False


@dataclass(frozen=True)
class Line:
    """A line of the form that marks many: the item by its external id, the category as written."""

    number: int
    external_id: str
    category: str
    explanation: str


@short_transaction
def mark(item: Item, admin: Membership | None, key: Key) -> KnownAnswer:
    """Declare the item's answer known, or change what is known of it. Raises NotMarkable.

    What people were told of earlier training answers stays as it was; figures about the item follow the new key.
    """
    held = hold(item)
    if held.stage == Stage.KNOWN:
        return _change(held, admin, key)
    if held.stage not in MARKABLE:
        raise NotMarkable(held)
    move_held(held, Stage.KNOWN)
    row = KnownAnswer.objects.create(
        item=held, category=key.category, explanation=key.explanation, training=key.training
    )
    facts: dict[str, Any] = {"category": key.category.code, "training": key.training}
    record("known_marked", project=held.project, actor=admin, item=held, **facts)
    wake(held.project)
    return row


@short_transaction
def rest(item: Item, admin: Membership | None, *, active: bool) -> bool:
    """Take the item out of use, or back into it; answers stay. False where nothing changed."""
    held = hold(item)
    if held.stage != Stage.KNOWN:
        return False
    if not KnownAnswer.objects.filter(item=held, active=not active).update(active=active):
        return False
    record("known_used" if active else "known_rested", project=held.project, actor=admin, item=held)
    return True


@short_transaction
def give_back(item: Item, admin: Membership | None) -> bool:
    """Forget the known answer: the item is ready to be opened like any other. Raises Answered.

    False where it is none (any more). Whoever has it in front of them unanswered loses the seat.
    """
    held = hold(item)
    if held.stage != Stage.KNOWN:
        return False
    if is_answered(held):
        raise Answered
    free_held_seats(held)
    Seat.objects.filter(item=held).delete()
    KnownAnswer.objects.filter(item=held).delete()
    record("known_ended", project=held.project, actor=admin, item=held)
    move_held(held, Stage.READY, round=1, taken=0, seats=held.project.seats)
    return True


@short_transaction
def mark_many(admin: Membership, lines: Sequence[Line], *, training: bool) -> int:
    """Mark all the items that the lines name, or none; how many. Raises BadRows with every line that is wrong."""
    project = admin.project
    values, rows = project.category_values(), {row.code: row for row in project.categories.all()}
    there = Item.objects.filter(project=project, external_id__in=[line.external_id for line in lines])
    items = {item.external_id: item for item in there}
    errors: list[RowError] = []
    keys: dict[str, Key] = {}
    for line in lines:
        try:
            category = rows[read_category(line.category, values).code]
            _refuse_line(line, items, keys)
        except (UnknownCategory, _BadLine) as fault:
            errors.append(RowError(line.number, fault.code, fault.sentence, external_id=line.external_id))
        else:
            keys[line.external_id] = Key(category, line.explanation, training)
    if errors:
        raise BadRows(errors)
    for name, key in keys.items():
        mark(items[name], admin, key)
    return len(keys)


def is_answered(item: Item) -> bool:
    """Whether anybody answered the item, in training or unseen."""
    return Label.objects.filter(item=item).exists() or TrainingAnswer.objects.filter(item=item).exists()


def known_of(item: Item) -> KnownAnswer | None:
    """What is known of the item, if anything."""
    return KnownAnswer.objects.filter(item=item).select_related("category").first()


def has_training(project: Project) -> bool:
    """Whether the project has a training item that can be shown."""
    return KnownAnswer.objects.filter(
        item__project=project, item__stage=Stage.KNOWN, item__picture_missing=False, training=True, active=True
    ).exists()


class _BadLine(ValueError):
    def __init__(self, code: str, sentence: str) -> None:
        super().__init__(sentence)
        self.code, self.sentence = code, sentence


def _refuse_line(line: Line, items: dict[str, Item], seen: dict[str, Key]) -> None:
    if line.external_id not in items:
        raise _BadLine("unknown_id", f"The project has no item {line.external_id}; import it first.")
    if line.external_id in seen:
        raise _BadLine("duplicate_id", f"The id {line.external_id} stands twice.")
    item = items[line.external_id]
    if item.stage not in (*MARKABLE, Stage.KNOWN):
        raise _BadLine(NotMarkable.code, NotMarkable(item).sentence)


def _change(item: Item, admin: Membership | None, key: Key) -> KnownAnswer:
    row = KnownAnswer.objects.select_related("category").get(item=item)
    before = {"category": row.category.code, "training": row.training, "active": row.active}
    after = {"category": key.category.code, "training": key.training, "active": True}
    if before == after and row.explanation == key.explanation:
        return row
    row.category, row.explanation, row.training, row.active = key.category, key.explanation, key.training, True
    row.save()
    move_held(item, Stage.KNOWN)
    record("known_changed", project=item.project, actor=admin, item=item, before=before, after=after)
    return row
