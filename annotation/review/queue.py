"""The reviewers' queue of disputed items, and one item's votes as nameless cards.

Whoever may still give an opinion of their own on an item does not see those of others first.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from random import Random

from django.db.models import Count, Exists, OuterRef, Prefetch, QuerySet, Subquery

from annotation.consensus.case_from_rows import replacement_of
from annotation.domain.choices import EventVerb, Modality, Reason, Stage
from annotation.models import Category, Dispute, Event, Item, Label, Membership, Project, Replacement, Seat, record
from annotation.pages.answers_shown import AnswerShown, answers_shown, questions_answered
from annotation.review.expert_replacement import may_replace, waiting_labels

CLOSED_STAGES = (Stage.DISPUTED, Stage.GOLD, Stage.EXCLUDED)
"""Stages in which nobody is asked for a label."""


@dataclass(frozen=True)
class Objection:
    """A challenge to one prior as people read it; without a category only hateful or not was given."""

    modality: Modality
    hateful: bool
    category: Category | None


@dataclass(frozen=True)
class VoteCard:
    """One vote without a name, with the annotator's note."""

    letter: str
    label: Label
    category: Category | None
    replaced: bool
    objections: tuple[Objection, ...]
    answers: list[AnswerShown]
    """What the person answered to the further questions, as they were asked."""

    @property
    def row(self) -> Label | Replacement:
        """The row whose categories count: the label, or the one that replaced its *not sure*."""
        return self.label.replacement if self.replaced else self.label


def disputed_items(project: Project, reason: Reason | None = None) -> QuerySet[Item]:
    """Return the project's disputed items, optionally of one reason, longest waiting first.

    Each with `open_since` and, without another query an item, its `open_disputes`.
    """
    open_rows = Dispute.objects.filter(settled_at__isnull=True)
    of_item = open_rows.filter(item=OuterRef("pk"))
    of_reason = of_item.filter(reason=reason) if reason else of_item
    oldest = of_item.order_by("opened_at").values("opened_at")[:1]
    return (
        Item.objects.filter(Exists(of_reason), project=project, stage=Stage.DISPUTED)
        .annotate(open_since=Subquery(oldest))
        .prefetch_related(Prefetch("disputes", open_rows.order_by("pk"), to_attr="open_disputes"))
        .order_by("open_since", "pk")
    )


def waiting_counts(project: Project) -> dict[Reason, int]:
    """How many items wait for each reason, in the order of the checks; an item may count more than once."""
    rows = Dispute.objects.filter(item__project=project, item__stage=Stage.DISPUTED, settled_at__isnull=True)
    counts = dict(rows.values_list("reason").annotate(count=Count("pk")).order_by())
    return {reason: counts[reason] for reason in Reason if reason in counts}


def vote_cards(item: Item, viewer: Membership, seats: Iterable[Seat], categories: Sequence[Category]) -> list[VoteCard]:
    """Return the votes of these seats, shuffled: always the same for one viewer, another order for the next."""
    filled = [seat.label for seat in seats if seat.label is not None]
    Random(f"{item.public_id}/{item.round}/{viewer.public_id}").shuffle(filled)
    questions = questions_answered(item.project, filled)
    return [
        _card(chr(ord("A") + number), label, categories, answers_shown(label.answers, questions, item.text))
        for number, label in enumerate(filled)
    ]


def _card(letter: str, label: Label, categories: Sequence[Category], answers: list[AnswerShown]) -> VoteCard:
    replacement = replacement_of(label)
    by_code = {category.code: category for category in categories}
    return VoteCard(
        letter=letter,
        label=label,
        category=replacement.category if replacement else label.category,
        replaced=replacement is not None,
        objections=tuple(
            Objection(Modality(row["modality"]), bool(row["hateful"]), by_code.get(row.get("category")))
            for row in label.challenges
        ),
        answers=answers,
    )


def may_see_votes(item: Item, viewer: Membership) -> bool:
    """Whether the viewer may see others' votes, the intent, and what follows from them.

    Not while the item is open, but for admins who neither annotate nor review; not while the viewer could give a
    missing category themselves (`replacing.look_at_votes` gives that up).
    """
    if not (viewer.reviews or viewer.administers):
        return False
    if item.stage not in CLOSED_STAGES:
        return viewer.administers and not (viewer.annotates or viewer.reviews)
    return not wants_category_of(item, viewer)


def reveal_names(item: Item, admin: Membership) -> None:
    """Write down that the admin looks at who gave which vote; from then on their pages name people there."""
    if not names_revealed(item, admin):
        record(EventVerb.NAMES_REVEALED, project=item.project, actor=admin, item=item)


def names_revealed(item: Item, viewer: Membership) -> bool:
    """Whether the viewer administers the project and asked to see who gave which vote of the item."""
    return viewer.administers and Event.objects.filter(item=item, actor=viewer, verb=EventVerb.NAMES_REVEALED).exists()


def may_see_intent(item: Item, viewer: Membership) -> bool:
    """Whether the viewer may see what the item was meant to be, and what it is called in the source.

    Whoever may still be asked for their own view of it may not: annotators while it is open, reviewers while a
    *not sure* waits for a replacement too. Needs no query, so that lists can ask it for every item.
    """
    if sees_every_intent(viewer):
        return True
    decided = item.stage in (Stage.GOLD, Stage.EXCLUDED) or (item.stage == Stage.DISPUTED and item.level is not None)
    return decided and (viewer.reviews or viewer.administers)


def sees_every_intent(viewer: Membership) -> bool:
    """Whether the viewer is nobody who could be asked for their own view of an item: an admin and nothing else."""
    return viewer.administers and not (viewer.annotates or viewer.reviews)


def wants_category_of(item: Item, viewer: Membership) -> bool:
    """Whether a *not sure* of the disputed item waits for the category of an expert such as the viewer."""
    return item.stage == Stage.DISPUTED and waiting_labels(item).exists() and may_replace(item, viewer)
