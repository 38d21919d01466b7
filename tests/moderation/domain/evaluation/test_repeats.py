"""Figures over repeats: mean and deviation, agreement, unanimity and majority."""

import pytest

from moderation.domain.evaluation.repeats import Spread, are_unanimous, kappa, majority, spread


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


def test_a_spread_is_written_with_the_number_of_repeats() -> None:
    assert Spread(0.5, None, 1).as_json() == {"mean": 0.5, "sd": None, "repeats": 1}
    pair = spread([0.25, 0.75])
    # √((0.25² + 0.25²)/1) = 0.353553…
    assert pair and pair.as_json() == {"mean": 0.5, "sd": pytest.approx(0.3535534), "repeats": 2}


@pytest.mark.parametrize(
    ("items", "figure"),
    [
        # (H H H) and (N N H): P = (1 + 1/3)/2 = 2/3; shares 4/6 and 2/6: Pe = 5/9; κ = 1/4.
        ([[True, True, True], [False, False, True]], 0.25),
        ([[True, True, True], [False, False, True], [False, None, True]], 0.25),
        # Codes 1, 2, 5: (1 1), (2 5): P = 1/2; shares 2/4, 1/4, 1/4: Pe = 6/16; κ = (1/8)/(5/8).
        ([[1, 1], [2, 5]], 0.2),
        ([[True, True], [True, True]], None),
        ([[None, True]], None),
        ([], None),
    ],
)
def test_kappa_is_of_the_rows_that_have_every_rating(items: list[list[bool | int | None]], figure: float) -> None:
    assert kappa(items) == (None if figure is None else pytest.approx(figure))


@pytest.mark.parametrize(
    ("verdicts", "unanimous"),
    [
        ([True, True], True),
        ([3, 3, None], True),
        ([True, False], False),
        ([True, True, False], False),
        ([True, None], False),
        ([True], False),
        ([None, None], False),
        ([], False),
    ],
)
def test_unanimity_needs_two_verdicts(verdicts: list[bool | int | None], unanimous: bool) -> None:
    assert are_unanimous(verdicts) is unanimous
