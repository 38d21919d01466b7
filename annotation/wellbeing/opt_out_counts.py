"""Annotators excluded from each item by opt-outs, counted per item: a source of label bias.

The counts name nobody, and there are none in a project with fewer than five annotators.
"""

from collections.abc import Iterable, Iterator

from django.db.models import Prefetch

from annotation.domain.choices import PriorState
from annotation.domain.wellbeing.opt_outs import FEWEST_PEOPLE, Content, Unwanted, people_barred
from annotation.models import Item, Membership, OptOut, Prior, Project


def item_content(item: Item, priors: Iterable[Prior]) -> Content:
    """Return what is known of the item before any label; a claim excludes items by the same facts (`item_query`)."""
    prior_categories = (prior.category_id for prior in priors if prior.state == PriorState.OK)
    intended = item.project.category_keys(item.intended_id, item.intended_categories)
    named = {*intended, *(category for category in prior_categories if category is not None)}
    return Content(frozenset(named), item.target_group, item.severity)


def are_counts_anonymous(project: Project) -> bool:
    """Whether the project has so many annotators that a count identifies nobody."""
    return Membership.objects.filter(project=project, annotates=True, active=True).count() >= FEWEST_PEOPLE


def count_excluded_annotators(item: Item) -> int | None:
    """Return how many people an opt-out, in force or ended, excludes from the item.

    Returns None if the count could identify somebody.
    """
    if not are_counts_anonymous(item.project):
        return None
    priors = Prior.objects.filter(item=item, current=True)
    return people_barred(item_content(item, priors), _opt_outs_of(item.project))


def count_excluded_by_item(project: Project) -> Iterator[tuple[str, int]]:
    """Yield every external id with how many people opt-outs exclude from the item, by id.

    Yields nothing if the counts could identify somebody.
    """
    if not are_counts_anonymous(project):
        return
    opt_outs = _opt_outs_of(project)
    current = Prefetch("priors", Prior.objects.filter(current=True), to_attr="current_priors")
    for item in Item.objects.filter(project=project).order_by("external_id").prefetch_related(current).iterator(500):
        item.project = project
        yield item.external_id, people_barred(item_content(item, vars(item)["current_priors"]), opt_outs)


def _opt_outs_of(project: Project) -> tuple[Unwanted, ...]:
    return _opt_outs(OptOut.objects.filter(member__project=project))


def _opt_outs(rows: Iterable[OptOut]) -> tuple[Unwanted, ...]:
    return tuple(Unwanted(row.member_id, row.category_id, row.target_group, row.severity) for row in rows)
