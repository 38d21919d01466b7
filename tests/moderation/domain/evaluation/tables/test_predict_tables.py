"""The tables of PREDICT: agents, their repeats, and the panel."""

import json
from pathlib import Path

import pytest

from moderation.domain.evaluation.repeats import kappa
from moderation.domain.evaluation.tables.predict_tables import Votes, agent_table


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
