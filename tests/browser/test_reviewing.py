"""A reviewer at work: by keyboard alone, and with no script at all."""

import pytest
from django.urls import reverse
from playwright.sync_api import expect

import builders
from annotation.consensus import close_item
from annotation.domain.words import Reason, Role, Source, Stage
from annotation.models import Adjudication, Item, Replacement

PASSWORD = "a long enough passphrase"

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def project():
    return builders.make_project("garden")


@pytest.fixture
def reviewer(project):
    user = builders.make_user("heron", PASSWORD)
    return builders.make_member(project, Role.REVIEWER, user=user, pseudonym="Heron")


def disputed(project, *codes, text):
    members = [builders.make_member(project) for _ in codes]
    item = builders.make_labelled_item(project, members, codes, text=text)
    close_item(item)
    return item


def sign_in(page, live_server):
    page.goto(f"{live_server.url}/accounts/login/")
    page.fill("[name=login]", "heron")
    page.fill("[name=password]", PASSWORD)
    page.click("main form button[type=submit]")
    page.wait_for_url(f"{live_server.url}/")


def queue(page, live_server):
    page.goto(live_server.url + reverse("annotation:reviews", args=["garden"]))


def arrived(page, text):
    """The post with this text is on the page, and its keys work."""
    expect(page.locator(".post-text")).to_have_text(text)
    page.wait_for_load_state("load")


def test_disputes_are_settled_by_keyboard_alone(context, live_server, project, reviewer):
    first = disputed(project, 0, 1, 2, text="Weeds again")
    second = disputed(project, 1, 2, 3, text="The same dish")
    third = disputed(project, 0, 1, 2, text="A tidy kitchen")
    unsure = disputed(project, 0, 0, None, text="Whose hedge is it")
    complaints = []
    page = context.new_page()
    page.on("console", lambda said: complaints.append(said.text) if said.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    sign_in(page, live_server)
    queue(page, live_server)

    page.keyboard.press("j")
    arrived(page, "Weeds again")
    page.keyboard.press("j")
    arrived(page, "The same dish")
    page.keyboard.press("k")
    arrived(page, "Weeds again")
    page.keyboard.press("1")
    page.keyboard.press("r")
    page.keyboard.type("The roses; x and l and 0 are only letters here.")
    page.keyboard.press("Control+Enter")

    arrived(page, "The same dish")
    page.keyboard.press("x")  # without a reason the key leads to the field
    page.keyboard.type("Nobody can read this.")
    page.keyboard.press("Escape")
    page.keyboard.press("x")
    arrived(page, "A tidy kitchen")
    page.keyboard.press("r")
    page.keyboard.type("The guideline changed.")
    page.keyboard.press("Escape")
    page.keyboard.press("l")

    page.wait_for_url("**/missing/")
    arrived(page, "Whose hedge is it")
    assert page.locator(".ballot").count() == 0
    page.keyboard.press("0")
    page.keyboard.press("Enter")
    page.wait_for_url("**/review/")
    expect(page.get_by_text("Nothing is disputed")).to_be_visible()

    items = {item.pk: item for item in Item.objects.select_related("category")}
    assert (items[first.pk].stage, items[first.pk].category.code) == (Stage.GOLD, 1)
    assert (items[second.pk].stage, items[second.pk].excluded_for) == (Stage.EXCLUDED, Reason.KIND_UNDECIDED)
    assert (items[third.pk].stage, items[third.pk].round) == (Stage.LABELLING, 2)
    assert (items[unsure.pk].stage, items[unsure.pk].category_source) == (Stage.GOLD, Source.CONSENSUS)
    assert Adjudication.objects.get(item=first).rationale == "The roses; x and l and 0 are only letters here."
    assert complaints == []


def test_a_missing_category_can_wait_while_other_posts_are_settled(context, live_server, project, reviewer):
    disputed(project, 0, 0, None, text="Whose hedge is it")
    disputed(project, 0, 1, 2, text="Weeds again")
    page = context.new_page()
    sign_in(page, live_server)
    queue(page, live_server)
    page.keyboard.press("j")
    page.wait_for_url("**/missing/")
    arrived(page, "Whose hedge is it")
    page.keyboard.press("j")
    arrived(page, "Weeds again")
    page.keyboard.press("k")
    page.wait_for_url("**/missing/")


def test_a_rationale_outlives_a_closed_page(context, live_server, project, reviewer):
    item = disputed(project, 0, 1, 2, text="Weeds again")
    page = context.new_page()
    sign_in(page, live_server)
    address = live_server.url + reverse("annotation:review", args=["garden", item.public_id])
    page.goto(address)
    page.keyboard.press("r")
    page.keyboard.type("Half a thought")
    queue(page, live_server)
    page.goto(address)
    assert page.input_value("#id_rationale") == "Half a thought"


def test_everything_works_without_scripts(browser, live_server, project, reviewer):
    item = disputed(project, 0, 1, 2, text="Weeds again")
    unsure = disputed(project, 0, 0, None, text="Whose hedge is it")
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    sign_in(page, live_server)
    queue(page, live_server)
    page.click("text=Weeds again")
    page.click("text=Decide and next")
    expect(page.get_by_role("alert")).to_contain_text("Write down what decided it")
    page.check("input[name=category][value='1']", force=True)
    page.fill("#id_rationale", "The roses.")
    page.click("text=Decide and next")
    page.wait_for_url("**/missing/")
    page.check("input[name=category][value='0']", force=True)
    page.click("text=Submit and next")
    page.wait_for_url("**/review/")
    context.close()
    item.refresh_from_db()
    unsure.refresh_from_db()
    assert (item.stage, unsure.stage) == (Stage.GOLD, Stage.GOLD)
    assert Replacement.objects.count() == 1
