"""PREDICT's tables: every agent on every data set, and the majority of the agents (Tables 1, 2, 4, 6)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from moderation.domain.evaluation.repeats import Spread, kappa, majority, spread

MAJORITY = "majority"
REFUSALS = frozenset({"refused", "provider_blocked"})
"""The reason codes of refusals, by the model or by its provider's filter."""


@dataclass(frozen=True)
class Votes:
    """The agents' votes in one run: True is hateful, False is not; None if the agent abstained or is missing."""

    dataset: str
    item: str
    repeat: int
    hateful: bool
    votes: Mapping[str, bool | None]
    missing: Mapping[str, str] = field(default_factory=dict)
    """Missing agent → the reason code of its turn."""


@dataclass(frozen=True)
class AgentFigures:
    """One agent on one data set. `kappa` is over the agent's repeats; for the majority, between the agents."""

    accuracy: Spread | None
    kappa: float | None
    unvoted: int
    """The number of runs in which the agent took no side.

    For the majority: ties, which are wrong, and runs in which all agents are missing, which are in no accuracy.
    """
    missing: int | None
    """The number of these in which it gave no answer, rather than abstain; None for the majority."""
    refused: int | None
    """The number of these in which it, or its provider's filter, refused; None for the majority."""

    def as_json(self) -> dict[str, Any]:
        return {
            "accuracy": self.accuracy.as_json() if self.accuracy else None,
            "kappa": self.kappa,
            "unvoted": self.unvoted,
            "missing": self.missing,
            "refused": self.refused,
        }


def agent_table(runs: Sequence[Votes]) -> dict[str, dict[str, AgentFigures]]:
    """Return agent → data set → figures, with `majority` last.

    An abstention is no answer: it is not in the accuracy but counted as `unvoted`.
    """
    agents = sorted({agent for run in runs for agent in run.votes})
    datasets = list(dict.fromkeys(run.dataset for run in runs))
    table = {agent: {name: _cell(runs, name, agent) for name in datasets} for agent in agents}
    if agents:
        table[MAJORITY] = {name: _majority(runs, name, agents) for name in datasets}
    return table


def _cell(runs: Sequence[Votes], dataset: str, agent: str) -> AgentFigures:
    dataset_runs = [run for run in runs if run.dataset == dataset]
    right = ((run.repeat, _right(run, run.votes.get(agent))) for run in dataset_runs)
    rows: dict[str, list[bool | None]] = {}
    for run in dataset_runs:
        rows.setdefault(run.item, []).append(run.votes.get(agent))
    longest = max((len(row) for row in rows.values()), default=0)
    alike = kappa([row for row in rows.values() if len(row) == longest]) if longest > 1 else None
    reasons = [run.missing[agent] for run in dataset_runs if agent in run.missing]
    return AgentFigures(
        _accuracy(right),
        alike,
        unvoted=sum(run.votes.get(agent) is None for run in dataset_runs),
        missing=len(reasons),
        refused=sum(reason in REFUSALS for reason in reasons),
    )


def _majority(runs: Sequence[Votes], dataset: str, agents: Sequence[str]) -> AgentFigures:
    dataset_runs = [run for run in runs if run.dataset == dataset]
    majorities = [(run, majority([run.votes.get(agent) for agent in agents])) for run in dataset_runs]
    ties = sum(side is None for _, side in majorities)
    right = ((run.repeat, side is run.hateful) for run, side in majorities if len(run.missing) < len(run.votes))
    alike = kappa([[run.votes.get(agent) for agent in agents] for run in dataset_runs])
    return AgentFigures(_accuracy(right), alike, unvoted=ties, missing=None, refused=None)


def _right(run: Votes, side: bool | None) -> bool | None:
    return None if side is None else side is run.hateful


def _accuracy(right: Iterable[tuple[int, bool | None]]) -> Spread | None:
    """Return mean and deviation of the repeats' accuracies."""
    by_repeat: dict[int, list[bool]] = {}
    for repeat, is_right in right:
        if is_right is not None:
            by_repeat.setdefault(repeat, []).append(is_right)
    return spread([sum(rows) / len(rows) for rows in by_repeat.values()])
