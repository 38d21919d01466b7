"""The preview of a design in a browser: the annotator's keys work there, and send nothing."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from annotation.domain.choices import Role
from annotation.domain.questions.kinds.registry import KINDS
from annotation.domain.questions.question import QuestionKind
from annotation.models import Membership
from annotation.projects.question_fields import OWN_FIELDS
from builders import make_member, make_project
from question_builders import make_question

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_question_shows_the_fields_of_its_kind_alone(page_of: Callable[[Membership], Page], live_server: Any) -> None:
    page = page_of(make_member(make_project("garden"), Role.ADMIN))
    page.goto(f"{live_server.url}/p/garden/design/")
    row = page.locator("#question-rows details").first
    row.locator("summary").click()
    shown = {}
    for kind in QuestionKind:
        row.locator("[name$=-kind]").select_option(kind)
        boxes = row.locator(", ".join(f"[name$=-{name}]" for name in OWN_FIELDS))
        names = [box.get_attribute("name") or "" for box in boxes.all() if box.is_visible()]
        shown[kind] = {name.rpartition("-")[2] for name in names}
    assert shown == {kind: {field.name for field in KINDS[kind].fields} for kind in QuestionKind}
    codes = row.get_by_label("Codes of these categories")
    expect(codes).to_be_hidden()
    row.get_by_label("Asked").select_option("beside these categories")
    expect(codes).to_be_visible()


def test_a_design_is_tried_with_keys_on_a_phone_and_nothing_is_sent(
    page_of: Callable[[Membership], Page], live_server: Any
) -> None:
    project = make_project("garden")
    make_question(project, "severity", QuestionKind.SCALE)
    page = page_of(make_member(project, Role.ADMIN))
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{live_server.url}/p/garden/design/")
    page.get_by_label("Question, in every language").fill("Now it is")
    page.get_by_role("button", name="Preview for annotators").focus()
    with page.expect_popup() as opened:
        page.keyboard.press("Enter")
    preview = opened.value
    preview.wait_for_load_state()
    preview.set_viewport_size({"width": 390, "height": 844})
    expect(preview.get_by_text("Now it is")).to_be_visible()
    bar = preview.locator("#decide").bounding_box()
    assert bar is not None and bar["y"] + bar["height"] == 844
    page.get_by_label("Question, in every language").fill("Then it is")
    page.get_by_label("Question, in every language").blur()
    expect(preview.get_by_text("Then it is")).to_be_visible()
    assert len(page.context.pages) == 2
    preview.wait_for_load_state()
    sent: list[str] = []
    preview.on("request", lambda request: sent.append(request.url))
    for key in ("1", "Enter", "Enter", "l", "Backspace", "s"):
        preview.keyboard.press(key)
    preview.locator("#skipping button[data-skip]").click()
    assert preview.locator("input[name=category]:checked").count() == 1
    assert preview.evaluate("document.documentElement.scrollWidth") == 390
    assert sent == [] and preview.url.endswith("/design/preview/")
