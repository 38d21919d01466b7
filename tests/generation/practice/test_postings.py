"""Where an approved reply was posted and what became of it: written down by hand, counted by intent and register."""

import json
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone
from rest_framework.test import APIClient

from annotation.domain.choices import Role
from annotation.domain.statistics.intervals import wilson_interval
from annotation.members.personal_data import data_of
from annotation.models import Event, Item, Membership, Project
from builders import make_member
from desk_pages import address, client_of, text_of
from generation.counterspeech import replies, request, withdraw
from generation.domain.counterspeech.intents import Intent
from generation.domain.counterspeech.platforms import Platform
from generation.domain.counterspeech.postings import CheckedAfter, mean_of, share_of
from generation.domain.counterspeech.registers import Register
from generation.models import Exemplar, Posting, Reply
from generation.practice import collection, postings
from generation.practice.postings import Seen
from reply_builders import approve_reply

pytestmark = pytest.mark.django_db


def approved(item: Item, author: Membership, second: Membership, text: str, *registers: Register) -> Reply:
    return approve_reply(item, author, second, text, Intent.POSITIVE, *registers)


def posted(reply: Reply, member: Membership, *, days: int = 8) -> Posting:
    return postings.add(reply, member, Platform.MASTODON, "", timezone.now() - timedelta(days=days))


def test_what_is_written_down_stands_on_the_page_in_the_record_and_in_the_file(
    project: Project, item: Item, author: Membership, second: Membership
) -> None:
    reply, client = approved(item, author, second, "Be kind.", Register.HUMOR), client_of(author)
    assert address("postings", reply.public_id) in text_of(client.get(address("reply", reply.public_id)))
    sent = {"platform": "bluesky", "address": "https://b.example/1", "posted_at": "2026-01-02T03:04"}
    answer = client.post(address("posting-add", reply.public_id), sent)
    assert answer["Location"] == address("postings", reply.public_id)
    posting = Posting.objects.get()
    seen = {"after": "after_a_week", "reactions": "1200", "answered": "on", "harassed": "on", "note": "Two of them."}
    client.post(address("posting-check", posting.public_id), seen)
    page = text_of(client.get(answer["Location"]))
    assert "Bluesky" in page and "https://b.example/1" in page and "1,200 reactions" in page
    assert "harassment followed" in page and "“Two of them.”" in page
    assert 'href="https://b.example' not in page  # nobody vouches for it
    verbs = Event.objects.filter(row=reply.public_id).order_by("id").values_list("verb", flat=True)
    assert list(verbs)[-2:] == ["reply_posted", "posting_checked"]
    own = data_of(author.user)  # type: ignore[arg-type]
    assert (len(own["replies_posted"]), own["postings_checked"][0]["harassed"]) == (1, True)
    admin = client_of(make_member(project, Role.ADMIN))
    lines = b"".join(admin.get(address("dataset-file", "postings.jsonl")).streaming_content)  # type: ignore[arg-type]
    (row,) = map(json.loads, lines.splitlines())
    assert (row["platform"], row["registers"], row["checks"][0]["reactions"]) == ("bluesky", ["humor"], 1200)
    stored = Exemplar.objects.get()
    assert stored.used_at == posting.posted_at


def test_only_what_was_approved_can_be_posted_and_not_in_the_future(
    item: Item, author: Membership, second: Membership
) -> None:
    draft, client = replies.begin(request.open_on_item(item), author, Intent.POSITIVE), client_of(author)
    sent = {"platform": "", "address": "", "posted_at": "2026-01-02T03:04"}
    refused = client.post(address("posting-add", draft.public_id), sent)
    assert refused.status_code == 409 and "Only a reply that was approved can be posted." in text_of(refused)
    reply = approved(item, author, second, "Be kind.")
    for more, status, said in (
        ({"posted_at": "2999-01-02T03:04"}, 409, "The time lies ahead"),
        ({"posted_at": ""}, 422, "This field is required."),
        ({"platform": "pigeon"}, 422, "not one of the available choices"),
    ):
        refused = client.post(address("posting-add", reply.public_id), sent | {"address": "here it is"} | more)
        assert refused.status_code == status and said in text_of(refused) and "here it is" in text_of(refused)
    assert not Posting.objects.exists()
    posting = posted(reply, author, days=2)
    early = client.post(address("posting-check", posting.public_id), {"after": "after_a_week", "note": "My note"})
    assert early.status_code == 409 and "a week yet" in text_of(early) and "My note" in text_of(early)
    withdraw.withdraw(reply, author, "It names a study.")
    assert posted(reply, author).reply == reply  # it may still stand somewhere


def test_figures_by_intent_and_register_have_intervals(item: Item, author: Membership, second: Membership) -> None:
    kind = approved(item, author, second, "Be kind.", Register.HUMOR)
    other = approved(item, author, second, "We have room for every garden.")
    first, later, unseen = posted(kind, author), posted(other, author), posted(other, author)
    postings.check(first, second, Seen(CheckedAfter.DAY, reactions=4))
    postings.check(first, second, Seen(CheckedAfter.DAY, reactions=6, answered=True))  # counted anew
    postings.check(first, second, Seen(CheckedAfter.WEEK, deleted=True))
    postings.check(later, second, Seen(CheckedAfter.DAY, reactions=10))
    assert unseen.checks.count() == 0
    found = {row.kind: row for row in postings.figures(item.project)}
    assert list(found) == ["all", "positive", "humor"]
    every = found["all"]
    assert (every.postings, every.deleted.part, every.deleted.of) == (3, 1, 2)
    assert every.deleted.interval == wilson_interval(0.5, 2)
    assert (every.after_day.of, every.after_day.mean, every.after_week.of) == (2, 8, 0)
    # Two numbers, 6 and 10: s = 2.828, t(1) = 12.706, so ± 25.4, cut at 0.
    assert every.after_day.interval is not None
    assert (every.after_day.interval.low, every.after_day.interval.high) == (0, pytest.approx(33.41, abs=0.01))
    assert (found["humor"].postings, found["humor"].answered.part, found["humor"].after_day.interval) == (1, 1, None)
    page = text_of(client_of(author).get(address("figures")))
    assert "What became of posted replies" in page and "1/2" in page and "0.09–0.91" in page


def test_shares_and_means_without_anything_known_have_no_value() -> None:
    assert share_of([None]).share is None and mean_of([]).mean is None and mean_of([3]).interval is None


def test_the_api_writes_down_and_tells(project: Project, item: Item, author: Membership, second: Membership) -> None:
    reply, api = approved(item, author, second, "Be kind."), APIClient()
    api.force_authenticate(author.user)
    url = reverse("generation-api:postings", args=["garden", reply.public_id])
    body = {"platform": "x", "address": "https://x.example/1", "posted_at": "2026-01-02T03:04:00Z"}
    made = api.post(url, body, format="json")
    assert (made.status_code, made.data["platform"], made.data["checks"]) == (201, "x", [])
    checks = reverse("generation-api:posting-checks", args=["garden", made.data["id"]])
    seen = api.post(checks, {"after": "after_a_day", "reactions": 3, "deleted": True}, format="json")
    assert seen.status_code == 201 and seen.data["checks"][0]["reactions"] == 3
    assert api.get(url).data[0]["checks"][0]["deleted"] is True
    told = api.get(reverse("generation-api:reply-figures", args=["garden"])).json()
    assert told["posted"][0]["deleted"]["of"] == 1 and told["collection"][0]["replies"] == 1
    for wrong in ({"posted_at": "2999-01-01T00:00Z"}, {}):
        assert api.post(url, wrong, format="json").status_code in (400, 409)


# ── The collection ────────────────────────────────────────────────────────────


def test_a_copied_reply_has_novelty_0_and_the_first_one_of_an_empty_store_has_none(
    item: Item, author: Membership, second: Membership
) -> None:
    approved(item, author, second, "We have room for every garden.")
    (every, _positive) = collection.figures(item.project)
    assert (every.replies, every.novelty) == (1, None)
    approved(item, author, second, "Nobody owns these streets.", Register.HUMOR)
    approved(item, author, second, "Nobody owns these streets!")
    found = {row.kind: row for row in collection.figures(item.project)}
    assert list(found) == ["all", "positive", "humor"]
    assert (found["humor"].novelty, found["all"].novelty) == (1, 0.5)  # the second is all new, the third a copy
    page = text_of(client_of(author).get(address("figures")))
    assert "0.50" in page and "Novelty is 0 for a copy" in page


def test_minutes_count_the_work_between_saves_and_no_absence(item: Item, author: Membership) -> None:
    reply = replies.begin(request.open_on_item(item), author, Intent.POSITIVE)
    for text, seconds, counted in (("A", 45, 45), ("Ab", 400, 45 + 120), ("Abc", 3600, 45 + 120)):
        Reply.objects.filter(pk=reply.pk).update(changed_at=timezone.now() - timedelta(seconds=seconds))
        reply.refresh_from_db()
        reply = replies.write(reply, author, text, Intent.POSITIVE, reply.version)
        assert reply.writing_seconds == pytest.approx(counted, abs=1)
