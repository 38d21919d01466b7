"""What a person's agreement is to be compared with where some people got harder posts than others.

Where hard posts are handed out first, whoever worked early agreed less, whatever they are like. So a person's share is
put beside what the others reach on equally informative posts (indirect standardisation: Rothman, Greenland & Lash,
Modern Epidemiology, 2008, chapter 4): the others' share at each value, weighted by the person's own labels there.
Posts of a value that nobody else has labelled comparably count on neither side.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from annotation.domain.statistics.annotator_quality import Rate
from annotation.domain.statistics.arrays import Flags, Ints
from annotation.domain.statistics.figure import Undefined, Why


@dataclass(frozen=True)
class EqualPosts:
    """A person's agreement, and the others' share on equally informative posts; both over the same `own.n` labels."""

    own: Rate
    others: float


def on_equal_posts(
    agrees: Flags, comparable: Flags, value: Ints, own: Ints, times: Ints | None = None
) -> EqualPosts | Undefined:
    """Return the agreement of the labels with the indices `own` beside that of all others on equally informative posts.

    `value` is the informativeness of each label's item. `times` says how many labels each row stands for; None: one.
    """
    weights = np.ones(len(value), dtype=np.int64) if times is None else times
    counted, agreeing = _by_value(comparable, value, weights), _by_value(agrees, value, weights)
    mine = np.zeros(len(value), dtype=bool)
    mine[own] = True
    own_counted, own_agreeing = _by_value(comparable & mine, value, weights), _by_value(agrees & mine, value, weights)
    others_counted, others_agreeing = counted - own_counted, agreeing - own_agreeing
    shared = others_counted > 0
    n = int(own_counted[shared].sum())
    if n == 0:
        return Undefined(Why.NO_OTHERS)
    shares = others_agreeing[shared] / others_counted[shared]
    return EqualPosts(Rate(int(own_agreeing[shared].sum()), n), float(shares @ own_counted[shared]) / n)


def _by_value(flags: Flags, value: Ints, times: Ints) -> Ints:
    levels = int(value.max()) + 1 if len(value) else 0
    return np.bincount(value[flags], weights=times[flags], minlength=levels).astype(np.int64)
