"""Figures of a large project in a browser: they appear by themselves, and are renewed by keyboard alone."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

import builders
from annotation import tasks
from annotation.analytics import stored_figures
from annotation.consensus.close import close_item
from annotation.domain.choices import Role
from annotation.models import Figures, JobState, Membership
from keyboard import enter

pytestmark = pytest.mark.django_db(transaction=True)


def work() -> None:
    for key in list(Figures.objects.filter(state=JobState.QUEUED).values_list("pk", flat=True)):
        tasks.perform_job("figures", key)


def test_figures_appear_once_they_are_computed_and_are_renewed_without_a_mouse(
    page_of: Callable[[Membership], Page], live_server: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stored_figures, "MOST_LABELS", 3)
    project = builders.make_project("garden")
    people = [builders.make_member(project) for _person in range(3)]
    for codes in ((0, 0, 1), (1, 1, 1)):
        close_item(builders.make_labelled_item(project, people, codes))
    page = page_of(builders.make_member(project, Role.ADMIN))

    page.goto(f"{live_server.url}/p/garden/dashboard/")
    expect(page.get_by_text("waiting for a worker")).to_be_visible()
    work()
    expect(page.get_by_text("As of")).to_be_visible()
    expect(page.get_by_text("2 items, 3 seats each")).to_be_visible()

    close_item(builders.make_labelled_item(project, people, (2, 2, 2)))
    enter(page, "Compute now")
    expect(page.get_by_text("waiting for a worker")).to_be_visible()
    work()
    expect(page.get_by_text("Newer figures are ready.")).to_be_visible()
    expect(page.get_by_text("2 items, 3 seats each")).to_be_visible()  # nothing changed under the reader
    enter(page, "Show them")
    expect(page.get_by_text("3 items, 3 seats each")).to_be_visible()
