"""Replies are withdrawn, or corrected and replaced: what leaves the store and the files, and what stays readable."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as some
from rest_framework.test import APIClient

from annotation.domain.choices import Role
from annotation.domain.text_rules import BadText
from annotation.members.personal_data import data_of
from annotation.models import Event, Item, Membership, Project
from builders import make_member, make_project
from desk_pages import address, client_of, text_of
from generation.counterspeech import approve, replies, request, withdraw
from generation.domain.counterspeech.intents import Intent
from generation.domain.counterspeech.states import MOVES, ReplyState
from generation.files import export
from generation.files.training_export import posts_of, training_files
from generation.methods.counterspeech.score import keep_scores
from generation.models import Exemplar, Reply
from reply_builders import approve_reply, submit_reply, write_reply

pytestmark = pytest.mark.django_db

WHY = "It names a study that there is not."
FIRST, SECOND = "Half of them came last year.", "They came over twenty years."


@pytest.fixture
def admin(project: Project) -> Membership:
    return make_member(project, Role.ADMIN, pseudonym="crane")


def submitted(item: Item, author: Membership, text: str = FIRST) -> Reply:
    return submit_reply(item, author, text, Intent.INFORMATIVE)


def approved(item: Item, author: Membership, approver: Membership, text: str = FIRST) -> Reply:
    return approve_reply(item, author, approver, text, Intent.INFORMATIVE)


def corrected(reply: Reply, author: Membership, text: str = SECOND) -> Reply:
    draft = withdraw.begin_correction(reply, author, "The figure is wrong.")
    draft = write_reply(draft, text)
    replies.submit(draft, author)
    return draft


def everything_exported(project: Project) -> str:
    rows = [json.dumps(list(rows_of(project))) for rows_of in export.FILES.values()]
    return "".join(rows) + b"".join(training_files(posts_of(project)).values()).decode()


def test_a_withdrawn_reply_leaves_store_files_and_lists_and_stays_readable_with_its_reason(
    project: Project, item: Item, author: Membership, second: Membership, admin: Membership
) -> None:
    reply = approved(item, author, second)
    assert FIRST in everything_exported(project)
    client = client_of(author)
    page = text_of(client.get(address("reply", reply.public_id)))
    assert "Correct or withdraw" in page
    answer = client.post(address("reply-withdraw", reply.public_id), {"said": WHY}, follow=True)
    page = text_of(answer)
    assert "Withdrawn. It guides no candidates any more" in page and WHY in page and FIRST in page
    assert "Correct or withdraw" not in page and 'id="comment"' not in page
    assert "Reply withdrawn" in page and "heron" in page

    reply.refresh_from_db()
    assert (reply.state, reply.withdrawn_by, reply.withdrawal_reason) == ("withdrawn", author, WHY)
    assert reply.withdrawn_at is not None and not Exemplar.objects.exists()
    assert FIRST not in everything_exported(project)
    assert "No reply is approved yet" in text_of(client_of(admin).get(address("dataset")))
    assert FIRST not in text_of(client.get(address("overview")))
    assert Event.objects.filter(row=reply.public_id).latest("id").verb == "reply_withdrawn"
    assert author.user is not None
    assert data_of(author.user)["replies_withdrawn"][0]["withdrawal_reason"] == WHY


def test_a_correction_replaces_the_reply_when_somebody_else_approves_it(
    project: Project, item: Item, author: Membership, second: Membership
) -> None:
    reply = approved(item, author, second)
    client = client_of(author)
    answer = client.post(address("reply-correct", reply.public_id), {"said": "The figure is wrong."})
    draft = Reply.objects.get(replaces=reply)
    assert answer["Location"].endswith(f"reply={draft.public_id}#editor")
    assert (draft.text, draft.intent, draft.state) == (FIRST, "informative", "draft")
    same = client.post(address("reply-submit", draft.public_id))
    assert same.status_code == 409 and "says the same as the reply that it corrects" in text_of(same)
    assert client.post(address("reply-correct", reply.public_id), {"said": "Again."}).status_code == 302
    assert Reply.objects.filter(replaces=reply).count() == 1

    draft.refresh_from_db()
    draft = replies.write(draft, author, SECOND, Intent.INFORMATIVE, draft.version)
    client.post(address("reply-submit", draft.public_id))
    assert "A correction of this reply" in text_of(client_of(second).get(address("reply", reply.public_id)))
    assert FIRST in everything_exported(project)  # until it is approved
    page = text_of(client_of(second).get(address("reply", draft.public_id)))
    assert "See the reply that it corrects" in page and "Again." in page
    client_of(second).post(address("reply-approve", draft.public_id), {"said": "Read it twice myself."})

    reply.refresh_from_db()
    draft.refresh_from_db()
    assert (reply.state, draft.state, reply.replaced_by) == ("replaced", "approved", draft)
    page = text_of(client.get(address("reply", reply.public_id)))
    assert str(draft.public_id) in page and "See the reply that took its place" in page and "Again." in page
    assert [row.text for row in Exemplar.objects.all()] == [SECOND]
    exported = everything_exported(project)
    assert SECOND in exported and FIRST not in exported
    late = client.post(address("reply-withdraw", reply.public_id), {"said": WHY})
    assert late.status_code == 409 and f'readonly dir="auto">{WHY}</textarea>' in text_of(late)


def test_who_wrote_it_and_admins_take_a_reply_back_and_nobody_else(
    item: Item, author: Membership, second: Membership, admin: Membership
) -> None:
    reply = approved(item, author, second)
    for name in ("reply-withdraw", "reply-correct"):
        answer = client_of(second).post(address(name, reply.public_id), {"said": WHY})
        assert answer.status_code == 409 and "or an admin" in text_of(answer)
    assert "Correct or withdraw" not in text_of(client_of(second).get(address("reply", reply.public_id)))
    draft = corrected(reply, admin)
    approve.approve(draft, author, "Read it twice myself.")  # its own author may approve what an admin wrote
    assert client_of(admin).post(address("reply-withdraw", draft.public_id), {"said": WHY}).status_code == 302
    draft.refresh_from_db()
    assert (draft.state, draft.withdrawn_by) == ("withdrawn", admin)


def test_what_was_handed_in_is_withdrawn_before_a_decision_too_and_what_was_not_is_discarded(
    item: Item, author: Membership, second: Membership
) -> None:
    draft = replies.begin(request.open_on_item(item), author, Intent.POSITIVE)
    with pytest.raises(replies.CannotDo):
        withdraw.withdraw(draft, author, WHY)
    reply = submitted(item, author)
    replies.take_back(reply, author)
    withdraw.withdraw(reply, author, WHY)
    assert reply.state == "withdrawn"
    assert list(Event.objects.filter(verb="reply_discarded")) == []


@pytest.mark.parametrize("reason", ["", "  ", "\u200b", "two\nlines", "x" * 1001, "a\x00b", "right\u202eleft"])
def test_a_reason_is_one_line_and_what_was_typed_stays(
    item: Item, author: Membership, second: Membership, reason: str
) -> None:
    reply = approved(item, author, second)
    for act in (withdraw.withdraw, withdraw.begin_correction):
        with pytest.raises(BadText):
            act(reply, author, reason)
    answer = client_of(author).post(address("reply-withdraw", reply.public_id), {"said": reason})
    assert answer.status_code == 422 and 'id="reason"' in text_of(answer)
    reply.refresh_from_db()
    assert reply.state == "approved" and Reply.objects.count() == 1


def test_two_corrections_of_one_reply_are_not_both_approved(
    item: Item, author: Membership, second: Membership, admin: Membership
) -> None:
    reply = approved(item, author, second)
    one, other = corrected(reply, author), corrected(reply, admin, "They came over the years.")
    approve.approve(one, second, "Read it twice myself.")
    with pytest.raises(replies.CannotDo, match="Another correction"):
        approve.approve(other, second, "Read it twice myself.")
    other.refresh_from_db()
    assert other.state == "submitted"


def test_a_withdrawn_reply_stays_withdrawn_when_its_correction_is_approved(
    item: Item, author: Membership, second: Membership
) -> None:
    reply = approved(item, author, second)
    draft = corrected(reply, author)
    withdraw.withdraw(reply, author, WHY)
    approve.approve(draft, second, "Read it twice myself.")
    reply.refresh_from_db()
    assert (reply.state, reply.replaced_by, draft.state) == ("withdrawn", None, "approved")


def test_late_scores_and_comments_change_no_reply_that_is_decided(
    item: Item, author: Membership, second: Membership
) -> None:
    reply = approved(item, author, second)
    withdraw.withdraw(reply, author, WHY)
    keep_scores(reply.exchange, FIRST, {"pc": 1.0})
    reply.refresh_from_db()
    assert reply.pc is None
    with pytest.raises(replies.CannotDo):
        approve.say(reply, second, "Still here?")


def test_the_api_withdraws_and_corrects_as_the_page_does(
    item: Item, author: Membership, second: Membership, admin: Membership
) -> None:
    reply = approved(item, author, second)
    there = f"/api/v1/projects/garden/counterspeech/replies/{reply.public_id}/"
    client = APIClient()
    client.force_authenticate(second.user)
    assert client.post(f"{there}withdraw/", {"reason": WHY}, format="json").status_code == 409
    client.force_authenticate(admin.user)
    for body in ({}, {"reason": "a\nb"}, {"reason": " "}, {"reason": WHY, "why": "x"}):
        assert client.post(f"{there}withdraw/", body, format="json").status_code == 400, body
    same = client.post(f"{there}correct/", {"reason": "The figure is wrong.", "text": FIRST}, format="json")
    assert same.status_code == 409 and not Reply.objects.filter(replaces=reply).exists()
    told = client.post(
        f"{there}correct/", {"reason": "The figure is wrong.", "text": SECOND, "intent": "positive"}, format="json"
    )
    assert told.status_code == 201
    made = told.json()
    assert (made["state"], made["text"], made["intent"], made["replaces"], made["author"]) == (
        "submitted", SECOND, "positive", str(reply.public_id), "crane",
    )  # fmt: skip
    approve.approve(Reply.objects.get(public_id=made["id"]), second, "Read it twice myself.")
    assert client.get(there).json()["replaced_by"] == made["id"]
    assert client.post(f"{there}withdraw/", {"reason": WHY}, format="json").status_code == 409
    newer = there.replace(str(reply.public_id), made["id"])
    told = client.post(f"{newer}withdraw/", {"reason": WHY}, format="json")
    assert (told.status_code, told.json()["state"], told.json()["withdrawn_by"]) == (200, "withdrawn", "crane")
    assert client.get("/api/v1/projects/garden/counterspeech/replies/").json() == []


ACTS = ("submit", "take_back", "send_back", "approve", "withdraw", "correct", "write")


def acted(act: str, reply: Reply, member: Membership, number: int) -> None:
    """Carry out one act; what is refused changes nothing."""
    try:
        match act:
            case "approve":
                approve.approve(reply, member, "Read it twice myself.")
            case "send_back":
                approve.send_back(reply, member, "Name the street.")
            case "withdraw":
                withdraw.withdraw(reply, member, WHY)
            case "correct":
                withdraw.begin_correction(reply, member, "The figure is wrong.")
            case "write":
                replies.write(reply, member, f"Words No. {number}.", Intent.POSITIVE, reply.version)
            case _:
                getattr(replies, act)(reply, member)
    except replies.CannotDo:
        pass


@given(some.data())
def test_whatever_people_do_the_store_and_the_files_hold_the_approved_replies_alone(
    data: some.DataObject,
) -> None:
    project = make_project()
    people = [make_member(project, role) for role in (Role.REVIEWER, Role.REVIEWER, Role.ADMIN)]
    exchange = request.open_on_text(project, "All newcomers are weeds.")
    replies.begin(exchange, people[0], Intent.POSITIVE)
    for number in range(data.draw(some.integers(1, 14))):
        reply = data.draw(some.sampled_from(list(Reply.objects.filter(exchange=exchange).order_by("pk"))))
        before = reply.state
        acted(data.draw(some.sampled_from(ACTS)), reply, data.draw(some.sampled_from(people)), number)
        reply.refresh_from_db()
        assert before == reply.state or (ReplyState(before), ReplyState(reply.state)) in MOVES
    approved_ids = {row.public_id for row in Reply.objects.filter(exchange__project=project, state="approved")}
    assert {row.reply.public_id for row in Exemplar.objects.filter(project=project) if row.reply} == approved_ids
    assert {row["id"] for row in export.replies(project)} == set(map(str, approved_ids))
    for row in Reply.objects.filter(exchange=exchange, state="replaced"):
        assert row.replaced_by is not None
