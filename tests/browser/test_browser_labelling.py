"""The annotator's page in a real browser: by keyboard alone, without JavaScript, on a phone, with hostile words."""

import re
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings
from django.test import Client
from django.utils import timezone
from playwright.sync_api import Browser, BrowserContext, Page, expect

from annotation.domain.choices import Modality, PriorDisplay
from annotation.models import Item, Label, Membership, Prior, Project, Seat, Skip
from builders import make_label, make_member, make_open_item, make_picture, make_project

pytestmark = pytest.mark.django_db(transaction=True)

PAGE = "/p/garden/label/"


class Watched:
    """A page with what must never happen on it written down."""

    def __init__(self, page: Page, origin: str) -> None:
        self.page = page
        self.faults: list[str] = []
        self.addresses: list[str] = []
        page.on("console", lambda said: said.type == "error" and self.faults.append(said.text))
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        page.on("dialog", lambda dialog: (self.faults.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        page.on("request", lambda request: self._asked(request.url, origin))

    def _asked(self, address: str, origin: str) -> None:
        self.addresses.append(address)
        if not address.startswith((origin, "about:")):
            self.faults.append(f"request to {address}")


@pytest.fixture
def project() -> Project:
    return make_project("garden", name="Garden posts")


@pytest.fixture
def wren(project: Project) -> Membership:
    return make_member(project, pseudonym="wren")


@pytest.fixture
def watch(context: BrowserContext, live_server: Any) -> Iterator[Callable[..., Watched]]:
    """Open a page as a member; at the end nothing may have gone wrong on any of them."""
    opened: list[Watched] = []

    def open_as(member: Membership, path: str = PAGE, inside: BrowserContext | None = None) -> Watched:
        place = inside or context
        sign_in(place, member, live_server.url)
        watched = Watched(place.new_page(), live_server.url)
        opened.append(watched)
        watched.page.goto(live_server.url + path)
        return watched

    yield open_as
    assert [fault for watched in opened for fault in watched.faults] == []


def sign_in(context: BrowserContext, member: Membership, origin: str) -> None:
    assert member.user is not None
    client = Client()
    client.force_login(member.user)
    key = client.cookies[settings.SESSION_COOKIE_NAME].value
    context.add_cookies([{"name": settings.SESSION_COOKIE_NAME, "value": key, "url": origin}])


def posts(project: Project, *texts: str) -> list[Item]:
    """Open posts with a picture and two priors, handed out in this order."""
    made = []
    for place, text in enumerate(texts):
        item = make_open_item(project, text, picture=make_picture(project), priority=len(texts) - place)
        for modality in Modality:
            Prior.objects.create(
                item=item,
                modality=modality,
                category=project.categories.get(code=0),
                explanation=f"What the {modality} says alone.",
                severity=1,
                model="dashscope:qwen-plus",
            )
        made.append(item)
    return made


def on_page(page: Page) -> str:
    """The text of the post that is shown."""
    return page.locator(".words blockquote").inner_text()


# Also where another page comes: not while it is half there, for a key pressed then would be lost.
NEXT_IS_THERE = """seat => document.readyState === "complete" && document.getElementById("main")
    && document.getElementById("answer")?.dataset.seat !== seat"""


def next_post(page: Page, press: Callable[[], None]) -> str:
    """Do something that brings the next post, wait for it, and return its text."""
    seat = page.locator("#answer").get_attribute("data-seat")
    press()
    page.wait_for_function(NEXT_IS_THERE, arg=seat)
    return on_page(page)


# ── By keyboard alone ─────────────────────────────────────────────────────────


def test_space_chooses_a_category_that_has_the_focus_and_shows_the_picture_everywhere_else(
    project: Project, wren: Membership, watch: Callable[..., Watched]
) -> None:
    posts(project, "Weeds in the roses.")
    page = watch(wren).page
    first = page.locator("#bench input[name=category]").first
    first.focus()
    page.keyboard.down("Space")
    expect(page.locator("#picture")).to_have_class(re.compile("is-hidden"))
    page.keyboard.up("Space")
    expect(first).to_be_checked()
    page.keyboard.down("Space")  # it is chosen: the key is the picture's again
    expect(page.locator("#picture")).not_to_have_class(re.compile("is-hidden"))
    page.keyboard.up("Space")
    expect(page.locator("#picture")).to_have_class(re.compile("is-hidden"))
    expect(first).to_be_checked()


def test_somebody_labels_by_keyboard_alone(project: Project, wren: Membership, watch: Callable[..., Watched]) -> None:
    items = {item.text: item for item in posts(project, "One.", "Two.", "Three.", "Four.", "Five.")}
    page = watch(wren).page
    keys = page.keyboard
    picture = page.locator("#picture")

    first = on_page(page)
    keys.down("Space")
    expect(picture.locator("img.original")).to_be_visible()
    keys.up("Space")
    expect(picture.locator("img.original")).to_have_count(0)
    expect(picture).to_have_class(re.compile("is-hidden"))
    keys.press("1")
    expect(page.locator("input[name=category][value='1']")).to_be_checked()
    keys.press("n")
    keys.type("A note of mine, with 2 and s in it.")
    keys.press("Escape")
    keys.press("c")
    page.locator("#id_challenge_text").press("h")  # the list opens at "hateful"
    page.keyboard.press("Escape")
    second = next_post(page, lambda: keys.press("Enter"))
    label = Label.objects.get()
    assert (label.item, label.category.code if label.category else None) == (items[first], 1)
    assert label.note == "A note of mine, with 2 and s in it."
    assert label.challenges == [{"modality": "text", "category": None, "hateful": True}]
    assert label.reveals == 1
    assert label.seconds is not None and 0 < label.seconds < 60

    keys.press("u")
    third = next_post(page, lambda: keys.press("Enter"))
    assert Label.objects.get(item=items[second]).not_sure

    keys.press("q")
    keys.press("0")
    fourth = next_post(page, lambda: keys.press("Enter"))
    flagged = Label.objects.get(item=items[third])
    assert flagged.low_quality and flagged.category is not None and flagged.category.code == 0

    keys.press("s")
    expect(page.locator("#skipping")).to_be_visible()
    keys.type("too close to home")
    next_post(page, lambda: keys.press("Enter"))
    assert Skip.objects.get().item == items[fourth]
    assert Skip.objects.get().reason == "too close to home"

    Skip.objects.update(created_at=timezone.now() - timedelta(minutes=1))  # it can be taken back for half of one
    keys.press("Backspace")
    page.wait_for_url("**/label/own/*/")
    assert on_page(page) == third
    keys.press("5")
    keys.press("Enter")
    page.wait_for_url(f"**{PAGE}")
    assert Seat.objects.get(item=items[third], annotator=wren).label.category.code == 5  # type: ignore[union-attr]


def test_the_keys_for_the_screen_do_what_they_say(
    project: Project, wren: Membership, watch: Callable[..., Watched]
) -> None:
    posts(project, "One.")
    page = watch(wren).page
    keys, picture = page.keyboard, page.locator("#picture")
    keys.press("b")
    expect(picture.locator("img.original")).to_be_visible()
    expect(page.locator("[data-press=b]")).to_have_attribute("aria-pressed", "true")
    keys.press("z")
    box = picture.bounding_box()
    assert box is not None and (box["width"], box["height"]) == (1440, 900)
    keys.press("Escape")
    keys.press("b")
    expect(picture.locator("img.original")).to_have_count(0)
    with page.expect_response("**/look/"):
        keys.press("y")
    assert wren.user is not None
    wren.user.refresh_from_db()
    assert not wren.user.grey
    keys.press("g")
    expect(page.locator("#drawer")).to_be_visible()
    expect(page.locator("#drawer-text")).to_contain_text("Label what text and picture mean")
    keys.press("g")
    expect(page.locator("#drawer")).to_be_hidden()
    keys.press("p")
    page.wait_for_url("**/pause/")
    expect(page.get_by_role("link", name="Back to work")).to_be_focused()
    keys.press("Enter")
    page.wait_for_url(f"**{PAGE}")
    keys.press("r")
    page.wait_for_url("**/report/")


def test_a_key_pressed_the_moment_a_panel_closes_is_not_lost(
    project: Project, wren: Membership, watch: Callable[..., Watched]
) -> None:
    """Until the next frame, which may be late on a busy machine, a field that is no longer seen keeps the focus."""
    posts(project, "One.")
    page = watch(wren).page
    page.keyboard.press("c")
    expect(page.locator("#id_challenge_text")).to_be_focused()
    page.evaluate(
        """() => {
            document.getElementById("challenge").hidePopover();
            document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key: "1", bubbles: true }));
        }"""
    )
    expect(page.locator("input[name=category][value='1']")).to_be_checked()


def test_one_own_view_comes_first_and_is_kept_or_changed(
    project: Project, wren: Membership, watch: Callable[..., Watched]
) -> None:
    Project.objects.update(prior_display=PriorDisplay.AFTER_FIRST_ANSWER)
    posts(project, "One.", "Two.")
    page = watch(wren).page
    assert "What the text says alone." not in page.content()
    page.keyboard.press("2")
    page.keyboard.press("Enter")
    expect(page.get_by_text("What the text says alone.")).to_be_visible()
    expect(page.locator("input[name=category][value='2']")).to_be_checked()
    next_post(page, lambda: page.keyboard.press("Enter"))
    label = Label.objects.get()
    assert label.category is not None and label.category.code == 2
    assert label.first_answer is not None and label.first_answer["category"] == 2


def test_nothing_of_the_original_is_fetched_before_a_reveal_nor_of_the_next_post(
    project: Project, wren: Membership, watch: Callable[..., Watched]
) -> None:  # T24
    posts(project, "One.", "Two.")
    watched = watch(wren)
    expect(watched.page.locator("#bench img[src$='/blurred/']")).to_have_count(2)
    pictures = [address for address in watched.addresses if address.endswith(("/blurred/", "/picture/"))]
    assert len(pictures) == 2 and all(address.endswith("/blurred/") for address in pictures)
    assert len(watched.addresses) <= 12
    assert "/picture/" not in watched.page.content()


def test_the_picture_hides_when_the_page_is_left(
    project: Project, wren: Membership, watch: Callable[..., Watched]
) -> None:
    posts(project, "One.")
    page = watch(wren).page
    page.keyboard.press("b")
    expect(page.locator("img.original")).to_be_visible()
    page.evaluate("window.dispatchEvent(new Event('blur'))")
    expect(page.locator("img.original")).to_have_count(0)


def test_what_was_typed_survives_a_reload_and_a_lost_connection(
    project: Project, wren: Membership, context: BrowserContext, live_server: Any
) -> None:
    posts(project, "One.", "Two.")
    sign_in(context, wren, live_server.url)
    page = context.new_page()
    page.goto(live_server.url + PAGE)
    page.keyboard.press("3")
    page.keyboard.press("n")
    page.keyboard.type("half a thought")
    page.keyboard.press("Escape")
    page.reload()
    expect(page.locator("#id_note")).to_have_value("half a thought")
    expect(page.locator("input[name=category][value='3']")).to_be_checked()
    context.set_offline(True)
    page.keyboard.press("Enter")
    expect(page.locator("#messages")).to_contain_text("cannot be reached")
    next_post(page, lambda: context.set_offline(False))  # it is sent again by itself
    assert [label.note for label in Label.objects.all()] == ["half a thought"]


def test_a_session_that_ended_leads_to_the_sign_in_and_back_to_what_was_typed(
    project: Project, wren: Membership, context: BrowserContext, live_server: Any
) -> None:
    posts(project, "One.")
    sign_in(context, wren, live_server.url)
    page = context.new_page()
    page.goto(live_server.url + PAGE)
    page.keyboard.press("4")
    context.clear_cookies()
    page.keyboard.press("Enter")
    page.wait_for_url("**/accounts/login/**")
    sign_in(context, wren, live_server.url)
    page.goto(live_server.url + PAGE)
    expect(page.locator("input[name=category][value='4']")).to_be_checked()


def test_an_answer_that_came_too_late_is_kept_on_the_page_of_the_next_post(
    project: Project, wren: Membership, context: BrowserContext, live_server: Any
) -> None:
    one, _two = posts(project, "One.", "Two.")
    sign_in(context, wren, live_server.url)
    page = context.new_page()
    page.goto(live_server.url + PAGE)
    shown = Item.objects.get(project=project, text=on_page(page))
    page.keyboard.press("1")
    page.keyboard.press("n")
    page.keyboard.type("my careful words")
    page.keyboard.press("Escape")
    Item.objects.filter(pk=shown.pk).update(stage="excluded")
    next_post(page, lambda: page.keyboard.press("Enter"))
    expect(page.locator("#said")).to_contain_text("my careful words")
    expect(page.locator("#said")).to_contain_text("Racist")
    assert one.project == project and not Label.objects.exists()


# ── Without JavaScript, on a phone, in the dark ───────────────────────────────


def test_everything_works_without_javascript(
    project: Project, wren: Membership, browser: Browser, watch: Callable[..., Watched]
) -> None:
    posts(project, "One.", "Two.", "Three.")
    plain = browser.new_context(java_script_enabled=False)
    page = watch(wren, inside=plain).page
    shown = on_page(page)
    page.locator(".key", has_text="Racist").click()
    page.get_by_role("button", name="Reveal the picture").click()
    assert page.locator("#picture img").get_attribute("src", timeout=5000).endswith("/picture/")  # type: ignore[union-attr]
    assert page.locator("input[name=category][value='1']").is_checked()
    page.get_by_role("button", name="Hide the picture").click()
    page.get_by_role("button", name="Note", exact=False).click()
    page.locator("#id_note").fill("by hand")
    page.get_by_role("button", name="Done").click()
    page.get_by_role("button", name="Submit and next").click()
    label = Label.objects.get()
    assert (label.item.text, label.note, label.reveals) == (shown, "by hand", 1)
    skipped = on_page(page)
    assert skipped != shown
    page.get_by_role("button", name="Skip").first.click()
    page.locator("#skipping").get_by_role("button", name="Skip").click()
    assert Skip.objects.count() == 1
    page.get_by_role("button", name="Undo").click()
    assert (on_page(page), Skip.objects.count()) == (skipped, 0)
    page.get_by_role("button", name="Undo").click()
    assert on_page(page) == shown
    page.locator(".key", has_text="Sexist").click()
    page.get_by_role("button", name="Save the change").click()
    assert Seat.objects.get(label__isnull=False).label.category.code == 2  # type: ignore[union-attr]
    plain.close()


def test_on_a_phone_the_key_bar_leaves_the_first_prior_in_sight(
    project: Project, wren: Membership, browser: Browser, watch: Callable[..., Watched]
) -> None:
    posts(project, "Weeds in the white roses again. Somebody should really do something about them.")
    phone = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    page = watch(wren, inside=phone).page
    bar = page.locator("#decide").bounding_box()
    prior = page.locator(".prior header").first.bounding_box()
    assert bar is not None and prior is not None
    assert bar["height"] <= 160
    assert bar["y"] + bar["height"] == pytest.approx(844, abs=1)
    assert prior["y"] + prior["height"] <= bar["y"]
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    page.get_by_role("button", name="More").tap()
    page.locator("#more").get_by_role("button", name="Note").tap()
    expect(page.locator("#id_note")).to_be_visible()
    page.locator("#note").get_by_role("button", name="Done").tap()
    for target in page.locator("#decide label:visible, #decide .decide-form > .actions > button:visible").all():
        box = target.bounding_box()
        assert box is not None and box["height"] >= 40
    page.locator(".key", has_text="Racist").tap()
    page.get_by_role("button", name="Submit and next").tap()
    page.wait_for_url(f"**{PAGE}")
    expect(page.get_by_text("Nothing left for you right now")).to_be_visible()
    phone.close()


def test_the_page_fits_a_laptop_without_scrolling(
    project: Project, wren: Membership, watch: Callable[..., Watched]
) -> None:
    posts(project, "Long words. " * 800)
    page = watch(wren).page
    assert page.evaluate("[document.documentElement.scrollHeight, document.documentElement.scrollWidth]") == [900, 1440]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_words_stand_out_from_their_ground_in_both_themes(
    project: Project, wren: Membership, watch: Callable[..., Watched], theme: str
) -> None:
    assert wren.user is not None
    wren.user.theme = theme
    wren.user.save()
    posts(project, "One.")
    page = watch(wren).page
    page.keyboard.press("1")
    assert page.evaluate("document.documentElement.dataset.theme") == theme
    assert page.evaluate(LEAST_CONTRAST) >= 4.5


# The least contrast of any visible text with the nearest painted ground behind it (WCAG 2.2, 1.4.3).
LEAST_CONTRAST = """() => {
  const canvas = new OffscreenCanvas(1, 1).getContext('2d', {willReadFrequently: true});
  const rgb = (colour) => { canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data]; };
  const light = (c) => { const [r, g, b] = c.slice(0, 3).map(v => { v /= 255;
    return v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4; }); return .2126 * r + .7152 * g + .0722 * b; };
  let least = 21;
  for (const element of document.querySelectorAll('body *')) {
    if (![...element.childNodes].some(n => n.nodeType === 3 && n.data.trim())) continue;
    if (!element.checkVisibility({visibilityProperty: true})) continue;
    if (element.closest('.visually-hidden, .skip-link')) continue;
    let ground = element, paint;
    do {
      paint = rgb(getComputedStyle(ground).backgroundColor);
      ground = ground.parentElement;
    } while (paint[3] < 255 && ground);
    const [a, b] = [light(rgb(getComputedStyle(element).color)), light(paint)].sort((x, y) => y - x);
    least = Math.min(least, (a + .05) / (b + .05));
  }
  return least;
}"""


# ── Hostile words ─────────────────────────────────────────────────────────────

HOSTILE = " ".join(
    (
        "<script>alert(1)</script>",
        '<img src=x onerror=alert(1)>"><svg/onload=alert(1)>',
        '<div hx-get="/export" hx-trigger="load"></div>',
        "{{7*7}} {% debug %} ${7*7}",
        "</textarea><form action=//evil>",
        "<style>*{background:url(//evil)}</style>",
        "[x](javascript:alert(1)) ![p](http://evil.example/?d=1)",
    )
)


def test_hostile_words_do_nothing_on_any_page_of_the_way(
    project: Project, wren: Membership, watch: Callable[..., Watched], live_server: Any
) -> None:  # T5, B40-B44, B51
    one, _two = posts(project, HOSTILE, HOSTILE)
    Prior.objects.update(explanation=HOSTILE, model=HOSTILE[:120])
    project.guidelines.update(text=HOSTILE)
    project.categories.update(definition=HOSTILE)
    project.categories.filter(code=1).update(name=HOSTILE[:60])
    Project.objects.update(name=HOSTILE[:120], description=HOSTILE, operator_contact=HOSTILE, content_warning=HOSTILE)
    make_label(one.seat_rows.order_by("number")[2], wren, 1, note=HOSTILE, target_group=HOSTILE[:200])
    watched = watch(wren)
    page = watched.page
    page.keyboard.press("1")
    page.keyboard.press("g")
    expect(page.locator("#drawer-text")).to_contain_text("<script>alert(1)</script>")
    page.keyboard.press("Escape")
    page.keyboard.press("n")
    page.locator("#id_note").fill(HOSTILE)
    page.keyboard.press("Escape")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Nothing left for you right now")).to_be_visible()
    label = Label.objects.filter(annotator=wren).latest("pk")
    for path in ("/", "/p/garden/history/", "/p/garden/guidelines/", "/p/garden/help/", "/p/garden/pause/",
                 "/p/garden/leave/", "/p/garden/consent/", f"{PAGE}own/{label.public_id}/"):  # fmt: skip
        page.goto(live_server.url + path)
        page.wait_for_load_state("networkidle")
        assert "/export" not in "".join(watched.addresses)


def test_ten_thousand_marks_on_one_letter_stay_in_their_box_and_the_page_answers(
    project: Project, wren: Membership, watch: Callable[..., Watched]
) -> None:  # B24
    posts(project, "Z" + "\u0301" * 10_000)
    page = watch(wren).page
    box, bar = page.locator(".words").bounding_box(), page.locator("#decide").bounding_box()
    assert box is not None and bar is not None
    assert box["y"] + box["height"] <= bar["y"]
    assert page.locator(".words").evaluate("e => getComputedStyle(e).overflowY") == "auto"


@pytest.mark.parametrize("quota", [None, 1])
def test_the_last_answer_is_taken_back_by_key_where_no_further_post_comes(
    project: Project, wren: Membership, watch: Callable[..., Watched], quota: int | None
) -> None:
    item = make_open_item(project, "Roses in the rain.", seats=2)
    make_label(item.seat_rows.order_by("number")[0], make_member(project), 1)
    Membership.objects.filter(pk=wren.pk).update(quota=quota)
    page = watch(wren).page
    page.keyboard.press("2")
    page.keyboard.press("Enter")
    again = page.get_by_role("button", name="Undo my last answer")
    expect(again).to_be_visible()
    page.wait_for_load_state()  # the script with the keys comes last
    page.keyboard.press("Backspace")
    expect(page.get_by_text("Roses in the rain.")).to_be_visible()
    expect(page.locator("[name=category]:checked")).to_have_value("2")
    assert not Seat.objects.filter(annotator=wren, label__isnull=False).exists()
    page.wait_for_load_state()
    page.keyboard.press("1")
    page.keyboard.press("Enter")
    expect(again).to_be_visible()
    assert Item.objects.values_list("stage", "category__code").get() == ("gold", 1)


def test_a_question_of_its_own_stands_above_the_categories_on_a_phone_too(
    project: Project, wren: Membership, watch: Callable[..., Watched], browser: Browser
) -> None:
    make_open_item(project, "Roses in the rain.")
    phone = browser.new_context(viewport={"width": 390, "height": 844})
    page = watch(wren, inside=phone).page
    expect(page.locator("#together")).to_be_hidden()  # the site's own words: the keys say enough
    Project.objects.filter(pk=project.pk).update(question={"": "What does this post say about gardens?"})
    page.reload()
    expect(page.get_by_text("What does this post say about gardens?")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    phone.close()


def test_what_was_done_a_moment_ago_is_said_and_taken_back(
    project: Project, wren: Membership, watch: Callable[..., Watched]
) -> None:
    first, second, third = posts(project, "One.", "Two.", "Three.")
    page = watch(wren).page
    line, names = page.locator("#definition"), [item.text for item in (first, second, third)]
    skipped = on_page(page)
    page.keyboard.press("s")
    page.keyboard.press("Enter")
    expect(line).to_have_text("Skipped. Backspace takes it back.")
    page.keyboard.press("Backspace")
    expect(page.locator(".words blockquote")).to_have_text(skipped)
    next_post(page, lambda: [page.keyboard.press(key) for key in ("1", "Enter")])
    expect(line).to_have_text("Labelled Racist. Backspace goes back.")
    page.keyboard.press("2")
    expect(line).to_contain_text("Sexist")
    open_post = on_page(page)
    page.keyboard.press("Backspace")
    expect(page.locator("#changing")).to_contain_text("Racist")
    expect(page.locator("#changing")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator(".words blockquote")).to_have_text(open_post)
    assert open_post in names and not Skip.objects.exists()


def test_a_slow_answer_is_said_and_a_cut_one_is_sent_again_with_its_key(
    project: Project, wren: Membership, context: BrowserContext, live_server: Any
) -> None:
    posts(project, "One.", "Two.", "Three.")
    sign_in(context, wren, live_server.url)
    page = context.new_page()
    page.goto(live_server.url + PAGE)
    button, held = page.locator("[data-submit]"), []
    page.route("**/label/*/", lambda route: held.append(route))
    page.keyboard.press("1")
    page.keyboard.press("Enter")
    expect(button).to_have_text("Sending…")
    first = on_page(page)
    held[0].fetch()  # stored, and the answer is lost
    held[0].abort()
    page.unroute("**/label/*/")
    expect(page.locator(".words blockquote")).not_to_have_text(first)
    expect(button).to_contain_text("Submit and next")
    assert Label.objects.count() == 1
