"""The way back to what a reviewer decided last."""

from django.db.models import Exists, OuterRef

from annotation.domain.choices import Stage
from annotation.models import Adjudication, Item, Membership, Ruling
from moderation.models import Proposal
from runs.sql.database_clock import seconds_from_now

SECONDS = 30 * 60
"""How long the desk offers the way back; after that the post is found like any other."""


def way_back(reviewer: Membership, beside: Item | None = None) -> Adjudication | None:
    """Return the reviewer's newest decision, if it is recent and its post is still as it left it. `beside` is left out.

    Returns None if there is none, if the post was sent to other people, or if two reviewers decided it together: that
    takes an appeal.
    """
    if not reviewer.reviews:
        return None
    recent = Adjudication.objects.filter(reviewer=reviewer, created_at__gt=seconds_from_now(-SECONDS))
    by_two = Exists(Proposal.objects.filter(item=OuterRef("item"), item_version=OuterRef("item_version")))
    last = recent.select_related("item", "category").annotate(by_two=by_two).order_by("-pk").first()
    if last is None or last.ruling not in (Ruling.DECIDE, Ruling.EXCLUDE) or last.item == beside:
        return None
    if last.by_two and last.item.stage == Stage.GOLD:
        return None
    return last if last.item.stage in (Stage.GOLD, Stage.EXCLUDED) else None
