"""The parts of a report's table, and phrases: pages show them in the reader's language, files in English."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

Report = Mapping[str, Any]
Value = Any
"""A number, a text, None, or a spread: {"mean", "sd", "repeats"}."""


class ColumnForm(StrEnum):
    """The format of a column's values."""

    TEXT = "text"
    COUNT = "count"
    PERCENT = "percent"
    """A share in percent with two decimals (H-VLI, Table 3)."""
    PERCENT1 = "percent1"
    """A share in percent with one decimal (AntiHateAgent, Table 2)."""
    SHARE = "share"
    """A share with three decimals (PREDICT, HateXScore)."""
    P = "p"
    MONEY = "money"
    SECONDS = "seconds"


@dataclass(frozen=True)
class Column:
    """A column: its heading and the format of its values."""

    title: str
    form: ColumnForm = ColumnForm.TEXT


@dataclass(frozen=True)
class EvaluationTable:
    """A table of a report; `key` names its file, `note` explains its numbers."""

    key: str
    title: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[Value]]
    note: str = ""


class Phrase(str):
    """An English text that keeps its template and values, so that a page can translate it.

    `values` may contain phrases.
    """

    template: str
    values: Mapping[str, Any]

    @classmethod
    def of(cls, template: str, **values: Any) -> "Phrase":
        """Return the phrase: the template with its `%(name)s` filled."""
        phrase = cls(template % values)
        phrase.template, phrase.values = template, values
        return phrase


def gettext_noop(text: str) -> str:
    """Return the text unchanged; `makemessages` finds it by the function's name."""
    return text
