"""The plot of accuracy against cost: which axis it has, where its points lie."""

from typing import Any

import pytest

from moderation.domain.evaluation.tables.cost_plot import HEIGHT, LEFT, TOP, WIDTH, cost_plots, ticks


def line(name: str, accuracy: float, cost: float | None, tokens: float = 100, **more: Any) -> dict[str, Any]:
    return {
        "arm": name,
        "dataset": "d",
        "figures": {"accuracy": {"mean": accuracy, "sd": None, "repeats": 1}},
        "intervals": {"accuracy": more.get("interval")},
        "alone": {"calls": 1.0, "tokens": tokens, "cost": cost},
    }


def report(*lines: dict[str, Any]) -> dict[str, Any]:
    return {"datasets": [{"name": "d"}], "results": list(lines), "currency": "EUR"}


def test_points_by_hand() -> None:
    (plot,) = cost_plots(report(line("a", 0.75, 0.002, interval=[0.5, 1.0]), line("b", 1.0, 0.004)))
    assert str(plot.axis) == "Cost of 1,000 items, EUR"
    # Across from 0 to 4 (2 and 4 a thousand), upward from 50 to 100 %.
    assert [point.x for point in plot.points] == [LEFT + WIDTH / 2, LEFT + WIDTH]
    assert [point.y for point in plot.points] == [TOP + HEIGHT / 2, TOP]
    assert [(point.low, point.high) for point in plot.points] == [(TOP + HEIGHT, TOP), (None, None)]
    texts = [(point.number, point.accuracy, point.cost) for point in plot.points]
    assert texts == [(1, "75.0 %", "2"), (2, "100.0 %", "4")]
    assert [tick.text for tick in plot.across] == ["0", "1", "2", "3", "4"]
    assert [tick.text for tick in plot.upward] == ["50 %", "62.5 %", "75 %", "87.5 %", "100 %"]


def test_the_accuracy_axis_ends_at_the_next_tenth_and_never_has_no_length() -> None:
    (plot,) = cost_plots(report(line("a", 0.42, 0.1), line("b", 0.55, 0.2)))
    assert [tick.text for tick in plot.upward] == ["40 %", "45 %", "50 %", "55 %", "60 %"]
    for accuracy, ends in ((1.0, ("90 %", "100 %")), (0.0, ("0 %", "10 %")), (0.7, ("60 %", "70 %"))):
        (plot,) = cost_plots(report(line("a", accuracy, 0.1), line("b", accuracy, 0.2)))
        assert (plot.upward[0].text, plot.upward[-1].text) == ends


def test_without_all_prices_it_is_tokens_and_without_tokens_calls() -> None:
    (plot,) = cost_plots(report(line("a", 0.5, None), line("b", 0.7, 0.004)))
    assert str(plot.axis) == "Tokens per item"
    (plot,) = cost_plots(report(line("a", 0.5, 0.0, tokens=0), line("b", 0.7, 0.0, tokens=0)))
    assert str(plot.axis) == "Calls per item"


def test_one_line_alone_or_an_old_report_has_no_plot() -> None:
    assert cost_plots(report(line("a", 0.5, 0.1))) == []
    old = [{name: value for name, value in line(arm, 0.5, 0.1).items() if name != "alone"} for arm in "ab"]
    assert cost_plots(report(*old)) == []


@pytest.mark.parametrize(
    ("low", "high", "shown"),
    [
        (0, 4, [0, 1, 2, 3, 4]),
        (0, 0.37, [0, 0.1, 0.2, 0.3, 0.4]),
        (0, 1700, [0, 500, 1000, 1500, 2000]),
        (0, 0, [0, 1]),
    ],
)
def test_ticks_are_round(low: float, high: float, shown: list[float]) -> None:
    assert ticks(low, high) == shown
