"""Two methods on the same items: differences with paired intervals."""

import random

import numpy as np
import pytest

from annotation.domain.statistics.intervals import Interval
from moderation.domain.evaluation.paired_differences import paired_differences


def test_a_difference_by_hand() -> None:
    # Truths 1, 0, 1, 0. The first says 1, 0, 1, 1 (3 of 4 right), the second 1, 1, 0, 1 (1 of 4): 0.75 − 0.25.
    first = [[(1, 1)], [(0, 0)], [(1, 1)], [(0, 1)]]
    second = [[(1, 1)], [(0, 1)], [(1, 0)], [(0, 1)]]
    paired = paired_differences(first, second)
    assert paired is not None and paired.items == 4
    assert paired.accuracy.value == 0.5
    # F1 of class 1: 4/5 and 2/5; of class 0: 2/3 and 0. Macro: 11/15 − 3/15.
    assert paired.macro_f1.value == pytest.approx(8 / 15)


def test_the_interval_of_two_items_is_the_whole_range_of_their_resamples() -> None:
    # One item counts 1 for the first, the other 0: the resampled difference is 0 (¼), ½ (½) or 1 (¼).
    paired = paired_differences([[(1, 1)], [(1, 1)]], [[(1, 0)], [(1, 1)]])
    assert paired is not None
    assert (paired.accuracy.value, paired.accuracy.interval) == (0.5, Interval(0.0, 1.0))


def test_what_makes_an_item_hard_for_both_is_in_no_interval() -> None:
    # Both are right on the same half of the items: each accuracy varies by item, their difference never does.
    half: list[list[tuple[int, int]]] = [[(1, number % 2)] for number in range(40)]
    paired = paired_differences(half, half)
    assert paired is not None
    assert (paired.accuracy.value, paired.accuracy.interval) == (0.0, Interval(0.0, 0.0))


def test_only_items_that_both_answered_count_and_one_item_has_no_interval() -> None:
    paired = paired_differences([[(1, 1)], [], [(0, 0)]], [[], [(1, 1)], [(0, 1)]])
    assert paired is not None
    assert (paired.items, paired.accuracy.value, paired.accuracy.interval) == (1, 1.0, None)
    assert paired_differences([[(1, 1)]], [[]]) is None
    with pytest.raises(ValueError):
        paired_differences([[(1, 1)]], [])


def test_repeats_of_an_item_are_drawn_together() -> None:
    # Right in 2 of 2 and 1 of 2 repeats; the second method in 1 of 2 and 0 of 2: (3 − 1)/4.
    paired = paired_differences([[(1, 1)] * 2, [(1, 0), (1, 1)]], [[(1, 0), (1, 1)], [(1, 0)] * 2])
    assert paired is not None
    assert paired.accuracy.value == 0.5
    assert paired.accuracy.interval == Interval(0.5, 0.5)


def macro_f1(truth: np.ndarray, said: np.ndarray) -> float:
    """The mean F1 of three classes, by counts; scikit-learn checks its arguments much longer than it counts."""
    both = np.bincount(truth[truth == said], minlength=3)
    named = np.bincount(truth, minlength=3) + np.bincount(said, minlength=3)
    return float(np.mean(2 * both[named > 0] / named[named > 0]))


def test_the_interval_is_that_of_a_bootstrap_written_item_by_item() -> None:
    from sklearn.metrics import f1_score  # noqa: PLC0415 (loads scipy)

    draw = random.Random(7)
    truth = [draw.randrange(3) for _ in range(120)]
    said = [[t if draw.random() < share else draw.randrange(3) for t in truth] for share in (0.8, 0.6)]
    pairs = [[[(t, label)] for t, label in zip(truth, labels, strict=True)] for labels in said]
    paired = paired_differences(*pairs)
    figures: dict[str, list[float]] = {"accuracy": [], "macro_f1": []}
    other = np.random.default_rng(1)
    columns = np.array([truth, *said])
    for _ in range(600):
        t, one, two = columns[:, other.integers(0, 120, 120)]
        figures["accuracy"].append((t == one).mean() - (t == two).mean())
        figures["macro_f1"].append(macro_f1(t, one) - macro_f1(t, two))
    assert [macro_f1(t, one), macro_f1(t, two)] == pytest.approx(
        [f1_score(t, each, average="macro") for each in (one, two)]
    )
    assert paired is not None
    for name, values in figures.items():
        interval = getattr(paired, name).interval
        assert [interval.low, interval.high] == pytest.approx(np.quantile(values, [0.025, 0.975]), abs=0.025)


def test_differences_are_written_with_their_intervals() -> None:
    one, two = ([[(1, 1)], [(1, 1)]], [[(1, 0)], [(1, 1)]])
    several = paired_differences(one, two)
    assert several is not None
    # Macro F1 of the first is 1; of the second (2/3 + 0)/2: a third. Of the resamples with one answer each, 1 and 0.
    assert several.as_json() == {
        "items": 2,
        "accuracy": {"value": 0.5, "interval": [0.0, 1.0]},
        "macro_f1": {"value": pytest.approx(2 / 3), "interval": [0.0, 1.0]},
    }
    alone = paired_differences(one[:1], two[:1])
    assert alone is not None
    assert alone.as_json()["accuracy"] == {"value": 1.0, "interval": None}
    assert alone.macro_f1.interval is None
