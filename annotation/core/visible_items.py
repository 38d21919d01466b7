"""Which items reviewers and admins find on their pages, in lists and over the API."""

from django.db.models import Exists, OuterRef, QuerySet

from annotation.domain.choices import Stage
from annotation.models import Item, Membership, Seat, Skip


def visible_items(member: Membership) -> QuerySet[Item]:
    """Return the items that a reviewer or admin may see.

    A reviewer who also annotates must not see which items have a known answer. They see no open item that they hold,
    labelled or skipped either: a check would else be the one post in hand that no list has, and the page of an item
    shows priors that may be withheld from them.
    """
    items = Item.objects.filter(project=member.project_id)
    if member.sees_figures:
        return items
    held = Seat.objects.filter(item=OuterRef("pk"), round=OuterRef("round"), annotator=member)
    skipped = Skip.objects.filter(item=OuterRef("pk"), annotator=member)
    return items.exclude(stage=Stage.KNOWN).exclude(Exists(held) | Exists(skipped), stage=Stage.LABELLING)
