"""A model's probabilities laid beside the majority, worked by hand."""

import numpy as np
import pytest

from annotation.domain.statistics.competence import Differing, differing, judged, majorities, most_probable

ITEMS = np.array([0, 0, 0, 1, 1, 1, 2, 2])
PEOPLE = np.array([0, 1, 2, 0, 1, 2, 0, 1])
LABELS = np.array([0, 0, 1, 1, 0, 1, 0, 1])
POSTERIOR = np.array([[0.2, 0.8], [0.1, 0.9], [0.5, 0.5]])


def test_a_majority_is_more_than_half():
    assert majorities(ITEMS, LABELS, 2) == [0, 1, None]


def test_a_tie_of_the_model_is_nobodys():
    assert most_probable(POSTERIOR) == [1, 1, None]


def test_items_where_model_and_majority_differ_come_surest_first():
    # Item 0: the majority says 0, the model 1. Item 2: neither decides, so they do not differ.
    assert differing(ITEMS, LABELS, POSTERIOR) == [Differing(item=0, majority=0, model=1, probability=0.8)]
    broken = np.array([[0.2, 0.8], [0.1, 0.9], [0.05, 0.95]])
    assert [each.item for each in differing(ITEMS, LABELS, broken)] == [2, 0]


def test_what_the_model_expects_to_be_right_worked_by_hand():
    # Person 0 said 0, 1, 0: right with 0.2, 0.9, 0.5, of three: 1.6/3. They met category 0 0.2 + 0.1 + 0.5 = 0.8
    # times and said 0 there 0.2 + 0.5 = 0.7: 0.875. Category 1: met 2.2, said it on item 1: 0.9/2.2.
    first = judged(ITEMS, PEOPLE, LABELS, POSTERIOR)[0]
    assert first.labels == 3
    assert first.accuracy == pytest.approx(1.6 / 3)
    assert first.diagonal == (pytest.approx(0.875), pytest.approx(0.9 / 2.2))


def test_a_category_somebody_hardly_met_has_no_share():
    # Person 2 met category 0 only 0.2 + 0.1 = 0.3 times.
    assert judged(ITEMS, PEOPLE, LABELS, POSTERIOR)[2].diagonal[0] is None
