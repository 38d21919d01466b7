"""When a check becomes final for its annotator, although its post never closes: as one of their ordinary posts does.

A check is bound, when it is given out, to an ordinary post that the annotator labelled before. One of the last few is
drawn. If it closed at once with the annotator's own label, so does the check. If it closed soon after, the check does:
after a few labels of other people. If it still waits for others, any of the annotator's posts that wait is drawn. Once
that one has closed, the check waits until somebody else labels a check. No ordinary post closes with that label, and
one check at most does: so a check closes alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from math import isqrt
from random import Random

RECENT = 8
"""How many of the last posts say whether a label closes its post at once."""
REMEMBERED = 64
"""How many of the last posts a check may be bound to."""
WAIT, WAIT_RANGE = 36, 36
"""A check waits for no more labels of other people than the first number and, drawn, less than the second."""


FEW = 4
"""The most labels of others after which a check is final that follows a post which closed soon."""
LAST_POSTS = 12
"""While fewer of the annotator's posts wait for others, a check may be final without waiting; drawn for each."""


class Ending(StrEnum):
    """How an annotator's ordinary post ended for them."""

    OPEN = "open"
    AT_ONCE = "at_once"
    LATER = "later"


@dataclass(frozen=True)
class LabelledPost:
    """An ordinary post that the annotator has labelled."""

    seat: int
    """The primary key of their seat."""
    ending: Ending


def post_to_follow(posts: Sequence[LabelledPost], chance: Random) -> int | None:
    """Return the seat of the post with which the next check becomes final; `posts` are the newest first.

    Returns None if the annotator has labelled none yet.
    """
    if not posts:
        return None
    recent = chance.choice(posts[:RECENT])
    if recent.ending is not Ending.OPEN:
        return recent.seat
    return chance.choice([post for post in posts if post.ending is Ending.OPEN]).seat


@dataclass(frozen=True)
class GivenCheck:
    """A check that the annotator has labelled, and the post that it follows."""

    seat: int
    labelled_at: datetime
    closed_at: datetime | None
    """When the followed post was closed; None while it is open."""
    lacks_one_since: datetime | None
    """Since when the followed post lacked a single label; None if it lacks more."""
    at_once: bool
    """Whether the followed post was closed by its annotator's own label."""
    labels_since: int
    """Labels that other people gave since both moments, up to `WAIT + WAIT_RANGE`."""


def final_checks(
    checks: Sequence[GivenCheck],
    others_checks: Sequence[datetime],
    oldest_open: Sequence[datetime],
    *,
    anything_open: bool = True,
) -> frozenset[int]:
    """Return the seats of the annotator's checks that are final for them.

    `others_checks` are the moments at which other people labelled checks, in order; `oldest_open` says when the
    annotator labelled the oldest of their posts that still wait for others (`LAST_POSTS` are enough). Where too few
    checks are labelled by others, their labels of any posts count, and nothing is waited for when hardly any of the
    annotator's posts waits any more, nor when no post of the project is open (`anything_open`). What is final stays
    so while labels come.
    """
    waiting = [check for check in checks if check.closed_at is None or check.closed_at > check.labelled_at]
    final = _closed_by(others_checks, waiting)
    for check in checks:
        if check.closed_at is None:
            continue
        if check.closed_at <= check.labelled_at:
            is_final = check.at_once or check.labels_since > check.seat % FEW or not anything_open
        else:
            still_open = sum(labelled_at <= check.closed_at for labelled_at in oldest_open)
            waits_long = check.labels_since >= WAIT + check.seat % WAIT_RANGE
            is_final = still_open <= check.seat % LAST_POSTS or waits_long
        if is_final:
            final.add(check.seat)
    return frozenset(final)


def _closed_by(others_checks: Sequence[datetime], checks: Sequence[GivenCheck]) -> set[int]:
    """Return the checks that were closed by labels of other people at checks: one by each label.

    The first comes first whose followed post is closed. Where none waits, one is taken whose post lacks one label, but
    few of them before their posts have closed: so that checks close neither later nor earlier than posts do.
    """
    final: set[int] = set()
    for moment in others_checks:
        given = [check for check in checks if check.labelled_at < moment]
        over = {check.seat for check in given if check.closed_at is not None and check.closed_at < moment}
        left = [check for check in given if check.seat not in final]
        due = [check for check in left if check.seat in over]
        ready = [check for check in left if check.lacks_one_since is not None and check.lacks_one_since < moment]
        if due:
            final.add(min(due, key=lambda check: (check.closed_at, check.seat)).seat)
        elif ready and over and len(final - over) < isqrt(len(given)):
            final.add(min(ready, key=lambda check: (check.lacks_one_since, check.seat)).seat)
    return final
