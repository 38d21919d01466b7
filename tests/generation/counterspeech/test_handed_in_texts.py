"""Every text that was handed in stays readable, with what changed, who sent it back and why."""

from datetime import timedelta
from importlib import import_module
from typing import Any

import pytest
from django.apps import apps
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.domain.choices import Role
from annotation.members.personal_data import data_of
from annotation.models import Membership
from builders import make_member, make_project
from generation.api.replies import standing
from generation.counterspeech import approve, replies, request, withdraw
from generation.counterspeech.versions import VERSIONS, versions_of
from generation.domain.counterspeech.intents import Intent
from generation.models import Reply, Submission
from markup import compact

pytestmark = pytest.mark.django_db

FIRST = "Half of them came last year."
SECOND, THIRD = "Some of them came to us last year.", "Some of them came to us in May."
WHY = "The figure is wrong."


@pytest.fixture
def author() -> Membership:
    return make_member(make_project("garden"), Role.REVIEWER, pseudonym="heron")


@pytest.fixture
def second(author: Membership) -> Membership:
    return make_member(author.project, Role.REVIEWER, pseudonym="owl")


def submitted(author: Membership, text: str, reply: Reply | None = None) -> Reply:
    exchange = request.open_on_text(author.project, "All newcomers are weeds.")
    reply = reply or replies.begin(exchange, author, Intent.INFORMATIVE)
    reply = replies.write(reply, author, text, Intent.INFORMATIVE, reply.version)
    replies.submit(reply, author)
    return reply


def page_of(reply: Reply, member: Membership) -> str:
    client = Client()
    assert member.user is not None
    client.force_login(member.user)
    answer: Any = client.get(reverse("generation:reply", args=["garden", reply.public_id]))
    return compact(answer.content.decode())


def kept(reply: Reply) -> list[tuple[int, str, str | None]]:
    rows = reply.submissions.select_related("returned_with")
    return [(row.number, row.text, row.returned_with.text if row.returned_with else None) for row in rows]


def test_a_text_that_was_sent_back_stays_beside_the_next_one_with_what_changed(
    author: Membership, second: Membership
) -> None:
    reply = approve.send_back(submitted(author, FIRST), second, WHY)
    reply = submitted(author, SECOND, reply)
    approve.approve(reply, second, "Read it twice myself.")
    assert kept(reply) == [(1, FIRST, WHY), (2, SECOND, None)]
    for member in (author, second):
        page = page_of(reply, member)
        assert FIRST in page and "Sent back by <bdi>owl</bdi>" in page and page.count(WHY) == 2
        assert '<del><span class="visually-hidden">removed: </span>Half</del>' in page
        assert '<ins><span class="visually-hidden">added: </span>Some</ins>' in page
    versions = standing(reply)["versions"]
    assert [(row["text"], row["returned_by"], row["comment"]) for row in versions] == [
        (FIRST, "owl", WHY), (SECOND, None, None),
    ]  # fmt: skip
    assert author.user is not None
    assert [row["text"] for row in data_of(author.user)["reply_texts"]] == [FIRST, SECOND]


def test_a_draft_is_no_version_and_what_was_taken_back_unchanged_is_kept_once(
    author: Membership, second: Membership
) -> None:
    reply = submitted(author, FIRST)
    replies.take_back(reply, author)
    replies.submit(reply, author)
    assert kept(reply) == [(1, FIRST, None)]
    replies.take_back(reply, author)
    replies.write(reply, author, SECOND, Intent.INFORMATIVE, reply.version)
    assert kept(reply) == [(1, FIRST, None)] and SECOND not in page_of(reply, second).split("handed in")[1]
    reply.refresh_from_db()
    replies.submit(reply, author)
    approve.send_back(reply, second, "Shorter.")
    replies.submit(reply, author)  # unchanged, although it was sent back
    assert kept(reply) == [(1, FIRST, None), (2, SECOND, "Shorter."), (3, SECOND, None)]
    assert "The words did not change." in page_of(reply, author)


def test_a_correction_shows_what_it_changes_in_the_reply_that_it_corrects(
    author: Membership, second: Membership
) -> None:
    earlier = approve.approve(submitted(author, FIRST), second, "Read it twice myself.")
    draft = submitted(author, SECOND, withdraw.begin_correction(earlier, author, WHY))
    [version] = versions_of(draft)
    assert [(each.kind, each.text) for each in version.changes][:2] == [("removed", "Half"), ("added", "Some")]
    withdraw.withdraw(earlier, author, WHY)
    assert kept(earlier) == [(1, FIRST, None)] and FIRST in page_of(earlier, second)


def test_of_many_texts_the_page_shows_the_newest_and_takes_no_more_queries(
    author: Membership, second: Membership, django_assert_max_num_queries: Any
) -> None:
    reply = submitted(author, FIRST)
    for number in range(VERSIONS + 5):
        Submission.objects.create(reply=reply, number=number + 2, intent="positive", text=f"Text {number} of many.")
    with django_assert_max_num_queries(2):
        versions = versions_of(reply)
    assert [version.row.number for version in versions] == list(range(7, 7 + VERSIONS))
    assert all(version.is_changed for version in versions)


def test_texts_of_before_are_kept_where_they_are_still_known(author: Membership, second: Membership) -> None:
    waiting = submitted(author, FIRST)
    returned = approve.send_back(submitted(author, SECOND), second, WHY)
    rewritten = approve.send_back(submitted(author, THIRD), second, WHY)
    rewritten = replies.write(rewritten, author, "Other words.", Intent.POSITIVE, rewritten.version)
    Reply.objects.filter(pk=rewritten.pk).update(changed_at=timezone.now() + timedelta(seconds=1))
    taken_back = submitted(author, "Taken back.")
    replies.take_back(taken_back, author)
    for _ in range(2):  # a second run adds nothing
        if not _:
            Submission.objects.all().delete()
        import_module("generation.migrations.0008_texts_of_before").fill(apps, None)
    assert kept(waiting) == [(1, FIRST, None)] and kept(returned) == [(1, SECOND, WHY)]
    assert kept(rewritten) == kept(taken_back) == []


def test_a_text_that_was_handed_in_to_the_code_before_is_kept_when_it_is_decided(
    author: Membership, second: Membership
) -> None:
    one, other = submitted(author, FIRST), submitted(author, SECOND)
    Submission.objects.all().delete()
    approve.send_back(one, second, WHY)
    approve.approve(other, second, "Read it twice myself.")
    assert kept(one) == [(1, FIRST, WHY)] and kept(other) == [(1, SECOND, None)]
