"""People in groups, items dealt out."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.domain.workforce.teams import TooFewPeople, dealt, groups_of


def test_seven_people_in_groups_of_three():
    assert groups_of("abcdefg", 3) == [["a", "b", "c", "d"], ["e", "f", "g"]]


def test_two_people_make_no_group_of_three():
    with pytest.raises(TooFewPeople):
        groups_of("ab", 3)
    with pytest.raises(TooFewPeople):
        groups_of("ab", 0)


@given(st.integers(1, 60), st.integers(1, 15))
def test_everybody_is_in_one_group_and_every_group_can_finish_an_item(count, size):
    if count < size:
        return
    groups = groups_of(range(count), size)
    assert [person for group in groups for person in group] == list(range(count))
    sizes = [len(group) for group in groups]
    assert min(sizes) >= size and max(sizes) - min(sizes) <= 1 and len(groups) == count // size


@given(st.integers(0, 1000), st.integers(1, 20))
def test_items_are_dealt_evenly_and_none_is_left(count, hands):
    given_out = dealt(count, hands)
    assert sum(given_out) == count and max(given_out) - min(given_out) <= 1 and len(given_out) == hands
