"""Spearman's ρ with its interval, by hand and against scipy."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from annotation.domain.statistics.figure import Measured, Undefined, Why
from annotation.domain.statistics.rank_correlation import spearman


def test_ten_ranks_without_ties_by_hand() -> None:
    # Ranks 1 … 10, the last two changed places: Σd² = 2, ρ = 1 - 6·2 / (10·99) = 0.987879.
    rho = spearman([(float(at), float(at)) for at in range(8)] + [(8.0, 9.0), (9.0, 8.0)])
    assert isinstance(rho, Measured) and rho.value == pytest.approx(1 - 12 / 990)
    assert rho.interval and rho.interval.low <= rho.value <= rho.interval.high <= 1
    assert rho.why is None


def test_ties_share_their_mean_rank() -> None:
    # Two halves of five each, with the ranks 3 and 8. Eight items go together and two do not: ρ = (8 - 2) / 10.
    pairs = [(0.0, 0.0)] * 4 + [(0.0, 1.0)] + [(1.0, 1.0)] * 4 + [(1.0, 0.0)]
    rho = spearman(pairs)
    assert isinstance(rho, Measured) and rho.value == pytest.approx(0.6)
    assert rho == spearman(pairs[::-1])  # the order of items is nothing


values = st.sampled_from([0.0, 0.5, 0.7219280948873623, 0.9709505944546686, 1.0])


@given(st.lists(st.tuples(values, values), min_size=10, max_size=60))
def test_rho_is_that_of_scipy(pairs: list[tuple[float, float]]) -> None:
    from scipy import stats  # noqa: PLC0415 (takes a second)

    assume(len({first for first, _ in pairs}) > 1 and len({second for _, second in pairs}) > 1)
    rho = spearman(pairs)
    expected = stats.spearmanr(*zip(*pairs, strict=True)).statistic
    assert isinstance(rho, Measured) and rho.value == pytest.approx(float(expected), abs=1e-12)
    assert rho.interval is None or -1 - 1e-9 <= rho.interval.low <= rho.interval.high <= 1 + 1e-9


@pytest.mark.parametrize(
    ("pairs", "why"),
    [
        ([], Why.TOO_FEW_ITEMS),
        ([(float(at), float(at)) for at in range(9)], Why.TOO_FEW_ITEMS),
        ([(1.0, float(at)) for at in range(20)], Why.ONE_VALUE),
        ([(float(at), 0.5) for at in range(20)], Why.ONE_VALUE),
    ],
)
def test_too_few_items_or_no_spread_have_no_correlation(pairs: list[tuple[float, float]], why: Why) -> None:
    assert spearman(pairs) == Undefined(why)


def test_one_item_that_differs_has_a_correlation_but_hardly_an_interval() -> None:
    rho = spearman([(0.0, 0.0)] * 11 + [(1.0, 1.0)])
    assert isinstance(rho, Measured) and rho.value == pytest.approx(1.0)
    assert rho.interval is not None or rho.why is Why.ONE_VALUE
