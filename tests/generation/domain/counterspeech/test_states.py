"""What may become of a reply, over all states and all people."""

from itertools import product

from hypothesis import given
from hypothesis import strategies as some

from generation.domain.counterspeech.states import (
    MOVES,
    OPEN,
    WRITABLE,
    ReplyState,
    may_correct,
    may_withdraw,
)

BOOLEANS = (False, True)
ENDS = {ReplyState.WITHDRAWN, ReplyState.REPLACED}


def after(state: ReplyState) -> set[ReplyState]:
    return {end for start, end in MOVES if start is state}


def test_each_state_leads_where_the_table_says() -> None:
    assert {state: after(state) for state in ReplyState} == {
        ReplyState.DRAFT: {ReplyState.SUBMITTED, ReplyState.WITHDRAWN},
        ReplyState.SUBMITTED: {ReplyState.DRAFT, ReplyState.RETURNED, ReplyState.APPROVED, ReplyState.WITHDRAWN},
        ReplyState.RETURNED: {ReplyState.SUBMITTED, ReplyState.WITHDRAWN},
        ReplyState.APPROVED: ENDS,
        ReplyState.WITHDRAWN: set(),
        ReplyState.REPLACED: set(),
    }


def test_open_replies_are_those_that_can_still_be_approved() -> None:
    reaching = {ReplyState.APPROVED}
    for _ in ReplyState:
        reaching |= {start for start, end in MOVES if end in reaching}
    assert reaching - {ReplyState.APPROVED} == set(OPEN) and set(WRITABLE) < set(OPEN)


@given(some.data())
def test_on_every_way_a_reply_is_handed_in_before_it_is_approved_and_approved_before_it_is_replaced(
    data: some.DataObject,
) -> None:
    way = [ReplyState.DRAFT]
    while len(way) < 12 and (choices := sorted(after(way[-1]))):
        way.append(data.draw(some.sampled_from(choices)))
    for before, state in zip(way, way[1:], strict=False):
        assert (state is ReplyState.APPROVED) <= (before is ReplyState.SUBMITTED)
        assert (state is ReplyState.REPLACED) <= (before is ReplyState.APPROVED)
        assert before not in ENDS
    if ReplyState.APPROVED in way:
        assert set(way[way.index(ReplyState.APPROVED) + 1 :]) <= ENDS  # its text can never be written again


def test_the_author_and_admins_withdraw_what_was_handed_in_and_correct_what_is_approved() -> None:
    for state, is_author, is_admin, was_submitted in product(ReplyState, *[BOOLEANS] * 3):
        person = {"is_author": is_author, "is_admin": is_admin}
        stands = state not in ENDS
        withdrawn = may_withdraw(state, was_submitted=was_submitted, **person)
        assert withdrawn is ((is_author or is_admin) and was_submitted and stands)
        assert may_correct(state, **person) is ((is_author or is_admin) and state is ReplyState.APPROVED)
