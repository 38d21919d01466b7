"""A reviewer's own view, written down before they open the debates: debates persuade, and this shows how far."""

from annotation.consensus.close import lock_item
from annotation.core.transactions import short_transaction
from annotation.domain.choices import Stage
from annotation.models import Category, Item, Membership, record
from moderation.domain.event_verbs import ModerationVerb
from moderation.models import Opinion


class TooLate(Exception):
    """The reviewer recorded a view of this round already, or the item is not disputed any more."""

    code = "opinion_too_late"


@short_transaction
def record_opinion(item: Item, reviewer: Membership, category: Category) -> Opinion:
    """Keep what the reviewer thinks now; the same again answers with what is stored. Raises TooLate."""
    held = lock_item(item)
    stored = opinion_of(held, reviewer)
    if stored is not None and stored.category_id == category.pk:
        return stored
    if stored is not None or held.stage != Stage.DISPUTED or not reviewer.reviews:
        raise TooLate
    record(ModerationVerb.OPINION, project=held.project, actor=reviewer, item=held)
    return Opinion.objects.create(item=held, round=held.round, reviewer=reviewer, category=category)


def opinion_of(item: Item, reviewer: Membership) -> Opinion | None:
    """What the reviewer wrote down in this round, if anything."""
    return Opinion.objects.filter(item=item, round=item.round, reviewer=reviewer).select_related("category").first()
