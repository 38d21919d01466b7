"""Which items reviewers and admins find on their pages, in lists and over the API."""

from django.db.models import Exists, OuterRef, QuerySet

from annotation.domain.choices import EventVerb, Stage
from annotation.models import Event, Item, Membership, Seat, Skip, holder_key


def visible_items(member: Membership) -> QuerySet[Item]:
    """Return the items that a reviewer or admin may see.

    A reviewer who also annotates must not see which items have a known answer. They see no open item that they hold,
    labelled, skipped or let lapse either: a check would else be the one of their posts that no list has, and the page
    of an item shows priors that may be withheld from them. A late answer to a lapsed seat counts.
    """
    items = Item.objects.filter(project=member.project_id)
    if member.sees_figures:
        return items
    held = Seat.objects.filter(item=OuterRef("pk"), round=OuterRef("round"), annotator=member)
    skipped = Skip.objects.filter(item=OuterRef("pk"), annotator=member)
    lapsed = Event.objects.filter(item=OuterRef("pk"), verb=EventVerb.SEAT_LAPSED, facts__holder=holder_key(member))
    met = Exists(held) | Exists(skipped) | Exists(lapsed)
    return items.exclude(stage=Stage.KNOWN).exclude(met, stage=Stage.LABELLING)
