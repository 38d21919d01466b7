"""The reward of a reply, by hand (CoARL, equation 3), and what its weights do."""

import math
from dataclasses import FrozenInstanceError

import pytest
from hypothesis import given
from hypothesis import strategies as some

from generation.domain.counterspeech.reward import EQUAL, BadParts, Parts, Weights, reward, reward_or_none

shares = some.floats(0, 1)
stances = some.floats(-1, 1)


@pytest.mark.parametrize(
    ("pc", "aq", "t", "by_hand"),
    [
        (-1.0, 1.0, 0.0, 1.0),  # opposes, argues well, civil: (1 + 1 + 1) / 3
        (1.0, 0.0, 1.0, 0.0),  # supports, no argument, toxic: (0 + 0 + 0) / 3
        (0.0, 0.5, 0.0, 2 / 3),  # (.5 + .5 + 1) / 3
        (-0.8, 0.6, 0.1, 0.8),  # (.9 + .6 + .9) / 3 = 2.4 / 3
        (0.4, 0.9, 0.0, 2.2 / 3),  # well put, for the wrong side: (.3 + .9 + 1) / 3
        (-1.0, 0.0, 1.0, 1 / 3),  # a mere shout against it: (1 + 0 + 0) / 3
        (-0.5, 0.25, 0.5, 0.5),  # (.75 + .25 + .5) / 3 = 1.5 / 3
        (0.0, 0.0, 0.0, 0.5),  # says nothing, politely: (.5 + 0 + 1) / 3
    ],
)
def test_the_reward_of_eight_replies_is_what_the_equation_gives_by_hand(
    pc: float, aq: float, t: float, by_hand: float
) -> None:
    assert reward(Parts(pc, aq, t)) == pytest.approx(by_hand, abs=1e-12)


def test_weights_count_by_their_proportion_and_nought_switches_a_part_off() -> None:
    parts = Parts(-0.6, 0.5, 0.2)  # .8, .5, .8
    assert reward(parts, Weights(2, 1, 1)) == pytest.approx((2 * 0.8 + 0.5 + 0.8) / 4)
    assert reward(parts, Weights(0, 1, 1)) == pytest.approx((0.5 + 0.8) / 2)
    assert reward(parts, Weights(1, 0, 0)) == pytest.approx(0.8)
    assert reward(parts, Weights(5, 5, 5)) == pytest.approx(reward(parts, EQUAL))


def test_a_missing_part_gives_no_reward_unless_it_is_switched_off() -> None:
    assert reward_or_none(None, 0.5, 0.1) is None
    assert reward_or_none(-1, 0.5, None, Weights(1, 1, 0)) == pytest.approx(0.75)


@pytest.mark.parametrize("weights", [(0, 0, 0), (-1, 1, 1), (math.nan, 1, 1), (math.inf, 1, 1)])
def test_weights_that_are_none_are_refused(weights: tuple[float, float, float]) -> None:
    with pytest.raises(BadParts):
        Weights(*weights)


@pytest.mark.parametrize("parts", [(-1.1, 0, 0), (0, 1.01, 0), (0, 0, -0.1), (math.nan, 0, 0)])
def test_parts_outside_their_range_are_refused(parts: tuple[float, float, float]) -> None:
    with pytest.raises(BadParts):
        Parts(*parts)


@given(stances, shares, shares, some.floats(0, 1))
def test_the_reward_lies_between_0_and_1_and_never_falls_when_a_part_gets_better(
    pc: float, aq: float, t: float, step: float
) -> None:
    here = reward(Parts(pc, aq, t))
    assert 0 <= here <= 1
    better = Parts(max(-1.0, pc - step), min(1.0, aq + step), max(0.0, t - step))
    assert reward(better) >= here - 1e-12


@pytest.mark.parametrize("value", [EQUAL, Parts(0, 0, 0)])
def test_weights_and_parts_cannot_be_changed(value: Weights | Parts) -> None:
    with pytest.raises(FrozenInstanceError):
        value.pc = 0.5  # type: ignore[misc]


@pytest.mark.parametrize("parts", [(1.1, 0, 0), (0, -0.1, 0), (0, 0, 1.1)])
def test_the_other_end_of_each_range_is_kept_too(parts: tuple[float, float, float]) -> None:
    with pytest.raises(BadParts):
        Parts(*parts)


def test_a_part_of_nought_is_a_number_and_not_a_missing_one() -> None:
    assert reward_or_none(0, 0, 0) == pytest.approx(0.5)  # (.5 + 0 + 1) / 3


@pytest.mark.parametrize("missing", [(None, 0.5, 0.1), (0.0, None, 0.1), (0.0, 0.5, None)])
def test_each_missing_part_leaves_the_reward_open(missing: tuple[float | None, ...]) -> None:
    assert reward_or_none(*missing) is None


def test_a_weight_below_one_still_needs_its_part() -> None:
    assert reward_or_none(None, 0.5, 0.1, Weights(0.5, 1, 1)) is None
