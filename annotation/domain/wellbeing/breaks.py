"""The exposure of a person and its limits: sessions, breaks, caps, runs of severe items.

A session ends after half an hour without an act. Ten minutes without an act are a break: a run of severe items ends and
a new stretch of work begins. Between two acts of a session, at most two minutes count as work. A cap is reached when
its number is reached. Caps on severe items still allow milder ones; the cap on minutes allows nothing.
"""

from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from enum import StrEnum

SESSION_GAP = timedelta(minutes=30)
"""A pause this long ends a session."""
BREAK = timedelta(minutes=10)
"""A pause this long is a break."""
IDLE = timedelta(seconds=120)
"""The maximum that counts as work between two acts."""
NEAR_PERCENT = 80
"""The percentage of a cap from which the person is warned."""


class Limit(StrEnum):
    """The limit that a person has reached."""

    MINUTES = "minutes_a_day"
    SEVERE_DAY = "severe_a_day"
    SEVERE_SESSION = "severe_a_session"
    SEVERE_RUN = "severe_in_row"


@dataclass(frozen=True)
class Caps:
    """The caps for a person; None is no cap. 0 switches `severe_in_row` and `break_after_minutes` off."""

    severe_in_row: int = 0
    severe_a_session: int | None = None
    severe_a_day: int | None = None
    minutes_a_day: int | None = None
    break_after_minutes: int = 0


@dataclass(frozen=True)
class Workday:
    """A person's counts for a day.

    `session_seconds` counts work since the session, the last break or its offer began.
    """

    day: date
    active_seconds: int = 0
    labels: int = 0
    skips: int = 0
    shown: int = 0
    severe: int = 0
    last_act_at: datetime | None = None
    session_since: datetime | None = None
    session_seconds: int = 0
    session_severe: int = 0
    severe_in_row: int = 0
    break_offered_at: datetime | None = None
    breaks: int = 0


@dataclass(frozen=True)
class Anything:
    """Any item may come next."""


@dataclass(frozen=True)
class Milder:
    """Only items that are not severe may come next."""

    limit: Limit


@dataclass(frozen=True)
class NothingMore:
    """No item may come next."""

    limit: Limit


def tighter(*bounds: int | None) -> int | None:
    """Return the lowest of several caps. Returns None if all are None, which means no cap."""
    return min((bound for bound in bounds if bound is not None), default=None)


def roll_over(pace: Workday | None, now: datetime, today: date) -> Workday:
    """Return a person's counts at `now`, with a new day, session or stretch of work begun if it is time."""
    if pace is None:
        return Workday(today)
    if pace.day != today:
        pace = replace(pace, day=today, active_seconds=0, labels=0, skips=0, shown=0, severe=0, breaks=0)
    pause = SESSION_GAP if pace.last_act_at is None else now - pace.last_act_at
    if pause >= SESSION_GAP:
        pace = replace(pace, session_since=None, session_severe=0, break_offered_at=None)
    if pause >= BREAK:
        pace = replace(pace, session_seconds=0, severe_in_row=0)
    return pace


def count_action(pace: Workday, now: datetime) -> Workday:
    """Count the time since the last act of the session as work, and this moment as an act."""
    worked = 0
    if pace.session_since is not None and pace.last_act_at is not None:
        worked = round(min(max(now - pace.last_act_at, timedelta(0)), IDLE).total_seconds())
    return replace(
        pace,
        active_seconds=pace.active_seconds + worked,
        session_seconds=pace.session_seconds + worked,
        session_since=pace.session_since or now,
        last_act_at=now,
    )


def count_item_shown(pace: Workday, *, severe: bool) -> Workday:
    """Count an item that is shown to the person."""
    if not severe:
        return replace(pace, shown=pace.shown + 1, severe_in_row=0)
    return replace(
        pace,
        shown=pace.shown + 1,
        severe=pace.severe + 1,
        session_severe=pace.session_severe + 1,
        severe_in_row=pace.severe_in_row + 1,
    )


def allowance(pace: Workday, caps: Caps) -> Anything | Milder | NothingMore:
    """Return which items may come next. If several caps are reached, the longest-lasting one is named."""
    if caps.minutes_a_day is not None and pace.active_seconds >= caps.minutes_a_day * 60:
        return NothingMore(Limit.MINUTES)
    if caps.severe_a_day is not None and pace.severe >= caps.severe_a_day:
        return Milder(Limit.SEVERE_DAY)
    if caps.severe_a_session is not None and pace.session_severe >= caps.severe_a_session:
        return Milder(Limit.SEVERE_SESSION)
    if caps.severe_in_row and pace.severe_in_row >= caps.severe_in_row:
        return Milder(Limit.SEVERE_RUN)
    return Anything()


def near(pace: Workday, caps: Caps) -> tuple[Limit, ...]:
    """Return the caps of which a person has used at least `NEAR_PERCENT`, but not all."""
    used = (
        (Limit.MINUTES, pace.active_seconds, None if caps.minutes_a_day is None else caps.minutes_a_day * 60),
        (Limit.SEVERE_DAY, pace.severe, caps.severe_a_day),
        (Limit.SEVERE_SESSION, pace.session_severe, caps.severe_a_session),
    )
    return tuple(
        limit for limit, count, cap in used if cap is not None and cap * NEAR_PERCENT <= count * 100 < cap * 100
    )


def newly_reached(before: Workday, after: Workday, caps: Caps) -> Limit | None:
    """Return the cap on severe items that this item used up: from the next one on only milder ones come.

    Returns None if it used up none. A run of severe items is no such cap: it ends with the next milder one.
    """
    now = allowance(after, caps)
    if not isinstance(now, Milder) or now.limit is Limit.SEVERE_RUN or now == allowance(before, caps):
        return None
    return now.limit


def break_is_due(pace: Workday, caps: Caps) -> bool:
    """Return whether to offer a break now."""
    return caps.break_after_minutes > 0 and pace.session_seconds >= caps.break_after_minutes * 60


def offer_break(pace: Workday, now: datetime) -> Workday:
    """Count an offered break; the next offer comes after another such stretch of work."""
    return replace(pace, session_seconds=0, break_offered_at=now, breaks=pace.breaks + 1)
