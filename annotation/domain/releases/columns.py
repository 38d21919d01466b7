"""The rows of a release: their columns in order, what they leave out, and how they become bytes.

The columns are declared in `annotation/domain/columns/`; only those are released. Every row has every column, null if
absent, so that readers that infer a schema find the same one on every line.
"""

import hashlib
import hmac
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from functools import cache
from typing import Any

from pydantic_core import to_json

from annotation.domain.category_sets import SEPARATOR
from annotation.domain.choices import Stage
from annotation.domain.columns.column import CATEGORY, When, among, names_of
from annotation.domain.columns.items import GOLD_SET, ITEMS
from annotation.domain.columns.labels import LABELS
from annotation.domain.formats.kept_columns import EXTRA, PREFIX, as_cell
from annotation.domain.questions.released_answers import (
    ANSWER_COLUMNS,
    QUESTIONS,
    Kinds,
    flat_columns,
    flat_values,
    without_texts,
)

FORMAT = "interplay-release/1"

COLUMNS = names_of(among(ITEMS, ()))
"""The columns that the rows of all releases have, in their order in every file."""

SETS = frozenset(column.name for column in (*ITEMS, *LABELS) if column.kind == [CATEGORY])
"""Columns whose values are the codes of several categories."""

PICTURE_TEXT_COLUMNS = names_of(column for column in ITEMS if column.when is When.WORDS)
"""The words that were read in a picture, and who read them."""

QUESTION_COLUMN, SPLIT_COLUMN = QUESTIONS, "split"

Row = Mapping[str, Any]


class ReleaseFormat(StrEnum):
    """The formats that a release may have beside `items.jsonl`, which it always has."""

    CSV = "csv"
    CSV_PLAIN = "csv_plain"
    PARQUET = "parquet"
    HVLI = "hvli"
    IMAGEFOLDER = "imagefolder"
    WEBDATASET = "webdataset"
    LABEL_STUDIO = "label_studio"
    ANNOTATORS = "annotators"
    COARL = "coarl"


class Scope(StrEnum):
    """The items in a release: gold only, or all fully labelled ones, with votes and reasons for those not gold."""

    GOLD = "gold"
    CLOSED = "closed"


def label_columns(columns: Sequence[str]) -> tuple[str, ...]:
    """Return the columns of the labels in rows with these columns."""
    return _label_columns(tuple(columns))


@cache
def _label_columns(columns: tuple[str, ...]) -> tuple[str, ...]:
    return names_of(among(LABELS, parts_of(columns)))


def parts_of(columns: Sequence[str]) -> frozenset[When]:
    """Return what a release has whose rows have these columns."""
    return frozenset(column.when for column in ITEMS if column.when and column.name in columns)


def undecided(row: Row) -> bool:
    """Return whether the row is not gold; releases of gold do not say the stage."""
    return bool(row.get("stage", Stage.GOLD) != Stage.GOLD)


def without_decision(row: Row) -> dict[str, Any]:
    """Return the row without a final category and without what follows from one; labels, votes and level stay."""
    return {**row, **{name: [] if name in SETS else None for name in _DECISION if name in row}}


_DECISION = names_of(column for column in ITEMS if column.decided)


def gold_codes(row: Row) -> Sequence[int]:
    """Return the codes of the final category, or of all final categories; none if nothing is decided."""
    alone = [] if row["gold"] is None else [row["gold"]]
    return row.get(GOLD_SET) or alone


def withheld(row: Row, texts: bool, media: bool, kinds: Kinds | None = None) -> dict[str, Any]:
    """Return the row without its text and quotations of it, without its picture, or both; ids and hashes stay.

    `kinds`: the further questions, where the row has answers to them.
    """
    bare = dict(row)
    if not texts:
        bare |= dict.fromkeys(name for name in _TEXTS if name in row)
        bare["labels"] = [
            {**label, **dict.fromkeys(_LABEL_TEXTS)} | (without_texts(kinds, label) if kinds else {})
            for label in row["labels"]
        ]
    if not media:
        bare["image"] = None
    return bare


_TEXTS = names_of(column for column in ITEMS if column.quotes)
_LABEL_TEXTS = names_of(column for column in LABELS if column.quotes)

# JSON allows these characters unescaped, but programs that split lines by the Unicode rules would cut a row in two.
_LINE_BREAKS = [(sign.encode(), f"\\u{ord(sign):04x}".encode()) for sign in ("\x85", "\u2028", "\u2029")]


def json_line(row: Row, columns: Sequence[str] = COLUMNS) -> bytes:
    """Return the row as one line of JSONL, columns in canonical order; equal rows give equal bytes."""
    line = to_json(ordered(row, columns))
    for sign, escaped in _LINE_BREAKS:
        if sign in line:
            line = line.replace(sign, escaped)
    return line + b"\n"


def ordered(row: Row, columns: Sequence[str] = COLUMNS) -> dict[str, Any]:
    """Return the row with its columns, and those of its labels, in canonical order."""
    item = {name: row[name] for name in columns}
    names = label_columns(columns)
    item["labels"] = [{name: label[name] for name in names} for label in row["labels"]]
    return item


def label_table_columns(columns: Sequence[str], kinds: Kinds) -> list[str]:
    """Return the columns of a table with a row for each label: a column of its own for each answer."""
    return ["id", *names_of(among(LABELS, parts_of(columns) - {When.ASKED})), *flat_columns(kinds)]


def label_rows(row: Row, columns: Sequence[str]) -> Iterable[list[Any]]:
    """Yield each label of a row as the values of these columns of `label_table_columns`."""
    for label in row["labels"]:
        flat = {**label, **flat_values(label)} if ANSWER_COLUMNS[0] in label else label
        yield [row["id"], *in_cells(flat, columns[1:])]


def in_cells(values: Row, names: Sequence[str]) -> list[Any]:
    """Return the values of these columns, sets of categories and kept lists as one cell each."""
    return [_cell(values, name) for name in names]


def _cell(values: Row, name: str) -> Any:
    if name in values:
        return joined(values[name]) if name in SETS else values[name]
    return as_cell((values[EXTRA] or {}).get(name.removeprefix(PREFIX)))


def cell_columns(columns: Sequence[str], kept: Iterable[str]) -> list[str]:
    """Return the columns of a table of items: one for each kept column in place of the object that holds them."""
    own = [f"{PREFIX}{name}" for name in kept]
    return [name for column in columns for name in (own if column == EXTRA else [column])]


def joined(codes: Sequence[int] | None) -> str:
    """Return a set of categories as one cell, as imports read it."""
    return SEPARATOR.join(map(str, codes or ()))


def pseudonym(key: str, scope: str, person: str) -> str:
    """Return the name of a person in releases. The same key, scope and person give the same name.

    Without the project's key, nobody can find the person or compare the name with another project's.
    """
    digest = hmac.new(key.encode(), f"{scope}\n{person}".encode(), hashlib.sha256).hexdigest()
    return f"a-{digest[:12]}"
