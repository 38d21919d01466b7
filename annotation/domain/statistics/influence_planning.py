"""What a number of labels tells about the priors' influence: the interval that it gives (design section 4)."""

from math import sqrt

from annotation.domain.statistics.intervals import Z95

_Z80 = 0.841621  # the 80 % quantile of the normal distribution


def half_width(labels: int, withheld: float) -> float | None:
    """Return half the 95 % interval of the difference between shown and withheld, for `labels` labels in all.

    1.96 √(¼ (1/(N w) + 1/(N (1 − w)))): independent answers with agreement one half, where it is widest.
    Returns None if one arm would be empty.
    """
    if labels <= 0 or not 0 < withheld < 1:
        return None
    return Z95 * sqrt(0.25 / labels * (1 / withheld + 1 / (1 - withheld)))


def detectable(labels: int, withheld: float) -> float | None:
    """Return the difference that would be detected in four campaigns of five: (1.96 + 0.84) / 1.96 half widths.

    Returns None if one arm would be empty.
    """
    half = half_width(labels, withheld)
    return None if half is None else half * (Z95 + _Z80) / Z95
