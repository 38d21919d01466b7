"""The tour of a first role and the list of a page's keys, by keyboard alone, in English and Chinese."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from annotation.domain.choices import Role
from annotation.models import Membership, Project
from annotation.pages.tours import STEPS, offer_tours
from builders import make_member, make_open_item, make_picture, make_project
from keyboard import tab_to

pytestmark = pytest.mark.django_db(transaction=True)

Opens = Callable[[Membership], Page]


@pytest.fixture
def project() -> Project:
    project = make_project("garden", name="Garden posts")
    make_open_item(project, "One.", picture=make_picture(project))
    return project


def newcomer(project: Project, role: Role, language: str = "en") -> Membership:
    member = make_member(project, role)
    assert member.user is not None
    member.user.language = language
    member.user.save()
    offer_tours(member.user, [role])
    return member


@pytest.mark.parametrize("role", list(STEPS))
def test_a_tour_is_followed_to_its_end_each_step_on_its_page(
    project: Project, page_of: Opens, live_server: LiveServer, role: Role
) -> None:
    page = page_of(newcomer(project, role))
    page.goto(f"{live_server.url}/p/garden/help/")
    tour = page.locator(".tour")
    for number, step in enumerate(STEPS[role], start=1):
        expect(tour).to_contain_text(f"{number}/4")
        expect(tour).to_contain_text(str(step.text))
        if page.get_by_role("link", name="Open the page").count():
            tab_to(page, "Open the page")
            page.keyboard.press("Enter")
            expect(page.get_by_role("link", name="Open the page")).to_have_count(0)
            expect(tour).to_contain_text(f"{number}/4")
        tab_to(page, "Done" if number == len(STEPS[role]) else "Next")
        page.keyboard.press("Enter")
    expect(tour).to_have_count(0)
    assert page.evaluate("document.activeElement.id") == "main"  # Tab goes on from the page, not from the top
    page.reload()
    expect(tour).to_have_count(0)


def test_a_tour_is_left_with_escape_and_begun_again_from_the_help_page(
    project: Project, page_of: Opens, live_server: LiveServer
) -> None:
    page = page_of(newcomer(project, Role.ANNOTATOR))
    page.goto(f"{live_server.url}/p/garden/help/")
    tab_to(page, "Next")
    page.keyboard.press("Escape")
    expect(page.locator(".tour")).to_have_count(0)
    page.get_by_role("button", name="Start the tour again").press("Enter")
    expect(page.locator(".tour")).to_contain_text("1/4")


def test_a_tour_speaks_chinese_to_its_end(project: Project, page_of: Opens, live_server: LiveServer) -> None:
    page = page_of(newcomer(project, Role.ANNOTATOR, "zh-hans"))
    page.goto(f"{live_server.url}/p/garden/label/")
    for number in (1, 2, 3, 4):
        expect(page.locator(".tour")).to_contain_text(f"{number}/4")
        assert set(re.findall("[A-Za-z]{3,}", page.locator(".tour").inner_text())) <= {"Enter", "Backspace"}
        page.locator(".tour .is-primary").press("Enter")
    expect(page.locator(".tour")).to_have_count(0)


def keys_of(page: Page) -> dict[str, str]:
    """Return the keys that `?` lists, with their words."""
    page.keyboard.press("?")
    expect(page.locator("#keys")).to_be_visible()
    keys, words = (page.locator(f"#keys {tag}").all_inner_texts() for tag in ("dt", "dd"))
    return dict(zip(keys, words, strict=True))


def test_the_question_mark_lists_the_keys_of_the_label_page_and_gives_the_focus_back(
    project: Project, page_of: Opens, live_server: LiveServer
) -> None:
    page = page_of(make_member(project))
    page.goto(f"{live_server.url}/p/garden/label/")
    listed = keys_of(page)
    assert listed["0"] == "NotHate" and listed["S"] == "Skip" and listed["Enter"] == "Submit and next"
    assert listed["Space"] == "Look at the picture" and listed["?"] == "Keys of this page"
    page.keyboard.press("1")  # the page behind does not answer
    page.keyboard.press("Escape")
    expect(page.locator("#keys")).to_be_hidden()
    expect(page.locator("input[name=category]:checked")).to_have_count(0)
    page.keyboard.press("n")
    page.keyboard.type("is it so?")  # in a field it is a sign like others
    expect(page.locator("#keys")).to_be_hidden()
    expect(page.get_by_label("Note", exact=False).first).to_have_value("is it so?")


def test_a_key_that_comes_before_the_focus_has_left_the_closed_list_is_the_page_s(
    project: Project, page_of: Opens, live_server: LiveServer
) -> None:
    """The browser takes the focus from what it hides with its next frame, which may be late."""
    page = page_of(make_member(project))
    page.goto(f"{live_server.url}/p/garden/label/")
    keys_of(page)
    page.evaluate("""() => {
      const keys = document.getElementById("keys"), focused = keys.querySelector("dl").parentElement;
      keys.close();
      focused.dispatchEvent(new KeyboardEvent("keydown", { key: "n", code: "KeyN", bubbles: true }));
    }""")
    expect(page.get_by_label("Note", exact=False).first).to_be_focused()


def test_the_keys_are_named_in_chinese(project: Project, page_of: Opens, live_server: LiveServer) -> None:
    member = newcomer(project, Role.ANNOTATOR, "zh-hans")
    page = page_of(member)
    page.goto(f"{live_server.url}/p/garden/label/")
    listed = keys_of(page)
    own_names = {str(category.key): category.name for category in project.categories.all()}
    assert [words for key, words in listed.items() if key not in own_names and words.isascii()] == []
