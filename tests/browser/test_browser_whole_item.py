"""The whole way of an item in a real browser: a ZIP comes in by a worker, three people label by keyboard alone, a
reviewer settles, the admin releases, and the release verifies; under both policies, and where one's own view comes
first, and without JavaScript."""

import json
import os
import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from PIL import Image
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Response, expect

from annotation.domain.choices import Level, Policy, PriorDisplay, Reason, Role, Source, Stage
from annotation.imports import job
from annotation.models import Adjudication, Import, Item, Label, Membership, Picture, Project, Replacement
from builders import make_member, make_project, make_user

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]

PASSWORD = "a long enough passphrase"
TRIO = ("wren", "robin", "dove")
GOLD, DISPUTED, EXCLUDED = Stage.GOLD, Stage.DISPUTED, Stage.EXCLUDED


@dataclass(frozen=True)
class Ending:
    """Where a closed item is: the stage, and every reason in force."""

    stage: Stage
    reasons: frozenset[Reason] = frozenset()


def ended(stage: Stage, *reasons: Reason) -> Ending:
    return Ending(stage, frozenset(reasons))


@dataclass(frozen=True)
class Post:
    """A post of the ZIP, what the three annotators press for it, and where the design says that it ends."""

    keys: tuple[str, str, str]
    """A word each: keys pressed before Enter; `c` challenges the text's prior as hateful."""
    level: Level | None
    review: Ending
    paper: Ending
    pattern: str | None = None
    """Text, picture, together once it is closed."""
    intended: int | None = None


# Both priors of every post say 0. Design section 3, the table of reasons; section 4, the rules.
POSTS = {
    "All three say one": Post(("1", "1", "1"), Level.PERFECT, ended(GOLD), ended(GOLD), "001", intended=1),
    "Two kinds, one has most": Post(("1", "1", "2"), Level.STRONG, ended(GOLD), ended(GOLD), "001", intended=1),
    "Most see nothing in it": Post(("0", "1", "0"), Level.WEAK, ended(GOLD), ended(GOLD), "000"),
    "Everybody sees something else": Post(
        ("0", "1", "2"), Level.NONE, ended(DISPUTED, Reason.NO_MAJORITY), ended(EXCLUDED, Reason.NO_MAJORITY)
    ),
    "Hateful, but which kind": Post(
        ("1", "2", "3"),
        Level.STRONG,
        ended(DISPUTED, Reason.KIND_UNDECIDED),
        ended(DISPUTED, Reason.KIND_UNDECIDED),
        "001",
    ),
    "One cannot tell": Post(("0", "u", "0"), None, ended(DISPUTED, Reason.NOT_SURE), ended(DISPUTED, Reason.NOT_SURE)),
    "One can hardly read it": Post(
        ("0", "0", "q0"), Level.PERFECT, ended(DISPUTED, Reason.LOW_QUALITY), ended(EXCLUDED, Reason.LOW_QUALITY), "000"
    ),
    "Meant as one, read as two": Post(
        ("2", "2", "2"),
        Level.PERFECT,
        ended(DISPUTED, Reason.MISALIGNED),
        ended(EXCLUDED, Reason.MISALIGNED),
        "001",
        intended=1,
    ),
    "Flagged and misread": Post(
        ("q3", "3", "3"),
        Level.PERFECT,
        ended(DISPUTED, Reason.LOW_QUALITY, Reason.MISALIGNED),
        ended(EXCLUDED, Reason.LOW_QUALITY),
        "001",
        intended=1,
    ),
    "One doubts what the text says alone": Post(
        ("1", "c1", "1"), Level.PERFECT, ended(DISPUTED, Reason.PRIOR_CHALLENGED), ended(GOLD), "001"
    ),
    "Two doubt what the text says alone": Post(("c1", "c1", "1"), Level.PERFECT, ended(GOLD), ended(GOLD), "101"),
}
KIND, UNSURE = "Hateful, but which kind", "One cannot tell"


# ── People at their browsers ──────────────────────────────────────────────────


@pytest.fixture
def open_page() -> Iterator[Callable[[BrowserContext], Page]]:
    """Opens pages on which nothing may go wrong: no refusal by the content policy, no error, no failed answer."""
    faults: list[str] = []

    def said(message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            faults.append(message.text)

    def answered(response: Response) -> None:
        if response.status >= 400:
            faults.append(f"{response.status}: {response.url}")

    def opened(context: BrowserContext) -> Page:
        page = context.new_page()
        page.on("console", said)
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("response", answered)
        return page

    yield opened
    assert faults == []


@pytest.fixture
def meet(
    browser: Browser, live_server: Any, open_page: Callable[[BrowserContext], Page]
) -> Iterator[Callable[..., Page]]:
    """People who sign in by keyboard, each in a browser of their own."""
    contexts: list[BrowserContext] = []

    def sign_in(name: str, **how: Any) -> Page:
        context = browser.new_context(viewport={"width": 1440, "height": 900}, base_url=live_server.url, **how)
        context.set_default_timeout(20_000)  # three at once, and perhaps a busy machine
        contexts.append(context)
        page = open_page(context)
        page.goto("/accounts/login/")
        tab_to(page, "id_login")
        page.keyboard.type(name)
        page.keyboard.press("Tab")
        page.keyboard.type(PASSWORD)
        page.keyboard.press("Enter")
        page.wait_for_url(f"{live_server.url}/")
        return page

    yield sign_in
    for context in contexts:
        context.close()


def campaign(**fields: Any) -> Project:
    """A closed project with an admin, three annotators who have agreed to nothing yet, and a reviewer."""
    project = make_project("winter", name="Winter campaign", is_open=False, **fields)
    make_member(project, Role.ADMIN, user=make_user("kestrel", PASSWORD))
    for name in TRIO:
        make_member(project, user=make_user(name, PASSWORD), pseudonym=name, consent_version=0)
    make_member(project, Role.REVIEWER, user=make_user("heron", PASSWORD), pseudonym="heron")
    return project


def tab_to(page: Page, name: str) -> None:
    """Press Tab until the field with this id has the focus."""
    for _step in range(60):
        if page.evaluate("document.activeElement.id") == name:
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"Tab does not lead to {name}")


# ── A file comes in ───────────────────────────────────────────────────────────


def posts_in_a_zip(path: Path, texts: Sequence[str], *, large: bool = False) -> Path:
    """Posts with a picture each and both priors; a large file holds one picture of noise, which is never small."""
    rows = []
    with zipfile.ZipFile(path, "w") as archive:
        for number, text in enumerate(texts):
            name = f"pictures/{number}.png"
            archive.writestr(name, drawn(number, noise=large and number == 0))
            row: dict[str, Any] = {"id": f"w-{number}", "text": text, "image": name, "batch": "pilot"}
            row |= {"text_label": 0, "text_explanation": "The text says nothing.", "text_model": "sample"}
            row |= {"image_label": 0, "image_explanation": "The picture says nothing.", "image_model": "sample"}
            rows.append(row | {"intended": POSTS[text].intended if text in POSTS else None})
        archive.writestr("posts.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    return path


def drawn(number: int, *, noise: bool) -> bytes:
    size = (900, 900) if noise else (160, 120)
    out = BytesIO()
    picture = Image.frombytes("RGB", size, os.urandom(size[0] * size[1] * 3)) if noise else None
    (picture or Image.new("RGB", size, (20 * number, 90, 120))).save(out, "PNG")
    return out.getvalue()


def import_and_open(page: Page, file: Path, count: int) -> None:
    """Check a file, import it, open its items and then the project, all by the pages' own buttons."""
    page.goto("/p/winter/import/")
    page.locator("main input[type=file]").first.set_input_files(file)
    page.get_by_role("button", name="Check the file").click()
    expect(page.get_by_role("heading", name="Every row can be imported")).to_be_visible(timeout=30_000)
    assert not Item.objects.exists()
    page.get_by_role("button", name=f"Import {count} rows").click()
    expect(page.get_by_role("heading", name=f"{count} items are imported")).to_be_visible(timeout=30_000)
    page.goto("/p/winter/items/open/")
    page.get_by_role("button", name=f"Open {count} ready items").click()
    expect(page.get_by_text(f"{count} items are open for labelling.")).to_be_visible()
    page.get_by_role("button", name="Open the project").click()
    expect(page.get_by_text("annotators get items again")).to_be_visible()


# ── Three people label ────────────────────────────────────────────────────────


def begin(page: Page) -> None:
    """Agree to the content warning by keyboard, and reach the first post."""
    page.goto("/p/winter/label/")
    expect(page.get_by_role("heading", name="Content warning")).to_be_visible()
    tab_to(page, "id_agree")
    page.keyboard.press("Space")
    page.keyboard.press("Enter")
    page.wait_for_url("**/p/winter/label/")


def text_on(page: Page) -> str:
    return page.locator(".words blockquote").inner_text()


def look(page: Page) -> None:
    """Hold Space until the picture is there, and let go."""
    page.keyboard.down("Space")
    expect(page.locator("#picture img.original")).to_be_visible()
    page.keyboard.up("Space")
    expect(page.locator("#picture img.original")).to_have_count(0)


def label_by_keys(page: Page, keys: str) -> None:
    """Press the keys one by one, then Enter, and wait for what comes next."""
    for key in keys:
        page.keyboard.press(key)
        if key == "c":
            page.keyboard.press("h")  # the list, which has the focus, goes to "hateful"
            page.keyboard.press("Escape")
    hand_in(page)


# Also where another page comes: not while it is half there, for a key pressed then would be lost.
NEXT_IS_THERE = """seat => document.readyState === "complete" && document.getElementById("main")
    && document.getElementById("answer")?.dataset.seat !== seat"""


def hand_in(page: Page) -> None:
    seat = page.locator("#answer").get_attribute("data-seat")
    page.keyboard.press("Enter")
    page.wait_for_function(NEXT_IS_THERE, arg=seat)


def leave_a_note(page: Page) -> None:
    """By its key, with letters and digits that are keys elsewhere."""
    page.keyboard.press("n")
    page.keyboard.type("Seen it before: 2 x, s and q.")
    page.keyboard.press("Escape")


@contextmanager
def on_a_phone(page: Page) -> Iterator[None]:
    """The page as it is at 390 px: no wider, and its keys at hand."""
    page.set_viewport_size({"width": 390, "height": 844})
    bar = page.locator("#decide").bounding_box()
    assert bar is not None and bar["height"] <= 160 and bar["y"] + bar["height"] == pytest.approx(844, abs=1)
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    yield
    page.set_viewport_size({"width": 1440, "height": 900})


def label_all(pages: Sequence[Page]) -> None:
    """All three at the same time, post by post, each in an order of their own; the third is on a phone once."""
    for which, page in enumerate(pages):
        begin(page)
        look(page)
        if which == 0:
            leave_a_note(page)
    for turn in range(len(POSTS)):
        for which, page in enumerate(pages):
            keys = POSTS[text_on(page)].keys[which]
            with on_a_phone(page) if (turn, which) == (3, 2) else nullcontext():
                label_by_keys(page, keys)
    for page in pages:
        expect(page.get_by_role("heading", name="Nothing left for you right now")).to_be_visible()


def endings() -> dict[str, tuple[Ending, str | None, str | None]]:
    """Of each item by its text: where it is and why, its level, its pattern."""
    found = {}
    for item in Item.objects.all():
        reasons = [*item.disputes.filter(settled_at=None).values_list("reason", flat=True)]
        reasons += [item.excluded_for] if item.excluded_for else []
        found[item.text] = (ended(Stage(item.stage), *map(Reason, reasons)), item.level, item.pattern)
    return found


# ── A reviewer and the release ────────────────────────────────────────────────


def settle_the_kind(page: Page) -> None:
    page.goto("/p/winter/desk/?reason=kind_undecided")
    page.keyboard.press("j")
    expect(page.locator(".post-text")).to_have_text(KIND)
    page.wait_for_load_state("load")
    page.keyboard.press("2")
    page.keyboard.press("r")
    page.keyboard.type("The picture names them; 1 and x are only letters here.")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_text("That was the last one here.")).to_be_visible()


def give_the_missing_category(page: Page) -> None:
    page.goto("/p/winter/desk/?reason=not_sure")
    page.keyboard.press("j")
    page.wait_for_url("**/missing/?reason=not_sure")
    expect(page.locator(".post-text")).to_have_text(UNSURE)
    page.wait_for_load_state("load")
    assert page.locator(".ballot").count() == 0
    page.keyboard.press("0")
    page.keyboard.press("n")
    page.keyboard.type("A hedge is a hedge.")
    page.keyboard.press("Enter")
    page.wait_for_url("**/desk/?reason=not_sure")


def make_a_release(page: Page, folder: Path) -> Path:
    """Make it on the page, verify it there, and download it; where the files lie afterwards."""
    page.goto("/p/winter/releases/")
    page.get_by_role("button", name="Make the release").click()
    page.wait_for_url("**/releases/1/")
    page.get_by_role("button", name="Verify now").click()
    expect(page.get_by_text("The release is complete and unchanged.")).to_be_visible()
    with page.expect_download() as download:
        page.get_by_role("link", name="Download all (ZIP)").click()
    with zipfile.ZipFile(download.value.path()) as archive:
        archive.extractall(folder)
    return folder / "winter-release-1"


def command(name: str, *arguments: str) -> Any:
    """What a command prints with --json."""
    out = StringIO()
    call_command(name, *arguments, "--json", stdout=out)
    return json.loads(out.getvalue())


def released(folder: Path) -> dict[str, dict[str, Any]]:
    """The rows of a release by their text."""
    lines = (folder / "items.jsonl").read_text(encoding="utf-8").splitlines()
    return {row["text"]: row for row in map(json.loads, lines)}


# ── The whole way ─────────────────────────────────────────────────────────────


@pytest.mark.parametrize("policy", list(Policy))
def test_items_go_the_whole_way_from_a_zip_to_a_verified_release(
    policy: Policy, meet: Callable[..., Page], worker: None, tmp_path: Path
) -> None:
    campaign(policy=policy)
    admin = meet("kestrel")
    file = posts_in_a_zip(tmp_path / "winter.zip", list(POSTS), large=True)
    assert file.stat().st_size > job.SMALL  # so the page hands it to the worker
    import_and_open(admin, file, count=len(POSTS))
    assert Picture.objects.count() == len(POSTS)
    assert Import.objects.get().outcome["seconds"] > 0

    label_all([meet(name) for name in TRIO])
    expected = {text: (getattr(post, policy), post.level, post.pattern) for text, post in POSTS.items()}
    assert endings() == expected
    assert Label.objects.count() == 3 * len(POSTS)
    assert Label.objects.exclude(note="").get().note == "Seen it before: 2 x, s and q."
    assert {label.annotator.pseudonym for label in Label.objects.filter(reveals=1)} == set(TRIO)

    heron = meet("heron")
    settle_the_kind(heron)
    give_the_missing_category(heron)
    kind, unsure = Item.objects.get(text=KIND), Item.objects.get(text=UNSURE)
    assert (kind.stage, kind.category_source, kind.level) == (GOLD, Source.ADJUDICATED, Level.STRONG)
    assert Adjudication.objects.get().rationale == "The picture names them; 1 and x are only letters here."
    assert (unsure.stage, unsure.category_source, unsure.level) == (GOLD, Source.CONSENSUS, Level.PERFECT)
    assert Replacement.objects.get().label.not_sure

    folder = make_a_release(admin, tmp_path / "download")
    assert command("check_release", str(folder)) == {"ok": True, "problems": []}
    rows = released(folder)
    gold = {text for text, post in POSTS.items() if getattr(post, policy).stage == GOLD} | {KIND, UNSURE}
    assert rows.keys() == gold
    assert (rows[KIND]["gold"], rows[KIND]["source"]) == (2, "adjudicated")
    assert (rows[UNSURE]["gold"], rows[UNSURE]["pattern"]) == (0, "000")
    assert command("audit", "winter")["ok"]


# ── One's own view first ──────────────────────────────────────────────────────


def answer_twice(page: Page, first: str, then: str) -> None:
    """A first answer without any help; then the parts open, and the answer is kept (Enter alone) or changed."""
    assert "says nothing" not in page.content()
    page.keyboard.press(first)
    page.keyboard.press("Enter")
    expect(page.get_by_text("The text says nothing.")).to_be_visible()
    expect(page.locator(f"input[name=category][value='{first}']")).to_be_checked()
    label_by_keys(page, then)


def test_a_first_view_is_kept_or_changed_once_the_parts_are_shown(meet: Callable[..., Page], tmp_path: Path) -> None:
    campaign(prior_display=PriorDisplay.AFTER_FIRST_ANSWER)
    import_and_open(meet("kestrel"), posts_in_a_zip(tmp_path / "few.zip", ["A fence", "A gate"]), count=2)
    said = {"A fence": (("1", ""), ("2", ""), ("1", "2")), "A gate": (("0", ""), ("0", ""), ("4", "0"))}
    for which, name in enumerate(TRIO):
        page = meet(name)
        begin(page)
        for _post in said:
            answer_twice(page, *said[text_on(page)][which])
        expect(page.get_by_role("heading", name="Nothing left for you right now")).to_be_visible()

    fence, gate = Item.objects.get(text="A fence"), Item.objects.get(text="A gate")
    assert (fence.stage, fence.level, fence.category and fence.category.code) == (GOLD, Level.STRONG, 2)
    assert (gate.stage, gate.level, gate.category and gate.category.code) == (GOLD, Level.PERFECT, 0)
    firsts = {text: sorted(label.first_answer["category"] for label in labels) for text, labels in by_text().items()}
    assert firsts == {"A fence": [1, 1, 2], "A gate": [0, 0, 4]}


def by_text() -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {}
    for label in Label.objects.select_related("item"):
        found.setdefault(label.item.text, []).append(label)
    return found


# ── Without JavaScript ────────────────────────────────────────────────────────


def test_the_way_from_a_file_to_gold_needs_no_javascript(meet: Callable[..., Page], tmp_path: Path) -> None:
    campaign(prior_display=PriorDisplay.AFTER_FIRST_ANSWER)
    admin = meet("kestrel", java_script_enabled=False)
    import_and_open(admin, posts_in_a_zip(tmp_path / "few.zip", ["A fence", "A gate"]), count=2)
    assert Import.objects.get().state == "done"
    for name in TRIO:
        page = meet(name, java_script_enabled=False)
        page.goto("/p/winter/label/")
        page.get_by_label("I have read this and agree").check()
        page.get_by_role("button", name="Start").click()
        for _post in range(2):
            page.get_by_role("button", name="Reveal the picture").click()
            page.locator(".key", has_text="Racist").click()
            page.get_by_role("button", name="Submit first answer").click()
            expect(page.get_by_text("The picture says nothing.")).to_be_visible()
            page.get_by_role("button", name="Submit and next").click()
        expect(page.get_by_role("heading", name="Nothing left for you right now")).to_be_visible()
    assert [(item.stage, item.level) for item in Item.objects.all()] == [(GOLD, Level.PERFECT)] * 2
    assert Membership.objects.filter(consent_version=1).count() >= len(TRIO)
    folder = make_a_release(admin, tmp_path / "download")
    assert command("check_release", str(folder))["ok"] and len(released(folder)) == 2
