"""Keep the informativeness of items as their priors say, whichever order a project hands items out in."""

from collections.abc import Iterable, Sequence

from annotation.domain.choices import PriorState
from annotation.domain.priors.informativeness import Informativeness, View, informativeness
from annotation.models import Item, Prior
from runs.sql.compiled_queries import CompiledQuery, slot

_PRIORS = CompiledQuery(Prior.objects.filter(item=slot("item")).select_related("category").order_by("pk"))


def priors_in_order(item: Item) -> Sequence[Prior]:
    """Return all priors of an item with their categories, in the order in which they came."""
    return _PRIORS.rows(item=item.pk)


def informativeness_of(priors: Iterable[Prior]) -> Informativeness:
    """Return what the usable ones of an item's priors disagree about, given in the order in which they came.

    Of each modality two priors count: the newest that a model gave here, and the newest that came with a file.
    """
    views: dict[tuple[str, bool], View] = {}
    for prior in priors:
        if prior.state == PriorState.OK:
            hateful = prior.hateful if prior.category is None else prior.category.hateful
            views[prior.modality, prior.run_id is None] = (hateful, prior.category_id)
    return informativeness(views.values())


def update_informativeness(item: Item) -> None:
    """Store the item's informativeness anew: the next person to whom an item is given gets it at its new place."""
    value = informativeness_of(priors_in_order(item))
    Item.objects.filter(pk=item.pk).exclude(informativeness=value).update(informativeness=value)
