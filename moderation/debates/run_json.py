"""A run as JSON values, with their types: what the command and the API say."""

from collections.abc import Sequence
from typing import Any, NotRequired, TypedDict
from uuid import UUID

from moderation.debates.disagreement import RunDisagreement, figures_json
from moderation.debates.progress import RunStep, progress_of
from moderation.debates.suspected import suspected_places
from moderation.debates.waiting import RunWait, seconds_of_work, wait_of
from moderation.domain.antihateagent.searches import RunFault
from moderation.domain.hatexscore.second_reading import ReadBy
from moderation.domain.predict.protocol import missing_perspectives
from runs.domain.states import OPEN, RunState
from runs.models import Run, Turn
from runs.queue.provider_pauses import PauseInForce
from runs.spending.cost import run_saving
from vocabulary.answers import answer

# ── Types ─────────────────────────────────────────────────────────────────────


class RunLimit(TypedDict):
    """The limit at which a run ended early with what it had."""

    name: str
    detail: str


class ExplanationReading(TypedDict):
    """Who read an explanation: the `rules`, the `reader`, or `nobody`; and, where it answered, what the reader read."""

    by: ReadBy
    model: NotRequired[str]
    refusal: NotRequired[bool]
    conclusion: NotRequired[bool | None]
    group: NotRequired[str]
    tie: NotRequired[str]


class RunSummary(TypedDict):
    """How far a run is and what it came to; null is what is not known, or not open to the caller.

    `warnings`: `injection_suspected` if something that the models read looks like an order to them, `led_astray` if an
    answer repeats our own instructions, `reason_disagrees` if the reason concludes the opposite of the verdict.
    `faults` are those of searches that the run went on without; `no_search` says that no search was answered. `limit`
    is where it ended early, with a verdict on what it had. `read_by` is there where an explanation had a second reader.
    `missing` maps each perspective that gave no usable answer to its reason. `disagreement` is that inside the debate,
    empty for other methods. `prompts` is the set that the models were asked with. `seconds` are those of work, without
    waiting.
    """

    item: str | None
    run: UUID
    state: RunState
    reason_code: str | None
    hateful: bool | None
    category: int | None
    reason: str | None
    warnings: list[str]
    faults: list[RunFault]
    no_search: bool
    limit: RunLimit | None
    read_by: NotRequired[ExplanationReading]
    missing: dict[str, str]
    disagreement: list[RunDisagreement]
    calls: int
    prompts: str | None
    prompts_version: str | None
    seconds: float
    waits: RunWait | None


class TurnJson(TypedDict):
    """One saved reply; `parsed` is what was read in it, null where it was unreadable.

    `cached_tokens` are those of `input_tokens` that the provider had read shortly before.
    """

    key: str
    role: str
    parsed: Any
    input_tokens: int
    cached_tokens: int
    output_tokens: int


class RunWithTurns(RunSummary):
    """A run with the steps that are under way, and its turns.

    `orders` says where something stands that looks like an order to the models: the post, or what certain steps read.
    `saved` is the money that caching of prompts saved, null where nothing was.
    """

    steps: list[RunStep]
    orders: list[str]
    saved: float | None
    turns: list[TurnJson]


# ── Values ────────────────────────────────────────────────────────────────────


def run_summary(run: Run, external_id: str | None, pauses: Sequence[PauseInForce] | None = None) -> RunSummary:
    """Return the run with its verdict and what it cost. `pauses` are those in force, if they are known already."""
    wait = wait_of(run, pauses) if run.state in OPEN else None
    outcome = run.outcome or {}
    return answer(
        RunSummary,
        run,
        item=external_id,
        run=run,
        reason_code=run.reason or None,
        hateful=outcome.get("hateful"),
        category=outcome.get("category"),
        reason=outcome.get("reason"),
        warnings=outcome.get("warnings", []),
        faults=outcome.get("faults", []),
        no_search=bool(outcome.get("no_search")),
        limit=outcome.get("limit"),
        missing=missing_perspectives(outcome.get("stances", [])),
        disagreement=figures_json(outcome),
        prompts=run.options.get("prompts"),
        prompts_version=run.options.get("prompts_version"),
        seconds=round(seconds_of_work(run), 1),
        waits=wait.as_json() if wait else None,
        **({"read_by": outcome["read_by"]} if "read_by" in outcome else {}),
    )


def run_as_json(
    run: Run, external_id: str | None, turns: Sequence[Turn], pauses: Sequence[PauseInForce] | None = None
) -> RunWithTurns:
    """Return the run with its steps under way and its turns."""
    progress, saved = progress_of(run, turns), run_saving(run, turns)
    return {
        **run_summary(run, external_id, pauses),
        "steps": progress.as_json() if progress else [],
        "orders": suspected_places(run, turns),
        "saved": None if saved is None else float(saved),
        "turns": [answer(TurnJson, turn, parsed=turn.value) for turn in turns],
    }
