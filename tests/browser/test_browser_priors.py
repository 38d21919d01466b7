"""An admin computes priors in a browser and watches them arrive, without a script too."""

import os
import threading
from pathlib import Path

import pytest
from django.db import connection
from django.urls import reverse
from playwright.sync_api import expect

import builders
from annotation.domain.choices import Role
from providers.messages import Refused
from providers.vendors.scripted import ScriptedModel
from runs.models import Run
from runs.queue import task_messages
from scripted_runs import perform

PASSWORD = "a long enough passphrase"
ANSWER = '{"explanation": "A garden.", "category": 0, "severity": 0}'

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def project(settings, monkeypatch):
    settings.MODEL_BINDINGS = {"MODEL_TEXT": "openai:small"}
    settings.OPENAI_BASE_URL = "http://127.0.0.1:9/v1"
    monkeypatch.setattr(task_messages, "enqueue_task", lambda name, run_id: True)
    project = builders.make_project("garden", priors_wanted=True)
    user = builders.make_user("wren", PASSWORD)
    builders.make_member(project, Role.ADMIN, user=user, pseudonym="Wren")
    for number in range(4):
        builders.make_item(project, f"Post number {number} about a garden.")
    return project


def priors_page(page, live_server):
    page.goto(f"{live_server.url}/accounts/login/")
    page.fill("[name=login]", "wren")
    page.fill("[name=password]", PASSWORD)
    page.click("main form button[type=submit]")
    page.wait_for_url(f"{live_server.url}/")
    page.goto(live_server.url + reverse("annotation:priors", args=["garden"]))


def answered(number, line):
    """Somebody else's worker brings one answer: not in the browser's thread."""

    def work():
        perform(Run.objects.order_by("id")[number], ScriptedModel(line))
        connection.close()

    worker = threading.Thread(target=work)
    worker.start()
    worker.join()


def shot(page, name):
    """Keep a picture of the page where SCREENSHOTS names a folder."""
    if folder := os.environ.get("SCREENSHOTS"):
        page.screenshot(path=Path(folder) / f"{name}.png", full_page=True)


def test_the_page_follows_a_batch_by_itself(context, live_server, project):
    complaints = []
    page = context.new_page()
    page.on("console", lambda said: complaints.append(said.text) if said.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    priors_page(page, live_server)
    page.get_by_role("button", name="Compute priors").click()
    progress = page.locator("#priors-progress")
    expect(progress).to_contain_text("0 of 4 done")
    answered(0, ANSWER)
    answered(1, Refused("no", code="provider_blocked"))
    expect(progress).to_contain_text("2 of 4 done")
    shot(page, "priors-running")
    page.get_by_role("button", name="Cancel what is left").click()
    expect(page.get_by_text("2 questions are cancelled")).to_be_visible()
    expect(page.get_by_role("button", name="Ask for the missing ones")).to_be_visible()
    expect(page.get_by_role("row", name="provider blocked")).to_be_visible()
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    shot(page, "priors-phone")
    assert complaints == []


def test_it_works_without_a_script(browser, live_server, project):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    priors_page(page, live_server)
    page.get_by_role("button", name="Compute priors").click()
    expect(page.locator("#priors-progress")).to_contain_text("0 under way, 4 waiting")
    page.get_by_role("button", name="Cancel what is left").click()
    expect(page.locator("#priors-progress")).to_contain_text("Compute priors")
    context.close()
