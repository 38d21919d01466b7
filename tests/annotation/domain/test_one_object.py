"""Files that are one JSON object: which rows stand inside, and what is told of the rest."""

import io
import json
from typing import Any

import pytest

from annotation.domain.formats.base import LIMITS, Unreadable
from annotation.domain.formats.columns import ColumnTally
from annotation.domain.formats.jsonl import object_sources

TWO = [{"text": "One.", "n": 1.0}, {"text": "Two.", "n": 12345678901234567890}]
NAMED = [{"id": "a", **TWO[0]}, {"id": "b", **TWO[1]}]
ABOUT = {"version": "1.0", "made": {"by": "us"}, "tags": ["x"], "note": "", "id": 7}
SHAPES: dict[str, tuple[Any, list[Any]]] = {
    "a list beside what is said of all": (
        {**ABOUT, "data": TWO, "count": 2},
        [{"version": "1.0", "count": 2, **row} for row in TWO],
    ),
    "a row's own value counts": (
        {"lang": "en", "rows": [{"text": "One.", "lang": "ko"}]},
        [{"text": "One.", "lang": "ko"}],
    ),
    "an object for each id": ({"a": TWO[0], "b": TWO[1]}, NAMED),
    "an object for each id that has one": ({"1": NAMED[0], "2": NAMED[1]}, NAMED),
    "by column, as pandas writes it": (
        {name: {str(number): row[name] for number, row in enumerate(TWO)} for name in ("text", "n")},
        TWO,
    ),
    "pandas' split": (
        {"columns": ["text", "n"], "index": [0, 1], "data": [["One.", 1.0], ["Two.", 12345678901234567890]]},
        TWO,
    ),
    "lists by column in each part, as a DatasetDict has them": (
        {"features": {"text": {"dtype": "string"}}}
        | {part: {name: [row[name] for row in TWO] for name in ("text", "n")} for part in ("train", "test")},
        [{"split": part, **row} for part in ("train", "test") for row in TWO],
    ),
    "records of lists that are called as parts of a data set": (
        {"train": {"tokens": ["One"]}, "test": {"tokens": ["Two"]}},
        [{"id": "train", "tokens": ["One"]}, {"id": "test", "tokens": ["Two"]}],
    ),
    "lists by column, as datasets has them": ({name: [row[name] for row in TWO] for name in ("text", "n")}, TWO),
}


def rows_of(content: str, columns: ColumnTally | None = None) -> list[Any]:
    stream = io.BytesIO(content.encode())
    return [json.loads(source) for _line, _entry, source in object_sources(stream, LIMITS, columns)]


@pytest.mark.parametrize("indent", [None, 1], ids=["one line", "indented"])
@pytest.mark.parametrize(("value", "rows"), SHAPES.values(), ids=SHAPES)
def test_rows_are_found_in_one_object(value: Any, rows: list[Any], indent: int | None) -> None:
    assert rows_of(json.dumps(value, indent=indent)) == rows


def test_columns_of_a_part_that_are_not_of_one_length_are_refused() -> None:
    with pytest.raises(Unreadable, match="The columns of train are not of one length: 1 to 2 values."):
        rows_of(json.dumps({"train": {"text": ["One.", "Two."], "n": [1]}}))


def test_what_is_said_of_the_whole_file_and_not_taken_is_told() -> None:
    columns = ColumnTally()
    rows_of(json.dumps({**ABOUT, "data": TWO}, indent=1), columns)
    assert columns.passed_over() == ["id (of the whole file)", "made (of the whole file)", "tags (of the whole file)"]


LINES = [
    '{"id": "a", "text": "x", "labels": [{"text": "y"}]}',
    '{"text": "x"}\n{"text": "y"}',
    '{"post_id": 1, "a": [{}]}',
]


@pytest.mark.parametrize("content", LINES)
def test_an_object_that_is_a_row_stays_one(content: str) -> None:
    assert rows_of(content) == [json.loads(line) for line in content.splitlines()]


def test_several_lists_of_objects_are_refused_by_name() -> None:
    with pytest.raises(Unreadable, match="images, annotations"):
        rows_of('{\n"images": [{"id": 1}], "annotations": [{"id": 2}]}')
