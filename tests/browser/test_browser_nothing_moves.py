"""Categories, picture and text stay where they are, whatever is asked beside a post and however it is answered."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from annotation.domain.choices import Modality, PriorDisplay
from annotation.domain.questions.question import Asked, Option, QuestionKind, When
from annotation.models import Membership, Prior, Project, WorkDay
from builders import make_member, make_open_item, make_picture, make_project
from question_builders import make_question

pytestmark = pytest.mark.django_db(transaction=True)

WINDOWS = [(1440, 900), (1366, 768), (1100, 800), (1024, 768), (390, 844), (320, 568)]
WINDOWS += [(844, 390), (720, 450), (360, 225)]
"""Windows of desks, laptops and phones, one on its side, and those of 1440 x 900 at 200 % and 400 %."""
LONG = "A garden on a slope keeps its water where the beds lie across it. " * 25
TEXTS = ["Weeds in the white roses again.", LONG, "장미 사이에 또 잡초가 났다.", "Weeds in the red roses now."]
PLACES = """() => Object.fromEntries(Object.entries({
  keys: ".decide .keys", picture: "#picture", words: ".words", text: ".words > :is(.post-text, .picker):not([hidden])",
}).map(([name, at]) => {
  const box = document.querySelector(at).getBoundingClientRect();
  return [name, [box.x + scrollX, box.y + scrollY, box.width, box.height].map((value) => Math.round(value * 10) / 10)];
}))"""

TOP = "element => element.getBoundingClientRect().top + scrollY"


def asked(project: Project, count: int) -> None:
    """Ask so many questions, of each kind in turn; every other one stands beside hateful categories alone."""
    kinds = [QuestionKind.SCALE, QuestionKind.SPAN, QuestionKind.TEXT, QuestionKind.MANY, QuestionKind.ONE]
    options = tuple(Option(f"a-long-name-of-group-{number}") for number in range(9))
    for number in range(count):
        kind = kinds[number % len(kinds)]
        fields: dict[str, Any] = {"required": number == 0, "when": When(Asked.HATEFUL if number % 2 else Asked.ALWAYS)}
        if kind in (QuestionKind.MANY, QuestionKind.ONE):
            fields["options"] = options
        make_question(project, f"question-{number}", kind, **fields)


@pytest.mark.parametrize("count", [0, 1, 5, 12])
def test_nothing_moves_from_choice_to_choice(
    page_of: Callable[[Membership], Page], live_server: Any, count: int
) -> None:
    project = make_project("garden")
    asked(project, count)
    for place, text in enumerate(TEXTS):
        make_open_item(project, text, picture=make_picture(project, (300, 1200) if place == 2 else (1200, 800)))
    page = page_of(make_member(project))
    page.goto(f"{live_server.url}/p/garden/label/")
    moved = {}
    for width, height in WINDOWS:
        page.set_viewport_size({"width": width, "height": height})
        page.keyboard.press("0")
        page.keyboard.press("Escape")
        before = page.evaluate(PLACES)
        seen = []
        for key in ("1", "Escape", "2", "Escape", "0", "Escape"):
            page.keyboard.press(key)
            seen.append(page.evaluate(PLACES))
        if any(places != before for places in seen):
            moved[width, height] = (before, seen)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert moved == {}


@pytest.mark.parametrize(("width", "height"), [(1440, 900), (1024, 768), (390, 844)])
@pytest.mark.parametrize("count", [0, 5])
def test_nothing_moves_from_post_to_post(
    page_of: Callable[[Membership], Page], live_server: Any, count: int, width: int, height: int
) -> None:
    project = make_project("garden", minutes_a_day=100)
    asked(project, count)
    for text in TEXTS:
        make_open_item(project, text, picture=make_picture(project))
    page = page_of(make_member(project))
    page.set_viewport_size({"width": width, "height": height})
    page.goto(f"{live_server.url}/p/garden/label/")
    seen: list[Any] = []
    for number in range(len(TEXTS)):
        expect(page.locator("#day")).to_contain_text(f"{number} done today")
        seen.append([page.locator(name).bounding_box() for name in (".decide .keys", "#picture")])
        if number == 2:  # back to an earlier answer, and to the open post again
            page.keyboard.press("Backspace")
            expect(page.locator("#changing")).to_be_in_viewport(ratio=1)
            seen.append([page.locator(name).bounding_box() for name in (".decide .keys", "#picture")])
            page.keyboard.press("Escape")
            expect(page.locator("#changing")).to_have_count(0)
        WorkDay.objects.update(active_seconds=85 * 60)  # near the limit from the next post on
        page.keyboard.press("0")
        expect(page.locator("#definition[data-told]")).to_be_visible()
        page.keyboard.press("1" if count else "0")
        page.keyboard.press("Enter")
        expect(page.locator("#day .is-near")).to_be_visible()
    assert seen == [seen[0]] * len(seen)


@pytest.mark.parametrize(("width", "height"), [(1440, 900), (390, 844)])
def test_nothing_moves_when_a_post_is_put_aside_and_comes_back_with_what_was_typed(
    page_of: Callable[[Membership], Page], live_server: Any, width: int, height: int
) -> None:
    project = make_project("garden", daily_goal=60)
    for text in TEXTS:
        make_open_item(project, text, picture=make_picture(project))
    page = page_of(make_member(project))
    page.set_viewport_size({"width": width, "height": height})
    page.goto(f"{live_server.url}/p/garden/label/")
    day = page.locator("#day")
    places = []

    def wait_for(done: int, said: str) -> None:
        expect(day).to_contain_text(f"{done} of 60 today")
        expect(day).to_contain_text(said)
        places.append([page.locator(name).bounding_box() for name in (".decide .keys", "#picture")])

    page.keyboard.press("0")
    page.keyboard.press("Enter")  # the first post has a line on keys
    expect(day).to_contain_text("1 of 60 today")
    text = page.locator(".words").inner_text()
    page.keyboard.press("2")
    page.keyboard.press("l")
    for done in (1, 2):
        wait_for(done, "1 put aside")
        expect(page.locator(".words")).not_to_have_text(text)
        page.keyboard.press("0")
        page.keyboard.press("Enter")
    wait_for(3, "put aside before")
    assert page.locator(".words").inner_text() == text
    expect(page.locator("[data-key='2']")).to_be_checked()
    assert places == [places[0]] * len(places)
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize(("width", "height"), [(1440, 900), (1366, 768), (390, 844)])
def test_a_short_text_begins_at_one_height_whatever_models_say_and_however_it_is_answered(
    page_of: Callable[[Membership], Page], live_server: Any, width: int, height: int
) -> None:
    project = make_project("garden", daily_goal=60, prior_display=PriorDisplay.AFTER_FIRST_ANSWER)
    three_lines = (f"{TEXTS[0]} {TEXTS[3]}", f"{TEXTS[3]} {TEXTS[0]}")
    for text, sentences in ((three_lines[0], 13), (three_lines[1], 13), (TEXTS[2], 1), (TEXTS[3], 5)):
        item = make_open_item(project, text, picture=make_picture(project))
        for modality in Modality:
            said = "A remark about a garden. " * sentences
            Prior.objects.create(item=item, modality=modality, hateful=False, explanation=said, model="m")
    page = page_of(make_member(project))
    page.set_viewport_size({"width": width, "height": height})
    page.goto(f"{live_server.url}/p/garden/label/")
    tops = []

    def look(done: int, said: str) -> None:
        expect(page.locator("#day")).to_contain_text(f"{done} of 60 today")
        expect(page.locator("body")).to_contain_text(said)
        tops.append([page.locator(name).evaluate(TOP) for name in (".words .post-text", "#picture", ".keys")])

    for number in range(3):
        look(number, "Your own view first")
        page.keyboard.press("0")
        page.keyboard.press("Enter")
        look(number, "Keep your answer or change it")
        if number < 2:
            page.keyboard.press("Enter")
    page.keyboard.press("l")
    look(2, "Put aside.")
    page.keyboard.press("Backspace")
    look(2, "The post that you put aside is here again.")
    page.keyboard.press("Backspace")
    expect(page.locator("#changing")).to_be_visible()
    page.keyboard.press("1")
    page.keyboard.press("Enter")
    look(2, "Labelled Racist.")
    assert tops == [tops[0]] * len(tops)


def test_beside_a_post_the_picture_keeps_its_height_and_no_question_is_out_of_reach(
    page_of: Callable[[Membership], Page], live_server: Any
) -> None:
    project = make_project("garden")
    make_open_item(project, TEXTS[0], picture=make_picture(project))
    page = page_of(make_member(project))
    heights = {}
    for count in (0, 12):
        project.questions.all().delete()
        asked(project, count)
        for size in ((1440, 900), (1366, 768)):
            page.set_viewport_size({"width": size[0], "height": size[1]})
            page.goto(f"{live_server.url}/p/garden/label/")
            page.keyboard.press("1")
            heights[count, size] = page.locator("#picture").evaluate("picture => picture.offsetHeight")
    for size in ((1440, 900), (1366, 768)):
        assert heights[12, size] >= 0.6 * heights[0, size]
    last = page.locator("[data-question]").last
    last.scroll_into_view_if_needed()
    expect(last).to_be_in_viewport()
