"""Which way ARCADE took with posts, counted by hand."""

import pytest

from moderation.domain.evaluation.answers import Gold
from moderation.domain.evaluation.outcomes import RunEnd
from moderation.domain.evaluation.tables import report_tables
from moderation.domain.evaluation.tracks import track_figures

GOLD = [
    Gold("a", True, 1, "111", ""),
    Gold("b", True, 1, "101", ""),
    Gold("c", True, 1, "001", ""),
    Gold("d", True, 2, "001", ""),
    Gold("e", False, 0, "000", ""),
    Gold("f", True, 1, "", ""),
    Gold("g", True, 2, "001", ""),
    Gold("h", True, 1, "011", ""),
    Gold("i", True, 1, "001", ""),
    Gold("j", True, 1, "001", ""),
    Gold("k", False, 0, "000", ""),
    Gold("l", False, 0, "000", ""),
    Gold("m", True, 1, "001", ""),
    Gold("n", False, 0, "000", ""),
]


def end(way: str, rounds: int) -> RunEnd:
    return RunEnd("succeeded", label=0, way=way, rounds=rounds)


REPEAT = {
    "a": end("fast", 1),
    "b": end("deep", 3),
    "c": end("dismissed", 1),
    "d": end("deep", 2),
    "e": end("dismissed", 1),
    "f": RunEnd("refused", "refused"),
    "g": end("dismissed", 1),
    "h": end("dismissed", 1),
    "i": end("fast", 1),
    "j": end("deep", 4),
    "k": end("dismissed", 1),
    "l": end("dismissed", 1),
    "m": end("deep", 3),
    "n": end("dismissed", 1),
}


def test_tracks_dismissals_and_rounds_are_counted_over_the_runs_that_came_to_a_verdict() -> None:
    figures = track_figures(GOLD, [REPEAT])
    assert figures == {
        "verdicts": 13,
        "fast": 2,
        "deep": 4,
        "dismissed": 7,
        "hateful_dismissed": 3,  # c, g and h, but not e, k, l and n
        "open": 3,  # a, b and h show their attack in one part
        "open_deep": 2,  # b and h, which took no short way
        "emergent": 6,  # c, d, g, i, j and m
        "emergent_dismissed": 2,  # c and g
        "rounds": pytest.approx(3),  # of the four debates in the deep dive: 3, 2, 4 and 3
    }


def test_methods_without_ways_have_no_such_figures() -> None:
    assert track_figures(GOLD, [{"a": RunEnd("succeeded", label=0)}]) is None


def test_the_table_tells_calls_tokens_and_cost_of_a_post_too() -> None:
    spent = {"calls": 24, "input_tokens": 480, "output_tokens": 120, "cost": 0.3, "retries": 0, "seconds": 1}
    result = {
        "arm": "arcade",
        "dataset": "d",
        "tracks": track_figures(GOLD, [REPEAT]),
        "spent": spent | {"unpriced": []},
        "coverage": dict.fromkeys(("succeeded", "unreadable", "failed", "cancelled", "missing"), 0)
        | {"asked": 6, "refused": 1},
    }
    report = {"datasets": [{"name": "d"}], "results": [result], "currency": "USD"}
    (table,) = report_tables.tracks_table(report)
    (row,) = table.rows
    assert row == [
        "arcade",
        2,
        4,
        7,
        pytest.approx(7 / 13),
        3,
        "2 of 3",
        "2 of 6",
        3.0,
        4.0,
        100.0,
        pytest.approx(0.05),
    ]
    assert len(row) == len(table.columns)
