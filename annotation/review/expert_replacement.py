"""Another expert gives the category that a *not sure* left open (design section 4). The original label stays.

The expert decides as an annotator does: without votes, runs or the intended category. A reviewer who has a label
on the item, has replaced one, or has looked at the votes (`look_at_votes`) is none.
"""

from collections.abc import Sequence

from django.db.models import Exists, F, OuterRef, QuerySet

from annotation.consensus.close import decide_again, lock_item
from annotation.core.transactions import short_transaction
from annotation.domain.choices import EventVerb, Role, Stage
from annotation.models import Category, Event, Item, Label, Membership, Replacement, Seat, record
from annotation.review.adjudicate import has_labelled


class NotAnExpert(PermissionError):
    """This reviewer has an opinion on the item already, or knows those of others."""

    code = "not_an_expert"


class NothingToReplace(Exception):
    """No *not sure* of the item waits any more: somebody gave the category, or the item moved on."""

    code = "nothing_to_replace"


@short_transaction
def replace_not_sure(
    item: Item, reviewer: Membership, category: Category, note: str = "", categories: Sequence[int] = ()
) -> Replacement:
    """Give the category in place of one *not sure* of the item, then run all checks again.

    `categories` are the codes of all categories where there are several, as rows keep them.
    The same again (a double click) answers with what was stored. Raises NotAnExpert, NothingToReplace.
    """
    locked = lock_item(item)
    stored = Replacement.objects.filter(item=locked, reviewer=reviewer).first()
    given = (category.pk, list(categories), note)
    if stored is not None and (stored.category_id, stored.categories, stored.note) == given:
        return stored
    if not may_replace(locked, reviewer):
        raise NotAnExpert
    label = waiting_labels(locked).first() if locked.stage == Stage.DISPUTED else None
    if label is None:
        raise NothingToReplace
    replacement = Replacement.objects.create(
        item=locked, label=label, reviewer=reviewer, category=category, categories=list(categories), note=note
    )
    record(
        EventVerb.REPLACE,
        project=locked.project,
        actor=reviewer,
        item=locked,
        row=label.public_id,
        category=category.code,
        **({"categories": list(categories)} if categories else {}),
    )
    decide_again(locked)
    return replacement


def waiting_labels(item: Item) -> QuerySet[Label]:
    """Return the labels in force in the item's round that have no category and no replacement, by seat."""
    return Label.objects.filter(
        in_force_at__item=item, in_force_at__round=item.round, category__isnull=True, replacement__isnull=True
    ).order_by("in_force_at__number")


def may_replace(item: Item, reviewer: Membership) -> bool:
    """Whether the reviewer has neither labelled the item nor replaced a label of it nor seen its votes."""
    return (
        reviewer.has(Role.REVIEWER)
        and not has_labelled(item, reviewer)
        and not Replacement.objects.filter(item=item, reviewer=reviewer).exists()
        and not has_looked(item, reviewer)
    )


@short_transaction
def look_at_votes(item: Item, reviewer: Membership) -> None:
    """Write down that the reviewer saw the votes of an item that waits for a replacement: they give none now."""
    if not has_looked(item, reviewer):
        record(EventVerb.LOOK_AT_VOTES, project=item.project, actor=reviewer, item=item)


def has_looked(item: Item, reviewer: Membership) -> bool:
    """Whether the reviewer chose to see the votes of the item while a replacement was wanted."""
    return Event.objects.filter(item=item, actor=reviewer, verb=EventVerb.LOOK_AT_VOTES).exists()


def waiting_for_expert(reviewer: Membership) -> QuerySet[Item]:
    """Return the disputed items of the project where this reviewer may give a missing category, oldest first."""
    item = OuterRef("pk")
    mine = Label.objects.filter(item=item, annotator=reviewer)
    replaced = Replacement.objects.filter(item=item, reviewer=reviewer)
    looked = Event.objects.filter(item=item, actor=reviewer, verb=EventVerb.LOOK_AT_VOTES)
    unsure = Seat.objects.filter(
        item=item, round=OuterRef("round"), label__category__isnull=True, label__isnull=False
    ).filter(label__replacement__isnull=True)
    return (
        Item.objects.filter(project=reviewer.project, stage=Stage.DISPUTED)
        .filter(Exists(unsure), ~Exists(mine), ~Exists(replaced), ~Exists(looked))
        .order_by(F("closed_at").asc(nulls_last=True), "pk")
    )
