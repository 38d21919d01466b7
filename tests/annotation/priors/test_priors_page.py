"""The priors page of a project's admins."""

import re
from functools import partial
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotation.domain.choices import Role, Stage
from annotation.models import Membership, Prior, Project
from annotation.pages.long_lists import BoundedPaginator
from annotation.priors import requests, views
from builders import make_item, make_member, make_picture, make_project
from providers.messages import ProviderPaused, Refused
from providers.vendors.scripted import ScriptedModel
from runs.models import Run
from runs.queue import task_messages
from scripted_runs import perform

pytestmark = pytest.mark.django_db
ANSWER = '{"explanation": "A garden.", "category": 0, "severity": 0}'


@pytest.fixture(autouse=True)
def _models(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.MODEL_BINDINGS = {"MODEL_TEXT": "openai:small"}
    settings.OPENAI_BASE_URL = "http://127.0.0.1:9/v1"
    monkeypatch.setattr(task_messages, "enqueue_task", lambda name, run_id: True)


@pytest.fixture
def project() -> Project:
    return make_project("garden", priors_wanted=True)


@pytest.fixture
def admin(project: Project) -> Membership:
    return make_member(project, Role.ADMIN)


@pytest.fixture
def browser(client: Client, admin: Membership) -> Client:
    assert admin.user
    client.force_login(admin.user)
    return client


def page(browser: Client, query: str = "") -> str:
    answer = browser.get(reverse("annotation:priors", args=["garden"]) + query)
    assert answer.status_code == 200
    return answer.content.decode()


def post(browser: Client, name: str, *args: Any, **fields: str) -> str:
    answer = browser.post(reverse(f"annotation:{name}", args=["garden", *args]), fields, follow=True)
    assert answer.status_code == 200
    return answer.content.decode()


def test_a_batch_is_started_watched_and_cancelled(browser: Client, project: Project) -> None:
    for _ in range(3):
        make_item(project)
    assert "Compute priors" in page(browser)
    assert "3 priors are asked for." in post(browser, "compute-priors")
    shown = page(browser)
    assert "0 under way, 3 waiting" in shown
    assert 'hx-trigger="every 2s"' in shown
    perform(Run.objects.order_by("id")[0], ScriptedModel(ANSWER))
    fragment = browser.get(reverse("annotation:priors-progress", args=["garden"])).content.decode()
    assert "1 of 3 done" in fragment
    assert "1 calls" in fragment
    assert "2 questions are cancelled" in post(browser, "priors-cancel")
    shown = page(browser)
    assert "hx-trigger" not in shown
    assert "Ask for the missing ones" in shown
    assert "2 priors are asked for." in post(browser, "compute-priors")


def test_what_says_nothing_is_listed_by_state_and_can_be_asked_again(browser: Client, project: Project) -> None:
    refused, failed = make_item(project), make_item(project)
    requests.request_missing(project)
    perform(Run.objects.get(subject=refused.public_id), ScriptedModel(Refused("no", code="provider_blocked")))
    perform(Run.objects.get(subject=failed.public_id), ScriptedModel())
    shown = page(browser)
    assert refused.external_id in shown
    assert "provider blocked" in shown
    assert "Ask again for the one that failed" in shown
    assert refused.external_id not in page(browser, "?state=failed")
    assert failed.external_id in page(browser, "?state=failed")
    assert "1 item goes on without the prior that failed." in post(browser, "priors-go-on")
    failed.refresh_from_db()
    assert failed.stage == Stage.READY
    assert "1 prior is asked for." in post(browser, "compute-priors", state="refused")
    assert Run.objects.get(state="queued").subject == refused.public_id


def test_what_says_nothing_is_walked_by_key_behind_the_last_numbered_page(
    browser: Client, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(views, "PAGE_LENGTH", 1)
    monkeypatch.setattr(views, "BoundedPaginator", partial(BoundedPaginator, most=1))
    items = [make_item(project) for _ in range(3)]
    requests.request_missing(project)
    for run in Run.objects.order_by("pk"):
        perform(run, ScriptedModel(Refused("no", code="provider_blocked")))
    seen, query = [], "?state=refused"
    while query:
        shown = page(browser, query)
        assert "Ask again for these 3" in shown
        seen += [item.external_id for item in items if item.external_id in shown]
        onward = re.search(r'rel="next"\s+href="([^"]+)"', shown)
        query = onward[1].replace("&amp;", "&") if onward else ""
    assert seen == [item.external_id for item in reversed(items)]


def test_what_took_long_to_count_is_kept_until_somebody_asks_or_cancels(
    browser: Client, project: Project, monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: Any
) -> None:
    monkeypatch.setattr(requests, "_SLOW", -1)
    monkeypatch.setattr(requests, "_KEPT_TIMES", 1e9)
    make_item(project)
    assert "0 of 1 done" in page(browser)
    make_item(project)
    assert "0 of 1 done" in page(browser)
    with django_capture_on_commit_callbacks(execute=True):
        requests.request_missing(project)
    assert "0 of 2 done" in page(browser)


def test_a_paused_provider_is_named_with_its_reason(browser: Client, project: Project) -> None:
    make_item(project)
    requests.request_missing(project)
    perform(Run.objects.get(), ScriptedModel(ProviderPaused("The key is not valid.", retry_after=300)))
    shown = page(browser)
    assert "openai is not answering" in shown
    assert "The key is not valid." in shown


def test_the_missing_setting_is_named(browser: Client, project: Project, settings: Any) -> None:
    settings.OPENAI_BASE_URL = ""
    make_item(project)
    assert "OPENAI_API_KEY" in page(browser)
    assert "OPENAI_API_KEY" in post(browser, "compute-priors")
    assert Run.objects.count() == 0


def test_the_baseline_says_on_the_page_that_it_is_no_language_model(
    browser: Client, project: Project, settings: Any
) -> None:
    settings.MODEL_BINDINGS = {}
    settings.OPENAI_BASE_URL = ""
    shown = page(browser)
    assert "no language model" in shown
    assert "MODEL_VISION" not in shown  # there are no pictures
    make_item(project, picture=make_picture(project))
    assert "MODEL_VISION" in page(browser)


def test_one_item_is_asked_about_from_its_own_page(browser: Client, project: Project) -> None:
    item = make_item(project)
    assert "1 prior is asked for." in post(browser, "item-compute-priors", item.public_id)
    assert "Nothing is left to ask for." in post(browser, "item-compute-priors", item.public_id)
    stranger = make_item(make_project())
    answer = browser.post(reverse("annotation:item-compute-priors", args=["garden", stranger.public_id]))
    assert answer.status_code == 404


def test_the_page_costs_the_same_queries_for_one_and_for_many_items(
    browser: Client, project: Project, django_assert_max_num_queries: Any
) -> None:
    for _ in range(60):
        item = make_item(project)
        Prior.objects.create(item=item, modality="text", state="failed", reason="timeout", run_id=item.public_id)
    with django_assert_max_num_queries(20):
        page(browser)
