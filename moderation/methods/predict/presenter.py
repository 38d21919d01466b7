"""A debate of perspectives for its page: the stances and their reasons, the speeches, the judge and the votes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.utils.translation import gettext
from django.utils.translation import gettext_noop as _

from moderation.domain.predict import protocol
from moderation.domain.predict.answers import Position
from moderation.domain.predict.perspectives import Example, Neighbourhood, Perspective
from moderation.domain.predict.protocol import Majority, Stance, Vote
from moderation.methods.debate_method import Stage, StepWords
from providers.roles import ModelRole
from runs.domain.states import RunState, TurnState
from runs.models import Run, Turn

_SPEAKS = {
    "describe": _("describes the picture"),
    "perspective": _("A perspective is thinking:"),
    "nonhate": _("The non-hate side is thinking"),
    "hate": _("The hate side is thinking"),
    "judge": _("The judge is thinking"),
}


@dataclass(frozen=True)
class PerspectiveCard:
    """A perspective: its vote (None until it has answered) and the examples that it saw."""

    perspective: Perspective
    turn: Turn | None
    vote: Vote | None
    near: Neighbourhood

    @property
    def examples(self) -> list[tuple[Example, str]]:
        """The examples, each with the perspective's own label for it."""
        labels = {True: self.perspective.hateful_label, False: self.perspective.other_label}
        return [(example, labels[example.hateful]) for example in self.near.nearest]


@dataclass(frozen=True)
class Camp:
    """The perspectives with the same stance."""

    stance: Stance
    cards: Sequence[PerspectiveCard]


@dataclass(frozen=True)
class Speech:
    """A turn of the debate; None if it has not taken place."""

    key: str
    turn: Turn | None

    @property
    def is_hate(self) -> bool:
        """Whether the hate side speaks."""
        return self.key.startswith("hate")

    @property
    def argument(self) -> str:
        """The argument; empty if there is none yet."""
        return str(self._value.get("argument", ""))

    @property
    def agrees(self) -> bool:
        """Whether the side agreed with the other side."""
        return self._value.get("position") == Position.AGREE

    @property
    def rebuts(self) -> bool:
        """Whether the side rebutted the other side."""
        return self._value.get("position") == Position.REBUT

    @property
    def _value(self) -> Mapping[str, Any]:
        return (self.turn.value or {}) if self.turn else {}


@dataclass(frozen=True)
class ShownDebate:
    """A run of PREDICT, finished or under way."""

    run: Run
    turns: Mapping[str, Turn]

    @classmethod
    def of(cls, run: Run, turns: Sequence[Turn]) -> "ShownDebate":
        """Return the debate of a run from its turns."""
        return cls(run, {turn.key: turn for turn in turns})

    @cached_property
    def cards(self) -> list[PerspectiveCard]:
        """All perspectives that take part, in their order."""
        left_out = self.run.options.get("without")
        rows = [Perspective.model_validate(perspective) for perspective in self.run.options.get("perspectives", ())]
        return [self._card(perspective) for perspective in rows if perspective.code != left_out]

    @property
    def camps(self) -> list[Camp]:
        """The camps hate and non-hate, and those of abstaining and missing perspectives if there are any."""
        camps = [Camp(stance, self._standing(stance)) for stance in Stance]
        return [camp for camp in camps if camp.cards or camp.stance in (Stance.HATE, Stance.NON_HATE)]

    @property
    def thinking(self) -> list[PerspectiveCard]:
        """The perspectives that have not answered yet."""
        return [card for card in self.cards if card.vote is None]

    @property
    def answered(self) -> int:
        """The number of perspectives that have answered; missing ones have not."""
        return len(self._votes) - self.missing

    @property
    def missing(self) -> int:
        """The number of perspectives without an answer: refused, filtered, failed or not readable."""
        return self.votes[Stance.MISSING]

    @property
    def votes(self) -> Mapping[str, int]:
        """The number of perspectives with each stance so far."""
        return protocol.tally(self._votes)

    @property
    def majority(self) -> Majority | None:
        """The side with more votes; None until all have answered."""
        return None if self.thinking or not self.cards else protocol.majority(self._votes)

    @property
    def rounds(self) -> list[tuple[int, list[Speech]]]:
        """The rounds that have started, with both speeches each."""
        rounds = []
        for number in range(1, int(self.run.options.get("rounds", 2)) + 1):
            speeches = [Speech(key, self.turns.get(key)) for key in (f"nonhate.{number}", f"hate.{number}")]
            if speeches[0].turn is not None:
                rounds.append((number, speeches))
        return rounds

    @property
    def judge(self) -> Turn | None:
        """The judge's turn."""
        return self.turns.get("judge")

    @property
    def label(self) -> str:
        """The judge's label; empty until there is one, and where the run ended before its verdict was stored."""
        has_ended = self.run.state in (RunState.CANCELLED, RunState.FAILED)
        value = self.judge.value if self.judge and not has_ended else None
        return str(value["label"]) if value else ""

    @property
    def description(self) -> Mapping[str, str] | None:
        """The description of the picture, if there is one."""
        turn = self.turns.get("describe")
        return turn.value if turn is not None and turn.value and any(turn.value.values()) else None

    @property
    def definition(self) -> str:
        """The definition of hate that debaters and judge were given; empty if none."""
        return str(self.run.options.get("definition_text", ""))

    @property
    def left_out(self) -> str:
        """The name of the perspective that was left out."""
        code = self.run.options.get("without")
        return next(
            (
                perspective["name"]
                for perspective in self.run.options.get("perspectives", ())
                if perspective["code"] == code
            ),
            "",
        )

    @property
    def without_examples(self) -> bool:
        """Whether the vendor's filter refused the post, so that it has no examples."""
        turn = self.turns.get("examples")
        return bool(turn is not None and turn.value and turn.value.get("refused"))

    @property
    def is_going_on(self) -> bool:
        """Whether a worker performs the run now."""
        return self.run.state == RunState.RUNNING

    @property
    def _votes(self) -> list[Vote]:
        return [card.vote for card in self.cards if card.vote is not None]

    def _standing(self, stance: Stance) -> list[PerspectiveCard]:
        return [card for card in self.cards if card.vote is not None and card.vote.stance is stance]

    def _card(self, perspective: Perspective) -> PerspectiveCard:
        turn = self.turns.get(f"perspective.{perspective.code}")
        vote = None
        if turn is not None:
            vote = protocol.vote(perspective, turn.value if turn.state == TurnState.OK else None, turn.reason)
        looked_up = self.turns.get("examples")
        rows = ((looked_up.value or {}).get("perspectives") or {}) if looked_up else {}
        return PerspectiveCard(perspective, turn, vote, Neighbourhood.model_validate(rows.get(perspective.code) or {}))


def most_debate_calls(run: Run) -> int:
    """Return the calls that the debate takes at most: a description, the perspectives, two a round, the judge."""
    taking_part = [
        perspective
        for perspective in run.options.get("perspectives", ())
        if perspective["code"] != run.options.get("without")
    ]
    return (ModelRole.DESCRIBER in run.model_plan) + len(taking_part) + 2 * int(run.options.get("rounds", 2)) + 1


def step_words(run: Run, turns: Mapping[str, Turn], keys: Sequence[str]) -> list[StepWords]:
    """Return who speaks in these steps of a debate, and which perspective."""
    names = {f"perspective.{card.perspective.code}": card.perspective.name for card in ShownDebate(run, turns).cards}
    return [StepWords(_SPEAKS.get(key.partition(".")[0], key), names.get(key, "")) for key in keys]


def stages(run: Run, turns: Mapping[str, Turn]) -> list[Stage]:
    """Return the perspectives, the rounds and the verdict of a debate."""
    views = [f"perspective.{card.perspective.code}" for card in ShownDebate(run, turns).cards]
    return [
        Stage(gettext("Perspectives"), views),
        *(
            Stage(gettext("Round %(number)s") % {"number": number}, [f"nonhate.{number}", f"hate.{number}"])
            for number in range(1, int(run.options.get("rounds", 2)) + 1)
        ),
        Stage(gettext("Verdict"), ["judge"]),
    ]
