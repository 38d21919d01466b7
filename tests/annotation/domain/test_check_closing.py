"""When checks are final for their annotator: rules alone, without a site."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.domain.check_closing import (
    FEW,
    LAST_POSTS,
    WAIT,
    WAIT_RANGE,
    Ending,
    GivenCheck,
    LabelledPost,
    final_checks,
    post_to_follow,
)

START = datetime(2026, 1, 1, tzinfo=UTC)
MANY = [START] * LAST_POSTS
"""Posts of the annotator that were labelled first and still wait for others."""


def at(minute: int) -> datetime:
    return START + timedelta(minutes=minute)


def check(seat: int = 1, closed: int | None = None, **fields: Any) -> GivenCheck:
    """Return a check that was labelled in minute 10 and follows a post that closed in the minute `closed`."""
    values = {"at_once": False, "labels_since": 0, "lacks_one_since": None}
    return GivenCheck(seat, at(10), None if closed is None else at(closed), **(values | fields))


def final(
    *checks: GivenCheck, others: Sequence[int] = (), open_posts: Sequence[datetime] = MANY, **more: Any
) -> set[int]:
    return set(final_checks(checks, [at(minute) for minute in others], open_posts, **more))


def test_a_check_follows_a_post_that_closed_at_once() -> None:
    assert final(check(closed=9, at_once=True)) == {1}


def test_a_check_waits_while_its_post_does() -> None:
    assert final(check(), others=[20, 30]) == set()


def test_it_closes_with_the_next_check_of_somebody_else_and_not_with_its_post() -> None:
    assert final(check(closed=20), others=[19, 20]) == set()
    assert final(check(closed=20), others=[19, 20, 21]) == {1}


def test_one_label_closes_one_check_the_first_first() -> None:
    three = [check(1, closed=22), check(2, closed=20), check(3, closed=21)]
    assert final(*three, others=[30]) == {2}
    assert final(*three, others=[30, 31]) == {2, 3}
    assert final(*three, others=[30, 31, 32]) == {1, 2, 3}


def test_a_label_that_no_check_waits_for_closes_one_that_lacks_one_label_once_posts_close() -> None:
    soon = [check(seat, lacks_one_since=at(15)) for seat in (1, 2, 3)]
    assert final(*soon, others=[30]) == set()
    closed = check(4, closed=20)
    # Of four checks two (the root of four) may close before their posts.
    assert final(closed, *soon, others=[30]) == {4}
    assert final(closed, *soon, others=[30, 31, 32, 33, 34]) == {4, 1, 2}


@pytest.mark.parametrize("seat", [1, 2, 3, 4])
def test_after_a_post_that_closed_soon_it_closes_after_a_few_labels(seat: int) -> None:
    wait = 1 + seat % FEW
    assert final(check(seat, closed=9, labels_since=wait - 1)) == set()
    assert final(check(seat, closed=9, labels_since=wait)) == {seat}
    assert final(check(seat, closed=9), anything_open=False) == {seat}


def test_where_nobody_labels_checks_other_labels_count() -> None:
    most = WAIT + WAIT_RANGE
    assert final(check(12, closed=20, labels_since=WAIT)) == set()
    assert final(check(12, closed=20, labels_since=most)) == {12}


def test_at_the_end_none_stays_open_and_not_all_close_together() -> None:
    checks = [check(seat, closed=20) for seat in range(LAST_POSTS)]
    left = [len(final(*checks, open_posts=[START] * n)) for n in range(LAST_POSTS + 1)]
    assert left == [12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]


def test_posts_labelled_after_the_closing_do_not_open_it_again() -> None:
    assert final(check(0, closed=20), open_posts=[]) == {0} == final(check(0, closed=20), open_posts=[at(21)])


moments = st.integers(11, 60)


@given(
    closed=st.lists(st.tuples(moments, moments), max_size=12),
    others=st.lists(moments, max_size=20).map(sorted),
    until=st.integers(11, 60),
)
def test_what_is_final_stays_so_and_each_label_closes_one_at_most(
    closed: list[tuple[int, int]], others: list[int], until: int
) -> None:
    def seen(minute: int) -> set[int]:
        checks = []
        for seat, (one, other) in enumerate(closed):
            lacks, closes = sorted((one, other))
            fields = {"lacks_one_since": at(lacks) if lacks <= minute else None}
            checks.append(check(seat, closed=closes if closes <= minute else None, **fields))
        return final(*checks, others=[moment for moment in others if moment <= minute])

    for minute in range(11, until):
        before, after = seen(minute), seen(minute + 1)
        assert before <= after and len(after - before) <= others.count(minute + 1) + others.count(minute)


def post(seat: int, ending: Ending) -> LabelledPost:
    return LabelledPost(seat, ending)


def test_before_the_first_post_no_post_is_followed() -> None:
    assert post_to_follow([], Random(1)) is None


def test_checks_close_at_once_as_often_as_the_last_posts_did() -> None:
    posts = [post(seat, Ending.AT_ONCE if seat % 4 == 0 else Ending.OPEN) for seat in range(8)]
    posts += [post(seat, Ending.OPEN) for seat in range(8, 40)]
    chance = Random(1)
    drawn = [post_to_follow(posts, chance) for _ in range(2000)]
    # 2 of 8 at once; the others are any of the 38 open ones. Four standard deviations of 500 are 4 · sqrt(375) = 77.
    assert 423 < sum(seat in (0, 4) for seat in drawn) < 577
    assert len(set(drawn)) == 40
