"""Who is needed: exact without quotas, and never too hopeful with them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.domain.workforce.staffing import Staffing, Verdict, Work, staffing

PEOPLE = range(5)
works = st.lists(
    st.builds(Work, st.integers(0, 3), st.frozensets(st.sampled_from(PEOPLE)), st.integers(1, 3)), max_size=4
)
free = st.sets(st.sampled_from(PEOPLE)).map(lambda people: dict.fromkeys(people))
quotas = st.dictionaries(st.sampled_from(PEOPLE), st.one_of(st.none(), st.integers(0, 6)))


def most_that_can_be_filled(work, left):
    """The largest number of places that can be filled, by augmenting paths over (item, person) pairs."""
    items = [each for each in work for _ in range(each.items)]
    sitting = [set() for _ in items]

    def load(person):
        return sum(person in seats for seats in sitting)

    def sit(item, tried):
        """Seat one more at the item, moving others if that helps."""
        for person in sorted(items[item].able & set(left)):
            if person in sitting[item] or person in tried:
                continue
            tried.add(person)
            if left[person] is None or load(person) < left[person]:
                sitting[item].add(person)
                return True
            for other, seats in enumerate(sitting):
                if other != item and person in seats:
                    seats.remove(person)
                    if sit(other, tried):
                        sitting[item].add(person)
                        return True
                    seats.add(person)
        return False

    return sum(sit(item, set()) for item, each in enumerate(items) for _ in range(each.places))


def test_an_item_with_fewer_able_people_than_places_is_stuck():
    # Two items need 3 and have 2; one needs 2 and has 0: 2·1 + 2 places nobody is there for; two must join.
    found = staffing([Work(3, frozenset({1, 2}), 2), Work(2, frozenset()), Work(1, frozenset({1}))], {1: None, 2: None})
    assert found == Staffing(Verdict.PEOPLE, places=9, stuck_items=3, stuck_places=4, more_people=2)


def test_who_has_reached_their_quota_cannot_be_asked():
    work = [Work(2, frozenset({1, 2}))]
    assert staffing(work, {1: None, 2: 1}).verdict is Verdict.ENOUGH
    assert staffing(work, {1: None, 2: 0}).verdict is Verdict.PEOPLE
    assert staffing(work, {1: None}).verdict is Verdict.PEOPLE


def test_quotas_that_leave_fewer_labels_than_needed_are_told_by_how_many():
    # Ten items need two of three people: 20 labels. Two give 5 each, the third one an item: 20 - 5 - 5 - 10 = 0 with
    # no quota, and 3 too few where they give 7.
    work = [Work(2, frozenset({1, 2, 3}), 10)]
    assert staffing(work, {1: 5, 2: 5, 3: None}) == Staffing(Verdict.ENOUGH, places=20)
    assert staffing(work, {1: 5, 2: 5, 3: 7}) == Staffing(Verdict.QUOTAS, places=20, labels_short=3)


def test_without_work_nothing_is_left_and_unseen_work_is_never_called_enough():
    assert staffing([], {1: None}).verdict is Verdict.NOTHING_LEFT
    assert staffing([Work(0, frozenset())], {}).verdict is Verdict.NOTHING_LEFT
    assert staffing([Work(1, frozenset({1}))], {1: None}, whole=False).verdict is Verdict.PERHAPS


@given(works, free)
def test_without_quotas_the_verdict_is_exact(work, left):
    found = staffing(work, left)
    unfilled = found.places - most_that_can_be_filled(work, left)
    assert (found.verdict in (Verdict.ENOUGH, Verdict.NOTHING_LEFT)) == (unfilled == 0)
    assert found.stuck_places == unfilled and found.labels_short == 0


@given(works, quotas)
def test_enough_is_never_said_where_a_place_cannot_be_filled(work, left):
    found = staffing(work, left)
    if found.verdict in (Verdict.ENOUGH, Verdict.NOTHING_LEFT):
        assert most_that_can_be_filled(work, left) == found.places


@given(works, quotas)
def test_enough_is_never_said_where_an_item_lacks_able_people(work, left):
    able = {person for person, labels in left.items() if labels is None or labels > 0}
    if any(len(each.able & able) < each.places for each in work):
        assert staffing(work, left).verdict is Verdict.PEOPLE


@given(works, quotas)
def test_what_is_said_to_be_missing_is_missing(work, left):
    found = staffing(work, left)
    assert found.stuck_places + found.labels_short <= found.places - most_that_can_be_filled(work, left)


@given(works, free)
def test_so_many_more_people_without_limits_are_enough_and_one_fewer_are_not(work, left):
    def with_more(count):
        new = set(range(100, 100 + count))
        return staffing([Work(w.places, w.able | new, w.items) for w in work], left | dict.fromkeys(new)).verdict

    more = staffing(work, left).more_people
    assert with_more(more) is not Verdict.PEOPLE
    if more:
        assert with_more(more - 1) is Verdict.PEOPLE


@pytest.mark.parametrize("labels", [None, 40])
def test_many_items_are_told_at_once(labels):
    work = [Work(3, frozenset(range(30)), 100_000)]
    verdict = Verdict.ENOUGH if labels is None else Verdict.QUOTAS
    assert staffing(work, dict.fromkeys(range(30), labels)).verdict is verdict
