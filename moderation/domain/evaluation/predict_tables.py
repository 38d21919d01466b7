"""PREDICT's tables: every agent on every data set, their majority against the judge (Tables 1, 2, 4, 6)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from moderation.domain.evaluation.repeats import Spread, kappa, majority, spread

MAJORITY = "majority"


@dataclass(frozen=True)
class Votes:
    """What the agents said in one run: True hateful, False not, None for one that abstained or is missing."""

    dataset: str
    item: str
    repeat: int
    hateful: bool
    votes: Mapping[str, bool | None]


@dataclass(frozen=True)
class AgentFigures:
    """One agent on one data set. `kappa`: over its repeats; for the majority, between the agents."""

    accuracy: Spread | None
    kappa: float | None
    unvoted: int
    """Runs in which the agent took no side (for the majority: ties, which are wrong)."""

    def as_json(self) -> dict[str, Any]:
        return {
            "accuracy": self.accuracy.as_json() if self.accuracy else None,
            "kappa": self.kappa,
            "unvoted": self.unvoted,
        }


def agent_table(runs: Sequence[Votes]) -> dict[str, dict[str, AgentFigures]]:
    """Return agent → data set → figures, with `majority` last.

    An abstention is no answer: it is counted beside the accuracy.
    """
    agents = sorted({agent for run in runs for agent in run.votes})
    datasets = list(dict.fromkeys(run.dataset for run in runs))
    table = {agent: {name: _cell(runs, name, agent) for name in datasets} for agent in agents}
    if agents:
        table[MAJORITY] = {name: _majority(runs, name, agents) for name in datasets}
    return table


def _cell(runs: Sequence[Votes], dataset: str, agent: str) -> AgentFigures:
    here = [run for run in runs if run.dataset == dataset]
    right = ((run.repeat, _right(run, run.votes.get(agent))) for run in here)
    rows: dict[str, list[bool | None]] = {}
    for run in here:
        rows.setdefault(run.item, []).append(run.votes.get(agent))
    longest = max((len(row) for row in rows.values()), default=0)
    alike = kappa([row for row in rows.values() if len(row) == longest]) if longest > 1 else None
    return AgentFigures(_accuracy(right), alike, sum(run.votes.get(agent) is None for run in here))


def _majority(runs: Sequence[Votes], dataset: str, agents: Sequence[str]) -> AgentFigures:
    here = [run for run in runs if run.dataset == dataset]
    said = [(run, majority([run.votes.get(agent) for agent in agents])) for run in here]
    ties = sum(side is None for _, side in said)
    right = ((run.repeat, side is run.hateful) for run, side in said)
    return AgentFigures(_accuracy(right), kappa([[run.votes.get(agent) for agent in agents] for run in here]), ties)


def _right(run: Votes, side: bool | None) -> bool | None:
    return None if side is None else side is run.hateful


def _accuracy(right: Iterable[tuple[int, bool | None]]) -> Spread | None:
    """Mean and deviation of the accuracies of the repeats."""
    counted: dict[int, list[bool]] = {}
    for repeat, each in right:
        if each is not None:
            counted.setdefault(repeat, []).append(each)
    return spread([sum(rows) / len(rows) for rows in counted.values()])
