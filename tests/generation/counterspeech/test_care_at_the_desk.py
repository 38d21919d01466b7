"""Time and posts at the counterspeech desk count to the caps and breaks that annotators have."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.domain.choices import Role, Stage
from annotation.models import Item, Project, WorkDay
from builders import make_item, make_member, make_project
from desk_pages import client_of
from generation.counterspeech import replies, request
from generation.domain.counterspeech.intents import Intent
from generation.models import Exchange
from markup import compact

pytestmark = pytest.mark.django_db


def a_post(project: Project, text: str, severity: int | None = None) -> Exchange:
    item = make_item(project, text, stage=Stage.GOLD, severity=severity)
    Item.objects.filter(pk=item.pk).update(hateful=True)
    return request.open_on_item(item)


def opened(client: Client, exchange: Exchange) -> str:
    answer = client.get(reverse("generation:exchange", args=["garden", exchange.public_id]))
    assert answer.status_code == 200
    return compact(answer.content.decode())


def test_a_post_that_is_opened_counts_once_and_severe_posts_of_a_day_have_an_end() -> None:
    project = make_project("garden", severe_a_day=2, severe_in_row=0)
    member = make_member(project, Role.REVIEWER)
    client, posts = client_of(member), [a_post(project, f"Post {number}", severity=3) for number in range(3)]
    mild = a_post(project, "A mild one", severity=0)
    for post in (posts[0], posts[0], posts[1]):
        assert "First: answer it at all?" in opened(client, post)
    day = WorkDay.objects.get(member=member)
    assert (day.shown, day.severe) == (2, 2)
    page = opened(client, posts[2])
    assert "Enough for now" in page and "as many severe posts as you or this project set for one day" in page
    assert "Post 2" not in page
    assert "Post 1" in opened(client, posts[1])  # the one in front stays
    assert "A mild one" in opened(client, mild)
    assert WorkDay.objects.get(member=member).severe == 2


def test_minutes_at_the_desk_count_to_the_day_of_an_annotator_and_end_it() -> None:
    project = make_project("garden", minutes_a_day=2)
    member = make_member(project, Role.REVIEWER)
    client, post = client_of(member), a_post(project, "Post")
    opened(client, post)
    reply = replies.begin(post, member, Intent.POSITIVE)
    for number, text in enumerate(("Be", "Be kind."), start=1):
        past = timezone.now() - timedelta(seconds=90)
        WorkDay.objects.filter(member=member).update(last_act_at=past)
        sent: dict[str, Any] = {"text": text, "intent": "positive", "version": str(number)}
        write = reverse("generation:reply-write", args=["garden", reply.public_id])
        assert client.post(write, sent, HTTP_HX_REQUEST="true").status_code == 200
    assert WorkDay.objects.get(member=member).active_seconds == pytest.approx(180, abs=3)
    assert "You have reached the working time" in opened(client, a_post(project, "Another"))
    assert "Be kind." in opened(client, post)


def test_a_run_of_severe_posts_and_a_long_stretch_bring_the_offer_of_a_break() -> None:
    project = make_project("garden", severe_in_row=2, break_after_minutes=30)
    member = make_member(project, Role.REVIEWER)
    client, posts = client_of(member), [a_post(project, f"Post {number}", severity=3) for number in range(3)]
    assert "Time for a break?" not in opened(client, posts[0])
    assert "Time for a break?" in opened(client, posts[1])
    assert "Post 2" in opened(client, posts[2])  # people choose; a run closes nothing
    WorkDay.objects.filter(member=member).update(session_seconds=1800, severe_in_row=0)
    assert "Time for a break?" in opened(client, a_post(project, "Mild"))
    assert "Time for a break?" not in opened(client, a_post(project, "Milder"))


def test_who_is_near_the_end_of_the_day_is_told() -> None:
    project = make_project("garden", minutes_a_day=10)
    member = make_member(project, Role.REVIEWER)
    client, post = client_of(member), a_post(project, "Post")
    assert "You are near" not in opened(client, post)
    WorkDay.objects.filter(member=member).update(active_seconds=500)
    assert "You are near what you or this project set for one day." in opened(client, post)
