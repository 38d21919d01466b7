"""What a release says, as values: the columns of its rows in their order, and how rows become bytes.

Names are those of Interplay JSONL (formats.md); only the columns listed here ever leave. Every row has every
column, null where absent, so that readers which infer a schema find the same one on every line.
"""

import hashlib
import hmac
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Any

from pydantic_core import to_json

from annotation.domain.csv_cells import cell, cells

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
"""Added where a release holds closed items that are not gold: how they stand, why, and the votes counted."""

HASH_COLUMNS = ("text_sha256", "withheld")
"""Added where texts or pictures stay behind: the SHA-256 of the text, and whether this item's content was left out."""

INJECTED = "injected"
"""Under this name an item's provenance tells how it was made, where a model wrote it for the project."""

INJECTION_COLUMNS = (
    *(INJECTED, "injection_strategy", "injection_pattern", "injection_model", "injection_prompt_digest"),
)
"""Added where some items were made for the project: whether this one was, how, for which pattern, by which model."""

SPLIT_COLUMN = "split"
"""Added where the items are split: train, dev or test."""

LABEL_COLUMNS = (
    *("annotator", "category", "not_sure", "low_quality", "target_group", "note", "challenges"),
    *("replaced_by", "first_category", "priors_seen", "seconds", "at"),
)
"""The columns of a label: `at` is a date, `annotator` a pseudonym of this project's releases only."""

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


class Scope(StrEnum):
    """Which items a release holds: gold, or all that were fully labelled, with their votes and why they are no gold."""

    GOLD = "gold"
    CLOSED = "closed"


def columns_of(scope: Scope, hashes: bool, split: bool, injected: bool = False) -> tuple[str, ...]:
    """The columns of a release, in their order."""
    return (
        *COLUMNS,
        *(INJECTION_COLUMNS if injected else ()),
        *(STANDING_COLUMNS if scope is Scope.CLOSED else ()),
        *(HASH_COLUMNS if hashes else ()),
        *((SPLIT_COLUMN,) if split else ()),
    )


def injection_of(provenance: Mapping[str, Any]) -> dict[str, Any]:
    """The columns about how an item was made; null but for `injected` where it was not."""
    made = provenance.get(INJECTED)
    if not isinstance(made, Mapping):
        return {INJECTED: False, **dict.fromkeys(INJECTION_COLUMNS[1:])}
    told = {name: made.get(name.removeprefix("injection_")) or None for name in INJECTION_COLUMNS[1:]}
    return {INJECTED: True, **told}


def votes_of(labels: Iterable[Row]) -> list[dict[str, Any]]:
    """How many labels name each category, by code; labels without one are counted last, under null."""
    counted = Counter(label["category"] for label in labels)
    codes = sorted(code for code in counted if code is not None) + ([None] if counted[None] else [])
    return [{"category": code, "n": counted[code]} for code in codes]


def withheld(row: Row, texts: bool, media: bool) -> dict[str, Any]:
    """The row without what says or quotes its text, without its picture, or without both; ids and hashes stay."""
    bare = dict(row)
    if not texts:
        bare |= dict.fromkeys(_TEXTS)
        bare["labels"] = [{**label, "note": None} for label in row["labels"]]
    if not media:
        bare["image"] = None
    return bare


_TEXTS = ("text", "text_explanation", "image_explanation", "rationale")

# JSON allows these raw; programs that split lines where Unicode does would cut a row in two.
_LINE_BREAKS = [(sign.encode(), f"\\u{ord(sign):04x}".encode()) for sign in ("\x85", "\u2028", "\u2029")]


def json_line(row: Row, columns: Sequence[str] = COLUMNS) -> bytes:
    """The row as one line of JSONL, columns in canonical order; equal rows give equal bytes."""
    line = to_json(ordered(row, columns))
    for sign, escaped in _LINE_BREAKS:
        if sign in line:
            line = line.replace(sign, escaped)
    return line + b"\n"


def ordered(row: Row, columns: Sequence[str] = COLUMNS) -> dict[str, Any]:
    """The row with its columns, and those of its labels, in canonical order."""
    item = {name: row[name] for name in columns}
    item["labels"] = [{name: label[name] for name in LABEL_COLUMNS} for label in row["labels"]]
    return item


def item_cells(row: Row, columns: Sequence[str] = COLUMNS) -> list[str]:
    """The row as cells for a spreadsheet; its labels are one cell of JSON."""
    return cells([row[name] for name in columns])


def label_rows(row: Row) -> Iterable[list[str]]:
    """The labels of a row as cells, a row each, the item's id in front."""
    first = cell(row["id"])
    for label in row["labels"]:
        yield [first, *cells([label[name] for name in LABEL_COLUMNS])]


def pseudonym(key: str, scope: str, person: str) -> str:
    """The name of a person in releases: the same person has the same one under the same key and scope.

    Without the project's key nobody can tell whose it is or compare it with another project's.
    """
    digest = hmac.new(key.encode(), f"{scope}\n{person}".encode(), hashlib.sha256).hexdigest()
    return f"a-{digest[:12]}"
