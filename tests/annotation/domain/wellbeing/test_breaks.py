"""Sessions, breaks, caps and the order of severe items, worked by hand and against whatever people do."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from annotation.domain.wellbeing.breaks import (
    Anything,
    Caps,
    Limit,
    Milder,
    NothingMore,
    Workday,
    allowance,
    break_is_due,
    count_action,
    count_item_shown,
    near,
    newly_reached,
    offer_break,
    roll_over,
    tighter,
)

DAY = date(2026, 11, 21)
NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)


def after(minutes: float, pace: Workday, today: date = DAY) -> Workday:
    """An act so many minutes after the last one."""
    assert pace.last_act_at is not None
    now = pace.last_act_at + timedelta(minutes=minutes)
    return count_action(roll_over(pace, now, today), now)


def begun() -> Workday:
    return count_action(roll_over(None, NOON, DAY), NOON)


def test_work_is_the_time_between_acts_but_no_more_than_two_minutes_of_each_pause():
    # 1 min + 90 s + 2 of 5 min = 60 + 90 + 120
    pace = after(5, after(1.5, after(1, begun())))
    assert pace.active_seconds == pace.session_seconds == 270


def test_half_an_hour_ends_the_session_and_is_no_work():
    pace = replace(after(2, begun()), session_severe=4, severe_in_row=2, severe=4)
    later = after(30, pace)
    assert (later.active_seconds, later.session_seconds, later.session_severe, later.severe_in_row) == (120, 0, 0, 0)
    assert later.severe == 4 and later.session_since == NOON + timedelta(minutes=32)


def test_ten_minutes_are_a_break_within_the_session():
    pace = replace(after(2, begun()), session_severe=4, severe_in_row=3)
    later = roll_over(pace, NOON + timedelta(minutes=12), DAY)
    assert (later.severe_in_row, later.session_seconds, later.session_severe) == (0, 0, 4)
    assert roll_over(pace, NOON + timedelta(minutes=11, seconds=59), DAY).severe_in_row == 3


def test_a_new_day_counts_anew_and_the_session_goes_on():
    pace = replace(after(1, begun()), severe=5, shown=9, labels=8, skips=1, breaks=1, session_severe=5)
    morning = after(1, pace, DAY + timedelta(days=1))
    assert (morning.active_seconds, morning.severe, morning.shown, morning.labels, morning.skips) == (60, 0, 0, 0, 0)
    assert (morning.session_seconds, morning.session_severe, morning.session_since) == (120, 5, NOON)


def test_a_clock_that_goes_back_takes_no_time_away():
    assert after(-3, begun()).active_seconds == 0


def test_after_three_severe_items_milder_ones_come_and_a_mild_one_begins_anew():
    caps, pace = Caps(severe_in_row=3), begun()
    for _ in range(3):
        assert allowance(pace, caps) == Anything()
        pace = count_item_shown(pace, severe=True)
    assert allowance(pace, caps) == Milder(Limit.SEVERE_RUN)
    assert allowance(count_item_shown(pace, severe=False), caps) == Anything()
    assert allowance(pace, Caps(severe_in_row=0)) == Anything()


def test_caps_leave_what_they_leave():
    pace = replace(begun(), severe=5, session_severe=5, active_seconds=3600)
    assert allowance(pace, Caps(minutes_a_day=60, severe_a_day=5)) == NothingMore(Limit.MINUTES)
    assert allowance(pace, Caps(minutes_a_day=61, severe_a_day=5, severe_a_session=2)) == Milder(Limit.SEVERE_DAY)
    assert allowance(pace, Caps(severe_a_day=6, severe_a_session=5)) == Milder(Limit.SEVERE_SESSION)
    assert allowance(pace, Caps(severe_a_day=6, severe_a_session=6)) == Anything()
    assert allowance(begun(), Caps(severe_a_day=0)) == Milder(Limit.SEVERE_DAY)


def test_the_lower_of_two_caps_counts():
    assert (tighter(None, 3), tighter(5, None), tighter(5, 3), tighter(None, None)) == (3, 5, 3, None)


def test_one_is_told_from_four_fifths_of_a_cap_on():
    caps = Caps(minutes_a_day=10, severe_a_day=10)
    assert near(replace(begun(), active_seconds=479, severe=7), caps) == ()
    assert near(replace(begun(), active_seconds=480, severe=8), caps) == (Limit.MINUTES, Limit.SEVERE_DAY)
    assert near(replace(begun(), active_seconds=599, severe=9), caps) == (Limit.MINUTES, Limit.SEVERE_DAY)


def test_who_has_reached_a_cap_is_not_told_that_it_is_near():
    caps = Caps(minutes_a_day=10, severe_a_day=4, severe_a_session=2)
    assert near(replace(begun(), active_seconds=600, severe=4, session_severe=2), caps) == ()
    assert near(replace(begun(), active_seconds=481, severe=5, session_severe=0), caps) == (Limit.MINUTES,)
    assert near(begun(), Caps(severe_a_day=0)) == ()


def test_a_break_is_offered_once_in_a_stretch_of_work():
    caps, pace = Caps(break_after_minutes=3), begun()
    pace = after(2, pace)
    assert not break_is_due(pace, caps)
    pace = after(1, pace)
    assert break_is_due(pace, caps)
    pace = offer_break(pace, NOON)
    assert not break_is_due(after(2, pace), caps) and pace.breaks == 1
    assert break_is_due(after(1, after(2, pace)), caps)
    assert not break_is_due(replace(pace, session_seconds=99_999), Caps(break_after_minutes=0))


@given(st.lists(st.tuples(st.floats(0, 200), st.booleans()), max_size=60), st.integers(1, 5), st.integers(0, 8))
def test_whoever_keeps_to_what_is_allowed_never_exceeds_a_cap(steps, in_row, a_day):
    caps = Caps(severe_in_row=in_row, severe_a_day=a_day, minutes_a_day=30)
    pace, run = begun(), 0
    for minutes, severe in steps:
        before = pace.last_act_at
        pace = after(minutes, pace)
        match allowance(pace, caps):
            case NothingMore():
                continue
            case Milder():
                severe = False
        pace = count_item_shown(pace, severe=severe)
        rested = before is not None and minutes >= 10
        run = (0 if rested else run) + 1 if severe else 0
        assert run <= in_row and pace.severe <= a_day
        assert pace.active_seconds <= 30 * 60 + 120
    assert pace.active_seconds <= sum(round(min(minutes, 2) * 60) for minutes, _ in steps) + len(steps)


def test_a_cap_is_reached_by_the_item_that_uses_it_up_and_by_no_later_one() -> None:
    caps = Caps(severe_in_row=1, severe_a_session=2, severe_a_day=3)
    pace, said = begun(), []
    for severe in (True, True, False, True, True, False):
        shown = count_item_shown(pace, severe=severe)
        said.append(newly_reached(pace, shown, caps))
        pace = shown
    assert said == [None, Limit.SEVERE_SESSION, None, Limit.SEVERE_DAY, None, None]
    assert newly_reached(begun(), count_item_shown(begun(), severe=True), Caps()) is None
