"""What a table of a report is made of, and words that pages say in the reader's language while files stay English."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

Report = Mapping[str, Any]
Value = Any
"""A number, a text, None, or a spread: {"mean", "sd", "repeats"}."""


class ColumnForm(StrEnum):
    """How a column's values are written."""

    TEXT = "text"
    COUNT = "count"
    PERCENT = "percent"
    """A share, in percent with two decimals (H-VLI, Table 3)."""
    PERCENT1 = "percent1"
    """With one decimal (AntiHateAgent, Table 2)."""
    SHARE = "share"
    """Three decimals (PREDICT, HateXScore)."""
    P = "p"
    MONEY = "money"
    SECONDS = "seconds"


@dataclass(frozen=True)
class Column:
    """A column: its heading and how its values are written."""

    title: str
    form: ColumnForm = ColumnForm.TEXT


@dataclass(frozen=True)
class EvaluationTable:
    """A table of a report; `key` names its file, `note` says how its numbers are to be read."""

    key: str
    title: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[Value]]
    note: str = ""


class Phrase(str):
    """An English text that remembers what it was filled from, so that a page can say it in another language.

    `values` may hold phrases again.
    """

    template: str
    values: Mapping[str, Any]

    @classmethod
    def of(cls, template: str, **values: Any) -> "Phrase":
        """Return the template with its `%(name)s` filled."""
        made = cls(template % values)
        made.template, made.values = template, values
        return made


def gettext_noop(text: str) -> str:
    """Return the text itself; the name makes the catalogues find it."""
    return text
