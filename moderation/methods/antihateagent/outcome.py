"""The end of an investigation: store its evidence as rows, and compare its verdict with people's."""

from datetime import UTC, datetime

from annotation.models import Item
from moderation.domain.antihateagent.actions import InvestigationOptions
from moderation.domain.antihateagent.protocol import Page, walk
from moderation.methods import verdict_outcome
from moderation.methods.post_case import is_of_evaluation, item_of_run
from moderation.models import Evidence, EvidenceSegment
from runs.control import fork
from runs.execution import turns
from runs.methods.method import Outcome
from runs.models import Run


def store_evidence(run: Run, outcome: Outcome) -> bool:
    """Store the evidence and compare the verdict. Runs of evaluations store no rows.

    Returns False if the item is gone.
    """
    if not is_of_evaluation(run):
        item = item_of_run(run)
        if item is not None and (run.forked_from_id is None or fork.goes_on(run)):
            _keep(run, item)
    return verdict_outcome.dispute_if_verdict_differs(run, outcome)


def _keep(run: Run, item: Item) -> None:
    """Store a card for each page that holds evidence. A run that judges another run's evidence has no own cards."""
    state = walk(turns.saved_turns(run), InvestigationOptions.model_validate(run.options))
    for page in state.evidence:
        card, is_new = Evidence.objects.get_or_create(
            run=run.public_id, number=page.number, defaults=_fields(page, item)
        )
        if is_new:
            EvidenceSegment.objects.bulk_create(
                EvidenceSegment(
                    evidence=card,
                    start=passage.start,
                    end=passage.end,
                    quote=passage.quote,
                    stance=passage.stance,
                    relevance=passage.relevance,
                    bearing=passage.bearing,
                )
                for passage in page.kept
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
