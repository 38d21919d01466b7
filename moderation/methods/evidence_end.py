"""What the end of an investigation leaves: its evidence as rows, and a verdict held to the people's."""

from datetime import UTC, datetime

from annotation.models import Item
from moderation.domain.investigation.actions import InvestigationOptions
from moderation.domain.investigation.walk import Page, walk
from moderation.methods import verdict_end
from moderation.methods.post import is_aside, item_of
from moderation.models import Evidence, EvidenceSegment
from runs import turns
from runs.method import Outcome
from runs.models import Run


def settle(run: Run, outcome: Outcome) -> bool:
    """Keep the evidence and compare the verdict; False if the item is gone. Evaluations keep no rows."""
    if not is_aside(run):
        item = item_of(run)
        if item is not None and run.forked_from_id is None:
            _keep(run, item)
    return verdict_end.settle(run, outcome)


def _keep(run: Run, item: Item) -> None:
    """A card a page that holds evidence. A run that judges again over another's evidence has no cards of its own."""
    found = walk(turns.saved(run), InvestigationOptions.model_validate(run.options))
    for page in found.evidence:
        card, made = Evidence.objects.get_or_create(run=run.public_id, number=page.number, defaults=_fields(page, item))
        if made:
            EvidenceSegment.objects.bulk_create(
                EvidenceSegment(
                    evidence=card,
                    start=kept.start,
                    end=kept.end,
                    quote=kept.quote,
                    stance=kept.stance,
                    relevance=kept.relevance,
                    bearing=kept.bearing,
                )
                for kept in page.kept
            )


def _fields(page: Page, item: Item) -> dict[str, object]:
    return {
        "item": item,
        "url": page.url[:2000],
        "title": page.title[:300],
        "query": page.hit.query[:400],
        "fetched_at": _time(page.fetched_at),
        "sha256": page.sha256,
        "text": page.text,
        "copies": page.copies,
    }


def _time(written: str) -> datetime:
    try:
        return datetime.fromisoformat(written)
    except ValueError:
        return datetime.now(UTC)
