"""The quantiles and intervals that several figures use."""

import numpy as np
import pytest

from annotation.domain.statistics.intervals import Interval, bootstrap, percentile_interval, student_quantile


@pytest.mark.parametrize(
    ("degrees", "printed"),
    [(1, 12.706), (2, 4.303), (3, 3.182), (4, 2.776), (5, 2.571), (15, 2.131), (30, 2.042), (60, 2.000), (120, 1.980)],
)
def test_student_s_quantile_is_that_of_the_printed_tables(degrees: int, printed: float) -> None:
    assert student_quantile(degrees) == pytest.approx(printed, abs=0.0006)


def test_with_very_many_degrees_student_s_quantile_is_nearly_the_normal_one() -> None:
    assert 1.9599 < student_quantile(10_000_000) == student_quantile(1000) < 1.9625


def test_a_resample_draws_as_many_items_as_there_are() -> None:
    sizes = bootstrap(np.array([3, 4]), lambda weights: weights.sum(axis=1), 50)
    assert sizes.tolist() == [7.0] * 50


def test_several_figures_are_resampled_together_and_alike_each_time() -> None:
    def shares(weights: np.ndarray) -> np.ndarray:
        return np.stack([weights[:, 0] / 10, weights[:, 1] / 10])

    first, second = bootstrap(np.array([6, 4]), shares, 40)
    assert np.allclose(first + second, 1) and first.std() > 0
    assert (bootstrap(np.array([6, 4]), shares, 40)[0] == first).all()


def test_an_interval_needs_half_of_the_resamples() -> None:
    values = np.arange(101, dtype=np.float64)  # 2.5 % of them lie below 2.5
    assert percentile_interval(values) == Interval(pytest.approx(2.5), pytest.approx(97.5))
    values[:50] = np.nan
    assert percentile_interval(values) is not None
    values[50] = np.nan
    assert percentile_interval(values) is None
