"""The rule of `make bench-check`: the median of each ratio loses at most 15 % against the baseline."""

import pytest

from bench.comparison import Standing, compare, medians

pytestmark = pytest.mark.no_database


def standing(before: float, *runs: float) -> Standing:
    (only,) = compare({"import": before}, [{"import": ratio} for ratio in runs])
    return only.standing


def test_the_median_counts_and_not_a_single_bad_run() -> None:
    assert medians([{"a": 0.2}, {"a": 0.9}, {"a": 0.8}]) == {"a": 0.8}
    assert standing(0.8, 0.1, 0.8, 0.79) is Standing.HOLDS
    assert standing(0.8, 0.1, 0.8, 0.2) is Standing.LOST


@pytest.mark.parametrize(
    ("now", "expected"),
    [(0.5, Standing.HOLDS), (0.43, Standing.HOLDS), (0.42, Standing.LOST), (0.9, Standing.HOLDS), (0.0, Standing.LOST)],
)
def test_fifteen_per_cent_may_be_lost_and_no_more(now: float, expected: Standing) -> None:
    # 15 % of 0.5 are 0.075: 0.425 is the least that holds.
    assert standing(0.5, now, now, now) is expected


def test_a_ratio_that_nobody_measured_fails() -> None:
    compared = compare({"import": 0.5, "release": 0.4}, [{"import": 0.5}])
    assert [(one.name, one.standing, one.fails) for one in compared] == [
        ("import", Standing.HOLDS, False),
        ("release", Standing.MISSING, True),
    ]


def test_a_ratio_that_is_new_is_named_and_does_not_fail() -> None:
    (new,) = compare({}, [{"import": 0.5}, {"import": 0.7}, {"import": 0.6}])
    assert (new.standing, new.fails, new.now) == (Standing.NEW, False, 0.6)
