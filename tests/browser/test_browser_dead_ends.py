"""Ways that end in the middle: a lost session, a slow and a broken connection, a picture that does not come."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, CDPSession, Page, Route, expect

from annotation.domain.choices import Role
from annotation.models import GlossaryEntry, Guideline, Label, Membership, Project
from builders import make_member, make_open_item, make_picture, make_project

pytestmark = pytest.mark.django_db(transaction=True)

SECRET = "a long enough password 7"
SIGNED_OUT = "You were signed out meanwhile."
FILLED_IN = "It is filled in here: look at it and send it again."


@pytest.fixture
def project() -> Project:
    project = make_project("garden", name="Garden posts")
    for place, text in enumerate(("One.", "Two.", "Three.")):
        make_open_item(project, text, picture=make_picture(project), priority=9 - place)
    return project


def sign_in(page: Page, member: Membership) -> None:
    """Sign in with the page's own form, by keyboard."""
    assert member.user is not None
    page.locator("#id_login").focus()
    page.keyboard.type(member.user.username)
    page.keyboard.press("Tab")
    page.keyboard.type(SECRET)
    page.keyboard.press("Enter")


def with_password(member: Membership) -> Membership:
    assert member.user is not None
    member.user.set_password(SECRET)
    member.user.save()
    return member


def on_network(page: Page, *, latency: int = 0, offline: bool = False) -> CDPSession:
    """Make the connection slow or break it, by the browser's own protocol."""
    session = page.context.new_cdp_session(page)
    session.send("Network.enable")
    emulate(session, latency=latency, offline=offline)
    return session


def emulate(session: CDPSession, *, latency: int = 0, offline: bool = False) -> None:
    speed = {"downloadThroughput": -1, "uploadThroughput": -1}
    session.send("Network.emulateNetworkConditions", {"offline": offline, "latency": latency, **speed})


def opened(context: BrowserContext, member: Membership, live_server: Any, path: str) -> Page:
    page = context.new_page()
    page.goto(live_server.url + path)
    sign_in(page, with_password(member))
    page.wait_for_url(live_server.url + path)
    return page


def test_an_answer_sent_without_a_session_is_there_again_after_signing_in(
    project: Project, context: BrowserContext, live_server: Any
) -> None:
    member = make_member(project)
    page = opened(context, member, live_server, "/p/garden/label/")
    page.keyboard.press("4")
    page.keyboard.press("n")
    page.keyboard.type("half a thought")
    page.keyboard.press("Escape")
    context.clear_cookies()
    page.keyboard.press("Enter")
    expect(page.get_by_text(SIGNED_OUT)).to_be_visible()
    sign_in(page, member)
    expect(page.get_by_text(FILLED_IN)).to_be_visible()
    assert page.url == f"{live_server.url}/p/garden/label/"
    expect(page.locator("input[name=category][value='4']")).to_be_checked()
    expect(page.locator("#id_note")).to_have_value("half a thought")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Two.")).to_be_visible()
    assert [(label.category.code, label.note) for label in Label.objects.all()] == [(4, "half a thought")]
    expect(page.get_by_text(FILLED_IN)).to_have_count(0)


def test_what_somebody_typed_is_not_shown_to_the_next_person_who_signs_in(
    project: Project, context: BrowserContext, live_server: Any
) -> None:
    page = opened(context, make_member(project), live_server, "/p/garden/label/")
    page.keyboard.press("4")
    page.keyboard.press("n")
    page.keyboard.type("half a thought")
    page.keyboard.press("Escape")
    context.clear_cookies()
    page.keyboard.press("Enter")
    sign_in(page, with_password(make_member(project)))
    page.wait_for_url(f"{live_server.url}/p/garden/label/")
    expect(page.get_by_text(FILLED_IN)).to_have_count(0)
    expect(page.locator("input[name=category]:checked")).to_have_count(0)
    expect(page.locator("#id_note")).to_have_value("")
    assert page.evaluate("sessionStorage.getItem('sent')") is None


def test_any_form_sent_without_a_session_is_filled_in_again(
    project: Project, context: BrowserContext, live_server: Any
) -> None:
    admin = make_member(project, Role.ADMIN)
    page = opened(context, admin, live_server, "/p/garden/glossary/new/")
    page.get_by_label("Term").fill("zorbling")
    page.get_by_label("Meaning").fill("A newcomer, in code")
    page.get_by_label("with masked letters").check()
    context.clear_cookies()
    page.get_by_role("button", name="Add and approve").click()
    sign_in(page, admin)
    expect(page.get_by_text(FILLED_IN)).to_be_visible()
    expect(page.get_by_label("Term")).to_have_value("zorbling")
    expect(page.get_by_label("with masked letters")).to_be_checked()
    page.get_by_role("button", name="Add and approve").click()
    expect(page.get_by_text("“zorbling” is in the glossary.")).to_be_visible()
    entry = GlossaryEntry.objects.get()
    assert (entry.meaning, entry.switched_off) == ("A newcomer, in code", ["masked"])
    assert page.evaluate("sessionStorage.getItem('sent')") is None


def test_the_line_about_the_connection_goes_once_the_server_answers(
    project: Project, context: BrowserContext, live_server: Any
) -> None:
    page = opened(context, make_member(project), live_server, "/p/garden/label/")
    line = page.get_by_text("The server cannot be reached.")
    page.keyboard.press("3")
    network = on_network(page, offline=True)
    page.keyboard.press("Enter")
    expect(line).to_be_visible()
    emulate(network)
    expect(page.get_by_text("Two.")).to_be_visible()  # it was sent again, by itself
    expect(line).to_have_count(0)


def test_a_site_on_this_machine_works_without_any_network(
    project: Project, context: BrowserContext, live_server: Any
) -> None:
    context.add_init_script("Object.defineProperty(navigator, 'onLine', { get: () => false })")
    page = opened(context, make_member(project), live_server, "/p/garden/label/")  # by a form
    page.get_by_role("link", name="Interplay").first.click()
    page.wait_for_url(lambda url: "label" not in url)


def test_the_line_about_the_connection_leaves_no_timer_behind_and_takes_no_other_line_away(
    project: Project, context: BrowserContext, live_server: Any
) -> None:
    context.add_init_script(
        "window.timers = new Set(); const [begin, end] = [window.setInterval, window.clearInterval];"
        "window.setInterval = (...how) => { const timer = begin(...how); timers.add(timer); return timer; };"
        "window.clearInterval = (timer) => { timers.delete(timer); end(timer); };"
    )
    page = opened(context, make_member(project), live_server, "/p/garden/label/")
    before = page.evaluate("timers.size")
    page.evaluate("interplay.tellOffline(); document.getElementById('messages').replaceChildren()")
    page.wait_for_function("before => timers.size === before", arg=before)
    page.evaluate("interplay.tellOffline(); interplay.tell('Refused.')")
    page.wait_for_timeout(4000)  # the server was asked again, were it still asked
    expect(page.get_by_text("Refused.")).to_be_visible()
    assert page.evaluate("timers.size") == before


def test_a_refusal_is_told_until_something_is_stored_or_it_is_put_away(
    project: Project, context: BrowserContext, live_server: Any
) -> None:
    page = opened(context, make_member(project), live_server, "/p/garden/label/")
    line = page.get_by_text("That was too much or too fast.")

    def refuse(route: Route) -> None:
        if route.request.method == "POST":
            route.fulfill(status=429)
        else:
            route.continue_()

    page.route("**/label/**", refuse)
    page.keyboard.press("1")
    page.keyboard.press("Enter")
    expect(line).to_be_visible()
    page.evaluate("htmx.ajax('GET', '/p/garden/label/', {target: '#drawer-text', select: '#bench'})")  # another answer
    page.wait_for_timeout(1000)
    expect(line).to_be_visible()
    page.get_by_role("button", name="Close").click()
    expect(line).to_have_count(0)
    page.keyboard.press("Enter")
    expect(line).to_be_visible()
    page.unroute("**/label/**", refuse)
    page.keyboard.press("Enter")
    expect(page.get_by_text("Two.")).to_be_visible()
    expect(line).to_have_count(0)


def test_what_is_told_of_an_answer_has_the_focus_so_that_it_is_read_out(
    project: Project, context: BrowserContext, live_server: Any
) -> None:
    first = opened(context, make_member(project), live_server, "/p/garden/label/")
    second = context.new_page()
    second.goto(first.url)
    expect(second.get_by_text("One.")).to_be_visible()
    first.keyboard.press("0")
    first.keyboard.press("Enter")
    expect(first.get_by_text("Two.")).to_be_visible()
    expect(first.locator("#main")).to_be_focused()
    second.keyboard.press("1")
    second.keyboard.press("Enter")
    expect(second.locator("#said")).to_be_focused()
    second.keyboard.press("2")  # and the keys are the page's at once
    expect(second.locator("input[name=category][value='2']")).to_be_checked()


def test_signing_out_leaves_nothing_typed_behind(project: Project, context: BrowserContext, live_server: Any) -> None:
    page = opened(context, make_member(project), live_server, "/p/garden/label/")
    page.keyboard.press("n")
    page.keyboard.type("A note that nobody else reads.")
    assert "nobody else" in page.evaluate("JSON.stringify({...sessionStorage})")
    page.evaluate("sessionStorage.setItem('decision of the desk', 'A reason that nobody else reads.')")
    page.keyboard.press("Escape")
    page.locator(".menu > summary").click()
    page.get_by_role("button", name="Sign out").click()
    page.wait_for_url("**/accounts/**")
    assert "nobody else" not in page.evaluate("JSON.stringify({...sessionStorage})")


def test_undo_skip_and_links_on_a_broken_connection_end_in_a_sentence_on_the_page(
    project: Project, context: BrowserContext, live_server: Any
) -> None:
    page = opened(context, make_member(project), live_server, "/p/garden/label/")
    page.keyboard.press("1")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Two.")).to_be_visible()
    page.keyboard.press("2")
    network = on_network(page, offline=True)
    for way in ("Backspace", "g", "s", "r"):
        page.keyboard.press(way)
        page.wait_for_timeout(300)
        if way == "s":
            page.get_by_role("button", name="Skip").last.click()
        expect(page.get_by_text("The server cannot be reached.")).to_be_visible()
        expect(page.get_by_text("Two.")).to_be_visible()
    emulate(network)
    page.keyboard.press("Escape")
    expect(page.locator("input[name=category][value='2']")).to_be_checked()


def test_on_a_slow_connection_a_reload_in_the_middle_and_many_enters_store_one_answer(
    project: Project, context: BrowserContext, live_server: Any
) -> None:
    page = opened(context, make_member(project), live_server, "/p/garden/label/")
    on_network(page, latency=800)
    page.keyboard.press("5")
    page.reload()
    expect(page.locator("input[name=category][value='5']")).to_be_checked()
    for _ in range(3):
        page.keyboard.press("Enter")
    expect(page.get_by_text("Two.")).to_be_visible()
    assert [label.category.code for label in Label.objects.all()] == [5]
    page.go_back()
    expect(page.locator("#answer, .sheet")).not_to_have_count(0)  # a page of ours


def test_two_tabs_answer_one_post_once_and_the_second_says_so(
    project: Project, context: BrowserContext, live_server: Any
) -> None:
    first = opened(context, make_member(project), live_server, "/p/garden/label/")
    second = context.new_page()
    second.goto(first.url)
    expect(second.get_by_text("One.")).to_be_visible()
    first.keyboard.press("0")
    first.keyboard.press("Enter")
    expect(first.get_by_text("Two.")).to_be_visible()
    second.keyboard.press("1")
    second.keyboard.press("Enter")
    expect(second.get_by_text("You have labelled that post already")).to_be_visible()
    expect(second.get_by_text("Two.")).to_be_visible()
    assert [label.category.code for label in Label.objects.all()] == [0]


def test_a_picture_that_does_not_load_says_so_and_is_loaded_again(
    project: Project, page_of: Callable[[Membership], Page], context: BrowserContext, live_server: Any
) -> None:
    page = context.new_page()
    page.route("**/blurred/", lambda route: route.abort())
    page.goto(f"{live_server.url}/p/garden/label/")
    sign_in(page, with_password(make_member(project)))
    fault = page.locator("#picture").get_by_role("alert")
    expect(fault).to_contain_text("The picture did not load.")
    page.unroute("**/blurred/")
    fault.get_by_role("button", name="Load it again").click()
    expect(fault).to_have_count(0)
    assert page.locator("#picture img").evaluate("e => e.naturalWidth") > 0
    page.route("**/picture/", lambda route: route.abort())
    page.keyboard.down(" ")
    expect(page.locator("#messages")).to_contain_text("The picture did not load.")
    page.keyboard.up(" ")


def test_an_address_that_is_no_page_leads_on(project: Project, context: BrowserContext, live_server: Any) -> None:
    page = opened(context, make_member(project), live_server, "/p/garden/label/")
    page.goto(f"{live_server.url}/p/garden/label/undo/")
    expect(page.get_by_role("heading", name="This address is not a page")).to_be_visible()
    page.get_by_role("link", name="My projects").click()
    expect(page.get_by_text("Garden posts").first).to_be_visible()


def test_the_guidelines_beside_a_post_bring_no_second_title_of_the_page(
    project: Project, context: BrowserContext, live_server: Any
) -> None:
    Guideline.objects.create(project=project, number=7, text="# What counts\n\nWeeds do.\n\n###### At last\n\nRoses.")
    page = opened(context, make_member(project), live_server, "/p/garden/label/")
    before = page.locator("h1").count()
    page.keyboard.press("g")
    expect(page.get_by_role("heading", name="What counts", level=2)).to_be_visible()
    expect(page.get_by_role("heading", name="At last", level=6)).to_be_visible()
    assert page.locator("h1").count() == before <= 1
    page.goto(f"{live_server.url}/p/garden/guidelines/")
    assert page.locator("h1").count() == 1


def test_closing_the_guidelines_leaves_the_keyboard_at_the_post(
    project: Project, context: BrowserContext, live_server: Any
) -> None:
    page = opened(context, make_member(project), live_server, "/p/garden/label/")
    page.keyboard.press("g")
    expect(page.get_by_role("dialog", name="Guidelines")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#main")).to_be_focused()
    page.keyboard.press("1")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Two.")).to_be_visible()
