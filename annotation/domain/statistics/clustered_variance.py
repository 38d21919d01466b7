"""Variance of sums over answers that are correlated within persons and within items (design section 4).

Cluster-robust in both ways (Cameron, Gelbach & Miller, Journal of Business & Economic Statistics 29, 2011).
"""

import numpy as np

from annotation.domain.statistics.arrays import Floats, Ints


def two_way_variance(terms: Floats, annotator: Ints, item: Ints) -> float:
    """Return the variance, cluster-robust by person and by item, of which there are at least two each.

    `terms` are the contributions of each answer to the error. No two answers share both person and item, so each answer
    is its own intersection.
    """
    by_person, by_item = _clustered(terms, annotator), _clustered(terms, item)
    alone = float(terms @ terms) * len(terms) / (len(terms) - 1)
    return max(by_person + by_item - alone, by_person, by_item)


def _clustered(terms: Floats, cluster: Ints) -> float:
    names, index = np.unique(cluster, return_inverse=True)
    sums = np.bincount(index.reshape(-1), weights=terms)
    return float(sums @ sums) * len(names) / (len(names) - 1)


def distinct(values: Ints) -> int:
    """Return the number of different values."""
    return len(np.unique(values))


def centred(values: Floats, period: Ints) -> Floats:
    """Return the values minus the mean of their period."""
    n = np.bincount(period)
    means = np.divide(np.bincount(period, weights=values), n, out=np.zeros(len(n)), where=n > 0)
    return values - means[period]
