"""A study as a TOML file: a grid of methods, options and models over one data set, read strictly.

    title = "…"            [data] file or project, sample, limit      [[arms]] methods, models, judges, options
    task, repeats          [scores] of explanations                   each list is combined with all others

In `[[arms]]` every key that is not listed here is an option of the methods; the methods check it.
"""

import re
import tomllib
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from annotation.domain.formats.base import Format
from moderation.domain.evaluation.request import Explanations, Measuring, Sampling
from moderation.domain.evaluation.tables.table import Phrase
from moderation.domain.evaluation.tables.table import gettext_noop as _
from vocabulary.requests import Request

LONGEST = 100_000
"""Characters of a file."""
# Reading such a key takes the square of its parts. It is looked for from the beginnings of words alone.
_ENDLESS_KEY = re.compile(r"""(?<![\w"'-])(?:[\w"'-]++\s*+\.\s*+){50}""")


class BadStudy(ValueError):
    """A study that cannot be run. `phrase` says where the fault is and what to do; pages translate it."""

    def __init__(self, phrase: Phrase) -> None:
        super().__init__(str(phrase))
        self.phrase = phrase


def _listed(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


Names = Annotated[tuple[Annotated[str, Field(min_length=1)], ...], BeforeValidator(_listed)]
"""One name or a list of names."""


class Columns(Request):
    """The columns of a table of any shape."""

    text: str = ""
    label: str = ""
    image: str = ""
    id: str = ""
    subset: str = ""


class StudyData(Sampling):
    """The items of a study: files, or the gold items of a project. With both, files are held to the project's rules."""

    file: Names = ()
    project: str = ""
    images: str = ""
    format: Format = Format.AUTO
    columns: Columns = Columns()
    labels: dict[str, str] = {}
    """What a label of the file means: a category, `hateful`, `not_hateful` or `skip`."""
    text_only: bool = False
    leave_out_bad_rows: bool = False


class StudyArms(BaseModel):
    """One block of lines: every combination of its lists. Keys that are not fields are options of the methods."""

    model_config = ConfigDict(extra="allow", frozen=True)

    methods: Names = Field(min_length=1)
    name: str = Field(default="", max_length=80)
    models: Names = ()
    auxiliaries: Names = ()
    judges: Names = ()

    @property
    def options(self) -> dict[str, tuple[Any, ...]]:
        """Return option → its values; an option of a table is written with a dot, such as `temperatures.judge`."""
        return dict(_flat(self.model_extra or {}))


class Study(Measuring):
    """A whole study."""

    title: str = Field(min_length=1, max_length=120)
    data: StudyData = StudyData()
    scores: Explanations = Explanations()
    arms: tuple[StudyArms, ...] = Field(min_length=1)


def read_study(text: str, name: str) -> Study:
    """Return the study of a TOML text; `name` names the file in messages.

    Raises BadStudy for the first fault.
    """
    if len(text) > LONGEST:
        raise BadStudy(
            Phrase.of(_("%(file)s is longer than %(most)s characters: shorten it."), file=name, most=LONGEST)
        )
    if _ENDLESS_KEY.search(text):
        raise BadStudy(Phrase.of(_("%(file)s is no study: a key has more than 50 parts."), file=name))
    try:
        study = Study.model_validate(tomllib.loads(text))
    except (tomllib.TOMLDecodeError, RecursionError) as fault:
        sentence = _("%(file)s is no TOML: %(why)s. Correct that line.")
        raise BadStudy(Phrase.of(sentence, file=name, why=str(fault).rstrip("."))) from None
    except ValidationError as fault:
        raise BadStudy(_fault(fault.errors(include_url=False)[0], name)) from None
    for number, block in enumerate(study.arms, start=1):
        for option, values in block.options.items():
            if not values or any(isinstance(value, list | dict) for value in values):
                sentence = _("%(file)s, %(place)s: write one value or a list of values.")
                raise BadStudy(Phrase.of(sentence, file=name, place=f"[[arms]] {number}, {option}"))
    return study


def _flat(options: Mapping[str, Any], outer: str = "") -> list[tuple[str, tuple[Any, ...]]]:
    rows: list[tuple[str, tuple[Any, ...]]] = []
    for name, value in options.items():
        if isinstance(value, Mapping):
            rows += _flat(value, f"{outer}{name}.")
        else:
            rows.append((f"{outer}{name}", tuple(value) if isinstance(value, list) else (value,)))
    return rows


_MODELS: Mapping[tuple[str, ...], type[BaseModel]] = {
    (): Study,
    ("data",): StudyData,
    ("data", "columns"): Columns,
    ("scores",): Explanations,
}


def _fault(error: Any, name: str) -> Phrase:
    location: Sequence[str | int] = error["loc"]
    place = _place(location)
    if error["type"] == "extra_forbidden":
        known = ", ".join(_MODELS[tuple(str(part) for part in location[:-1])].model_fields)
        return Phrase.of(
            _("%(file)s, %(place)s: there is no such key; there are %(known)s."), file=name, place=place, known=known
        )
    if expected := error.get("ctx", {}).get("expected"):
        known = ", ".join(re.findall(r"'(\w+)'", str(expected)))
        return Phrase.of(_("%(file)s, %(place)s: choose one of %(known)s."), file=name, place=place, known=known)
    sentence = _SENTENCES.get(error["type"])
    if sentence:
        return Phrase.of(sentence, file=name, place=place)
    return Phrase.of(_("%(file)s, %(place)s: %(why)s."), file=name, place=place, why=error["msg"].rstrip("."))


_SENTENCES = {
    "missing": _("%(file)s, %(place)s: this key is missing; add it."),
    "tuple_type": _("%(file)s, %(place)s: write a name, or a list of names."),
    "too_short": _("%(file)s, %(place)s: the list is empty; name at least one."),
}
"""By pydantic's name of the fault."""


def _place(location: Sequence[str | int]) -> str:
    """Return the key as it stands in the file: `data.limit`, or `[[arms]] 2, judges`."""
    if location and location[0] == "arms" and len(location) > 1:
        return ", ".join([f"[[arms]] {int(location[1]) + 1}", *(str(part) for part in location[2:3])])
    return ".".join(str(part) for part in location)
