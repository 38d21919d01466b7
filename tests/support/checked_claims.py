"""Cards of evidence and ended checks of claims, as an agent leaves them."""

from typing import Any
from uuid import UUID, uuid4

from django.utils import timezone

from annotation.core.extensions import tell_of_claim_check
from annotation.models import Item
from generation.models import Exchange
from moderation.models import Evidence, EvidenceSegment
from runs.models import Run

PAGE = "https://city.example.org/report.html"


def make_check(about: Item | Exchange, claim: str, holds: bool | None, *stances: str, told: bool = True) -> Run:
    """Make a check of a claim that ended, with a card for each stance. With `told`, whoever asked hears of it."""
    run = Run.objects.create(
        method="antihateagent",
        project=about.project.public_id,
        subject=about.public_id,
        state="succeeded",
        variant=str(uuid4())[:16],
        options={"claim": claim, "struck": []},
        outcome={"claim": claim, "holds": holds, "reason": "So.", "confidence": 0.7, "cited": [], "faults": []},
        call_limit=1,
        token_limit=1,
        seconds_limit=1,
    )
    for number, stance in enumerate(stances, 1):
        make_card(about, run.public_id, number, stance)
    if told:
        tell_of_claim_check(run.project, run.subject)
    return run


def make_card(about: Item | Exchange, run: UUID, number: int = 1, stance: str = "supports", **fields: Any) -> Evidence:
    """Make a card with a passage."""
    owner = {"item": about} if isinstance(about, Item) else {"project": about.project}
    known = {
        "url": PAGE,
        "title": "What the city counted",
        "fetched_at": timezone.now(),
        "sha256": "0" * 64,
        "text": "Half of them work here.",
        "source": {"publisher": "City Office", "published": "2024-05-06"},
    }
    card = Evidence.objects.create(run=run, number=number, **{**known, **owner, **fields})
    EvidenceSegment.objects.create(
        evidence=card, start=0, end=4, quote="Half", stance=stance, relevance=3, bearing="It says so."
    )
    return card
