"""Whom a score speaks for, and how often it was right (HateXScore, section 5.3)."""

import pytest

from moderation.domain.triage import (
    ENOUGH,
    PAPER_LABEL,
    PAPER_MODEL,
    HitRate,
    Said,
    Side,
    differ,
    hit_rates,
    side,
    was_right,
)

RACIST, SEXIST, BENIGN = Said(1, True), Said(2, True), Said(0, False)
HATEFUL = Said(None, True)


@pytest.mark.parametrize(
    ("one", "other", "differs"),
    [
        (RACIST, SEXIST, True),
        (RACIST, RACIST, False),
        (HATEFUL, RACIST, False),  # a binary verdict does not contradict the kind
        (HATEFUL, BENIGN, True),
        (Said(None, None), BENIGN, False),
    ],
)
def test_views_differ_on_the_category_where_both_name_one_else_on_hateful(one, other, differs):
    assert differ(one, other) is differs
    assert differ(other, one) is differs


@pytest.mark.parametrize(
    ("score", "pointed"), [(0.5, Side.MODEL), (0.499, Side.PEOPLE), (1.0, Side.MODEL), (0.0, Side.PEOPLE), (None, None)]
)
def test_from_one_half_on_the_model_may_be_right(score, pointed):
    assert side(RACIST, BENIGN, score) is pointed


def test_a_score_speaks_for_nobody_where_both_say_the_same():
    assert side(HATEFUL, RACIST, 0.9) is None


@pytest.mark.parametrize(
    ("pointed", "decided", "right"),
    [
        (Side.MODEL, RACIST, True),
        (Side.MODEL, BENIGN, False),
        (Side.PEOPLE, BENIGN, True),
        (Side.PEOPLE, RACIST, False),
        (Side.MODEL, SEXIST, None),  # a third way
    ],
)
def test_a_pointer_was_right_where_the_decision_went_its_way(pointed, decided, right):
    assert was_right(pointed, RACIST, BENIGN, decided) is right


def test_hit_rates_are_counted_for_each_side():
    decided = [(Side.MODEL, True), (Side.MODEL, False), (Side.MODEL, None), (Side.PEOPLE, True)]
    assert hit_rates(decided) == {Side.MODEL: HitRate(1, 3), Side.PEOPLE: HitRate(1, 1)}
    assert hit_rates([])[Side.MODEL].share is None
    assert HitRate(1, 3).share == pytest.approx(0.3333, abs=1e-4)


def test_until_thirty_decisions_the_shares_of_the_paper_are_shown():
    # HateXScore, section 5.3: people chose the model in 74.8 % and the label in 77.3 %.
    assert (ENOUGH, PAPER_MODEL, PAPER_LABEL) == (30, 0.748, 0.773)
