"""The end of an investigation: its outcome, its evidence as rows, and its verdict compared with people's."""

from collections.abc import Mapping
from datetime import datetime
from functools import partial
from typing import Any

from django.db import transaction
from django.utils import timezone

from annotation.core.extensions import pasted_text, tell_of_claim_check
from annotation.domain.one_line import one_line
from annotation.models import Item, Project
from moderation.domain.antihateagent.actions import InvestigationOptions
from moderation.domain.antihateagent.citations import check_rationale
from moderation.domain.antihateagent.protocol import Page, Walk, unstruck_evidence, walk
from moderation.domain.tongue import Tongue
from moderation.domain.verdicts import stated_verdict
from moderation.methods import verdict_outcome
from moderation.methods.antihateagent.questions import InvestigationCase
from moderation.methods.post_case import is_of_evaluation, item_of_run
from moderation.models import Evidence, EvidenceSegment
from runs.control import fork
from runs.execution import turns
from runs.methods.method import Outcome
from runs.models import Run

_HOLDS = {"TRUE": True, "FALSE": False, "OPEN": None}
_NO_SEARCH = {
    Tongue.ENGLISH: "No search was possible, so no page was read.",
    Tongue.KOREAN: "검색할 수 없어 어떤 페이지도 읽지 못했습니다.",
    Tongue.CHINESE: "无法进行搜索，因此没有阅读任何网页。",
}
"""The first sentence of a rationale where no search engine answered, in its language."""


def outcome_of(case: InvestigationCase, state: Walk, limit: Mapping[str, str] | None) -> dict[str, Any]:
    """Return the outcome of the run: the verdict, its grounds, and what went wrong or ended it early."""
    judgment, claim = state.verdict or {}, case.options.claim
    evidence = unstruck_evidence(state, case.options.struck)
    post = (case.post.text, case.post.description or "", case.post.picture_text)
    urls = [url for page in state.read_pages for url in (page.url, page.hit.url)]
    numbers, texts = [page.number for page in evidence], [page.text for page in evidence]
    checked = check_rationale(judgment["rationale"], numbers, [claim, *post], texts, urls)
    grounded = [page for page in state.read_pages if page.number not in case.options.struck]
    about = {"claim": claim, "holds": _HOLDS[judgment["verdict"]]} if claim else {}
    reason = f"{_NO_SEARCH[case.tongue]} {checked.text}" if state.was_search_impossible else checked.text
    about |= stated_verdict(None if claim else judgment["verdict"] == "HATE", reason)
    return about | {
        "confidence": judgment["confidence"],
        "ungrounded": not grounded,
        "cited": list(checked.cited),
        "evidence": [page.number for page in evidence],
        "pages": len(state.read_pages),
        "rounds": len(state.rounds),
        "sufficient": state.is_sufficient,
        "no_search": state.was_search_impossible,
        "faults": state.search_faults,
        "limit": dict(limit) if limit else None,
        "unfounded": {
            "citations": list(checked.unknown),
            "addresses": len(checked.addresses),
            "quotes": list(checked.quotes),
            "statements": list(checked.unsourced),
        },
    }


def store_evidence(run: Run, outcome: Outcome) -> bool:
    """Store the evidence and compare the verdict. Runs of evaluations store no rows.

    Returns False if the item is gone.
    """
    if not is_of_evaluation(run):
        item = item_of_run(run)
        if fork.judged_run(run) is None and (item is not None or pasted_text(run.project, run.subject) is not None):
            _keep(run, item)
        if run.options.get("claim"):
            transaction.on_commit(partial(tell_of_claim_check, run.project, run.subject), robust=True)
    return verdict_outcome.dispute_if_verdict_differs(run, outcome)


def _keep(run: Run, item: Item | None) -> None:
    """Store a card for each page that holds evidence. A run that judges another run's evidence has no own cards."""
    project = Project.objects.get(public_id=run.project) if item is None else item.project
    about: dict[str, Any] = {"item": item, "project": project}
    state = walk(turns.saved_turns(run), InvestigationOptions.model_validate(run.options))
    for page in state.evidence:
        card, is_new = Evidence.objects.get_or_create(
            run=run.public_id, number=page.number, defaults=_fields(page) | about
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
                for passage in page.passages
            )


def _fields(page: Page) -> dict[str, object]:
    return {
        "url": page.url[:2000],
        "title": one_line(page.title)[:300],
        "query": page.hit.query[:400],
        "fetched_at": _time(page.fetched_at),
        "sha256": page.sha256,
        "text": page.text,
        "copies": page.copies,
        "source": {"language": page.language or None, **page.source},
        "comments_at": page.comments_at,
    }


def _time(written: str) -> datetime:
    try:
        return datetime.fromisoformat(written)
    except ValueError:
        return timezone.now()
