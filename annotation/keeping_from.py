"""Which items are kept from whom by what people opted out of, counted per item: it biases who labels what.

The counts name nobody, and there are none in a project with fewer than five annotators.
"""

from collections.abc import Iterable, Iterator

from django.db.models import Prefetch

from annotation.domain.care import FEWEST_PEOPLE, Content, Unwanted, falls_under, people_barred
from annotation.domain.words import PriorState
from annotation.models import Item, Membership, OptOut, Prior, Project


def content_of(item: Item, priors: Iterable[Prior]) -> Content:
    """What is known of the item before anybody labels it; by the same a claim leaves items out (`probing`)."""
    said = (prior.category_id for prior in priors if prior.state == PriorState.OK)
    named = frozenset(category for category in (item.intended_id, *said) if category is not None)
    return Content(named, item.target_group, item.severity)


def is_unwanted(item: Item, member: Membership) -> bool:
    """Whether the person opted out of what this item shows."""
    unwanted = _opt_outs(OptOut.objects.filter(member=member, ended_at__isnull=True))
    content = content_of(item, Prior.objects.filter(item=item, current=True))
    return any(falls_under(content, each) for each in unwanted)


def counts_may_be_told(project: Project) -> bool:
    """Whether the project has annotators enough that a count names nobody."""
    return Membership.objects.filter(project=project, annotates=True, active=True).count() >= FEWEST_PEOPLE


def barred_from(item: Item) -> int | None:
    """How many people an opt-out, in force or ended, keeps from the item; None where that may not be told."""
    if not counts_may_be_told(item.project):
        return None
    priors = Prior.objects.filter(item=item, current=True)
    return people_barred(content_of(item, priors), _opt_outs_of(item.project))


def barred_from_each(project: Project) -> Iterator[tuple[str, int]]:
    """Every external id with how many people opt-outs keep from the item, by id; nothing where that may not be told."""
    if not counts_may_be_told(project):
        return
    opt_outs = _opt_outs_of(project)
    current = Prefetch("priors", Prior.objects.filter(current=True), to_attr="current_priors")
    for item in Item.objects.filter(project=project).order_by("external_id").prefetch_related(current).iterator(500):
        yield item.external_id, people_barred(content_of(item, vars(item)["current_priors"]), opt_outs)


def _opt_outs_of(project: Project) -> tuple[Unwanted, ...]:
    return _opt_outs(OptOut.objects.filter(member__project=project))


def _opt_outs(rows: Iterable[OptOut]) -> tuple[Unwanted, ...]:
    return tuple(Unwanted(row.member_id, row.category_id, row.target_group, row.severity) for row in rows)
