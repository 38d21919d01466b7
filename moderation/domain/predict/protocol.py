"""PREDICT as values: options, votes, references, the order of the debate, the verdict.

Design section 8; paper "PREDICT: Multi-Agent-based Debate Simulation for Generalized Hate Speech Detection", Algorithms
1 and 2. Where the released code differs, this module follows the paper: an empty reference is passed as empty, the
judge reads the arguments, and missing agents are counted.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Any

from pydantic import Field

from moderation.domain.disagreement import panel_disagreement
from moderation.domain.predict.answers import DONT_KNOW, HATE, NON_HATE, Position
from moderation.domain.predict.perspectives import SEEDED, Perspective
from moderation.domain.prompt_options import PromptOptions
from moderation.domain.verdicts import stated_verdict
from vocabulary.refusals import gettext_noop as _
from vocabulary.requests import Asked


class History(StrEnum):
    """The material that the judge reads."""

    ARGUMENTS = "arguments"
    """The arguments of both sides (the paper)."""
    TRANSCRIPTS = "transcripts"
    """The arguments and all inputs of both sides, with the references (the released code)."""


class Memory(StrEnum):
    """What a debater still has in the second round, beside the post and the other side's argument."""

    REFERENCE = "reference"
    """Its reference and its own argument: Appendix E goes on with the conversation of the first round."""
    ARGUMENT = "argument"
    """Its own argument alone: Algorithm 2, line by line."""


class PredictOptions(PromptOptions):
    """The options of a debate of perspectives."""

    rounds: Annotated[
        int,
        Field(ge=1, le=2),
        Asked(
            _("Length of the debate"),
            name="debate_rounds",
            words={2: _("arguments and responses"), 1: _("arguments only")},
            option="1 or 2",
            metavar="K",
        ),
    ] = 2
    history: Annotated[
        History,
        Asked(
            _("The judge reads"),
            words={
                History.ARGUMENTS: _("the arguments"),
                History.TRANSCRIPTS: _("also what each side was given"),
            },
        ),
    ] = History.ARGUMENTS
    memory: Annotated[
        Memory,
        Asked(
            _("In the second round a side has"),
            words={
                Memory.REFERENCE: _("its reference and its argument"),
                Memory.ARGUMENT: _("its argument alone"),
            },
        ),
    ] = Memory.REFERENCE
    without: Annotated[
        str,
        Field(max_length=40),
        Asked(_("Leave out"), option="the perspective that is left out", metavar="CODE", offered=True),
    ] = ""
    """The code of a perspective that is left out."""
    criteria: Annotated[bool, Asked(_("Perspectives have criteria"))] = True
    examples: Annotated[bool, Asked(_("Perspectives see the nearest examples"))] = True
    describe: Annotated[bool, Asked(_("Describe a picture first"))] = True
    """Whether a picture is described for the agents, who see none; if not, they know only the text, as in the paper."""
    temperature: float = Field(default=0.0, ge=0, le=2)
    definition: bool = True
    """Whether debaters and judge get the project's definition of hate, if it has one."""
    glossary: bool = False
    """Whether the prompts contain approved entries of the project's glossary."""


class PredictRun(PredictOptions):
    """The options as a run stores them, with the perspectives at the time of the start."""

    memory: Memory = Memory.ARGUMENT
    """Runs that were stored without it asked so."""
    perspectives: tuple[Perspective, ...] = ()
    definition_text: str = ""
    """The project's definition of hate; empty: there is none, as in the paper."""


def perspectives_without_examples(options: Mapping[str, Any]) -> list[str]:
    """Return the codes of perspectives that see no example in a run with these options, though they should.

    Returns none if the examples are switched off.
    """
    run = PredictRun.model_validate(options)
    taking_part = [row for row in run.perspectives or SEEDED if row.code != run.without]
    return [row.code for row in taking_part if not row.store] if run.examples else []


PERSPECTIVE_TURNS = "perspective."
"""What the keys of the perspectives' turns begin with."""


class Stance(StrEnum):
    """The side that a perspective takes; the last two are in neither reference."""

    HATE = "hate"
    NON_HATE = "non_hate"
    ABSTAINED = "abstained"
    MISSING = "missing"


class Majority(StrEnum):
    """The side with more votes."""

    HATE = "hate"
    NON_HATE = "non_hate"
    TIE = "tie"


# ── Votes and references (Algorithm 1) ────────────────────────────────────────


@dataclass(frozen=True)
class Vote:
    """The vote of one perspective: its side, its own label, its reason.

    `missing_because` is the reason code of the turn if the perspective is missing, such as `refused`.
    """

    perspective: str
    name: str
    stance: Stance
    label: str = ""
    reason: str = ""
    missing_because: str = ""

    def as_json(self) -> dict[str, str]:
        """Return the vote as the run's outcome stores it."""
        return {
            "perspective": self.perspective,
            "name": self.name,
            "stance": self.stance,
            "label": self.label,
            "reason": self.reason,
            "missing_because": self.missing_because,
        }


def vote(perspective: Perspective, value: Mapping[str, Any] | None, missing_because: str = "") -> Vote:
    """Return the vote of a perspective from its answer; None if it was refused, failed or could not be read."""
    code, name = perspective.code, perspective.name
    if value is None:
        return Vote(code, name, Stance.MISSING, missing_because=missing_because)
    label, reason = value["label"], value["reason"]
    if label == DONT_KNOW:
        return Vote(code, name, Stance.ABSTAINED, label, reason)
    stance = Stance.HATE if label == perspective.hateful_label else Stance.NON_HATE
    return Vote(code, name, stance, label, reason)


def perspective_key(perspective: Perspective) -> str:
    """Return the key of the turn in which a perspective votes."""
    return f"{PERSPECTIVE_TURNS}{perspective.code}"


def stances_without_verdict(
    options: Mapping[str, Any], turns: Mapping[str, tuple[Any, str]], reason: str
) -> list[dict[str, str]]:
    """Return the votes of a run that came to no verdict, as outcomes store them.

    `turns` maps the key of a turn to its usable answer, or None, and its reason code. A perspective that was not asked
    any more is missing for the reason of the run.
    """
    run = PredictRun.model_validate(options)
    taking_part = [row for row in run.perspectives or SEEDED if row.code != run.without]
    return [vote(row, *turns.get(perspective_key(row), (None, reason))).as_json() for row in taking_part]


def missing_perspectives(stances: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Return code → reason code of the missing perspectives in an outcome; older outcomes have no reason code."""
    rows = [row for row in stances if row["stance"] == Stance.MISSING]
    return {row["perspective"]: row.get("missing_because", "") for row in rows}


def most_common_loss(votes: Sequence[Vote]) -> str:
    """Return why most perspectives are missing, if all are; of equally common reasons the first.

    Returns "" if one answered or if nobody takes part.
    """
    if not all(row.stance is Stance.MISSING for row in votes):
        return ""
    reasons = [row.missing_because for row in votes]
    return max(reasons, key=reasons.count, default="")


def tally(votes: Sequence[Vote]) -> dict[str, int]:
    """Count the perspectives by side, including missing and abstaining ones."""
    return {str(stance): sum(row.stance is stance for row in votes) for stance in Stance}


def majority(votes: Sequence[Vote]) -> Majority:
    """Return the side with more votes; equal numbers, also without any votes, are a tie."""
    counts = tally(votes)
    hate, non_hate = counts[Stance.HATE], counts[Stance.NON_HATE]
    return Majority.TIE if hate == non_hate else Majority.HATE if hate > non_hate else Majority.NON_HATE


def reference(votes: Sequence[Vote], stance: Stance) -> list[str]:
    """Return the reasons of one side, in the order of the perspectives; empty if nobody took the side."""
    return [row.reason for row in votes if row.stance is stance]


# ── The debate (Algorithm 2) ──────────────────────────────────────────────────

SPEAKERS = ("nonhate.1", "hate.1", "nonhate.2", "hate.2")


def order(rounds: int) -> tuple[str, ...]:
    """Return the debaters' turns in their order."""
    return SPEAKERS[: 2 * rounds]


def history(values: Mapping[str, Any], rounds: int) -> list[dict[str, str]]:
    """Return the material for the judge: each argument with its round and its side, in the order of the debate."""
    lines = []
    for key in order(rounds):
        side, _, number = key.partition(".")
        line = {"round": number, "side": NON_HATE if side == "nonhate" else HATE}
        if number == "2":
            line["position"] = values[key]["position"]
        lines.append(line | {"argument": values[key]["argument"]})
    return lines


def response(turn: Mapping[str, Any]) -> str:
    """Return a round-2 response as the other side reads it: its position, then its argument."""
    return f"{'I agree' if turn['position'] == Position.AGREE else 'I rebut'}: {turn['argument']}"


def agreed(values: Mapping[str, Any]) -> list[str]:
    """Return the turns in which a side agreed with the other side: a change of stance."""
    return [key for key in SPEAKERS if (values.get(key) or {}).get("position") == Position.AGREE]


def verdict(
    judgement: Mapping[str, Any], votes: Sequence[Vote], values: Mapping[str, Any], *, suspect: bool
) -> dict[str, Any]:
    """Return the run's outcome: the judge's verdict with the votes.

    `suspect`: something that the models read looks like an attempt to steer them. Together with a change of stance this
    marks the run, so that people check the debate (threats T9).
    """
    changed, counts = agreed(values), tally(votes)
    return stated_verdict(judgement["label"] == HATE, judgement["reason"]) | {
        "label": judgement["label"],
        "votes": counts,
        "majority": majority(votes),
        "stances": [row.as_json() for row in votes],
        "changed": changed,
        **panel_disagreement(
            counts[Stance.HATE], counts[Stance.NON_HATE], len(changed), 2 if "hate.2" in values else 1
        ),
        "flipped_after_untrusted_text": suspect and bool(changed),
    }
