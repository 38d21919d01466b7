"""An ARCADE debate for its page: the gate, and for each round which cues were rebutted or conceded."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext
from django.utils.translation import gettext_noop as _

from moderation.domain.arcade import Track
from moderation.domain.arcade_rounds import Exchange, hearing_of
from moderation.methods.debate_method import Stage, StepWords
from runs.models import Run, Turn

_SPEAKS = {
    "gate": _("The gatekeeper is thinking"),
    "prosecutor": _("The prosecutor is thinking"),
    "defender": _("The defender is thinking"),
    "judge": _("The judge is thinking"),
}


@dataclass(frozen=True)
class CuePair:
    """A cue that was argued in a round, its rebuttal if there is one, and whether it is conceded."""

    cue: Mapping[str, Any]
    rebuttal: Mapping[str, Any] | None
    is_conceded: bool


@dataclass(frozen=True)
class ShownRound:
    """One round of the debate."""

    exchange: Exchange
    prosecution: Turn
    defence: Turn | None

    @property
    def number(self) -> int:
        """The number of the round, from 1."""
        return self.exchange.round

    @property
    def pairs(self) -> list[CuePair]:
        """The cues that were argued, with the answers to them."""
        answers = {row["id"]: row for row in self.exchange.rebuttals or ()}
        conceded = self.exchange.conceded
        return [CuePair(cue, answers.get(cue["id"]), cue["id"] in conceded) for cue in self.exchange.cues]

    @property
    def other_answers(self) -> list[Mapping[str, Any]]:
        """The answers to cues on which the prosecutor rested in this round."""
        argued = {cue["id"] for cue in self.exchange.cues}
        return [row for row in self.exchange.rebuttals or () if row["id"] not in argued]

    @property
    def other_concessions(self) -> list[str]:
        """The concessions of cues on which the prosecutor rested in this round."""
        argued = {cue["id"] for cue in self.exchange.cues}
        return [name for name in self.exchange.conceded if name not in argued]

    @property
    def rebuttals(self) -> int:
        """The number of cues that the defence answered."""
        return len(self.exchange.rebuttals or ())


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
        """The rounds that have started."""
        values = {key: turn.value for key, turn in self.turns.items() if turn.value is not None}
        return [
            ShownRound(
                exchange,
                self.turns[f"prosecutor.{exchange.round}"],
                self.turns.get(f"defender.{exchange.round}"),
            )
            for exchange in hearing_of(values).rounds
        ]


def shown_hearing(run: Run, turns: Sequence[Turn]) -> ShownHearing:
    """Return the debate of a run."""
    return ShownHearing({turn.key: turn for turn in turns})


def most_hearing_calls(run: Run) -> int:
    """Return the most calls of a debate with these options: 2K, the judge and the gatekeeper."""
    return 2 * int(run.options.get("rounds", 3)) + (1 if run.options.get("track") == Track.DEEP else 2)


def step_words(run: Run, turns: Mapping[str, Turn], keys: Sequence[str]) -> list[StepWords]:
    """Return who speaks in these steps of a debate."""
    return [StepWords(_SPEAKS.get(key.partition(".")[0], key)) for key in keys]


def stages(run: Run, turns: Mapping[str, Turn]) -> list[Stage]:
    """Return gate, rounds and verdict of a debate; the fast way has one round."""
    is_deep = run.options.get("track") == Track.DEEP
    gate = turns.get("gate")
    is_fast = not is_deep and gate is not None and bool((gate.value or {}).get("cues"))
    rounds = 1 if is_fast else int(run.options.get("rounds", 3))
    return [
        *([] if is_deep else [Stage(gettext("Gate"), ["gate"])]),
        *(
            Stage(gettext("Round %(number)s") % {"number": number}, [f"prosecutor.{number}", f"defender.{number}"])
            for number in range(1, rounds + 1)
        ),
        Stage(gettext("Verdict"), ["judge"]),
    ]
