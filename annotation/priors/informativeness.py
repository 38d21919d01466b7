"""Keep the informativeness of items as their priors say, whichever order a project hands items out in."""

from annotation.domain.choices import PriorState
from annotation.domain.priors.informativeness import Informativeness, View, informativeness
from annotation.models import Item, Prior


def update_informativeness(item: Item) -> None:
    """Store the item's informativeness anew: the next person to whom an item is given gets it at its new place.

    Of each modality two priors count: the newest that a model gave here, and the newest that came with a file.
    """
    views: dict[tuple[str, bool], View] = {}
    usable = Prior.objects.filter(item=item.pk, state=PriorState.OK).order_by("pk")
    for modality, run, hateful, category, of_category in usable.values_list(
        "modality", "run_id", "hateful", "category_id", "category__hateful"
    ):
        views[modality, run is None] = (hateful if category is None else of_category, category)
    value: Informativeness = informativeness(views.values())
    Item.objects.filter(pk=item.pk).exclude(informativeness=value).update(informativeness=value)
