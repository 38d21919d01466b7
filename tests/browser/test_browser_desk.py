"""A reviewer at work: by keyboard alone, and with no script at all."""

import json
from pathlib import Path

import pytest
from django.urls import reverse
from playwright.sync_api import expect

import builders
from annotation.consensus.close import close_item, dispute_item, open_dispute_reasons
from annotation.domain.choices import Modality, Reason, Role, Source, Stage
from annotation.models import Adjudication, Item, Prior, Project, Replacement
from moderation.desk import appeals
from moderation.domain.statement import problems
from moderation.models import Appeal

PASSWORD = "a long enough passphrase"

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def project():
    return builders.make_project("garden")


@pytest.fixture
def reviewer(project):
    user = builders.make_user("heron", PASSWORD)
    return builders.make_member(project, Role.REVIEWER, user=user, pseudonym="Heron")


def disputed(project, *codes, text, **fields):
    members = [builders.make_member(project) for _ in codes]
    item = builders.make_labelled_item(project, members, codes, text=text, **fields)
    close_item(item)
    return item


def sign_in(page, live_server):
    page.goto(f"{live_server.url}/accounts/login/")
    page.fill("[name=login]", "heron")
    page.fill("[name=password]", PASSWORD)
    page.click("main form button[type=submit]")
    page.wait_for_url(f"{live_server.url}/")


def queue(page, live_server):
    page.goto(live_server.url + reverse("moderation:desk", args=["garden"]))


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
    page.wait_for_url("**/desk/")
    expect(page.get_by_text("Nothing is disputed")).to_be_visible()

    items = {item.pk: item for item in Item.objects.select_related("category")}
    assert (items[first.pk].stage, items[first.pk].category.code) == (Stage.GOLD, 1)
    assert (items[second.pk].stage, items[second.pk].excluded_for) == (Stage.EXCLUDED, Reason.KIND_UNDECIDED)
    assert (items[third.pk].stage, items[third.pk].round) == (Stage.LABELLING, 2)
    assert (items[unsure.pk].stage, items[unsure.pk].category_source) == (Stage.GOLD, Source.CONSENSUS)
    assert Adjudication.objects.get(item=first).rationale == "The roses; x and l and 0 are only letters here."
    assert complaints == []


def test_scores_and_evidence_are_read_beside_the_post_by_keyboard(context, live_server, project, reviewer):
    disputed(project, 0, 1, 2, text="Weeds again")
    page = context.new_page()
    sign_in(page, live_server)
    queue(page, live_server)
    page.keyboard.press("j")
    arrived(page, "Weeds again")
    address = page.url
    page.keyboard.press("r")
    page.keyboard.type("Half a sen")
    page.keyboard.press("Escape")
    for name, words in (("Scores", "Score an explanation"), ("Evidence", "Look for evidence")):
        tab = page.locator(".work").get_by_role("link", name=name, exact=True)
        tab.focus()
        page.keyboard.press("Enter")
        expect(page.locator("#help").get_by_role("heading", name=words)).to_be_visible()
        expect(tab).to_have_attribute("aria-current", "page")
        expect(tab).to_be_focused()
        assert page.locator(".work [aria-current]").count() == 1
    assert page.url == address and page.locator("#id_rationale").input_value() == "Half a sen"
    # What has keys of its own opens on its own page: Ctrl+Enter decides here and nothing else.
    assert page.locator(".work").get_by_role("link", name="Counterspeech").get_attribute("hx-get") is None


def test_debates_tabs_guidelines_and_methods_have_keys_that_are_listed(context, live_server, project, reviewer):
    disputed(project, 0, 1, 2, text="Weeds again")
    page = context.new_page()
    sign_in(page, live_server)
    queue(page, live_server)
    page.keyboard.press("j")
    arrived(page, "Weeds again")
    page.keyboard.press("?")
    listed = page.locator("#keys dt").all_inner_texts()
    assert {"B", "N", "S", "G", "R", "L", "X"} <= set(listed)
    page.keyboard.press("Escape")
    current = page.locator(".work .tabs [aria-current]")
    for name in ("Scores", "Evidence", "History", "Debates", "Scores"):
        page.keyboard.press("n")
        expect(current).to_contain_text(name)
    page.keyboard.press("b")
    expect(current).to_contain_text("Debates")
    page.keyboard.press("s")
    expect(page.locator("#help").locator(":focus")).to_be_visible()
    page.keyboard.press("Escape")
    with page.expect_popup() as opened:
        page.keyboard.press("g")
    expect(opened.value.get_by_role("heading", level=1)).to_contain_text("Guidelines")


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
    address = live_server.url + reverse("moderation:desk-item", args=["garden", item.public_id])
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
    expect(page.get_by_role("alert")).to_contain_text("Give the reason for the decision")
    page.check("input[name=category][value='1']", force=True)
    page.fill("#id_rationale", "The roses.")
    page.click("text=Decide and next")
    page.wait_for_url("**/missing/")
    page.check("input[name=category][value='0']", force=True)
    page.click("text=Submit and next")
    page.wait_for_url("**/desk/")
    context.close()
    item.refresh_from_db()
    unsure.refresh_from_db()
    assert (item.stage, unsure.stage) == (Stage.GOLD, Stage.GOLD)
    assert Replacement.objects.count() == 1


def test_from_queue_to_decision_by_keyboard_for_each_reason_with_statement_appeal_and_history(
    context, live_server, project, reviewer
):
    """Each reason, once: the key opens it, a category and a reason settle it, Ctrl+Enter leads to the next."""
    Project.objects.filter(pk=project.pk).update(dispute_model_conflict=True)
    racist, benign = builders.category(project, 1), builders.category(project, 0)
    texts = {
        Reason.NO_MAJORITY: disputed(project, 0, 1, 2, text="Weeds again"),
        Reason.KIND_UNDECIDED: disputed(project, 1, 2, 3, text="The same dish"),
        Reason.MISALIGNED: disputed(project, 0, 0, 0, text="Meant otherwise", intended=racist),
        Reason.LOW_QUALITY: flagged(project, "Half of the words"),
        Reason.PRIOR_CHALLENGED: challenged(project, benign, "A tidy kitchen"),
        Reason.MODEL_CONFLICT: disputed(project, 0, 0, 0, text="The model objects"),
        Reason.NOT_SURE: disputed(project, 0, 0, None, text="Whose hedge is it"),
        Reason.APPEAL: disputed(project, 1, 1, 1, text="It was a joke"),
    }
    dispute_item(texts[Reason.MODEL_CONFLICT], Reason.MODEL_CONFLICT)
    appeals.appeal(texts[Reason.APPEAL], builders.make_member(project, Role.ADMIN), "Among friends.")
    for reason, item in texts.items():
        assert open_dispute_reasons(item) == [reason]
    page = context.new_page()
    sign_in(page, live_server)
    for reason, item in texts.items():
        page.goto(f"{live_server.url}{reverse('moderation:desk', args=['garden'])}?reason={reason}")
        page.keyboard.press("j")
        arrived(page, item.text)
        page.keyboard.press("1")
        if reason is Reason.NOT_SURE:
            page.keyboard.press("Enter")
            page.wait_for_url("**/desk/?reason=not_sure")  # 0, 0 and 1: a majority; nothing is left for this reason
            continue
        page.keyboard.press("r")
        page.keyboard.type(f"Because of {reason}.")
        page.keyboard.press("Control+Enter")
        page.wait_for_url(f"**/desk/?reason={reason}")
    decided = Adjudication.objects.select_related("item", "category")
    assert {row.item.text: row.rationale for row in decided} == {
        item.text: f"Because of {reason}." for reason, item in texts.items() if reason is not Reason.NOT_SURE
    }
    assert {row.category.code for row in decided} == {1}
    assert Appeal.objects.get().outcome == "upheld"
    assert Replacement.objects.get().category.code == 1

    # The statement of reasons: what only the platform knows is asked for, then it is valid and taken along.
    item = texts[Reason.NO_MAJORITY]
    page.goto(live_server.url + reverse("annotation:item", args=["garden", item.public_id]))
    page.click("text=Statement of reasons")
    page.click("text=Save statement")
    expect(page.get_by_role("alert")).to_contain_text("Say what was done")
    page.fill("[name=decision_visibility]", "Removed")
    page.click("text=Save statement")
    with page.expect_download() as taken:
        page.click("text=JSON")
    fields = json.loads(Path(taken.value.path()).read_text())
    assert problems(fields) == {} and fields["incompatible_content_explanation"] == "Because of no_majority."

    # An appeal against it waits for somebody else, and the history tells all of it.
    page.goto(live_server.url + reverse("annotation:item", args=["garden", item.public_id]))
    page.click(".page-head >> text=Appeal")
    page.fill("[name=grounds]", "It names nobody.")
    page.click("main >> text=Record the appeal")
    expect(page.get_by_text("It names nobody.")).to_be_visible()
    page.goto(live_server.url + reverse("moderation:desk-item", args=["garden", item.public_id]))
    expect(page.get_by_text("somebody else has to answer it")).to_be_visible()
    page.click(".work >> text=History")
    for told in ("Because of no_majority.", "It names nobody.", "statement of reasons written"):
        expect(page.locator(".timeline")).to_contain_text(told)


def flagged(project, text):
    members = [builders.make_member(project) for _ in range(3)]
    item = builders.make_open_item(project, text)
    for seat, member in zip(item.seat_rows.all(), members, strict=True):
        builders.make_label(seat, member, 0, low_quality=member == members[0])
    close_item(item)
    return item


def challenged(project, prior, text):
    members = [builders.make_member(project) for _ in range(3)]
    item = builders.make_open_item(project, text)
    for modality in Modality:
        Prior.objects.create(item=item, modality=modality, category=prior)
    for seat, member in zip(item.seat_rows.all(), members, strict=True):
        rows = [{"modality": "text", "category": None, "hateful": True}] if member == members[0] else []
        builders.make_label(seat, member, 0, challenges=rows)
    close_item(item)
    return item


def test_the_decision_bar_covers_nothing_and_sticks_on_a_phone(context, browser, live_server, project, reviewer):
    disputed(project, 0, 1, 2, text="Weeds again")
    for size in ({"width": 1440, "height": 900}, {"width": 390, "height": 844}):
        narrow = browser.new_context(viewport=size)
        page = narrow.new_page()
        sign_in(page, live_server)
        queue(page, live_server)
        page.click("text=Weeds again")
        page.wait_for_load_state("load")
        bar = page.locator(".decide").bounding_box()
        assert bar["y"] + bar["height"] <= size["height"] + 1  # in view without scrolling
        last = page.locator(".ballot").last
        last.scroll_into_view_if_needed()
        page.evaluate("window.scrollTo(0, document.body.scrollHeight)")
        link = page.locator(".work .actions a").last
        link.scroll_into_view_if_needed()
        assert (
            link.bounding_box()["y"] + link.bounding_box()["height"] <= page.locator(".decide").bounding_box()["y"] + 1
        )
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        page.keyboard.press("m")
        expect(page.locator("#more-fields")).to_be_visible()
        expect(page.locator("#id_target_group")).to_be_focused()  # what the key opened is gone into
        for width in (390, 375, 360, 320):  # no word of a category's name is broken
            page.set_viewport_size({"width": width, "height": 844})
            heights = page.locator(".decide .key span").evaluate_all("all => all.map((each) => each.offsetHeight)")
            assert max(heights) < 32
        narrow.close()
