"""Confidence intervals that several figures use."""

from math import sqrt

from annotation.domain.statistics.agreement import Interval

Z95 = 1.959963984540054
"""The 97.5 % quantile of the normal distribution, for two-sided 95 % intervals."""


def wilson_interval(share: float, count: float, quantile: float = Z95) -> Interval:
    """Return the interval of a share of `count` > 0 answers (Wilson 1927); it stays within 0 … 1.

    `quantile` is that of the normal distribution, or of Student's t if answers are few.
    """
    squared = quantile * quantile
    widened = 1 + squared / count
    middle = (share + squared / (2 * count)) / widened
    reach = quantile * sqrt(share * (1 - share) / count + squared / (4 * count * count)) / widened
    return Interval(max(0.0, min(share, middle - reach)), min(1.0, max(share, middle + reach)))
