"""The forms of what is said in an ARCADE debate: cues, replies, rebuttals (design section 8; H-VLI, section 5).

A slip of form that leaves no doubt is read: letter case, numbers as ids, surplus cues, ids that are missing or used
twice, a field that nobody uses. What is left in doubt is asked again.
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import count
from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    BeforeValidator,
    ConfigDict,
    Field,
    WithJsonSchema,
    create_model,
    model_validator,
)
from pydantic_core import PydanticCustomError

from annotation.domain.votes import Category
from moderation.domain.arcade import CUE_TYPE_FORMS, CueType
from moderation.domain.verdicts import AnswerShape, category_type
from vocabulary.written_values import OWN_WORDS, one_of


def _as_id(value: Any) -> Any:
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


Word = Annotated[str, BeforeValidator(_as_id), Field(min_length=1, max_length=40)]
Group = Annotated[str, Field(min_length=1, max_length=300)]
Sentence = Annotated[str, Field(min_length=1, max_length=3000), OWN_WORDS]
AnyText = Annotated[str, Field(max_length=3000)]
AnyWords = Annotated[AnyText, OWN_WORDS]
Kind = Annotated[CueType, one_of(CUE_TYPE_FORMS)]


_ID = re.compile(r"[\w.-]{1,40}")
"""An id is a word: it is shown in schemas, where no text of a post may stand."""


def _complete(schema: dict[str, Any]) -> None:
    """Name every field as required: strict servers want that. An answer may still leave fields with a default out."""
    schema["additionalProperties"] = False
    schema["required"] = list(schema["properties"])
    for field in schema["properties"].values():
        field.pop("default", None)


class _Statement(AnswerShape):
    model_config = ConfigDict(json_schema_extra=_complete)


class Cue(_Statement):
    """One piece of evidence from the prosecutor. For a metaphor the claim names tenor and vehicle."""

    id: Word
    cue_type: Kind
    target_group: Group
    claim: Sentence
    hate_type: int
    justification: Sentence


class GateCue(_Statement):
    """A cue of the gatekeeper: only whether there is one counts."""

    id: Annotated[str, BeforeValidator(_as_id)] = ""
    cue_type: AnyText = ""
    target_group: AnyText = ""
    claim: AnyWords = ""
    hate_type: Any = None
    justification: AnyWords = ""


class LaterCue(_Statement):
    """A cue in a later round: a counter-argument for one that stands, or a new one with claim and justification."""

    id: Word
    counter_argument: AnyWords = ""
    cue_type: Kind | None = None
    target_group: AnyText = ""
    claim: AnyWords = ""
    hate_type: int | None = None
    justification: AnyWords = ""

    @property
    def is_whole(self) -> bool:
        """Whether it says all that a new cue needs."""
        fields = (self.cue_type, self.target_group, self.claim, self.justification)
        return all(fields) and self.hate_type is not None


class Rebuttal(_Statement):
    """The defence's answer to one cue."""

    id: Word
    evidence: Sentence
    rebuttal: Sentence


def gate_shape(categories: Sequence[Category], most: int) -> type[AnswerShape]:
    """Return the form of the gatekeeper's statement: at most `most` cues, whose fields nobody uses."""
    return _gate(_kinds(categories), most)


def cues_shape(categories: Sequence[Category], most: int) -> type[AnswerShape]:
    """Return the form of a first statement: at most `most` cues, each of a hateful category of the project."""
    return _cues(_kinds(categories), most)


def reply_shape(
    categories: Sequence[Category], most: int, standing: Sequence[str], past: Sequence[str]
) -> type[AnswerShape]:
    """Return the form of a later statement: counter-arguments, new cues, and the ids of cues that are withdrawn.

    At most `most` cues stand after it. A new cue gets no id of the `standing` or `past` cues.
    """
    return _reply(_kinds(categories), most, tuple(standing), tuple(past))


def rebuttals_shape(ids: Sequence[str], past: Sequence[str] = (), *, later: bool = False) -> type[AnswerShape]:
    """Return the form of the defence's answer to these cues; an answer to a `past` one is left out.

    A `later` answer concedes cues by name.
    """
    return _rebuttals(tuple(ids), tuple(past), later)


def _kinds(categories: Sequence[Category]) -> tuple[Category, ...]:
    return tuple(category for category in categories if category.hateful)


@lru_cache(maxsize=64)
def _gate(kinds: tuple[Category, ...], most: int) -> type[AnswerShape]:
    codes = WithJsonSchema({"type": "integer", "enum": [category.code for category in kinds]})
    cue = create_model("GateCueOfKinds", __base__=GateCue, hate_type=(Annotated[Any, codes], None))

    def read(rows: Any) -> Any:
        rows = [{"claim": row} if isinstance(row, str) else row for row in rows] if isinstance(rows, list) else rows
        if isinstance(rows, list) and any(isinstance(row, dict) and _says_elsewhere(row) for row in rows):
            raise PydanticCustomError("unread_cue", "a cue has none of the fields target_group, claim, justification")
        return _cut(rows, most)

    def spoken(cues: list[GateCue]) -> list[GateCue]:
        return [row for row in cues if row.claim or row.justification or row.target_group]

    rows: Any = Annotated[_rows(cue, most), BeforeValidator(read), AfterValidator(spoken)]
    return create_model("GateCues", __base__=_ListOfCues, cues=(rows, ...))


@lru_cache(maxsize=64)
def _cues(kinds: tuple[Category, ...], most: int) -> type[AnswerShape]:
    cue = create_model("CueOfKinds", __base__=Cue, hate_type=(category_type(kinds), ...))

    def read(rows: Any) -> Any:
        return _with_ids(_cut(rows, most))

    rows: Any = Annotated[_rows(cue, most), BeforeValidator(read)]
    return create_model("Cues", __base__=_ListOfCues, cues=(rows, ...))


@lru_cache(maxsize=256)
def _reply(
    kinds: tuple[Category, ...], most: int, standing: tuple[str, ...], past: tuple[str, ...]
) -> type[AnswerShape]:
    cue = create_model("LaterCueOfKinds", __base__=LaterCue, hate_type=(category_type(kinds) | None, None))

    class Reply(_ListOfCues):
        cues: _rows(cue, None)  # type: ignore[valid-type]  # made of the categories of the project
        withdrawn: list[Word] = Field(default_factory=list)

        @model_validator(mode="after")
        def _settle(self) -> "Reply":
            named = [known_id(name, standing) for name in self.withdrawn]
            self.withdrawn = [name for name in dict.fromkeys(named) if name]
            self.cues = _later_cues(self.cues, most, standing, past, self.withdrawn)
            return self

    return Reply


@lru_cache(maxsize=256)
def _rebuttals(ids: tuple[str, ...], past: tuple[str, ...], later: bool) -> type[AnswerShape]:
    # A server that holds its model to the schema lets it name no cue that is not there.
    named: Any = Annotated[Word, WithJsonSchema({"type": "string", "enum": list(ids)})] if ids else Word
    answers: Any = list[create_model("RebuttalOfCues", __base__=Rebuttal, id=(named, ...))]  # type: ignore[misc]  # made for these cues

    class Rebuttals(_Statement):
        rebuttals: answers

        @model_validator(mode="after")
        def _settle_rebuttals(self) -> "Rebuttals":
            self.rebuttals = _known_rebuttals(self.rebuttals, ids, past)
            return self

    class LaterRebuttals(Rebuttals):
        conceded: list[Word] = Field(default_factory=list)

        @model_validator(mode="after")
        def _settle_concessions(self) -> "LaterRebuttals":
            named = [known_id(name, ids) for name in self.conceded]
            self.conceded = [name for name in dict.fromkeys(named) if name]
            self.rebuttals = [row for row in self.rebuttals if row.id not in self.conceded]
            return self

    return LaterRebuttals if later else Rebuttals


class _ListOfCues(_Statement):
    """A statement with `cues`; a bare list is read as that."""

    @model_validator(mode="before")
    @classmethod
    def _wrap(cls, value: Any) -> Any:
        return {"cues": value} if isinstance(value, list) else value


def _says_elsewhere(row: dict[str, Any]) -> bool:
    """Return whether a row has none of a cue's own texts, and another in their place: it must not count for none."""
    named = {"claim", "justification", "target_group"}
    return named.isdisjoint(row) and any(isinstance(said, str | list | dict) and said for said in row.values())


def _rows(cue: type[AnswerShape], most: int | None) -> Any:
    return Annotated[list[cue], Field(max_length=most)]  # type: ignore[valid-type]  # known at run time alone


def _cut(rows: Any, most: int) -> Any:
    return rows[:most] if isinstance(rows, list) else rows


def _with_ids(rows: Any) -> Any:
    """Give each cue an id of its own where it has none, that of an earlier one, or a sentence instead of a word."""
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        return rows
    used: list[str] = []
    for at, row in enumerate(rows):
        name = str(_as_id(row.get("id") or "")).strip()
        if not _ID.fullmatch(name) or known_id(name, used, exact=True):
            name = _free_id([*used, *(str(later_row.get("id") or "") for later_row in rows[at + 1 :])])
        used.append(name)
    return [{**row, "id": name} for row, name in zip(rows, used, strict=True)]


def _free_id(used: Sequence[str]) -> str:
    taken = {name.strip().casefold() for name in used}
    return next(name for name in (f"c{number}" for number in count(1)) if name not in taken)


def known_id(name: str, ids: Sequence[str], *, exact: bool = False) -> str:
    """Return the id that is meant, in any letter case, or by its number alone unless `exact`; "" if there is none."""
    alike = [known for known in ids if known.casefold() == name.casefold()]
    if not alike and not exact and (number := re.sub(r"\D", "", name)):
        alike = [known for known in ids if re.sub(r"\D", "", known) == number and name.isdigit() | known.isdigit()]
    return alike[0] if len(alike) == 1 else ""


def _later_cues(
    rows: Sequence[Any], most: int, standing: Sequence[str], past: Sequence[str], withdrawn: Sequence[str]
) -> list[Any]:
    """Return the counter-arguments by the ids of their cues, then the new cues, as many as may stand."""
    replies: dict[str, Any] = {}
    new: list[Any] = []
    for row in rows:
        name = known_id(row.id, standing)
        words = row.counter_argument or row.claim
        if name and name not in withdrawn and words:
            earlier = [replies[name].counter_argument] if name in replies else []
            changes = {"id": name, "counter_argument": "\n".join([*earlier, words]), "claim": "", "justification": ""}
            replies[name] = row.model_copy(update=changes)  # the original claim stands
        elif not name and row.is_whole:
            new.append(row)
        elif not name and words and not known_id(row.id, past):
            raise _unknown(
                row.id, standing, "; a new cue needs cue_type, target_group, claim, hate_type, justification"
            )
    used = [*standing, *past]
    room = max(0, most - len([name for name in standing if name not in withdrawn]))
    for at, row in enumerate(new[:room]):
        is_free = _ID.fullmatch(row.id) and not known_id(row.id, used, exact=True)
        name = row.id if is_free else _free_id(used)
        new[at] = row.model_copy(update={"id": name, "counter_argument": ""})
        used.append(name)
    return [*replies.values(), *new[:room]]


def _known_rebuttals(rows: Sequence[Rebuttal], ids: Sequence[str], past: Sequence[str]) -> list[Rebuttal]:
    """Return the answers by the ids of their cues; those to a cue that is gone are left out if nothing is lost."""
    answers: dict[str, Rebuttal] = {}
    unknown: list[str] = []
    for row in rows:
        if name := known_id(row.id, ids):
            earlier = answers.get(name)
            evidence = [earlier.evidence, row.evidence] if earlier else [row.evidence]
            words = [earlier.rebuttal, row.rebuttal] if earlier else [row.rebuttal]
            whole = {
                "id": name,
                "evidence": "\n".join(dict.fromkeys(evidence)),
                "rebuttal": "\n".join(dict.fromkeys(words)),
            }
            answers[name] = row.model_copy(update=whole)
        elif not known_id(row.id, past):
            unknown.append(row.id)
    if unknown and len(answers) < len(ids):
        raise _unknown(unknown[0], ids)
    return list(answers.values())


def _unknown(name: str, ids: Sequence[str], more: str = "") -> PydanticCustomError:
    context = {"id": name, "ids": ", ".join(ids) or "none", "more": more}
    return PydanticCustomError("invalid_output", "there is no cue {id}; the cues are: {ids}{more}", context)
