"""What the annotator reads where no post comes, and what stands beside one: limits, breaks, what comes first."""

import json
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

import builders
from annotation.assignment.claim import claim
from annotation.assignment.outcomes import HeldSeat
from annotation.domain.answer import Answer
from annotation.domain.choices import Role, Stage
from annotation.labelling.submit import submit_label
from annotation.models import Guideline, Item, Membership, OptOut, Project, TrainingAttempt, WorkDay
from annotation.training.control_items import KnownAnswerKey, mark_control_item

pytestmark = pytest.mark.django_db
PAGE = "/p/garden/label/"


@pytest.fixture
def project() -> Project:
    project = builders.make_project("garden")
    for _ in range(4):
        builders.make_open_item(project, severity=3)
    return project


@pytest.fixture
def wren(project: Project) -> Membership:
    return builders.make_member(project, user=builders.make_user("wren"))


@pytest.fixture
def browser(wren: Membership) -> Client:
    browser = Client()
    browser.force_login(wren.user)
    return browser


def text_of(answer: Any) -> str:
    assert answer["Cache-Control"] == "no-store"
    return str(answer.content.decode())


def next_of_api(browser: Client) -> tuple[int, str]:
    answer = browser.post("/api/v1/projects/garden/next/")
    return answer.status_code, json.loads(answer.content).get("code", "")


def worked(member: Membership, **day: Any) -> None:
    now = timezone.now()
    WorkDay.objects.create(member=member, day=timezone.localdate(), last_act_at=now, session_since=now, **day)


@pytest.mark.parametrize(
    ("care", "day", "said", "code"),
    [
        ({"minutes_a_day": 10}, {"active_seconds": 600}, "Done for today", "limit_reached"),
        ({"severe_a_day": 2}, {"severe": 2}, "Done for today", "limit_reached"),
        ({"severe_a_session": 2}, {"session_severe": 2}, "Enough for now", "limit_reached"),
        ({"severe_in_row": 2}, {"severe_in_row": 2}, "Time for a short break", "break_due"),
        ({"quota": 0}, {}, "Your share is done", "quota_reached"),
    ],
)
def test_a_limit_is_said_in_plain_words_without_a_countdown(project, wren, browser, care, day, said, code):
    Project.objects.update(**care)
    worked(wren, **day)
    page = text_of(browser.get(PAGE))
    assert f"<h1>{said}</h1>" in page and "Everything you sent is stored." in page
    assert "Help and support" in page
    assert next_of_api(browser) == (403, code)


def test_the_training_comes_first_and_the_page_leads_to_it(project, wren, browser):
    mark_control_item(builders.make_item(project), None, KnownAnswerKey(builders.category(project, 1), training=True))
    Project.objects.update(training_required=True)
    page = text_of(browser.get(PAGE))
    assert "<h1>Training first</h1>" in page and 'href="/p/garden/training/"' in page
    assert next_of_api(browser) == (403, "training_needed")


@pytest.mark.parametrize(
    ("begun", "finished", "granted", "exhausted"),
    [(1, 1, 0, False), (2, 1, 0, False), (2, 2, 0, True), (2, 2, 1, False), (3, 3, 1, True), (0, 0, 0, False)],
)
def test_after_the_last_attempt_the_page_says_who_can_help(project, wren, browser, begun, finished, granted, exhausted):
    mark_control_item(builders.make_item(project), None, KnownAnswerKey(builders.category(project, 1), training=True))
    Project.objects.update(training_required=True, training_attempts=2)
    Membership.objects.update(training_extra=granted)
    for number in range(begun):
        ended = timezone.now() if number < finished else None
        TrainingAttempt.objects.create(member=wren, number=number + 1, finished_at=ended)
    page = text_of(browser.get(PAGE))
    assert ("No attempt is left." in page) is exhausted
    assert ("To the training" in page) is not exhausted
    assert 'href="/p/garden/training/"' in page


@pytest.mark.parametrize("ended", [False, True])
def test_own_opt_outs_are_named_where_they_may_be_the_reason(project, wren, browser, ended):
    OptOut.objects.create(member=wren, severity=2, ended_at=timezone.now() if ended else None)
    if ended:
        Item.objects.update(stage=Stage.EXCLUDED)
    page = text_of(browser.get(PAGE))
    assert "Nothing left for you right now" in page
    assert ('<a href="/p/garden/care/">you would rather not see</a>' in page) is not ended


def test_new_guidelines_stand_before_the_next_post_with_one_button(project, wren, browser):
    held = claim(wren)
    assert isinstance(held, HeldSeat)
    submit_label(wren, held.seat.public_id, held.seat.public_id, Answer(category=0))
    Guideline.objects.create(project=project, number=2, text="Anew.", summary="Irony is explained.")
    page = text_of(browser.get(PAGE))
    assert "Irony is explained." in page and "I have read it, continue" in page
    assert next_of_api(browser) == (403, "guidelines_changed")
    browser.post("/p/garden/guidelines/read/", {"number": "2"})
    assert 'id="answer"' in text_of(browser.get(PAGE))


def test_a_break_is_offered_before_the_next_post_once(project, wren, browser):
    Project.objects.update(break_after_minutes=1)
    worked(wren, session_seconds=60)
    page = browser.get(PAGE, follow=True).content.decode()
    assert "Time for a break?" in page and 'id="answer"' not in page and "Go on" in page
    page = browser.get(PAGE, follow=True).content.decode()
    assert "Time for a break?" not in page and 'id="answer"' in page


def test_the_last_severe_post_of_the_day_is_announced_once(project, wren, browser):
    Project.objects.update(severe_a_day=1)
    Item.objects.update(severity=3)
    assert "the last severe one for today" in browser.get(PAGE, follow=True).content.decode()
    assert 'id="answer"' in text_of(browser.get(PAGE))


def test_a_script_is_led_to_the_page_between_the_posts(project, wren, browser):
    Project.objects.update(break_after_minutes=1)
    worked(wren, session_seconds=60)
    answer = browser.get(PAGE, headers={"HX-Request": "true", "HX-Target": "bench"})
    assert answer["HX-Redirect"] == "/p/garden/pause/?said=break" and answer.content == b""


def test_the_goal_of_the_day_is_said_once(project, wren, browser):
    Project.objects.update(daily_goal=1)
    builders.make_open_item(project, "One more.")
    held = claim(wren)
    assert isinstance(held, HeldSeat)
    submit_label(wren, held.seat.public_id, held.seat.public_id, Answer(category=0))
    builders.make_open_item(project, "Another.")
    assert "goal is reached" in browser.get(PAGE, follow=True).content.decode()
    assert 'id="answer"' in text_of(browser.get(PAGE))


def test_near_a_cap_the_page_says_so_and_no_more(project, wren, browser):
    Project.objects.update(severe_a_day=5)
    worked(wren, severe=3)
    assert "Near your limit of severe posts" in text_of(browser.get(PAGE))


def test_where_the_next_post_is_refused_the_script_is_sent_to_a_page_of_its_own(project, wren, browser):
    Project.objects.update(minutes_a_day=1)
    held = claim(wren)
    assert isinstance(held, HeldSeat)
    WorkDay.objects.update(active_seconds=70, last_act_at=timezone.now() - timedelta(seconds=1))
    answer = browser.post(
        f"{PAGE}{held.seat.public_id}/",
        {"category": "0", "key": str(held.seat.public_id)},
        headers={"HX-Request": "true", "HX-Target": "bench"},
    )
    assert (answer.status_code, answer["Location"]) == (302, PAGE)
    assert "Done for today" in text_of(browser.get(PAGE))


@pytest.mark.parametrize(("role", "leads_to"), [(Role.ADMIN, "/people/"), (Role.REVIEWER, "/p/garden/")])
def test_whoever_is_no_annotator_is_told_so_and_led_on(project: Project, role: Role, leads_to: str) -> None:
    other = Client()
    other.force_login(builders.make_member(project, role).user)
    answer = other.get(PAGE)
    assert answer.status_code == 403
    page = answer.content.decode()
    assert "You are not an annotator of this project." in page and leads_to in page
    assert other.get("/p/nowhere/label/").status_code == 404
