"""Whole campaigns without a mouse: made from a template, labelled, decided, released; wide and on a phone."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.test import Client
from playwright.sync_api import BrowserContext, Page, expect

from annotation.consensus.close import close_item
from annotation.domain.choices import Role
from annotation.models import Item, Membership, Project, Publication, User
from annotation.projects.create import create_project
from annotation.projects.templates import template
from annotation.releases import publication
from builders import make_labelled_item, make_member, make_open_item, make_project, make_user
from keyboard import enter, tab_to, write

pytestmark = pytest.mark.django_db(transaction=True)

PEOPLE = {"robin": "annotator", "dove": "annotator", "heron": "reviewer"}
HOME, BUS = "They should all go home.", "The bus was late again."
NEXT_IS_THERE = """seat => document.readyState === "complete" && document.getElementById("main")
    && document.getElementById("answer")?.dataset.seat !== seat"""


@dataclass(frozen=True)
class Campaign:
    """A template by its title, and the keys for each post: robin's, dove's, the reviewer's."""

    title: str
    width: int
    home: tuple[str, str]
    bus: tuple[str, str, str]
    codes: dict[str, tuple[int, ...]]


# In the severity study A leads to the scale, which must be answered beside a hateful category.
SEVERITY = Campaign("Hateful or not, how", 1440, ("1a4", "1a5"), ("0", "1a1", "0"), {HOME: (1,), BUS: (0,)})
SEVERAL = Campaign("Nine", 390, ("06", "06"), ("8", "4", "4"), {HOME: (0, 6), BUS: (4,)})


def test_nothing_hides_what_has_the_focus(page_of: Callable[[Membership], Page], live_server: Any) -> None:
    project = create_project("petals", name="Petals", design=template("k-mhas"))
    Project.objects.update(is_open=True)
    people = [make_member(project) for _ in range(3)]
    item = make_labelled_item(project, people, [1, 2, 0], text="Petals again. " * 30)
    close_item(item)
    make_open_item(project, "More petals. " * 60)
    page = page_of(make_member(project, *Role))
    page.set_viewport_size({"width": 390, "height": 844})
    for address, stop in (("desk/" + str(item.public_id), "More"), ("batches", "Hours"), ("label", "Submit and next")):
        page.goto(f"{live_server.url}/p/petals/{address}/")
        tab_to(page, stop)
    page.goto(f"{live_server.url}/p/petals/batches/")
    tab_to(page, "Prior influence")
    tab = page.locator(":focus").bounding_box()
    assert tab is not None and tab["x"] + tab["width"] < 390 - 32  # the strip fades over its last 32 px


def test_what_a_design_was_refused_for_has_the_keyboard_and_what_was_written_is_open(
    context: BrowserContext, live_server: Any
) -> None:
    project = create_project("petals", name="Petals", design=template("severity"))
    admin = make_member(project, Role.ADMIN)
    assert admin.user is not None
    client = Client()
    client.force_login(admin.user)
    name = settings.SESSION_COOKIE_NAME
    context.add_cookies([{"name": name, "value": client.cookies[name].value, "url": live_server.url}])
    page = context.new_page()
    page.goto(f"{live_server.url}/p/petals/design/")
    tab_to(page, "A new question")
    page.keyboard.press("Enter")
    write(page, "Code", "Tone!")
    write(page, "Wording", "What is its tone?")
    enter(page, "Save the design")
    expect(page.get_by_role("alert")).to_be_focused()
    expect(page.get_by_role("alert")).to_contain_text("Question 5 needs a code")
    expect(page.locator("details[open] > summary")).to_have_text(["A new question"])
    expect(page.get_by_role("textbox", name="Code", exact=True)).to_have_value("Tone!")


# ── From a template to a public page ──────────────────────────────────────────


@pytest.mark.slow
@pytest.mark.parametrize("campaign", [SEVERITY, SEVERAL], ids=["severity, wide", "several, on a phone"])
def test_a_campaign_is_made_from_a_template_and_published_without_a_mouse(
    campaign: Campaign, page_of: Callable[[Membership], Page], live_server: Any, tmp_path: Path, worker: None
) -> None:
    def opened(member: Membership) -> Page:
        page = page_of(member)
        page.set_viewport_size({"width": campaign.width, "height": 844})
        return page

    kestrel = make_user("kestrel", is_staff=True)
    page = opened(make_member(make_project("elsewhere"), Role.ADMIN, user=kestrel))
    page.goto(live_server.url)
    create_by_keys(page, campaign.title)
    for name, role in PEOPLE.items():
        add_by_keys(page, live_server.url, name, role)
    import_by_keys(page, live_server.url, tmp_path / "posts.csv")

    members = {name: Membership.objects.get(user__username=f"petals.{name}") for name in PEOPLE}
    User.objects.update(must_change_password=False)  # as if each had signed in and chosen their own
    for place, name in enumerate(("robin", "dove")):
        label_by_keys(opened(members[name]), live_server.url, {HOME: campaign.home[place], BUS: campaign.bus[place]})

    desk = opened(members["heron"])
    desk.goto(f"{live_server.url}/p/petals/desk/")
    with desk.expect_navigation():
        desk.keyboard.press("j")
    desk.keyboard.press(campaign.bus[2])
    desk.keyboard.press("r")
    desk.keyboard.type("Read twice; 2 people agree.")
    desk.keyboard.press("Control+Enter")
    expect(desk.get_by_text("That was the last one here.")).to_be_visible()
    assert {item.text: item.codes for item in Item.objects.filter(stage="gold")} == campaign.codes

    publish_by_keys(page, live_server.url)


def create_by_keys(page: Page, title: str) -> None:
    enter(page, "New project")
    write(page, "Name", "Petals")
    write(page, "Address", "petals")
    tab_to(page, "Begins with")
    page.keyboard.type(title)
    write(page, "Annotators per item", "2")
    enter(page, "Create project")
    expect(page.get_by_text("Project created.")).to_be_visible()


def add_by_keys(page: Page, origin: str, name: str, role: str) -> None:
    page.goto(f"{origin}/p/petals/people/")
    tab_to(page, "Add an account without a link")
    page.keyboard.press("Enter")
    write(page, "User name", name)
    tab_to(page, "Role")
    page.keyboard.type(role)
    page.keyboard.press("Tab")
    with page.expect_navigation():
        page.keyboard.press("Enter")
    expect(page.get_by_text(f"petals.{name} is a member now")).to_be_visible()


def import_by_keys(page: Page, origin: str, file: Path) -> None:
    file.write_text(f"id,text\na,{HOME}\nb,{BUS}\n")
    page.goto(f"{origin}/p/petals/import/")
    tab_to(page, "File")
    page.locator(":focus").set_input_files(file)  # what the system's own window would do
    enter(page, "Check the file")
    expect(page.get_by_role("button", name="Import 2 rows")).to_be_visible()
    tab_to(page, "Import 2 rows")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="2 items are imported")).to_be_visible()
    page.goto(f"{origin}/p/petals/batches/")
    enter(page, "Open 2 ready items")
    expect(page.get_by_text("2 items are open for labelling.")).to_be_visible()


def label_by_keys(page: Page, origin: str, keys: dict[str, str]) -> None:
    """Agree to the conditions, then answer both posts; the first is taken back once and sent again as it was."""
    page.goto(f"{origin}/p/petals/label/")
    tab_to(page, "I have read this and agree")
    page.keyboard.press("Space")
    enter(page, "Start")
    for turn in range(2):
        for key in keys[page.locator(".words blockquote").inner_text()]:
            page.keyboard.press(key)
        hand_in(page)
        if turn == 0:
            with page.expect_navigation():
                page.keyboard.press("Backspace")
            hand_in(page)
    expect(page.get_by_role("heading", name="Nothing left for you right now")).to_be_visible()


def hand_in(page: Page) -> None:
    seat = page.locator("#answer").get_attribute("data-seat")
    page.keyboard.press("Enter")
    page.wait_for_function(NEXT_IS_THERE, arg=seat)


def publish_by_keys(page: Page, origin: str) -> None:
    """Make a release, give it a page, and approve a request for its files."""
    page.goto(f"{origin}/p/petals/releases/")
    enter(page, "Make the release")
    expect(page.get_by_text("Release 1 is made.")).to_be_visible()
    enter(page, "Publish the page")
    expect(page.get_by_text("The release has a public page now.")).to_be_visible()
    asked = publication.request_access(Publication.objects.get(), "Ada", "ada@example.org", "A school", "A course")
    page.goto(f"{origin}/p/petals/releases/")
    enter(page, "waits for an answer")
    enter(page, "Approve")
    expect(page.locator(f"#request-{asked.request.public_id}")).to_be_focused()
    expect(page.get_by_text("Approved. The files can be fetched once the terms are accepted.")).to_be_attached()
