"""A run as JSON values, for the command and the API."""

from collections.abc import Sequence
from typing import Any

from moderation.debates.disagreement import figures_json
from moderation.debates.progress import progress_of
from moderation.debates.suspected import suspected_places
from moderation.debates.waiting import seconds_of_work, wait_of
from moderation.domain.predict.protocol import missing_perspectives
from runs.domain.states import OPEN
from runs.models import Run, Turn
from runs.queue.provider_pauses import PauseInForce
from runs.spending.cost import run_saving


def run_as_json(
    run: Run, external_id: str | None, turns: Sequence[Turn], pauses: Sequence[PauseInForce] | None = None
) -> dict[str, Any]:
    """Return the run with its verdict, what it cost, its prompt set, its steps under way and its turns.

    Unknown values are None. `saved` is the money that caching of prompts saved, where its price is known. `waits` says
    what an open run waits for: `{for, until, detail, of}`; `pauses` are those in force, if they are known already.
    `warnings` holds `injection_suspected` if something that the models read looks like an order to them, and
    `led_astray` if an answer repeats our own instructions, `reason_disagrees` if the reason concludes the opposite of
    the verdict. `faults` are those that did not end the run, `no_search` says that none of its searches was answered,
    and `limit` names the limit that ended it early. `read_by` says who read an explanation, and is there where a reader
    is named. `missing` maps each perspective that gave no usable answer to its reason: its vote is in neither camp.
    `disagreement` holds the figures of the disagreement inside the debate.
    """
    wait = wait_of(run, pauses) if run.state in OPEN else None
    outcome, saved = run.outcome or {}, run_saving(run, turns)
    progress = progress_of(run, turns)
    return {
        "item": external_id,
        "run": str(run.public_id),
        "state": run.state,
        "reason_code": run.reason or None,
        "hateful": outcome.get("hateful"),
        "category": outcome.get("category"),
        "reason": outcome.get("reason"),
        "warnings": outcome.get("warnings", []),
        "faults": outcome.get("faults", []),
        "no_search": bool(outcome.get("no_search")),
        "limit": outcome.get("limit"),
        **({"read_by": outcome["read_by"]} if "read_by" in outcome else {}),
        "missing": missing_perspectives(outcome.get("stances", [])),
        "disagreement": figures_json(outcome),
        "calls": run.calls,
        "prompts": run.options.get("prompts"),
        "prompts_version": run.options.get("prompts_version"),
        "seconds": round(seconds_of_work(run), 1),
        "waits": wait.as_json() if wait else None,
        "steps": progress.as_json() if progress else [],
        "orders": suspected_places(run, turns),
        "saved": None if saved is None else float(saved),
        "turns": [_turn_as_json(turn) for turn in turns],
    }


def _turn_as_json(turn: Turn) -> dict[str, Any]:
    return {
        "key": turn.key,
        "role": turn.role,
        "parsed": turn.value,
        "input_tokens": turn.input_tokens,
        "cached_tokens": turn.cached_tokens,
        "output_tokens": turn.output_tokens,
    }
