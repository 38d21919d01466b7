"""The list of a page's keys, by keyboard alone, in English and Chinese."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from annotation.domain.choices import KeyUse
from annotation.domain.questions.question import Asked, QuestionKind, When
from annotation.models import Label, Membership, Project
from builders import make_member, make_open_item, make_picture, make_project, make_user
from question_builders import make_question

pytestmark = pytest.mark.django_db(transaction=True)

Opens = Callable[[Membership], Page]


@pytest.fixture
def project() -> Project:
    project = make_project("garden", name="Garden posts")
    make_open_item(project, "One.", picture=make_picture(project))
    return project


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
    member = make_member(project, user=make_user(language="zh-hans"))
    page = page_of(member)
    page.goto(f"{live_server.url}/p/garden/label/")
    listed = keys_of(page)
    own_names = {str(category.key): category.name for category in project.categories.all()}
    assert [words for key, words in listed.items() if key not in own_names and words.isascii()] == []


def test_pages_answer_to_a_person_s_own_keys_and_show_them(
    project: Project, page_of: Opens, live_server: LiveServer
) -> None:
    member = make_member(project, user=make_user(own_keys={"annotation": {"s": "k", "n": "s"}}))
    page = page_of(member)
    page.goto(f"{live_server.url}/p/garden/label/")
    skip = page.locator("[popovertarget=skipping][data-press]")
    expect(skip.locator("kbd")).to_have_text("K")
    assert skip.get_attribute("aria-keyshortcuts") == "k"
    listed = keys_of(page)
    assert listed["K"] == "Skip" and listed["S"] == "Note" and "N" not in listed
    page.keyboard.press("Escape")
    page.keyboard.press("n")  # its usual key is nobody's now
    expect(page.locator("#note")).to_be_hidden()
    page.keyboard.press("s")
    expect(page.locator("#note")).to_be_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("k")
    expect(page.locator("#skipping")).to_be_visible()


def test_own_keys_with_alt(project: Project, page_of: Opens, live_server: LiveServer) -> None:
    page = page_of(make_member(project, user=make_user(keys=KeyUse.ALT, own_keys={"annotation": {"s": "k"}})))
    page.goto(f"{live_server.url}/p/garden/label/")
    expect(page.locator("[popovertarget=skipping] kbd").first).to_have_text("Alt+K")
    page.keyboard.press("k")
    page.keyboard.press("Alt+s")
    expect(page.locator("#skipping")).to_be_hidden()
    page.keyboard.press("Alt+k")
    expect(page.locator("#skipping")).to_be_visible()


def test_one_key_sends_an_answer_and_backspace_takes_it_back(
    project: Project, page_of: Opens, live_server: LiveServer
) -> None:
    make_question(project, "why", QuestionKind.ONE, required=True, when=When(Asked.HATEFUL))
    make_open_item(project, "Two.", picture=make_picture(project))
    page = page_of(make_member(project, user=make_user(one_key=True)))
    page.goto(f"{live_server.url}/p/garden/label/")
    expect(page.get_by_text("Press the key of a category: that sends it.")).to_be_visible()
    page.keyboard.press("0")
    expect(page.locator("#definition")).to_contain_text("Labelled NotHate. Backspace goes back.")
    page.keyboard.press("1")  # its question waits for an answer
    expect(page.locator("[name=answer_why]").first).to_be_enabled()
    assert Label.objects.count() == 1
    page.keyboard.press("Backspace")
    expect(page.locator("#changing")).to_be_visible()
    page.keyboard.press("2")  # a change is sent by Enter
    assert page.locator("input[name=category]:checked").get_attribute("value") == "2"
    assert Label.objects.get().revision == 1
