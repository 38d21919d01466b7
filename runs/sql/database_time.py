"""The time of the database's clock, known without asking it: the clocks of machines differ (threats F24, F33).

A process asks once for each new connection, and counts on by a clock that nobody sets. Django, its libraries and the
site's models ask `timezone.now` for the time of whatever they store, so that is where the answer stands. On SQLite the
database's clock is this machine's.
"""

import time
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from django.utils import timezone

_OLD = 600.0
"""Seconds after which a later answer counts, also if it took longer."""


@dataclass(frozen=True)
class _Answer:
    moment: datetime
    at: float
    """By the monotonic clock: half way between question and answer."""
    took: float


_known: _Answer | None = None


def learn(moment: datetime, asked: float, answered: float) -> None:
    """Keep what the database said; `asked` and `answered` are times of `time.monotonic`. A quick answer is exact."""
    global _known
    answer = _Answer(moment, (asked + answered) / 2, answered - asked)
    if _known is None or answer.took <= _known.took or answered - _known.at > _OLD:
        _known = answer


def now() -> datetime:
    """Return the time by the database's clock; by this machine's as long as the database was not asked."""
    if (known := _known) is None:
        return datetime.now(UTC)
    return known.moment + timedelta(seconds=time.monotonic() - known.at)


def install() -> None:
    """Let everybody who asks Django for the time get this one. Called before models are imported."""
    timezone.now = now
