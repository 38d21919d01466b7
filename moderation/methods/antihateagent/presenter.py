"""An investigation for its page: its rounds, and its reasons split into text and citations."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from moderation.domain.antihateagent.actions import InvestigationOptions
from moderation.domain.antihateagent.protocol import Walk, walk
from runs.models import Run, Turn

_CITED = re.compile(r"\[(\d{1,3}(?:, \d{1,3})*)\]")


@dataclass(frozen=True)
class RationalePiece:
    """A piece of a rationale; with a `number` it is a citation."""

    text: str
    number: int = 0


def split_citations(text: str) -> list[RationalePiece]:
    """Return a rationale in pieces: text, and numbers of evidence."""
    pieces: list[RationalePiece] = []
    at = 0
    for citation in _CITED.finditer(text):
        pieces.append(RationalePiece(text[at : citation.start()]))
        pieces += [RationalePiece(f"[{number}]", int(number)) for number in citation.group(1).split(", ")]
        at = citation.end()
    return [piece for piece in [*pieces, RationalePiece(text[at:])] if piece.text]


@dataclass(frozen=True)
class ShownInvestigation:
    """A run of AntiHateAgent, finished or under way."""

    run: Run
    turns: Sequence[Turn]

    @cached_property
    def walk(self) -> Walk:
        """The state of the investigation."""
        options = InvestigationOptions.model_validate(self.run.options)
        return walk({turn.key: turn for turn in self.turns}, options)

    @property
    def rationale(self) -> list[RationalePiece]:
        """The reason of the verdict, split into text and citations."""
        return split_citations((self.run.outcome or {}).get("reason", ""))
