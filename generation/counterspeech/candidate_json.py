"""Candidates as JSON, with their types, for the command and the API."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypedDict
from uuid import UUID

from generation.domain.counterspeech.intents import Intent
from generation.domain.counterspeech.platforms import Platform
from generation.domain.counterspeech.registers import Register
from generation.domain.counterspeech.safety_flags import FlaggedWords
from generation.domain.counterspeech.writers import Writer, WriterMode
from generation.models import Candidate, Exchange
from runs.domain.states import RunState
from runs.models import Run
from vocabulary.answers import answer


class CandidateJson(TypedDict):
    """A reply that a model wrote, with its rewards.

    `trained`: what the model was trained as, or empty. `asked_for`: how many candidates of its intent were asked for.
    `read_marks`: those of the flags that no rule raised, by the weight of words or by the model that read them.
    `length`: as the platform counts that it was asked for, and `over`: by how much it is too long there; null if it was
    asked for no platform.
    """

    id: UUID
    text: str
    pc: float | None
    aq: float | None
    t: float | None
    reward: float | None
    conforms: bool | None
    flags: list[str]
    read_marks: list[FlaggedWords]
    claims: list[str]
    model: str
    written_by: Writer
    trained: str
    registers: list[Register]
    platform: Platform | None
    length: int | None
    over: int | None
    mode: WriterMode
    asked_for: int | None


class CandidatesJson(TypedDict):
    """The candidates of one intent for a post, best first; `item` is null for a pasted text.

    `judged_by_writer`: the scores that the model gave which also wrote the candidates (pc, aq, t, intent). `unusable`:
    how many answers held no reply, by reason.
    """

    item: str | None
    exchange: UUID
    injected: bool
    intent: Intent
    run: UUID
    state: RunState
    reason_code: str | None
    judged_by_writer: list[Literal["pc", "aq", "t", "intent"]]
    near_duplicates: int
    unusable: dict[str, int]
    candidates: list[CandidateJson]


def reported(exchange: Exchange, run: Run, intents: Sequence[Intent]) -> list[CandidatesJson]:
    """Return one object per intent with its candidates, best first, and what was left out."""
    run.refresh_from_db()
    outcome = run.outcome or {}
    rows: dict[str, list[Candidate]] = {intent.value: [] for intent in intents}
    for row in Candidate.objects.filter(run_id=run.public_id, intent__in=intents).order_by("rank"):
        rows[row.intent].append(row)
    return [
        _of_intent(exchange, run, intent, outcome.get("intents", {}).get(intent, {}), candidates)
        for intent, candidates in rows.items()
    ]


def _of_intent(
    exchange: Exchange, run: Run, intent: str, outcome: Mapping[str, Any], candidates: Sequence[Candidate]
) -> CandidatesJson:
    return answer(
        CandidatesJson,
        exchange,
        exchange=exchange,
        intent=intent,
        run=run,
        state=run.state,
        reason_code=run.reason or outcome.get("missing") or None,
        judged_by_writer=(run.outcome or {}).get("judged_by_writer", []),
        near_duplicates=outcome.get("near_duplicates", 0),
        unusable=outcome.get("unusable", {}),
        candidates=[_candidate(row) for row in candidates],
    )


def _candidate(row: Candidate) -> CandidateJson:
    length = row.length
    return answer(
        CandidateJson,
        row,
        written_by=row.writer,
        read_marks=[mark for mark in row.marks if mark.by],
        platform=length.platform if length else None,
        length=length.length if length else None,
        over=length.over if length else None,
    )
