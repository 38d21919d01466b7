"""Claims are decided, checked, edited and approved at the same moment. By real threads."""

from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from annotation.domain.choices import Role
from annotation.models import Event, Membership
from builders import make_member, make_project
from checked_claims import make_check
from concurrency import at_once
from generation.counterspeech import approve, replies, request
from generation.counterspeech.claims import claims_of, take_checks
from generation.domain.counterspeech.claim_states import ClaimState
from generation.domain.counterspeech.intents import Intent
from generation.methods.counterspeech.score import keep_scores
from generation.models import Claim, Reply
from generation.practice import claims as decisions
from generation.practice.claims import Decision

pytestmark = pytest.mark.django_db(transaction=True)

HALF, TEN = "Half of them work here.", "Ten families came."
WHY = "Everybody in the street can see that."


@pytest.fixture
def author() -> Membership:
    return make_member(make_project("garden"), Role.REVIEWER)


@pytest.fixture
def second(author: Membership) -> Membership:
    return make_member(author.project, Role.REVIEWER)


def drafted(author: Membership, text: str = f"{HALF} {TEN}") -> Reply:
    exchange = request.open_on_text(author.project, "All newcomers are weeds.")
    reply = replies.begin(exchange, author, Intent.POSITIVE)
    return replies.write(reply, author, text, Intent.POSITIVE, reply.version)


def read(reply: Reply) -> Reply:
    """Return the row as somebody has it before them."""
    return Reply.objects.select_related("exchange__project", "exchange__item", "author", "replaces").get(pk=reply.pk)


def tried(act: Callable[[], object]) -> bool:
    try:
        act()
    except replies.CannotDo:
        return False
    return True


def states(reply: Reply) -> dict[str, str]:
    return {claim.sentence: claim.state.value for claim in claims_of(read(reply)).stated}


def said(reply: Reply, person: Membership, state: ClaimState, **more: Any) -> Callable[[], object]:
    claim = claims_of(reply).stated[0]
    reason = WHY if state == ClaimState.WITHOUT_SOURCE else ""
    return partial(decisions.decide, read(reply), claim.public_id, person, Decision(state, reason=reason, **more))


def test_of_people_who_decide_about_what_they_saw_one_is_first(author: Membership, second: Membership) -> None:
    reply = drafted(author)
    acts = [said(reply, person, ClaimState.WITHOUT_SOURCE, seen="") for person in (author, second, author, second)]
    assert Counter(at_once([partial(tried, act) for act in acts])) == {True: 1, False: 3}
    assert Claim.objects.filter(sentence=HALF).count() == 1 and states(reply)[HALF] == "without_source"


def test_an_edit_and_a_decision_at_once_leave_no_decision_about_words_that_are_gone(
    author: Membership, second: Membership
) -> None:
    for number in range(6):
        reply = drafted(author)
        edit = partial(replies.write, read(reply), author, f"{TEN} Number {number}.", Intent.POSITIVE, reply.version)
        decide = said(reply, second, ClaimState.WITHOUT_SOURCE)
        edited, _decided = at_once([partial(tried, edit), partial(tried, decide)])
        assert edited
        assert set(Claim.objects.filter(reply=reply).values_list("sentence", flat=True)) == set(states(reply))
        assert set(states(reply).values()) == {"open"}


def test_the_same_text_saved_from_two_windows_has_each_claim_once(author: Membership) -> None:
    reply = drafted(author, "")
    write = [partial(replies.write, read(reply), author, HALF, Intent.POSITIVE, reply.version) for _ in range(3)]
    assert Counter(at_once([partial(tried, act) for act in write]))[True] == 1
    assert [claim.sentence for claim in Claim.objects.all()] == [HALF]


def test_checks_that_end_at_once_leave_the_state_of_the_last_that_was_asked_for(author: Membership) -> None:
    reply = drafted(author)
    make_check(reply.exchange, HALF, True, "supports", told=False)
    make_check(reply.exchange, HALF, False, "refutes", told=False)
    at_once([partial(take_checks, read(reply).exchange) for _ in range(4)])
    assert states(reply) == {HALF: "contradicted", TEN: "open"}


@pytest.mark.parametrize("round_", range(3))
def test_nobody_approves_a_claim_that_is_open_at_that_moment_without_a_reason(
    author: Membership, second: Membership, round_: int
) -> None:
    reply = drafted(author, HALF)
    make_check(reply.exchange, HALF, True, "supports")
    replies.submit(reply, author)
    scores = {"pc": -0.9, "aq": 0.9, "t": 0.0, "reward": 0.9, "seen_intent": "positive"}
    keep_scores(reply.exchange, reply.text, scores)
    approval, decision = partial(approve.approve, read(reply), second), said(reply, author, ClaimState.OPEN)
    approved, decided = at_once([partial(tried, approval), partial(tried, decision)])
    assert decided
    events = list(Event.objects.filter(row=reply.public_id).order_by("pk").values_list("verb", flat=True))
    if approved:  # then it was first
        assert events.index("reply_approved") < events.index("claim_decided")
    else:
        assert read(reply).state == "submitted" and "reply_approved" not in events


def test_an_approval_and_a_check_that_ends_leave_a_whole_account(author: Membership, second: Membership) -> None:
    reply = drafted(author, HALF)
    make_check(reply.exchange, HALF, True, "supports")
    replies.submit(reply, author)
    make_check(reply.exchange, HALF, False, "refutes", told=False)
    keep_scores(reply.exchange, reply.text, {"pc": -0.9, "aq": 0.9, "t": 0.0, "reward": 0.9, "seen_intent": "positive"})
    approval = partial(tried, partial(approve.approve, read(reply), second))
    approved, _told = at_once([approval, lambda: take_checks(read(reply).exchange)])
    assert not approved  # whoever approves looks for checks that ended
    assert states(reply) == {HALF: "contradicted"}
