"""Cells that no spreadsheet runs (threats B118)."""

from enum import StrEnum

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.domain.csv_cells import cell as cells_of
from annotation.domain.csv_cells import cells, neutralized, plain_cells, restored


@pytest.mark.parametrize(
    "cell",
    ['=HYPERLINK("x")', "+1", "-1", "@x", "\t1", "\r1", "\n1", "＝1", "＋1", " =1", "'=1", "\ufeff=1"]
    + [f"{unseen}=1" for unseen in "\u00ad\u2060\u202e\u200e\u3164\ufe0f\u2800\U000e0041"]
    + ["\ufe62" + "1", "\ufe66" + "1", "\u00ad \u2060'\ufe6bSUM(1)"],
)
def test_a_cell_that_a_spreadsheet_would_run_is_prefixed(cell):
    assert neutralized(cell) == "'" + cell


@pytest.mark.parametrize("cell", ["", "a rose", "1 - 1", "'tis", "a=b", "–dash", "0", "日本"])
def test_a_harmless_cell_stays_as_it_is(cell):
    assert neutralized(cell) == cell


@pytest.mark.parametrize(
    ("cell", "safe"),
    [
        ("a;=1", "a;'=1"),
        ("a\n@x", "a\n'@x"),
        ("a\t+1\r\n-1", "a\t'+1\r\n'-1"),
        ("a; '\u200b=1", "a;' '\u200b=1"),
        (";=1", ";'=1"),
        ('a;"=1', "a;'\"=1"),
        ("\t=1", "'\t'=1"),
        ("=1;=1", "'=1;'=1"),
        ("a;\n;=1", "a;\n;'=1"),
        ("a;b=1", "a;b=1"),
        ("a -1, @x", "a -1, @x"),
        (["a;=1"], '["a;\'=1"]'),
        ({"a": ";=1"}, '{"a":";\'=1"}'),
    ],
)
def test_what_another_separator_would_make_a_formula_is_prefixed_too(cell, safe):
    assert cells_of(cell) == safe


@pytest.mark.parametrize("number", [-1, 0, -0.5, 1e-9, 3])
def test_a_number_stays_a_number(number):
    assert float(cells_of(number)) == number


@given(st.text(alphabet="'\"=+-@\t\r\n; ＝\u200ba1"))
def test_what_was_neutralized_reads_back_equal(cell):
    assert restored(neutralized(cell)) == cell


class Sign(StrEnum):
    SUM = "=SUM(1)"


VALUES = [None, True, False, 3, -0.5, "=1", Sign.SUM, [], ["=1"], {}, {"a": 1}, 10**30]


def test_each_value_has_its_form_in_a_table_for_people():
    assert cells(VALUES) == [cells_of(value) for value in VALUES]
    written = ["", "true", "false", "3", "-0.5", "'=1", "'=SUM(1)", "[]", '["=1"]', "{}", '{"a":1}', f"1{'0' * 30}"]
    assert cells(VALUES) == written


def test_a_table_for_programs_has_texts_as_they_are():
    written = ["", "true", "false", "3", "-0.5", "=1", "=SUM(1)", "[]", '["=1"]', "{}", '{"a":1}', f"1{'0' * 30}"]
    assert plain_cells(VALUES) == written
    assert plain_cells([["a;=1"], {"a": ";=1"}]) == ['["a;=1"]', '{"a":";=1"}']
