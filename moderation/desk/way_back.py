"""The way back to what a reviewer decided last."""

from datetime import datetime

from django.db.models import Exists, F, OuterRef, Q

from annotation.domain.choices import Stage
from annotation.models import Adjudication, Item, Membership, Ruling
from moderation.models import Proposal
from runs.sql.database_clock import seconds_from_now

SECONDS = 30 * 60
"""How long the desk offers the way back; after that the post is found like any other."""


def way_back(reviewer: Membership, beside: Item | None = None) -> Adjudication | Proposal | None:
    """Return the reviewer's newest decision, if it is recent and its post is still as it left it. `beside` is left out.

    One that waits for a second reviewer counts too. Returns None if there is none, if the post was sent to other
    people, or if another reviewer has decided too: two who agree are replaced by an appeal alone.
    """
    if not reviewer.reviews:
        return None
    recent = Q(reviewer=reviewer, created_at__gt=seconds_from_now(-SECONDS))
    by_two = Exists(Proposal.objects.filter(item=OuterRef("item"), item_version=OuterRef("item_version")))
    rulings = Adjudication.objects.filter(recent).select_related("item", "category").annotate(by_two=by_two)
    last = rulings.order_by("-pk").first()
    proposed = _newest_proposal(recent, last.created_at if last else None)
    if proposed is not None:
        return proposed if getattr(proposed, "waits", False) and proposed.item != beside else None
    if last is None or last.ruling not in (Ruling.DECIDE, Ruling.EXCLUDE) or last.item == beside:
        return None
    if last.by_two and last.item.stage == Stage.GOLD:
        return None
    return last if last.item.stage in (Stage.GOLD, Stage.EXCLUDED) else None


def _newest_proposal(recent: Q, after: datetime | None) -> Proposal | None:
    """Return the newest proposal, with whether it `waits` for a second reviewer. Returns None if `after` is later."""
    answers = Proposal.objects.filter(item=OuterRef("item"), item_version=OuterRef("item_version"))
    waits = Q(~Exists(answers.exclude(pk=OuterRef("pk"))), item_version=F("item__version"))
    rows = Proposal.objects.filter(recent, **({"created_at__gt": after} if after else {})).annotate(waits=waits)
    return rows.select_related("item", "category").order_by("-pk").first()
