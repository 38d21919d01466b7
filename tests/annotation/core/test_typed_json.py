"""Values of dataclasses as JSON: what comes back equals what was stored, and another form is recognised."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, make_dataclass
from datetime import UTC, date, datetime
from enum import StrEnum
from uuid import UUID

import numpy as np
import pytest

from annotation.core.typed_json import form_of, from_json, to_json


class Colour(StrEnum):
    RED = "red"


@dataclass(frozen=True)
class Known:
    value: float
    parts: tuple[int, ...] = ()


@dataclass(frozen=True)
class Missing:
    why: Colour


@dataclass(frozen=True)
class Whole:
    one: Known | Missing
    maybe: Known | None
    number: float | Missing
    pair: tuple[str, bool]
    by_place: Mapping[tuple[str, int], Known | Missing]
    by_colour: dict[Colour, int]
    rows: Sequence[Missing]
    day: date
    at: datetime | None
    id: UUID


def whole(**changed: object) -> Whole:
    values = {
        "one": Missing(Colour.RED),
        "maybe": None,
        "number": 0.1,
        "pair": ("쌍", False),
        "by_place": {("001", 2): Known(1 / 3, (1, 2)), ("000", 0): Missing(Colour.RED)},
        "by_colour": {Colour.RED: 7},
        "rows": [Missing(Colour.RED)],
        "day": date(2026, 11, 25),
        "at": datetime(2026, 11, 25, 1, 2, 3, 4, UTC),
        "id": UUID(int=5),
    }
    return Whole(**(values | changed))  # type: ignore[arg-type]  # the values of a test


@pytest.mark.parametrize(
    "changed", [{}, {"maybe": Known(-2.5)}, {"number": Missing(Colour.RED)}, {"at": None}, {"by_place": {}}], ids=str
)
def test_what_comes_back_equals_what_was_stored(changed):
    value = whole(**changed)
    again = from_json(Whole, json.loads(json.dumps(to_json(Whole, value))))
    assert again == value
    assert list(again.by_place) == list(value.by_place)


def test_numbers_of_numpy_become_those_of_python():
    stored = to_json(Known, Known(np.float64(0.5), (np.int64(3),)))  # type: ignore[arg-type]
    assert json.dumps(stored) == '{"value": 0.5, "parts": [3]}'


def test_a_field_that_was_added_renamed_or_changed_gives_another_form():
    def form(*fields: tuple[str, object]) -> str:
        return form_of(make_dataclass("Row", fields))

    forms = [form(("a", int)), form(("b", int)), form(("a", float)), form(("a", int), ("b", int)), form(("a", Known))]
    assert len(set(forms)) == len(forms)
    assert form(("a", int)) == forms[0]


def test_a_type_that_json_cannot_hold_is_refused_before_anything_is_stored():
    with pytest.raises(TypeError, match="bytes"):
        form_of(make_dataclass("Row", [("a", bytes)]))
