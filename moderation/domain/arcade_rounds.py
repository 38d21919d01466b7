"""The rounds of an ARCADE debate as values: which cues stand, who has something new to answer, what the judge reads.

A side that says nothing further in a later round rests: its cues or answers stand. It withdraws a cue, or concedes
one, only by naming it. Debates that were held before this rule have no such names; there, a later statement dropped
the cues that it left out, and they are read in that sense.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from moderation.domain.arcade import MOST_ROUNDS

Row = Mapping[str, Any]

_PROSECUTION_RESTS = "nothing further; its cues stand"
_DEFENCE_RESTS = "nothing further; its earlier answers stand"


@dataclass(frozen=True)
class Exchange:
    """One round: what each side said in it, and which cues it rested on, withdrew or conceded.

    `cues` are those that the prosecutor argued in this round, each with its original claim. `rebuttals` is None if the
    defence was not asked, or not yet.
    """

    round: int
    cues: Sequence[Row]
    rebuttals: Sequence[Row] | None
    resting: tuple[str, ...] = ()
    withdrawn: tuple[str, ...] = ()
    conceded: tuple[str, ...] = ()
    awaits_defence: bool = False
    """Whether the defence has something to answer and has not answered yet."""
    is_last_word: bool = False
    """Whether the other side has nothing new to answer after this round."""


@dataclass(frozen=True)
class Hearing:
    """A debate so far. `cues` stand and `rebuttals` answer them, the last words of each; `past` cues were withdrawn."""

    rounds: Sequence[Exchange] = ()
    cues: Sequence[Row] = ()
    rebuttals: Sequence[Row] = ()
    past: tuple[str, ...] = ()

    @property
    def awaits_defence(self) -> bool:
        """Whether the defence has to answer the last statement."""
        return bool(self.rounds) and self.rounds[-1].awaits_defence

    @property
    def is_closed(self) -> bool:
        """Whether neither side has anything new to answer, so that only the judge is left to ask."""
        return bool(self.rounds) and self.rounds[-1].is_last_word


@dataclass
class _Standing:
    """The cues that stand, with their last arguments, and the last answers to them, by id."""

    cues: dict[str, Row] = field(default_factory=dict)
    rebuttals: dict[str, Row] = field(default_factory=dict)
    past: list[str] = field(default_factory=list)


def hearing_of(values: Mapping[str, Any]) -> Hearing:
    """Return the debate, from the answers by step key."""
    standing, rounds = _Standing(), []
    for number in range(1, MOST_ROUNDS + 1):
        statement = values.get(f"prosecutor.{number}")
        if statement is None:
            break
        rounds.append(_exchange(number, statement, values.get(f"defender.{number}"), standing))
    rebuttals = [standing.rebuttals[name] for name in standing.cues if name in standing.rebuttals]
    return Hearing(rounds, list(standing.cues.values()), rebuttals, tuple(standing.past))


def transcript(rounds: Sequence[Exchange]) -> list[dict[str, Any]]:
    """Return the rounds that are complete as the judge reads them."""
    return [_as_told(exchange) for exchange in rounds if not exchange.awaits_defence]


def _exchange(number: int, statement: Row, answer: Row | None, standing: _Standing) -> Exchange:
    """Return the round and change what stands accordingly."""
    names_withdrawn = number == 1 or "withdrawn" in statement
    argued = {row["id"]: _carried(standing.cues.get(row["id"], {}), row) for row in statement["cues"]}
    silent = [name for name in standing.cues if name not in argued]
    withdrawn = [name for name in silent if name in statement["withdrawn"]] if names_withdrawn and number > 1 else []
    withdrawn = withdrawn if names_withdrawn else silent
    new = [name for name in argued if name not in standing.cues]
    for name in withdrawn:
        del standing.cues[name]
        standing.past.append(name)
    standing.cues |= argued
    conceded = _conceded(number, answer, list(argued), new) if answer is not None else []
    for row in answer["rebuttals"] if answer is not None else ():
        standing.rebuttals[row["id"]] = row
    for name in conceded:
        standing.rebuttals.pop(name, None)
    return Exchange(
        round=number,
        cues=list(argued.values()),
        rebuttals=None if answer is None else list(answer["rebuttals"]),
        resting=tuple(name for name in silent if name not in withdrawn),
        withdrawn=tuple(withdrawn),
        conceded=tuple(conceded),
        awaits_defence=answer is None and (number == 1 or bool(argued) or not names_withdrawn),
        is_last_word=number > 1 and names_withdrawn and _is_last_word(argued, answer, standing),
    )


def _is_last_word(argued: Mapping[str, Row], answer: Row | None, standing: _Standing) -> bool:
    if not argued or not standing.cues:
        return True
    return answer is not None and "conceded" in answer and not answer["rebuttals"]


def _conceded(number: int, answer: Row, argued: Sequence[str], new: Sequence[str]) -> list[str]:
    """Return the cues that the defence conceded: by name, or by leaving out a cue that was new to it."""
    rebutted = {row["id"] for row in answer["rebuttals"]}
    if number > 1 and "conceded" in answer:
        return list(dict.fromkeys([*answer["conceded"], *(name for name in new if name not in rebutted)]))
    return [name for name in argued if name not in rebutted]


def _carried(original: Row, row: Row) -> Row:
    """Return the cue with what this statement says of it; empty fields leave the original's words."""
    return {**original, **{name: value for name, value in row.items() if value not in ("", None)}}


def _as_told(exchange: Exchange) -> dict[str, Any]:
    entry: dict[str, Any] = {"round": exchange.round, "prosecution": list(exchange.cues)}
    if exchange.resting and not exchange.cues:
        entry["prosecution"] = _PROSECUTION_RESTS
    elif exchange.resting:
        entry["prosecution_rests_on"] = list(exchange.resting)
    if exchange.withdrawn:
        entry["withdrawn_by_the_prosecution"] = list(exchange.withdrawn)
    if exchange.rebuttals is not None:
        rests = exchange.round > 1 and exchange.cues and not exchange.rebuttals and not exchange.conceded
        entry["defence"] = _DEFENCE_RESTS if rests else list(exchange.rebuttals)
        entry["conceded_by_the_defence"] = list(exchange.conceded)
    return entry
