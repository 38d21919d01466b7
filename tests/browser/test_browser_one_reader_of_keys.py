"""Every page with keys reads them by one function: the same cases on the annotator's pages, the desks and the lists."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from django.conf import settings
from playwright.sync_api import Page
from pytest_django.live_server_helper import LiveServer

from annotation.consensus.close import close_item
from annotation.domain.choices import Role, Stage
from annotation.models import KnownAnswer, Membership, Project
from builders import (
    category,
    make_item,
    make_label,
    make_labelled_item,
    make_member,
    make_open_item,
    make_project,
)
from generation.counterspeech import request
from question_builders import make_all_questions
from reply_builders import make_hateful_item

pytestmark = pytest.mark.django_db(transaction=True)

Opens = Callable[[Membership], Page]

ON_PAGE = [
    # event, where it is typed: on the page; what the page is told
    ({"key": "s", "code": "KeyS"}, "s"),
    ({"key": "S", "code": "KeyS"}, "s"),
    ({"key": "ㄴ", "code": "KeyS"}, "s"),
    ({"key": "ㅃ", "code": "KeyQ", "shiftKey": True}, "q"),
    ({"key": "ｓ", "code": "KeyS"}, "s"),
    ({"key": "ы", "code": "KeyS"}, "s"),
    ({"key": "σ", "code": "KeyS"}, "s"),
    ({"key": "س", "code": "KeyS"}, "s"),
    ({"key": "لا", "code": "KeyB"}, "b"),
    ({"key": "1", "code": "Numpad1"}, "1"),
    ({"key": "１", "code": "Digit1"}, "1"),
    ({"key": "١", "code": "Digit1"}, "1"),
    ({"key": "&", "code": "Digit1"}, "1"),
    ({"key": "é", "code": "Digit2"}, "2"),
    ({"key": "à", "code": "Digit0"}, "0"),
    ({"key": "-", "code": "Digit6"}, "6"),
    ({"key": "a", "code": "KeyQ"}, "a"),  # AZERTY: a Latin letter is what is written on the key
    ({"key": "?", "code": "KeyM", "shiftKey": True}, "?"),
    ({"key": "?", "code": "Digit7", "shiftKey": True}, "?"),
    ({"key": "？", "code": "Slash", "shiftKey": True}, "?"),
    ({"key": "؟", "code": "Slash", "shiftKey": True}, "?"),
    ({"key": "Process", "code": "KeyS", "keyCode": 229}, "s"),
    ({"key": "ㄴ", "code": "KeyS", "keyCode": 229}, "s"),
    ({"key": "Process", "code": "Digit1", "keyCode": 229}, "1"),
    ({"key": "Process", "code": "Space", "keyCode": 229}, " "),
    ({"key": "Unidentified", "code": "KeyU"}, "u"),
    ({"key": "Unidentified", "code": ""}, ""),
    ({"key": "Dead", "code": "KeyN"}, "n"),
    ({"key": "Dead", "code": "BracketLeft"}, ""),
    ({"key": "Enter", "code": "Enter"}, "Enter"),
    ({"key": "Enter", "code": "NumpadEnter"}, "Enter"),
    ({"key": "Enter", "code": "Enter", "ctrlKey": True}, "Control+Enter"),
    ({"key": "Enter", "code": "Enter", "metaKey": True}, "Control+Enter"),
    ({"key": "Enter", "code": "Enter", "keyCode": 229}, ""),
    ({"key": "Process", "code": "Enter", "keyCode": 229}, ""),
    ({"key": "Enter", "code": "Enter", "isComposing": True}, ""),
    ({"key": "Escape", "code": "Escape"}, "Escape"),
    ({"key": "Backspace", "code": "Backspace"}, "Backspace"),
    ({"key": "s", "code": "KeyS", "ctrlKey": True}, ""),
    ({"key": "s", "code": "KeyS", "metaKey": True}, ""),
    ({"key": "ß", "code": "KeyS", "altKey": True}, ""),
    ({"key": "ś", "code": "KeyS", "ctrlKey": True, "altKey": True}, ""),  # AltGr of Windows
]
IN_FIELD = [
    ({"key": "s", "code": "KeyS"}, ""),
    ({"key": " ", "code": "Space"}, ""),
    ({"key": "Process", "code": "KeyS", "keyCode": 229}, ""),
    ({"key": "Enter", "code": "Enter"}, "Enter"),
    ({"key": "Enter", "code": "Enter", "ctrlKey": True}, "Control+Enter"),
    ({"key": "Enter", "code": "Enter", "keyCode": 229}, ""),  # Safari ends a word by it, no longer composing
    ({"key": "Enter", "code": "Enter", "ctrlKey": True, "keyCode": 229}, ""),
    ({"key": "Escape", "code": "Escape", "isComposing": True}, ""),
    ({"key": "Escape", "code": "Escape"}, "Escape"),
]
READ = """([cases, tag]) => cases.map((fields) => {
  const target = tag === "body" ? document.body : document.body.appendChild(document.createElement(tag));
  const event = new KeyboardEvent("keydown", fields);
  if (fields.keyCode) Object.defineProperty(event, "keyCode", { value: fields.keyCode });
  Object.defineProperty(event, "target", { value: target });
  const key = interplay.keyOf(event);
  if (target !== document.body) target.remove();
  return key;
})"""
# Presses each control's key in one spelling; returns how many there are, and the keys that nothing answered.
PRESS = """(spelling) => {
  const unanswered = [];
  const keyed = [...document.querySelectorAll("[data-press], [data-key]")]
    .filter((each) => /^[a-z0-9]$/.test(each.dataset.press ?? each.dataset.key) && !each.closest("[hidden], dialog"));
  for (const each of keyed) {
    const sign = each.dataset.press ?? each.dataset.key;
    const heard = [];
    const hear = (event) => {
      heard.push(event.target);
      if (event.type === "click") { event.preventDefault(); event.stopImmediatePropagation(); }
    };
    for (const kind of ["click", "change", "focusin", "toggle"]) window.addEventListener(kind, hear, true);
    const code = /[0-9]/.test(sign) ? `Digit${sign}` : `Key${sign.toUpperCase()}`;
    const key = { jamo: "ㅋ", wide: String.fromCodePoint(sign.codePointAt(0) + 0xFEE0) }[spelling] ?? spelling;
    const event = new KeyboardEvent("keydown", { key, code, bubbles: true, cancelable: true });
    document.body.dispatchEvent(event);
    for (const kind of ["click", "change", "focusin", "toggle"]) window.removeEventListener(kind, hear, true);
    if (!heard.length && !event.defaultPrevented) unanswered.push(sign);
    document.activeElement.blur();
  }
  return [keyed.length, unanswered];
}"""
# Ends a word with an input method, in every field and on the page; returns how often something was sent or pressed.
END_A_WORD = """() => {
  let sent = 0;
  const refuse = (event) => { sent += 1; event.preventDefault(); event.stopImmediatePropagation(); };
  for (const kind of ["submit", "click"]) window.addEventListener(kind, refuse, true);
  const fields = [...document.querySelectorAll("textarea, input")].filter((each) => each.checkVisibility());
  for (const target of [document.body, ...fields]) for (const ctrlKey of [false, true]) {
    const fields = { key: "Enter", code: "Enter", ctrlKey, bubbles: true, cancelable: true };
    const event = new KeyboardEvent("keydown", fields);
    Object.defineProperty(event, "keyCode", { value: 229 });
    target.dispatchEvent(event);
  }
  for (const kind of ["submit", "click"]) window.removeEventListener(kind, refuse, true);
  return sent;
}"""


@pytest.fixture
def project() -> Project:
    project = make_project("garden", name="Garden posts")
    make_all_questions(project)
    known = make_item(project, "Known.", stage=Stage.KNOWN)
    KnownAnswer.objects.create(item=known, category=category(project, 1), explanation="So it is.", training=True)
    return project


@pytest.fixture
def pages(project: Project, page_of: Opens, live_server: LiveServer) -> Iterator[dict[str, Callable[[], Page]]]:
    """By name: a function that opens the page as somebody who works there."""
    people = [make_member(project) for _ in range(3)]
    disputed = make_labelled_item(project, people, [0, 1, 2], text="Weeds again")
    close_item(disputed)
    hateful = request.open_on_item(make_hateful_item(project))
    annotator, reviewer = make_member(project), make_member(project, Role.REVIEWER)
    seat = make_open_item(project, "Labelled.", seats=3).seat_rows.order_by("number")[0]
    label = make_label(seat, annotator, 0)

    def at(member: Membership, path: str) -> Callable[[], Page]:
        def opened() -> Page:
            page = page_of(member)
            page.goto(f"{live_server.url}/p/garden/{path}")
            return page

        return opened

    def trained() -> Page:
        page = at(annotator, "training/")()
        page.get_by_role("button", name="Begin").click()
        page.wait_for_load_state()
        return page

    make_open_item(project, "Open.", seats=3)
    yield {
        "label": at(annotator, "label/"),
        "correction": at(annotator, f"label/own/{label.public_id}/"),
        "training": trained,
        "desk": at(reviewer, "desk/"),
        "desk item": at(reviewer, f"desk/{disputed.public_id}/"),
        "replies' desk": at(reviewer, f"counterspeech/{hateful.public_id}/"),
    }


PAGES = ["label", "correction", "training", "desk", "desk item", "replies' desk"]


def test_the_keys_of_every_layout_and_input_method_are_read_alike(
    project: Project, page_of: Opens, live_server: LiveServer
) -> None:
    page = page_of(make_member(project))
    page.goto(f"{live_server.url}/")
    for cases, tag in ((ON_PAGE, "body"), (IN_FIELD, "textarea"), (IN_FIELD, "input")):
        read = page.evaluate(READ, [[event for event, _ in cases], tag])
        assert list(zip((event for event, _ in cases), read, strict=True)) == cases, tag


@pytest.mark.parametrize("name", PAGES)
def test_a_page_answers_to_its_keys_however_they_are_written(name: str, pages: dict[str, Callable[[], Page]]) -> None:
    page = pages[name]()
    assert page.evaluate(END_A_WORD) == 0
    for spelling in ("jamo", "wide", "Process", "Unidentified"):
        pressed, unanswered = page.evaluate(PRESS, spelling)
        assert pressed and not unanswered, spelling


def test_no_other_script_looks_at_a_key_itself() -> None:
    scripts = {
        script.name: script.read_text(encoding="utf-8") for script in Path(settings.BASE_DIR, "static").glob("*.js")
    }
    looking = re.compile(r"event\.key\b|\{ key \}|keyCode|isComposing")
    assert [name for name, text in scripts.items() if looking.search(text) and name != "keys.js"] == []
