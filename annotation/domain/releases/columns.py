"""The content of a release: the columns of its rows, their order, and how rows become bytes.

The names are those of Interplay JSONL (formats.md); only the columns listed here are released. Every row has every
column, null if absent, so that readers that infer a schema find the same one on every line.
"""

import hashlib
import hmac
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Any

from pydantic_core import to_json

from annotation.domain.category_sets import SEPARATOR
from annotation.domain.choices import Stage
from annotation.domain.questions.released_answers import (
    ANSWER_COLUMNS,
    QUESTIONS,
    Kinds,
    flat_columns,
    flat_values,
    without_texts,
)

FORMAT = "interplay-release/1"

_PRIOR = ("label", "hateful", "explanation", "model", "prompt_digest", "state")

COLUMNS = (
    *("id", "text", "image", "image_sha256_original", "image_sha256_released"),
    *("intended", "intended_hateful", "batch", "target_group", "item_source", "licence"),
    *(f"{modality}_{name}" for modality in ("text", "image") for name in _PRIOR),
    *("labels", "gold", "hateful", "level", "source", "rationale"),
    *("pattern", "difficulty", "mechanism", "aligned", "round", "guideline_version"),
)
"""The columns of an item, in their order in every file."""

STANDING_COLUMNS = ("stage", "reasons", "excluded_for", "votes")
"""Added if a release has closed items that are not gold: their stage, its reasons, and the counted votes."""

SET_COLUMNS = ("intended_categories", "categories")
"""Added if answers may name several categories: all codes of the intent, and of gold."""

HASH_COLUMNS = ("text_sha256", "withheld")
"""Added if texts or pictures are withheld: the SHA-256 of the text, and whether this item's content was left out."""

INJECTED = "injected"
"""The key in an item's provenance that describes how a model made the item for the project."""

INJECTION_COLUMNS = (
    *(INJECTED, "injection_strategy", "injection_pattern", "injection_model", "injection_prompt_digest"),
)
"""Added if models made some items: whether this one was made, how, for which pattern, by which model."""

PICTURE_TEXT_COLUMNS = ("picture_text", "picture_text_reader")
"""Added if the pictures of some items were read: their words (null: none) and who read them (null: nobody)."""

QUESTION_COLUMN = QUESTIONS
"""Added if the project asks further questions: the consensus of their answers. Labels then have `ANSWER_COLUMNS`."""

SPLIT_COLUMN = "split"
"""Added if the items are split: train, dev or test."""

LABEL_COLUMNS = (
    *("annotator", "category", "not_sure", "low_quality", "target_group", "note", "challenges"),
    *("replaced_by", "first_category", "priors_seen", "seconds", "at"),
)
"""The columns of a label: `at` is a date, `annotator` a pseudonym of this project's releases only."""

SET_LABEL_COLUMNS = ("categories", "replaced_by_categories", "first_categories")
"""Added to a label if answers may name several categories: all codes, of which the columns above have the first."""

Row = Mapping[str, Any]


class ReleaseFormat(StrEnum):
    """The formats that a release may have beside `items.jsonl`, which it always has."""

    CSV = "csv"
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


def columns_of(
    scope: Scope,
    hashes: bool,
    split: bool,
    injected: bool = False,
    words: bool = False,
    questions: bool = False,
    several: bool = False,
) -> tuple[str, ...]:
    """Return the columns of a release, in their order."""
    return (
        *COLUMNS,
        *(SET_COLUMNS if several else ()),
        *((QUESTION_COLUMN,) if questions else ()),
        *(PICTURE_TEXT_COLUMNS if words else ()),
        *(INJECTION_COLUMNS if injected else ()),
        *(STANDING_COLUMNS if scope is Scope.CLOSED else ()),
        *(HASH_COLUMNS if hashes else ()),
        *((SPLIT_COLUMN,) if split else ()),
    )


def label_columns(columns: Sequence[str]) -> tuple[str, ...]:
    """Return the columns of the labels in rows with these columns."""
    sets = SET_LABEL_COLUMNS if "categories" in columns else ()
    return (*LABEL_COLUMNS, *sets, *(ANSWER_COLUMNS if QUESTION_COLUMN in columns else ()))


def undecided(row: Row) -> bool:
    """Return whether the row is not gold; releases of gold do not say the stage."""
    return bool(row.get("stage", Stage.GOLD) != Stage.GOLD)


def without_decision(row: Row) -> dict[str, Any]:
    """Return the row without a final category and without what follows from one; labels, votes and level stay."""
    sets: dict[str, Any] = {"categories": []} if "categories" in row else {}
    return {**row, **dict.fromkeys(_DECISION), **sets}


_DECISION = ("gold", "hateful", "source", "rationale", "pattern", "difficulty", "mechanism")


def gold_codes(row: Row) -> Sequence[int]:
    """Return the codes of the final category, or of all final categories; none if nothing is decided."""
    alone = [] if row["gold"] is None else [row["gold"]]
    return row.get("categories") or alone


def injection_of(provenance: Mapping[str, Any]) -> dict[str, Any]:
    """Return the columns about how an item was made; all null except `injected` if it was not made by a model."""
    injection = provenance.get(INJECTED)
    if not isinstance(injection, Mapping):
        return {INJECTED: False, **dict.fromkeys(INJECTION_COLUMNS[1:])}
    values = {name: injection.get(name.removeprefix("injection_")) or None for name in INJECTION_COLUMNS[1:]}
    return {INJECTED: True, **values}


def votes_of(labels: Iterable[Row]) -> list[dict[str, Any]]:
    """Return the number of labels by category code; labels without a category are counted last, under null.

    A label with several categories is counted for each.
    """
    counted = Counter(code for label in labels for code in label.get("categories") or [label["category"]])
    codes = sorted(code for code in counted if code is not None) + ([None] if counted[None] else [])
    return [{"category": code, "n": counted[code]} for code in codes]


def withheld(row: Row, texts: bool, media: bool, kinds: Kinds | None = None) -> dict[str, Any]:
    """Return the row without its text and quotations of it, without its picture, or both; ids and hashes stay.

    `kinds`: the further questions, where the row has answers to them.
    """
    bare = dict(row)
    if not texts:
        bare |= dict.fromkeys(name for name in _TEXTS if name in row)
        bare["labels"] = [
            {**label, "note": None} | (without_texts(kinds, label) if kinds else {}) for label in row["labels"]
        ]
    if not media:
        bare["image"] = None
    return bare


_TEXTS = ("text", "text_explanation", "image_explanation", "rationale", *PICTURE_TEXT_COLUMNS)

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
    sets = SET_LABEL_COLUMNS if "categories" in columns else ()
    return ["id", *LABEL_COLUMNS, *sets, *flat_columns(kinds)]


def label_rows(row: Row, columns: Sequence[str]) -> Iterable[list[Any]]:
    """Yield each label of a row as the values of these columns of `label_table_columns`."""
    for label in row["labels"]:
        flat = {**label, **flat_values(label)} if ANSWER_COLUMNS[0] in label else label
        yield [row["id"], *in_cells(flat, columns[1:])]


def in_cells(values: Row, names: Sequence[str]) -> list[Any]:
    """Return the values of these columns, sets of categories as one cell each."""
    if "categories" not in names:
        return [values[name] for name in names]
    return [joined(values[name]) if name in SETS else values[name] for name in names]


def joined(codes: Sequence[int] | None) -> str:
    """Return a set of categories as one cell, as imports read it."""
    return SEPARATOR.join(map(str, codes or ()))


SETS = frozenset({*SET_COLUMNS, *SET_LABEL_COLUMNS})
"""Columns whose values are the codes of several categories."""


def pseudonym(key: str, scope: str, person: str) -> str:
    """Return the name of a person in releases. The same key, scope and person give the same name.

    Without the project's key, nobody can find the person or compare the name with another project's.
    """
    digest = hmac.new(key.encode(), f"{scope}\n{person}".encode(), hashlib.sha256).hexdigest()
    return f"a-{digest[:12]}"
