"""Marks, orders and figures by hand, and what holds for all of them."""

from uuid import UUID, uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.domain.training import ItemFigure, Mark, attempt_order, attempts_left, item_figures


@pytest.mark.parametrize(
    ("correct", "answered", "total", "pass_percent", "passed"),
    [
        (4, 5, 5, 80, True),  # 80 % exactly
        (3, 5, 5, 80, False),  # 60 %
        (2, 3, 3, 67, False),  # 66.67 %: no rounding up
        (2, 3, 3, 66, True),
        (4, 4, 8, 80, True),  # half of the posts answered is enough
        (3, 3, 7, 80, False),  # less than half is not, however right
        (0, 0, 4, 1, False),
        (0, 0, 0, 1, False),
        (1, 4, 4, 25, True),
    ],
)
def test_a_mark_counts_right_answers_of_those_given_and_wants_half_answered(
    correct: int, answered: int, total: int, pass_percent: int, passed: bool
) -> None:
    assert Mark(correct, answered, total).passed(pass_percent) is passed


def test_a_mark_in_percent_leaves_out_what_was_skipped() -> None:
    assert Mark(3, 4, 8).percent == 75.0
    assert Mark(0, 0, 8).percent == 0.0


@given(st.integers(0, 40), st.integers(0, 40), st.integers(0, 40), st.integers(1, 100))
def test_one_more_right_answer_never_turns_a_pass_into_a_fail(right: int, wrong: int, skipped: int, mark: int) -> None:
    before = Mark(right, right + wrong, right + wrong + skipped)
    after = Mark(right + 1, right + wrong + 1, right + wrong + skipped + 1)
    assert after.passed(mark) or not before.passed(mark)


@given(st.lists(st.uuids(), unique=True, max_size=20), st.uuids())
def test_the_order_of_an_attempt_is_the_same_whenever_it_is_asked_for(items: list[UUID], attempt: UUID) -> None:
    order = attempt_order(attempt, items)
    assert sorted(order) == sorted(items)
    assert attempt_order(attempt, reversed(items)) == order
    assert [item for item in order if item != order[0]] == attempt_order(attempt, order[1:])


def test_another_attempt_has_another_order() -> None:
    items = [uuid4() for _ in range(12)]
    orders = {tuple(attempt_order(uuid4(), items)) for _ in range(8)}
    assert len(orders) > 1  # all equal once in 12!**7


@pytest.mark.parametrize(
    ("allowed", "granted", "begun", "left"),
    [(0, 0, 9, None), (3, 0, 0, 3), (3, 0, 2, 1), (3, 0, 3, 0), (3, 1, 3, 1), (2, 0, 3, 0)],
)
def test_attempts_left_are_those_allowed_and_granted_less_those_begun(
    allowed: int, granted: int, begun: int, left: int | None
) -> None:
    assert attempts_left(allowed, granted, begun) == left


def test_figures_of_an_item_name_the_most_common_wrong_answer() -> None:
    # Item 7, key 1: right 3 (2 + 1), 2 four times, 5 once, not sure twice: 10 answers.
    answers = [(7, (1,), 2), (7, (2,), 4), (7, (), 2), (7, (1,), 1), (7, (5,), 1), (8, (3,), 1)]
    found = item_figures(answers, {7: (1,), 8: (3,), 9: (0,)})
    assert found == {
        7: ItemFigure(10, 3, (2,), 4),
        8: ItemFigure(1, 1, None),
        9: ItemFigure(0, 0, None),
    }
    assert found[7].doubtful
    assert not found[8].doubtful
    assert not ItemFigure(2, 0, (5,), 2).doubtful  # two answers tell little


def test_of_equally_common_wrong_answers_always_the_same_is_named() -> None:
    found = {
        item_figures(rows, {7: (1,)})[7].often for rows in ([(7, (4,), 2), (7, (3,), 2)], [(7, (3,), 2), (7, (4,), 2)])
    }
    assert len(found) == 1
