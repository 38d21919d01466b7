"""A hearing as people read it: the gate, and round by round which cue was rebutted and which conceded."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from moderation.domain.arcade import MOST_ROUNDS, Track
from runs.models import Run, Turn


@dataclass(frozen=True)
class CuePair:
    """A cue, and the rebuttal to it if there is one."""

    cue: Mapping[str, Any]
    rebuttal: Mapping[str, Any] | None
    answered: bool
    """Whether the defence has spoken in this round: only then is a cue without a rebuttal conceded."""


@dataclass(frozen=True)
class ShownRound:
    """One round of the courtroom."""

    number: int
    prosecution: Turn
    defence: Turn | None
    pairs: Sequence[CuePair]

    @property
    def rebuttals(self) -> int:
        """The number of cues that the defence answered."""
        return sum(pair.rebuttal is not None for pair in self.pairs)


@dataclass(frozen=True)
class ShownHearing:
    """A run of ARCADE, finished or under way."""

    turns: Mapping[str, Turn]

    @property
    def gate(self) -> Turn | None:
        """The gatekeeper's turn."""
        return self.turns.get("gate")

    @property
    def rounds(self) -> list[ShownRound]:
        """The rounds that have begun."""
        rounds = []
        for number in range(1, MOST_ROUNDS + 1):
            prosecution, defence = self.turns.get(f"prosecutor.{number}"), self.turns.get(f"defender.{number}")
            if prosecution is None:
                break
            rounds.append(ShownRound(number, prosecution, defence, _pairs(prosecution, defence)))
        return rounds


def shown_hearing(run: Run, turns: Sequence[Turn]) -> ShownHearing:
    """Return the hearing of a run."""
    return ShownHearing({turn.key: turn for turn in turns})


def most_hearing_calls(run: Run) -> int:
    """Return the calls that a hearing with these options makes at most: 2K and the judge, and the gatekeeper."""
    return 2 * int(run.options.get("rounds", 3)) + (1 if run.options.get("track") == Track.DEEP else 2)


def _pairs(prosecution: Turn, defence: Turn | None) -> list[CuePair]:
    rebuttals = {row["id"]: row for row in ((defence.value or {}).get("rebuttals", ()) if defence else ())}
    cues = (prosecution.value or {}).get("cues", ())
    return [CuePair(cue, rebuttals.get(cue["id"]), defence is not None) for cue in cues]
