"""A figure is declared once; its faces say the same. Other tests then need to look at one of them only."""

from datetime import date
from typing import NotRequired, get_type_hints

import pytest
from django.utils import translation
from django.utils.translation import gettext_lazy

from annotation.analytics.declared_figures import (
    DeclaredFigure,
    FigurePart,
    Part,
    columns_of,
    json_of,
    table_csv_rows,
    tables,
    type_of,
    value_at,
)
from annotation.domain.choices import Level
from annotation.domain.statistics.figure import Measured, Undefined, Why
from annotation.domain.statistics.intervals import Interval

NONE_YET = "There is no such item yet."
PARTS = (
    Part(value_at(0), gettext_lazy("items"), "items"),
    FigurePart(value_at(1), key="kappa"),
    Part(value_at(2), gettext_lazy("versions"), "versions", list[int]),
)
FIGURE = DeclaredFigure[list[tuple[object, ...]]]("agreement", gettext_lazy("Agreement"), iter, PARTS)
FACES = [
    (Measured(0.5, Interval(0.25, 0.75)), (0.5, 0.25, 0.75, None), {"kappa": 0.5, "interval": [0.25, 0.75]}),
    (
        Measured(0.0, None, Why.NO_ITEMS),
        (0.0, None, None, NONE_YET),
        {"kappa": 0.0, "interval": None, "why": NONE_YET},
    ),
    (Undefined(Why.NO_ITEMS), (None, None, None, NONE_YET), {"kappa": None, "interval": None, "why": NONE_YET}),
]


@pytest.mark.parametrize(("figure", "cells", "entries"), FACES)
def test_table_csv_and_json_of_a_figure_say_the_same(figure, cells, entries):
    row = (3, figure, (1, 2))
    table = FIGURE.table([row])
    assert table.columns == ("items", "value", "low, 95 %", "high, 95 %", "why undefined", "versions")
    assert table.rows == ((3, *cells, "1, 2"),)
    assert list(table_csv_rows(table)) == [list(table.columns), list(table.rows[0])]
    said = json_of(PARTS, row)
    assert said == {"items": 3, **entries, "versions": [1, 2]}
    assert list(said)[-1] == ("why" if "why" in entries else "versions")


def test_the_type_in_the_api_has_the_keys_of_the_json():
    assert get_type_hints(type_of(PARTS), include_extras=True) == {
        "items": int,
        "kappa": float | None,
        "interval": list[float] | None,
        "versions": list[int],
        "why": NotRequired[str],
    }


def test_a_cell_is_in_the_language_of_the_reader():
    figure = DeclaredFigure[tuple[object, ...]](
        *("words", gettext_lazy("Levels"), lambda row: [row]),
        columns_of(*("level", "changed", "day", "of", "nothing")),
    )
    row = (Level.STRONG, True, date(2026, 3, 1), gettext_lazy("Gold"), None)
    assert figure.table(row).rows == (("strong", "yes", "2026-03-01", "Gold", None),)
    with translation.override("ko"):
        assert figure.table(row).rows == (("강함", "있음", "2026-03-01", "골드", None),)


def test_what_is_told_of_single_people_is_left_out_for_others():
    people = DeclaredFigure[list[tuple[object, ...]]]("people", gettext_lazy("Annotators"), iter, PARTS, personal=True)
    assert list(tables((FIGURE, people), [])) == ["agreement", "people"]
    assert list(tables((FIGURE, people), [], with_people=False)) == ["agreement"]


def test_a_figure_of_a_part_is_one_of_the_whole():
    whole = FIGURE.within(lambda rows_of: rows_of["counted"], title=gettext_lazy("Gold"))
    row = (1, Undefined(Why.NO_ITEMS), ())
    assert whole.table({"counted": [row]}).rows == FIGURE.table([row]).rows
    assert whole.table({"counted": []}).title == "Gold"


def test_a_page_leaves_out_a_figure_that_is_hidden_if_empty():
    figure = DeclaredFigure[list[tuple[object, ...]]](
        "agreement", gettext_lazy("Agreement"), iter, PARTS, hidden_if_empty=True, chart=lambda _all, rows: len(rows)
    )
    assert figure.drawn([]) is None
    drawn = figure.drawn([(1, Undefined(Why.NO_ITEMS), ())])
    assert drawn is not None and (drawn.title, drawn.chart) == ("Agreement", 1)
