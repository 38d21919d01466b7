"""Candidates as JSON, for the command and the API."""

from collections.abc import Sequence
from typing import Any

from generation.domain.counterspeech.intents import Intent
from generation.models import Candidate, Exchange
from runs.models import Run


def reported(exchange: Exchange, run: Run, intents: Sequence[Intent]) -> list[dict[str, Any]]:
    """Return one object per intent with its candidates, best first.

    `{"item", "intent", "candidates": [{"text", "pc", "aq", "t", "reward", "conforms", "flags"}], …}`, and also the
    exchange, the run with its state, and what was left out: near-duplicates, and answers that hold no reply, by reason.
    `judged_by_writer` names what the same model wrote and judged (pc, aq, t, intent). The item is null for a pasted
    text. Each candidate says who wrote it, how it was asked for, and how many were.
    """
    run.refresh_from_db()
    judged = (run.outcome or {}).get("judged_by_writer", [])
    rows: dict[str, list[Candidate]] = {intent.value: [] for intent in intents}
    for row in Candidate.objects.filter(run_id=run.public_id, intent__in=intents).order_by("rank"):
        rows[row.intent].append(row)
    outcomes = (run.outcome or {}).get("intents", {})
    return [
        {
            "item": exchange.item.external_id if exchange.item else None,
            "exchange": str(exchange.public_id),
            "injected": exchange.injected,
            "intent": intent,
            "run": str(run.public_id),
            "state": run.state,
            "reason_code": run.reason or outcomes.get(intent, {}).get("missing") or None,
            "judged_by_writer": judged,
            "near_duplicates": outcomes.get(intent, {}).get("near_duplicates", 0),
            "unusable": outcomes.get(intent, {}).get("unusable", {}),
            "candidates": [_candidate(row) for row in candidates],
        }
        for intent, candidates in rows.items()
    ]


def _candidate(row: Candidate) -> dict[str, Any]:
    return {
        "id": str(row.public_id),
        "text": row.text,
        "pc": row.pc,
        "aq": row.aq,
        "t": row.t,
        "reward": row.reward,
        "conforms": row.conforms,
        "flags": row.flags,
        "claims": row.claims,
        "model": row.model,
        "written_by": row.writer,
        "trained": row.trained,
        "registers": row.registers,
        "platform": row.length.platform if row.length else None,
        "length": row.length.length if row.length else None,
        "over": row.length.over if row.length else None,
        "mode": row.mode,
        "asked_for": row.asked_for,
    }
