"""Rules of care, worked by hand: what an opt-out covers, what is told about many people, filter settings."""

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.domain.choices import BlurStrength, PictureSize
from annotation.domain.wellbeing.opt_outs import (
    Content,
    Mood,
    Spread,
    Unwanted,
    WeekOfMoods,
    falls_under,
    people_barred,
    spread,
    weeks_of_moods,
)
from annotation.domain.wellbeing.viewing import Viewing, read_viewing

MONDAY = date(2026, 3, 2)
WEDNESDAY = MONDAY + timedelta(days=9)  # of the week after


@pytest.mark.parametrize(
    ("unwanted", "falls"),
    [
        (Unwanted(1, category=7), True),
        (Unwanted(1, category=8), False),
        (Unwanted(1, group="NURSES"), True),
        (Unwanted(1, group="night nurses"), False),
        (Unwanted(1, severity=2), True),
        (Unwanted(1, severity=3), False),
    ],
)
def test_an_opt_out_covers_its_category_its_group_in_any_case_and_its_severity_and_above(unwanted, falls):
    assert falls_under(Content(frozenset({7}), "Nurses", 2), unwanted) is falls


def test_an_item_of_which_nothing_is_known_is_kept_from_nobody():
    everything = [Unwanted(1, category=7), Unwanted(2, group="nurses"), Unwanted(3, severity=1)]
    assert people_barred(Content(), everything) == 0


def test_a_person_who_opted_out_of_an_item_in_two_ways_counts_once():
    content = Content(frozenset({7}), "nurses", 3)
    opt_outs = [Unwanted(1, category=7), Unwanted(1, severity=2), Unwanted(2, group="Nurses"), Unwanted(3, category=8)]
    assert people_barred(content, opt_outs) == 2


def test_a_spread_needs_five_people_however_many_days_there_are():
    assert spread([(1, 9), (2, 0), (3, 4), (4, 1), (4, 1), (4, 1)]) is None
    # 0 1 4 6 9: the middle is 4
    assert spread([(1, 9), (2, 0), (3, 4), (4, 1), (5, 6)]) == Spread(4, 9)


def moods(*answers: int, day: date = MONDAY) -> list[Mood]:
    return [Mood(member, day, mood) for member, mood in enumerate(answers)]


def test_a_week_is_told_from_five_people_on():
    assert weeks_of_moods(moods(1, 1, 1, 1), WEDNESDAY, 1) == (WeekOfMoods(MONDAY),)
    # 1 2 4 4 4: mean 3, told as it is
    assert weeks_of_moods(moods(1, 2, 4, 4, 4), WEDNESDAY, 1) == (WeekOfMoods(MONDAY, 5, 3.0),)


def test_five_answers_of_one_person_are_no_five_people():
    answers = [Mood(1, MONDAY + timedelta(days=day), 2) for day in range(5)]
    assert weeks_of_moods(answers, WEDNESDAY, 1) == (WeekOfMoods(MONDAY),)


def test_each_person_counts_once_and_the_mean_is_told_to_the_half():
    # person 0 answered 1 and 5, mean 3; with 5 5 5 5 that is 23 / 5 = 4.6, to the half 4.5
    answers = [*moods(1, 5, 5, 5, 5), Mood(0, MONDAY + timedelta(days=1), 5)]
    assert weeks_of_moods(answers, WEDNESDAY, 1) == (WeekOfMoods(MONDAY, 5, 4.5),)


def test_a_week_under_way_is_not_told():
    this = MONDAY + timedelta(days=7)
    assert weeks_of_moods(moods(1, 2, 3, 4, 5, day=this), WEDNESDAY, 2) == (
        WeekOfMoods(MONDAY),
        WeekOfMoods(MONDAY - timedelta(days=7)),
    )


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 20), st.integers(1, 5)), max_size=60))
def test_no_week_with_fewer_than_five_people_is_ever_told(answers):
    given_ = [Mood(member, MONDAY + timedelta(days=day), mood) for member, day, mood in answers]
    for week in weeks_of_moods(given_, MONDAY + timedelta(days=30), 6):
        people = {each.member for each in given_ if 0 <= (each.day - week.monday).days < 7}
        assert (week.mood is None) == (week.people is None) == (len(people) < 5)
        assert week.mood is None or (1 <= week.mood <= 5 and week.people == len(people))


def test_filter_settings_come_back_as_stored():
    chosen = Viewing(False, BlurStrength.BLANK, False, True, PictureSize.SMALL, True)
    assert read_viewing(chosen.stored()) == chosen


@given(
    st.dictionaries(
        st.sampled_from([*Viewing().stored(), "other"]), st.none() | st.integers() | st.text() | st.lists(st.none())
    )
)
def test_nonsense_among_stored_settings_reads_as_the_usual(stored):
    assert read_viewing(stored) == Viewing()
