"""The preview of a design in a browser: the annotator's keys work there, and send nothing."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from annotation.domain.choices import Role
from annotation.domain.questions.question import QuestionKind
from annotation.models import Membership
from builders import make_member, make_project
from question_builders import make_question

pytestmark = pytest.mark.django_db(transaction=True)


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
    sent: list[str] = []
    preview.on("request", lambda request: sent.append(request.url))
    for key in ("1", "Enter", "Enter", "l", "Backspace", "s"):
        preview.keyboard.press(key)
    preview.locator("#skipping button[data-skip]").click()
    assert preview.locator("input[name=category]:checked").count() == 1
    assert preview.evaluate("document.documentElement.scrollWidth") == 390
    assert sent == [] and preview.url.endswith("/design/preview/")
