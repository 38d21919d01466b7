"""The one table of `python -m bench`."""

import json
from pathlib import Path

import pytest

from bench.promised_numbers import BENCHES, NUMBERS, REFERENCES, Number, at, ratios, table

pytestmark = pytest.mark.no_database
BENCH = Path(__file__).resolve().parents[2] / "bench"
IMPORT = Number(
    "import_items", "import", "plain.rate", "items/s", 12_000, at_least=True, ratios={"bare Django": "of.bare"}
)
START = Number("start", "a command", "seconds", "s", 0.8)


def test_a_line_holds_the_number_its_goal_and_its_ratios() -> None:
    figures = {"import_items": {"plain": {"rate": 12_500}, "of": {"bare": 2.5}}, "start": {"seconds": 0.95}}
    assert list(table([IMPORT, START], figures, "abc1234")) == [
        "| at abc1234 | measured | goal | reached | of bare Django | of the database | of ideal |",
        "| --- | --- | --- | --- | --- | --- | --- |",
        "| import | 12,500 items/s | ≥ 12,000 | yes | 2.5 | – | – |",
        "| a command | 0.95 s | ≤ 0.8 | NO | – | – | – |",
    ]


def test_what_was_not_measured_has_no_line_and_no_ratio() -> None:
    assert len(list(table([IMPORT, START], {"start": {"seconds": 0.5}}, "abc1234"))) == 3
    assert ratios([IMPORT, START], {"start": {"seconds": 0.5}, "import_items": {"of": None}}) == {}
    assert ratios([IMPORT], {"import_items": {"of": {"bare": 2.5}}}) == {"import: of bare Django": 2.5}


@pytest.mark.parametrize("figures", [{}, {"a": 1}, {"a": {"b": "12"}}, {"a": {"b": True}}, {"a": {"b": None}}])
def test_only_a_number_is_a_figure(figures: object) -> None:
    assert at(figures, "a.b") is None


def test_each_number_has_a_bench_and_each_ratio_of_the_baseline_a_number() -> None:
    assert {name for name in BENCHES if not (BENCH / f"{name}.py").is_file()} == set()
    assert {reference for number in NUMBERS for reference in number.ratios} <= set(REFERENCES)
    names = {f"{number.title}: of {reference}" for number in NUMBERS for reference in number.ratios}
    baseline = json.loads((BENCH / "baseline.json").read_text(encoding="utf-8"))
    assert baseline["ratios"].keys() <= names
    assert all(ratio > 0 for ratio in baseline["ratios"].values())
