"""An evaluation in Chromium: chosen, counted, confirmed, followed to its report, taken along."""

import csv
import json
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from annotation.domain.choices import Role, Stage
from annotation.models import Item, Membership
from annotation.operations.sweep import sweep
from builders import category, make_item, make_member, make_project

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def reviewer(settings: Any) -> Membership:
    settings.MODEL_BINDINGS = {}
    project = make_project("garden", name="Garden posts")
    for name, code, pattern, text in (
        ("post-1", 0, "000", "The roses bloom."),
        ("post-2", 1, "101", "All immigrants are vermin."),
        ("post-3", 1, "001", "Weeds in the white roses again."),
    ):
        kind = category(project, code)
        item = make_item(project, text, external_id=name, stage=Stage.GOLD, category=kind, hateful=kind.hateful)
        Item.objects.filter(pk=item.pk).update(pattern=pattern)
    return make_member(project, Role.REVIEWER, pseudonym="Heron")


def test_methods_are_measured_with_scores_of_what_they_explain_and_the_report_is_taken_along(
    reviewer: Membership, page_of: Callable[[Membership], Page], live_server: Any, worker: None
) -> None:
    page = page_of(reviewer)
    page.goto(f"{live_server.url}/p/garden/evaluations/")
    page.get_by_label("Baseline").uncheck()
    page.get_by_label("Explanation", exact=True).check()
    page.get_by_text("Score explanations").click()
    page.get_by_label("none", exact=True).check()
    page.get_by_label("two", exact=True).check()
    page.get_by_role("button", name="See how many runs first").click()
    expect(page.get_by_text("12 runs on 3 gold posts: explain.")).to_be_visible()
    page.get_by_role("button", name="Start").click()
    expect(page.get_by_role("heading", name="Progress")).to_be_visible()
    expect(page.get_by_text("Everything was answered")).to_be_visible()
    sweep()  # what was explained is scored now
    expect(page.get_by_text("12 of 12 runs", exact=False)).to_be_visible()
    sweep()
    expect(page.get_by_role("heading", name="Explanations (HateXScore)")).to_be_visible()
    expect(page.get_by_text("No language model was used")).to_be_visible()
    expect(page.get_by_role("heading", name="By difficulty")).to_be_visible()
    with page.expect_download() as coming:
        page.get_by_role("link", name="JSON").click()
    report = json.loads(coming.value.path().read_bytes())
    assert [each["arm"] for each in report["results"]] == ["explain, shots = 0", "explain, shots = 2"]
    assert all(each["explanations"]["counts"] == {"scored": 3} for each in report["results"])
    section = page.locator("section", has=page.get_by_role("heading", name="Explanations (HateXScore)"))
    with page.expect_download() as coming:
        section.get_by_role("link", name="CSV").click()
    with coming.value.path().open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["Method"] for row in rows] == ["explain, shots = 0", "explain, shots = 2"]
    page.goto(f"{live_server.url}/p/garden/evaluations/")
    expect(page.get_by_text("explain · garden")).to_be_visible()
