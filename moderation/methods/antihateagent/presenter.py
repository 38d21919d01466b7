"""An investigation for its page: its rounds, its steps in words, and its reasons split into text and citations."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from django.utils.translation import gettext
from django.utils.translation import gettext_noop as _

from moderation.domain.antihateagent.actions import InvestigationOptions
from moderation.domain.antihateagent.citations import CITATION
from moderation.domain.antihateagent.protocol import Walk, walk
from moderation.methods.debate_method import StepWords
from runs.models import Run, Turn

_STEPS = {
    "describe": _("describes the picture"),
    "queries": _("writes queries"),
    "urls": _("names pages from memory"),
    "search": _("searches"),
    "select": _("chooses among the results"),
    "fetch": _("fetches a page"),
    "read": _("reads a page"),
    "weigh": _("weighs a page"),
    "limit": _("stops at a limit"),
    "verdict": _("judges"),
}
"""What a step does, by the first part of its key."""


@dataclass(frozen=True)
class RationalePiece:
    """A piece of a rationale; with a `number` it is a citation."""

    text: str
    number: int = 0


def split_citations(text: str) -> list[RationalePiece]:
    """Return a rationale in pieces: text, and numbers of evidence."""
    pieces: list[RationalePiece] = []
    at = 0
    for citation in CITATION.finditer(text):
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


def step_words(run: Run, turns: Mapping[str, Turn], keys: Sequence[str]) -> list[StepWords]:
    """Return what these steps of an investigation do, and the query, page or part of a page that each is about."""
    state = walk(turns, InvestigationOptions.model_validate(run.options))
    return [StepWords(_STEPS.get(key.partition(".")[0], key), _about(key.split("."), state)) for key in keys]


def _about(parts: Sequence[str], state: Walk) -> str:
    kind = parts[0]
    if kind in ("queries", "urls", "select"):
        return gettext("round %(round)s") % {"round": parts[1]}
    if kind == "search":
        queries = next((round_.queries for round_ in state.rounds if str(round_.number) == parts[1]), [])
        at = int(parts[2]) - 1
        return queries[at] if at < len(queries) else ""
    page = next((page for page in state.pages if page.key == ".".join(parts[1:3])), None)
    if page is None:
        return ""
    address = page.url or page.hit.url
    if kind != "read":
        return address
    place = {"address": address, "number": parts[3], "total": len(page.windows)}
    return gettext("%(address)s, part %(number)s of %(total)s") % place
