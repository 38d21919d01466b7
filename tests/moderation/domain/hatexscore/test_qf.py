"""QF by hand: design section 8."""

from typing import Any

import pytest

from moderation.domain.hatexscore.qf import UnreadableProbability, is_trivial, probability, quotation_faithfulness


@pytest.mark.parametrize("given", [0, 1, 0.0, 0.25, 1.0])
def test_a_number_from_0_to_1_is_a_probability(given: float) -> None:
    assert probability(given) == given


@pytest.mark.parametrize("given", [None, "0.5", True, False, -0.01, 1.01, 2, float("nan"), float("inf")])
def test_anything_else_is_an_error(given: Any) -> None:
    with pytest.raises(UnreadableProbability):
        probability(given)


@pytest.mark.parametrize(
    ("prediction", "p", "p_masked", "by_hand"),
    [
        (True, 0.75, 0.25, 0.5),  # |.75 − .25|
        (True, 0.25, 0.75, 0.5),  # the difference has no sign
        (True, 1, 0, 1.0),
        (True, 0.5, 0.5, 0.0),
        (False, 0.75, 0.5, 0.75),  # 1 − |.75 − .5|
        (False, 1, 0, 0.0),
        (False, 0.5, 0.5, 1.0),
        (None, 1, 0, 0.0),
        (None, None, None, 0.0),
    ],
)
def test_qf_is_the_difference_for_hateful_and_the_rest_for_not_hateful(
    prediction: bool | None, p: float | None, p_masked: float | None, by_hand: float
) -> None:
    assert quotation_faithfulness(prediction, p, p_masked) == by_hand


def test_only_the_whole_text_to_the_last_full_stop_and_nothing_beside_it_is_trivial() -> None:
    assert is_trivial("New weeds.", ["New weeds."])
    assert is_trivial("New weeds.", ["New weeds.", "New weeds."])
    assert not is_trivial("New weeds.", [])
    assert not is_trivial("New weeds.", ["weeds", "New weeds."])
    assert not is_trivial("New weeds.", ["New weeds", "weeds"])
