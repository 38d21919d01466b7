"""Small and zoomed windows: the post has the window, words stay whole, larger letters fit."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.conf import settings
from django.test import Client
from playwright.sync_api import Browser, Page, expect

import chromium
from annotation.consensus.close import close_item
from annotation.domain.choices import Modality, Role
from annotation.domain.design.file import read_design
from annotation.models import Membership, Prior, Project, User
from annotation.projects.create import create_project
from builders import make_label, make_labelled_item, make_member, make_open_item, make_picture, make_project
from question_builders import make_all_questions

pytestmark = pytest.mark.django_db(transaction=True)

SHORT = {"200 %": (720, 450), "400 %": (360, 225), "reflow": (320, 256), "a phone on its side": (844, 390)}
# The most that header and decision leave of the window at any place of the page.
FREE = """() => {
    const [bar, head] = [".decide", ".site-header"].map((name) => document.querySelector(name));
    let free = 0;
    for (let at = 0; at <= document.documentElement.scrollHeight - innerHeight + 1; at += 20) {
        scrollTo(0, at);
        const top = Math.max(0, head.getBoundingClientRect().bottom);
        free = Math.max(free, Math.min(innerHeight, bar.getBoundingClientRect().top) - top);
    }
    scrollTo(0, 0);
    return free / innerHeight;
}"""
# Words of buttons and categories that stand in two lines, or are cut.
BROKEN = """() => [...document.querySelectorAll(".key span, .button")].filter(e => e.checkVisibility()).flatMap((e) => {
    const broken = e.scrollWidth > e.clientWidth + 1 ? [e.textContent.trim()] : [];
    const walker = document.createTreeWalker(e, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        for (const word of node.data.matchAll(/\\S+/g)) {
            const range = document.createRange();
            range.setStart(node, word.index);
            range.setEnd(node, word.index + word[0].length);
            if (new Set([...range.getClientRects()].map((box) => Math.round(box.top))).size > 1) broken.push(word[0]);
        }
    }
    return broken;
})"""

# Names of categories that are not shown in full: cut, beyond their key, or over another.
CUT = """spans => spans.filter((span) => {
    const key = span.closest(".key").getBoundingClientRect();
    const words = document.createRange();
    words.selectNodeContents(span);
    const shown = words.getBoundingClientRect();
    return span.scrollHeight > span.clientHeight + 1 || shown.bottom > key.bottom + 1 || shown.top < key.top - 1
        || shown.right > key.right + 1;
}).map((span) => span.textContent.trim())"""


@pytest.fixture
def project() -> Project:
    project = make_project("garden", name="Garden posts")
    make_open_item(project, "Weeds in the white roses again.", picture=make_picture(project))
    return project


def wider(page: Page) -> int:
    return int(page.evaluate("document.documentElement.scrollWidth - innerWidth"))


def test_a_short_window_shows_the_post_alone_and_breaks_no_word(
    project: Project, page_of: Callable[[Membership], Page], live_server: Any
) -> None:
    page = page_of(make_member(project))
    page.goto(f"{live_server.url}/p/garden/label/")
    found = {}
    for name, (width, height) in SHORT.items():
        page.set_viewport_size({"width": width, "height": height})
        found[name] = (page.evaluate(FREE) > 0.95, wider(page), page.evaluate(BROKEN))
    assert found == dict.fromkeys(SHORT, (True, 0, []))
    page.keyboard.press("n")
    box = page.locator("#id_note").bounding_box()
    assert box is not None and box["y"] > 0 and box["y"] + box["height"] < 390  # the panel fits too
    for size in ((844, 390), (740, 360), (667, 375)):
        page.set_viewport_size({"width": size[0], "height": size[1]})
        panel = page.locator(".panel:popover-open").bounding_box()
        assert panel is not None and panel["height"] >= min(300, size[1] - 20), size


def test_the_desk_in_a_short_window_shows_the_post_alone(
    project: Project, page_of: Callable[[Membership], Page], live_server: Any
) -> None:
    people = [make_member(project) for _ in range(3)]
    item = make_labelled_item(project, people, [1, 2, 0], text="Weeds again.", picture=make_picture(project))
    close_item(item)
    page = page_of(make_member(project, Role.REVIEWER))
    page.goto(f"{live_server.url}/p/garden/desk/{item.public_id}/")
    found = {}
    for name, (width, height) in SHORT.items():
        page.set_viewport_size({"width": width, "height": height})
        found[name] = (page.evaluate(FREE) > 0.95, wider(page))
    assert found == dict.fromkeys(SHORT, (True, 0))


WIDTHS = (390, 720, 960, 1100, 1440)


def test_words_stay_whole_at_every_width(
    project: Project, page_of: Callable[[Membership], Page], live_server: Any
) -> None:
    page = page_of(make_member(project))
    page.goto(f"{live_server.url}/p/garden/label/")
    found = {}
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        found[width] = (wider(page), page.evaluate(BROKEN))
        for name in ("Guidelines", "Pause"):
            expect(page.get_by_role("link", name=name)).to_be_visible()  # one tap away on phones too
    assert found == dict.fromkeys(WIDTHS, (0, []))


def test_the_head_is_one_line_on_a_phone_whatever_the_name_is(
    project: Project, page_of: Callable[[Membership], Page], live_server: Any
) -> None:
    member = make_member(project)
    User.objects.filter(pk=member.user_id).update(username="bartholomew-of-the-garden")
    page = page_of(member)
    page.goto(f"{live_server.url}/p/garden/label/")
    for width in (360, 375, 390):
        page.set_viewport_size({"width": width, "height": 844})
        middles = page.eval_on_selector_all(
            ".site-header :is(.brand, .day, .site-tools .button, .menu summary)",
            "parts => parts.map((part) => part.getBoundingClientRect()).map((box) => box.top + box.height / 2)",
        )
        assert len(middles) == 5 and max(middles) - min(middles) < 8, (width, middles)


@pytest.fixture
def large_letters(browser: Browser) -> Iterator[Browser]:
    """A browser whose owner has set letters twice as large."""
    flags = (*chromium.FLAGS, "--blink-settings=defaultFontSize=32")
    running = browser.browser_type.launch(executable_path=chromium.find(), args=list(flags))
    yield running
    running.close()


def test_letters_are_as_large_as_the_browser_is_set_and_nothing_is_wider_than_the_window(
    project: Project, large_letters: Browser, live_server: Any
) -> None:
    member = make_member(project, *Role)
    assert member.user is not None
    client = Client()
    client.force_login(member.user)
    name = settings.SESSION_COOKIE_NAME
    context = large_letters.new_context(viewport={"width": 1440, "height": 900})
    context.add_cookies([{"name": name, "value": client.cookies[name].value, "url": live_server.url}])
    page, found = context.new_page(), {}
    for address in ("label/", "items/", "glossary/new/", "settings/"):
        page.goto(f"{live_server.url}/p/garden/{address}")
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 900})
            if excess := wider(page):
                found[address, width] = excess
    assert found == {}
    assert page.evaluate("getComputedStyle(document.body).fontSize") == "28px"


def test_pages_of_care_fit_a_phone_whose_letters_are_twice_as_large(
    project: Project, large_letters: Browser, live_server: Any
) -> None:
    member = make_member(project)
    assert member.user is not None
    client = Client()
    client.force_login(member.user)
    name = settings.SESSION_COOKIE_NAME
    context = large_letters.new_context(viewport={"width": 390, "height": 700})
    context.add_cookies([{"name": name, "value": client.cookies[name].value, "url": live_server.url}])
    page = context.new_page()
    excess = {}
    for address in ("pause/", "care/", "check-in/", "hours/", "history/", "guidelines/", "training/", "leave/"):
        answer = page.goto(f"{live_server.url}/p/garden/{address}")
        assert answer is not None
        excess[address] = wider(page)
    assert {address: pixels for address, pixels in excess.items() if pixels} == {}


@pytest.mark.parametrize(("width", "height"), [(390, 844), (844, 390), (1440, 900)])
def test_long_names_of_many_categories_are_read_in_full_beside_the_post(
    browser: Browser, live_server: Any, width: int, height: int
) -> None:
    kinds = ("insult, mild", "insult, strong", "mockery, mild", "mockery, strong", "threat, veiled")
    names = [f"Group {number // 5} › Subgroup of many kinds of {kinds[number % 5]}" for number in range(20)]
    rows = [{"code": 100 + number, "name": name, "hateful": True} for number, name in enumerate(names)]
    questions = [
        {"code": f"q{number}", "kind": "scale", "points": 5, "wording": f"How strong is side {number} of it?"}
        for number in range(5)
    ]
    rows.append({"code": 0, "name": "Nothing of this kind", "hateful": False})
    create_project("many", design=read_design({"categories": rows, "choose": "several", "questions": questions}))
    project = Project.objects.get()
    Project.objects.update(is_open=True)
    make_open_item(project, "Weeds in the white roses again.", picture=make_picture(project))
    people = [make_member(project) for _ in range(3)]
    torn = make_labelled_item(project, people, (100, 101, 102), text="Nettles.")
    close_item(torn)
    member = make_member(project, Role.ANNOTATOR, Role.REVIEWER)
    assert member.user is not None
    client = Client()
    client.force_login(member.user)
    context = browser.new_context(viewport={"width": width, "height": height}, locale="en-GB")
    key = client.cookies[settings.SESSION_COOKIE_NAME].value
    context.add_cookies([{"name": settings.SESSION_COOKIE_NAME, "value": key, "url": live_server.url}])
    page = context.new_page()
    page.goto(f"{live_server.url}/p/many/label/")
    page.keyboard.press("Enter")
    expect(page.locator("#wrong")).to_be_visible()
    assert page.evaluate(FREE) >= 0.3
    for address in ("label", f"desk/{torn.public_id}"):
        page.goto(f"{live_server.url}/p/many/{address}/")
        last = page.locator(".key").filter(has_text=names[-1])
        assert page.locator(".key span").evaluate_all(CUT) == []
        assert page.evaluate(FREE) >= 0.36, address
        key = last.locator("b").inner_text()
        page.keyboard.press(key)
        expect(last.locator("input")).to_be_checked()
        if height > 560:  # in a short window the list is part of the page, which stays where it is
            expect(last).to_be_in_viewport(ratio=0.9)
    context.close()


WIDE = ((1024, 768), (1366, 768), (1440, 900))
READING = """() => {
    const [pane, text, bar] = [".reading", ".words blockquote", ".decide"].map((name) => document.querySelector(name));
    const shown = text.getBoundingClientRect().bottom <= text.closest(".words").getBoundingClientRect().bottom + 1;
    pane.scrollTo(0, pane.scrollHeight);
    const last = document.querySelector(".prior:last-of-type").getBoundingClientRect().bottom;
    const tools = document.querySelector(".stage-tools").getBoundingClientRect().bottom;
    const top = bar.getBoundingClientRect().top + 1;
    return [shown, last <= top, tools <= top];
}"""


def test_beside_further_questions_the_text_is_read_and_the_suggestions_are_scrolled_to(
    page_of: Callable[[Membership], Page], live_server: Any
) -> None:
    project = make_project("garden")
    make_all_questions(project)
    item = make_open_item(project, "Weeds in the white roses again.", picture=make_picture(project))
    for modality in Modality:
        Prior.objects.create(item=item, modality=modality, explanation="A remark about a garden. " * 8, model="m")
    page = page_of(make_member(project))
    page.goto(f"{live_server.url}/p/garden/label/")
    found = {}
    for width, height in WIDE:
        page.set_viewport_size({"width": width, "height": height})
        found[width] = page.evaluate(READING)
    assert found == {width: [True, True, True] for width, _height in WIDE}


def test_on_a_phone_the_own_history_shows_each_label_and_its_change_at_once(
    page_of: Callable[[Membership], Page], live_server: Any
) -> None:
    project = make_project("garden")
    member = make_member(project)
    item = make_open_item(project, "https://example.org/" + "a" * 90)
    make_label(item.seat_rows.get(number=1), member, 3, note="A note.")
    page = page_of(member)
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{live_server.url}/p/garden/history/")
    for shown in (page.get_by_text("Homophobic", exact=True), page.get_by_role("link", name="Change")):
        box = shown.bounding_box()
        assert box is not None and box["x"] + box["width"] <= 390
