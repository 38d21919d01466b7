"""Intervals, repeats, pairs of methods, and the panel of agents."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from moderation.domain.evaluation.classification import f1s_of, macro_f1s
from moderation.domain.evaluation.intervals import intervals
from moderation.domain.evaluation.paired_tests import McNemar, mcnemar
from moderation.domain.evaluation.repeats import kappa, majority, spread
from moderation.domain.evaluation.tables.predict_tables import Votes, agent_table


def test_mcnemar_by_hand() -> None:
    # 8 items only the first got right, 1 only the second: exact 2·(1+9)/2⁹; chi-square (7−1)²/9 = 4.
    found = mcnemar([True] * 8 + [False] + [True, False], [False] * 8 + [True] + [True, False])
    assert (found.both, found.first_only, found.second_only, found.neither) == (1, 8, 1, 1)
    assert found.exact == pytest.approx(20 / 512)
    assert found.chi_square == pytest.approx(4.0)
    assert found.approximate == pytest.approx(0.0455, abs=0.0001)


def test_two_methods_that_differ_nowhere_are_not_told_apart() -> None:
    found = mcnemar([True, False], [True, False])
    assert (found.exact, found.chi_square, found.approximate) == (1.0, 0.0, 1.0)
    assert McNemar(0, 1, 0, 0).chi_square == 0  # the correction never goes below nothing


@given(st.integers(0, 60), st.integers(0, 60))
def test_mcnemar_is_the_binomial_test_and_chi_square_of_scipy(b: int, c: int) -> None:
    from scipy import stats  # noqa: PLC0415 (takes a second)

    found = McNemar(3, b, c, 2)
    if b + c:
        assert found.exact == pytest.approx(stats.binomtest(b, b + c).pvalue)
        assert found.approximate == pytest.approx(stats.chi2.sf(found.chi_square, 1))


def test_mcnemar_needs_the_same_items() -> None:
    with pytest.raises(ValueError):
        mcnemar([True], [True, False])


def test_an_interval_is_seeded_holds_its_figure_and_narrows_with_more_items() -> None:
    few = intervals([[(1, 1)]] * 30 + [[(1, 0)]] * 10, hateful=1)
    assert few == intervals([[(1, 0)]] * 10 + [[(1, 1)]] * 30, hateful=1)  # the order of items is nothing
    many = intervals([[(1, 1)]] * 3000 + [[(1, 0)]] * 1000, hateful=1)
    assert few.accuracy and many.accuracy and many.f1 and few.f1
    assert few.accuracy.low < 0.75 < few.accuracy.high
    assert many.accuracy.high - many.accuracy.low < few.accuracy.high - few.accuracy.low
    # The normal approximation of the large one: 0.75 ± 1.96·√(0.75·0.25/4000) = 0.7366 … 0.7634.
    assert (many.accuracy.low, many.accuracy.high) == pytest.approx((0.7366, 0.7634), abs=0.002)
    assert intervals([[(1, 1)]]).accuracy is None


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=1, max_size=40))
def test_the_figures_of_resamples_are_those_of_scikit_learn(rows: list[tuple[int, int]]) -> None:
    from sklearn import metrics  # noqa: PLC0415 (loads scipy)

    counts = np.zeros((1, 3, 3))
    for truth, said in rows:
        counts[0, truth, said] += 1
    truths, answers = zip(*rows, strict=True)
    assert macro_f1s(counts)[0] == pytest.approx(metrics.f1_score(truths, answers, average="macro", zero_division=0))
    assert f1s_of(counts, 1)[0] == pytest.approx(
        metrics.f1_score(truths, answers, labels=[1], average="macro", zero_division=0)
    )


def test_mean_and_deviation_over_repeats() -> None:
    found = spread([0.7, 0.8, None, 0.9])
    assert found and (found.mean, found.sd, found.count) == (pytest.approx(0.8), pytest.approx(0.1), 3)
    alone = spread([0.7])
    assert alone and alone.sd is None
    assert spread([None]) is None


def test_a_tie_is_no_majority() -> None:
    assert [majority(votes) for votes in ([True, False], [True, None], [False, False, True], [None])] == [
        None,
        True,
        False,
        None,
    ]


@pytest.mark.shared_data
def test_the_published_votes_give_their_majority_and_kappa(shared_data: Path) -> None:
    rows = json.loads((shared_data / "golden/predict_dataset_a_votes.json").read_text())["items"]
    hate = {"Offensive", "Hate Speech"}
    runs = [
        Votes("A", str(row["index"]), 0, row["gold"] == "hate", {a: s in hate for a, s in row["agent_labels"].items()})
        for row in rows
    ]
    table = agent_table(runs)
    accuracies = {agent: round(9 * cells["A"].accuracy.mean) for agent, cells in table.items() if cells["A"].accuracy}
    assert accuracies == {"A": 8, "B": 4, "C": 7, "D": 7, "E": 5, "majority": 7}
    assert table["majority"]["A"].kappa == pytest.approx(0.170507, abs=5e-7)
    assert table["A"]["A"].kappa is None  # one repeat has nothing to compare


def test_repeats_of_an_agent_are_compared_with_each_other() -> None:
    # Two items, three repeats: (H H H) and (N N H). P = (1 + 1/3)/2 = 2/3; shares 4/6, 2/6: Pe = 5/9; κ = 1/4.
    assert kappa([[True, True, True], [False, False, True]]) == pytest.approx(0.25)
    votes = [("1", [True, True, True]), ("2", [False, False, True])]
    runs = [Votes("A", item, n, True, {"x": side}) for item, sides in votes for n, side in enumerate(sides)]
    cell = agent_table(runs)["x"]["A"]
    # Accuracies of the three repeats: 1/2, 1/2, 1: mean 2/3, deviation √(1/12).
    assert cell.accuracy and cell.accuracy.mean == pytest.approx(2 / 3)
    assert cell.accuracy.sd == pytest.approx((1 / 12) ** 0.5)
    assert cell.kappa == pytest.approx(0.25)


def test_abstentions_stand_beside_the_accuracy_and_a_tie_is_wrong() -> None:
    runs = [
        Votes("A", "1", 0, True, {"x": True, "y": None}),
        Votes("A", "2", 0, False, {"x": False, "y": True}),
    ]
    table = agent_table(runs)
    assert table["y"]["A"].unvoted == 1
    assert table["y"]["A"].accuracy and table["y"]["A"].accuracy.mean == 0.0
    most = table["majority"]["A"]
    assert most.accuracy and (most.accuracy.mean, most.unvoted) == (0.5, 1)


def test_an_agent_that_was_refused_or_gave_no_answer_is_counted_apart_from_one_that_abstained():
    runs = [
        Votes("A", "1", 0, True, {"x": True, "y": None}),  # y abstains
        Votes("A", "2", 0, False, {"x": None, "y": None}, {"x": "refused", "y": "provider_blocked"}),
        Votes("A", "3", 0, True, {"x": None, "y": True}, {"x": "invalid_output"}),
    ]
    table = agent_table(runs)
    counted = {agent: (row["A"].unvoted, row["A"].missing, row["A"].refused) for agent, row in table.items()}
    assert counted == {"x": (2, 2, 1), "y": (2, 1, 1), "majority": (1, None, None)}
    assert table["x"]["A"].accuracy == table["y"]["A"].accuracy  # of the one run in which each took a side
