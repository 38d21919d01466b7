"""Several people act on the same reply at the same moment: exactly one wins. By real threads."""

from collections import Counter
from collections.abc import Callable
from functools import partial

import pytest

from annotation.domain.choices import Role
from annotation.models import Event, Membership
from builders import make_member, make_project
from concurrency import at_once
from generation.counterspeech import approve, replies, request, withdraw
from generation.domain.counterspeech.intents import Intent
from generation.models import Exemplar, Reply
from reply_builders import submit_reply

pytestmark = pytest.mark.django_db(transaction=True)

DECIDED = ("reply_approved", "reply_returned", "reply_taken_back", "reply_withdrawn", "reply_replaced")


@pytest.fixture
def author() -> Membership:
    return make_member(make_project("garden"), Role.REVIEWER)


@pytest.fixture
def second(author: Membership) -> Membership:
    return make_member(author.project, Role.REVIEWER)


@pytest.fixture
def admin(author: Membership) -> Membership:
    return make_member(author.project, Role.ADMIN)


def submitted(author: Membership) -> Reply:
    exchange = request.open_on_text(author.project, "All newcomers are weeds.")
    return submit_reply(exchange, author, "Let them grow.")


def read(reply: Reply) -> Reply:
    """Return the row as somebody has it before them."""
    return Reply.objects.select_related("exchange__project", "exchange__item", "author", "replaces").get(pk=reply.pk)


def tried(act: Callable[[], object]) -> bool:
    try:
        act()
    except replies.CannotDo:
        return False
    return True


def decided(reply: Reply) -> list[str]:
    return [event.verb for event in Event.objects.filter(row=reply.public_id, verb__in=DECIDED).order_by("pk")]


def test_of_people_who_withdraw_approve_return_and_take_back_exactly_one_wins(
    author: Membership, second: Membership, admin: Membership
) -> None:
    reply = submitted(author)
    acts = [
        partial(withdraw.withdraw, read(reply), admin, "Not now."),
        partial(approve.approve, read(reply), second, "Read it twice myself."),
        partial(approve.send_back, read(reply), second, "Name the street."),
        partial(replies.take_back, read(reply), author),
        partial(withdraw.withdraw, read(reply), author, "Not so."),
    ]
    assert Counter(at_once([partial(tried, act) for act in acts])) == {True: 1, False: 4}
    reply.refresh_from_db()
    assert len(decided(reply)) == 1
    assert Exemplar.objects.count() == (reply.state == "approved")
    assert (reply.withdrawn_by is None) == (reply.state != "withdrawn")
    assert reply.comments.count() == (reply.state == "returned")


def test_of_two_who_withdraw_an_approved_reply_one_is_named(
    author: Membership, second: Membership, admin: Membership
) -> None:
    reply = approve.approve(submitted(author), second, "Read it twice myself.")
    people = (author, admin, author, admin)
    acts = [partial(withdraw.withdraw, read(reply), person, "Not so.") for person in people]
    assert Counter(at_once([partial(tried, act) for act in acts])) == {True: 1, False: 3}
    reply.refresh_from_db()
    event = Event.objects.get(row=reply.public_id, verb="reply_withdrawn")
    assert event.actor == reply.withdrawn_by and not Exemplar.objects.exists()


def test_of_two_corrections_approved_at_once_and_a_withdrawal_one_takes_effect_on_the_reply(
    author: Membership, second: Membership, admin: Membership
) -> None:
    reply = approve.approve(submitted(author), second, "Read it twice myself.")
    corrections = []
    for number, person in enumerate((author, admin)):
        draft = withdraw.begin_correction(reply, person, "The figure is wrong.")
        draft = replies.write(draft, person, f"Other words {number}.", Intent.POSITIVE, draft.version)
        replies.submit(draft, person)
        corrections.append(draft)
    acts: list[Callable[[], object]] = [
        partial(approve.approve, read(draft), second, "Read it twice myself.") for draft in corrections
    ]
    at_once([partial(tried, act) for act in (*acts, partial(withdraw.withdraw, read(reply), admin, "Not so."))])
    reply.refresh_from_db()
    assert decided(reply)[1:] == [f"reply_{reply.state}"] and reply.state in ("withdrawn", "replaced")
    standing = set(Reply.objects.filter(state="approved").values_list("pk", flat=True))
    assert set(Exemplar.objects.values_list("reply", flat=True)) == standing
    assert reply.state == "withdrawn" or len(standing) == 1
