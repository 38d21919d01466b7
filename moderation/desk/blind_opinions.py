"""A reviewer's own opinion, recorded before they open the debates, to measure how far debates change opinions."""

from annotation.consensus.close import lock_item
from annotation.core.transactions import short_transaction
from annotation.domain.choices import Stage
from annotation.models import Category, Item, Membership, record
from moderation.domain.event_verbs import ModerationVerb
from moderation.models import Opinion


class TooLate(Exception):
    """The reviewer has recorded an opinion in this round already, or the item is not disputed."""

    code = "opinion_too_late"


@short_transaction
def record_opinion(item: Item, reviewer: Membership, category: Category) -> Opinion:
    """Store the reviewer's opinion. The same opinion again returns the stored one.

    Raises TooLate.
    """
    locked = lock_item(item)
    stored = opinion_of(locked, reviewer)
    if stored is not None and stored.category_id == category.pk:
        return stored
    if stored is not None or locked.stage != Stage.DISPUTED or not reviewer.reviews:
        raise TooLate
    record(ModerationVerb.OPINION, project=locked.project, actor=reviewer, item=locked)
    return Opinion.objects.create(item=locked, round=locked.round, reviewer=reviewer, category=category)


def opinion_of(item: Item, reviewer: Membership) -> Opinion | None:
    """Return the reviewer's opinion of this round.

    Returns None if there is none.
    """
    return Opinion.objects.filter(item=item, round=item.round, reviewer=reviewer).select_related("category").first()
