"""Further questions in a real browser: by keyboard alone, by mouse and touch, on a phone, without JavaScript."""

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.conf import settings
from django.test import Client
from playwright.sync_api import Browser, Page, expect

from annotation.domain.design.file import as_json, read_design
from annotation.domain.questions.question import QuestionKind
from annotation.models import Label, Membership, Project
from annotation.projects.design import change_design
from annotation.projects.templates import template
from builders import make_member, make_open_item, make_project
from question_builders import make_question

pytestmark = pytest.mark.django_db(transaction=True)

PAGE = "/p/garden/label/"
TEXT = "They all should leave, every one of them."


@pytest.fixture
def project() -> Project:
    """A project of the severity study, whose question of targets has four options."""
    project = make_project("garden", name="Garden posts")
    design = as_json(template("severity"))
    design["questions"][1]["options"] = [{"code": code} for code in ("men", "women", "old", "young")]
    change_design(project, read_design(design), admin=None)
    return project


@pytest.fixture
def wren(project: Project) -> Membership:
    return make_member(project, pseudonym="wren")


@pytest.fixture
def opened(browser: Browser, live_server: Any) -> Iterator[Callable[..., Page]]:
    """Open the annotator's page; at the end no script may have failed. Chromium itself reports an answer of 422."""
    faults: list[str] = []
    contexts = []

    def open_as(member: Membership, **options: Any) -> Page:
        context = browser.new_context(**{"viewport": {"width": 1440, "height": 900}, **options})
        contexts.append(context)
        client = Client()
        assert member.user is not None
        client.force_login(member.user)
        name = settings.SESSION_COOKIE_NAME
        context.add_cookies([{"name": name, "value": client.cookies[name].value, "url": live_server.url}])
        page = context.new_page()
        page.on("console", lambda said: faults.append(said.text) if said.type == "error" else None)
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.goto(live_server.url + PAGE)
        return page

    yield open_as
    for context in contexts:
        context.close()
    assert [fault for fault in faults if "422" not in fault] == []


def test_a_refused_answer_is_said_and_moves_no_key_of_a_phone(opened: Callable[..., Page], live_server: Any) -> None:
    project = make_project("garden")
    make_question(project, "which", QuestionKind.SPAN)  # its words are marked in the post's own text
    make_open_item(project, "First post.")
    page = opened(make_member(project))
    main, refusal = page.get_by_role("main"), page.get_by_role("alert")
    expect(main).to_have_accessible_name("Post 1 First post.")
    page.keyboard.press("n")
    page.keyboard.press("Escape")
    expect(main).to_be_focused()
    page.set_viewport_size({"width": 390, "height": 844})
    place = page.locator(".decide .keys").bounding_box()
    page.keyboard.press("Enter")
    expect(refusal).to_be_focused()
    assert page.locator(".decide .keys").bounding_box() == place
    page.keyboard.press("0")
    expect(refusal).to_have_count(0)


def answered(count: int) -> dict[str, Any]:
    """Return the answers of the newest of so many labels."""
    labels = list(Label.objects.order_by("pk"))
    assert len(labels) == count
    return {code: entry["value"] for code, entry in labels[-1].answers.items()}


def marked(page: Page) -> list[str]:
    return page.locator(".picker .is-marked").all_inner_texts()


def test_a_post_is_answered_without_a_mouse(project, wren, opened):
    for _ in range(2):
        make_open_item(project, TEXT)
    page = opened(wren)
    severity, words = page.get_by_role("group", name="How severe"), page.get_by_role("listbox")
    expect(severity).to_have_attribute("inert", "")
    expect(page.get_by_label("What made you decide?")).to_be_visible()

    page.keyboard.press("1")
    expect(severity).not_to_have_attribute("inert", "")
    page.keyboard.press("Enter")  # the severity is required
    expect(page.locator("#wrong")).to_contain_text("How severe is it? This question needs an answer.")
    expect(severity.get_by_role("radio").first).to_be_focused()
    assert not Label.objects.exists()

    page.keyboard.press("4")
    expect(severity.get_by_label("4")).to_be_checked()
    page.keyboard.press("ArrowRight")
    expect(severity.get_by_label("5")).to_be_checked()
    page.keyboard.press("Tab")
    page.keyboard.press("2")
    page.keyboard.press("4")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press(" ")
    page.keyboard.press("2")
    assert page.locator("[data-question=targets] input:checked").evaluate_all("all => all.map((one) => one.value)") == [
        "old",
        "young",
    ]
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Mark in the text")).to_be_focused()
    page.keyboard.press("Enter")
    expect(words).to_be_focused()
    for key in ("ArrowRight", "ArrowRight", "ArrowRight", " ", "ArrowRight", "Shift+ArrowRight", " "):
        page.keyboard.press(key)
    assert marked(page) == ["leave", "every", " ", "one"]
    page.keyboard.press("Escape")
    expect(words).not_to_be_focused()
    page.keyboard.press(page.locator("[data-question=why]").get_attribute("data-leads") or "")
    page.keyboard.type("It sends people away.")
    page.keyboard.press("Enter")
    expect(page.locator("[data-question=severity]")).to_have_attribute("inert", "")
    expect(page.locator("#wrong")).to_have_count(0)
    assert answered(1) == {
        "severity": 5,
        "targets": ["old", "young"],
        "words": [[16, 21], [23, 32]],
        "why": "It sends people away.",
    }

    page.keyboard.press("0")
    page.keyboard.press("Enter")
    expect(page.locator("#answer")).to_have_count(0)
    assert answered(2) == {"why": None}


def test_marks_are_made_and_removed_by_keyboard_and_the_category_stays_within_reach(project, wren, opened):
    make_open_item(project, TEXT)
    page = opened(wren)
    page.keyboard.press("1")
    page.keyboard.press(page.locator("[data-question=words]").get_attribute("data-leads") or "")
    for key in (" ", "End", " ", "Home", " "):
        page.keyboard.press(key)
    assert marked(page) == ["them"]
    for key in ("End", "Shift+Home", "Delete"):
        page.keyboard.press(key)
    assert marked(page) == []
    page.keyboard.press("Escape")
    page.keyboard.press("0")
    expect(page.locator("[data-question=words]")).to_have_attribute("inert", "")
    expect(page.locator(".picker")).to_be_hidden()
    expect(page.get_by_role("radio", name=re.compile("NotHate"))).to_be_checked()


def test_a_part_is_marked_with_the_mouse_to_the_character_and_a_click_takes_it_away(project, wren, opened):
    make_open_item(project, "그들은🙂 나가라 지금")
    page = opened(wren)
    page.keyboard.press("1")
    word = page.locator(".picker [role=option]").nth(2)
    expect(word).to_have_text("나가라")
    box = word.bounding_box()
    assert box
    page.mouse.move(box["x"] + 1, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 2 / 3 + 1, box["y"] + box["height"] / 2, steps=5)
    page.mouse.up()
    expect(page.locator("input[name=answer_words]")).to_have_value("[[5,7]]")
    page.locator(".picker [role=option]").nth(1).click()
    expect(page.locator("input[name=answer_words]")).to_have_value("[[3,4],[5,7]]")
    page.locator(".picker [role=option]").nth(1).click()
    expect(page.locator("input[name=answer_words]")).to_have_value("[[5,7]]")
    page.locator("[data-question=severity] label").nth(2).click()
    page.locator("[data-question=severity] label").nth(2).click()
    expect(page.locator("[data-question=severity] input:checked")).to_have_count(0)
    page.locator("[data-question=severity] label").nth(2).click()
    page.keyboard.press("Enter")
    expect(page.locator("#answer")).to_have_count(0)
    assert answered(1)["words"] == [[5, 7]]


def test_what_was_chosen_survives_a_reload(project, wren, opened):
    make_open_item(project, TEXT)
    page = opened(wren)
    page.keyboard.press("1")
    page.locator("[data-question=severity] label").nth(3).click()
    page.locator("[data-question=targets] label").nth(1).click()
    page.locator("[data-question=targets] label").nth(2).click()
    page.locator(".picker [role=option]").nth(3).click()
    page.reload()
    expect(page.locator("[data-question=severity] input:checked")).to_have_value("4")
    assert page.locator("[data-question=targets] input:checked").count() == 2
    assert marked(page) == ["leave"]


@pytest.mark.parametrize("script", [True, False])
def test_on_a_phone_and_without_a_script(project, wren, opened, script):
    make_open_item(project, TEXT)
    phone = {"viewport": {"width": 390, "height": 844}, "has_touch": True}
    page = opened(wren, **phone, java_script_enabled=script)
    page.locator(".key").nth(1).tap()
    severity = page.locator("[data-question=severity]")
    if script:  # one question at a time, the required one first, with the text on top
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        expect(page.locator("[data-question]:visible")).to_have_count(1)
        expect(page.locator(".questions-text")).to_have_text(TEXT)
        severity.locator("label").nth(4).tap()
        expect(page.locator("[data-questions]")).to_have_text("Questions: 1 of 4 answered")
        for _ in range(2):
            page.get_by_role("button", name="Next", exact=True).tap()
        page.locator(".picker [role=option]").nth(3).tap()
        page.get_by_role("button", name="Done").tap()
        expect(severity).to_be_hidden()
    else:
        expect(page.get_by_text("Only beside a hateful category.").first).to_be_visible()
        page.locator("textarea[name=quoted_words]").fill("leave")
        severity.locator("label").nth(4).tap()
    page.get_by_role("button", name=re.compile("Submit and next")).tap()
    expect(page.locator("#answer")).to_have_count(0)
    assert answered(1) == {"severity": 5, "targets": None, "words": [[16, 21]], "why": None}


def test_after_a_category_its_digit_answers_what_is_required_and_the_line_says_so(project, wren, opened):
    make_open_item(project, TEXT)
    page = opened(wren)
    line, severity = page.locator("#definition"), page.get_by_role("group", name="How severe")
    page.keyboard.press("1")
    expect(line).to_have_text("1 to 5 now answer “How severe is it?”. Escape: the categories")
    page.keyboard.press("3")
    expect(severity.get_by_label("3")).to_be_checked()
    expect(line).to_contain_text("Attacks or demeans")
    page.keyboard.press("2")  # inside the question digits are its own; Escape leaves it
    expect(severity.get_by_label("2")).to_be_checked()
    page.keyboard.press("Escape")
    page.keyboard.press("0")
    expect(page.get_by_role("radio", name=re.compile("NotHate"))).to_be_checked()


def test_escape_gives_the_digits_back_to_the_categories(project, wren, opened):
    make_open_item(project, TEXT)
    page = opened(wren)
    for key in ("1", "Escape", "0"):
        page.keyboard.press(key)
    expect(page.get_by_role("radio", name=re.compile("NotHate"))).to_be_checked()
    expect(page.locator("[data-question=severity] input:checked")).to_have_count(0)


def test_the_red_line_goes_when_it_is_answered(project, wren, opened):
    make_open_item(project, TEXT)
    page = opened(wren)
    line = page.locator("#wrong")
    page.keyboard.press("Enter")
    expect(line).to_be_visible()
    page.keyboard.press("1")
    expect(line).to_have_count(0)
    expect(page.locator("#definition")).to_be_visible()
    page.keyboard.press("Enter")
    expect(line).to_contain_text("How severe is it?")
    page.keyboard.press("5")
    expect(line).to_have_count(0)


def test_words_are_marked_in_the_posts_own_text_and_told_beside_it(project, wren, opened):
    make_open_item(project, TEXT)
    page = opened(wren)
    words = page.locator(".words .picker")
    expect(page.locator(".words blockquote")).to_be_visible()
    page.keyboard.press("1")
    expect(words).to_be_visible()
    expect(page.locator(".words blockquote")).to_be_hidden()
    words.locator("[role=option]").nth(3).click()
    expect(page.locator("[data-question=words] [data-marks]")).to_have_text("“leave”")
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    page.keyboard.press("0")
    expect(words).to_have_count(0)
    expect(page.locator(".words blockquote")).to_be_visible()
