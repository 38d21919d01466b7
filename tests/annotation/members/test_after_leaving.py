"""What somebody who left, or whose access was ended, may still do: read their own answers, and nothing else."""

import pytest
from django.test import Client
from django.urls import reverse

from annotation.domain.choices import OnWithdrawal, Reason, Role, Stage
from annotation.labelling import withdraw_labels
from annotation.members import erasure, participation
from annotation.models import Item, Label, Membership, Project
from builders import make_label, make_member, make_open_item, make_project, make_user
from markup import compact
from site_addresses import ROUTES

pytestmark = pytest.mark.django_db

HISTORY, LEAVE = "/p/garden/history/", "/p/garden/leave/"


@pytest.fixture
def project() -> Project:
    return make_project("garden")


@pytest.fixture
def wren(project: Project) -> Membership:
    """An annotator with two answers, one of them corrected."""
    wren = make_member(project, pseudonym="magpie", user=make_user("wren"))
    participation.consent(wren)
    for text, code in (("The first post.", 1), ("The second post.", 2)):
        make_label(make_open_item(project, text).seat_rows.order_by("number")[0], wren, code)
    first = Label.objects.order_by("pk")[0]
    corrected = make_label(first.seat, wren, 3, revision=2)
    assert first.seat_id == corrected.seat_id
    wren.refresh_from_db()
    return wren


@pytest.fixture
def browser(wren: Membership) -> Client:
    client = Client()
    client.force_login(wren.user)
    return client


def history(browser: Client) -> str:
    answer = browser.get(HISTORY)
    assert answer.status_code == 200
    return compact(answer.content.decode())


@pytest.mark.parametrize("way", ["left", "ended", "left, labels taken out"])
def test_own_answers_stay_readable_after_the_end_whichever_way_it_came(project, wren, browser, way):
    if "taken out" in way:
        Project.objects.update(on_withdrawal=OnWithdrawal.REMOVE)
    if way == "ended":
        participation.deactivate(wren, by=make_member(project, Role.ADMIN))
    else:
        participation.withdraw(wren)
        wren.refresh_from_db()
        withdraw_labels.withdraw_labels_of(wren)
    page = history(browser)
    assert page.count("The first post.") == page.count("The second post.") == 1  # the last revision alone
    assert "you can read them and no longer change them" in page
    assert page.count("no longer in use") == (2 if "taken out" in way else 0)
    assert "label/own" not in page and "/hours/" not in page and "/pause/" not in page
    assert (LEAVE in page) == (way == "ended")


def test_what_was_reported_is_not_shown_to_who_left_either(wren, browser):
    participation.withdraw(wren)
    Item.objects.filter(text="The first post.").update(stage=Stage.EXCLUDED, excluded_for=Reason.REPORTED)
    page = history(browser)
    assert "The first post." not in page and "The second post." in page


def test_no_other_page_of_the_project_opens_after_the_end(wren, browser, project):
    participation.withdraw(wren)
    slug = {"slug": project.slug}
    of_annotators = [
        (name, method)
        for name, route in ROUTES.items()
        if route.roles and Role.ANNOTATOR in route.roles and route.parts.__name__ == "project" and name[:4] != "api:"
        for method in route.methods
    ]
    assert len(of_annotators) > 15
    open_ = {
        name
        for name, method in of_annotators
        if getattr(browser, method)(reverse(name, kwargs=slug)).status_code != 404
    }
    assert open_ == {"annotation:history"}
    assert browser.post(HISTORY).status_code == 405
    label = Label.objects.latest("pk")
    for name, part in (("label-correct", {"label": label.public_id}), ("submit", {"seat": label.seat.public_id})):
        assert browser.post(reverse(f"annotation:{name}", kwargs=slug | part), {"category": 0}).status_code == 404


def test_nobody_else_opens_a_history(wren, project, client):
    for person in (make_user("stranger"), make_member(project, Role.REVIEWER, active=False).user):
        client.force_login(person)
        assert client.get(HISTORY).status_code == client.get(LEAVE).status_code == 404
    erasure.erase(wren.user)
    wren.refresh_from_db()
    assert not wren.user.is_active


def test_the_page_says_what_happens_to_name_and_answers_and_so_it_does(wren, browser, project):
    page = compact(browser.get(LEAVE).content.decode())
    assert "Your name is no longer shown in this project from then on" in page
    assert "You can still read your own answers" in page
    told = browser.post(LEAVE, follow=True).content.decode()
    assert "Your name is no longer shown there; your answers stay under My history." in told
    assert f'href="{HISTORY}"' in told and browser.get(LEAVE).status_code == 404
    admin = Client()
    admin.force_login(make_member(project, Role.ADMIN).user)
    people = admin.get("/p/garden/people/").content.decode()
    assert "magpie" in people and "wren" not in people
    about = compact(admin.get(f"/p/garden/people/{wren.public_id}/").content.decode())
    assert "This person left." in about and "wren" not in about


def test_who_was_removed_by_an_admin_may_leave_and_lose_their_name_there(wren, browser, project):
    participation.deactivate(wren, by=make_member(project, Role.ADMIN))
    assert "you get no more posts" not in browser.get(LEAVE).content.decode().lower()
    assert browser.post(LEAVE).status_code == 302
    wren.refresh_from_db()
    assert wren.withdrawn_at is not None and wren.shown_username == ""


def test_leaving_one_project_hides_the_name_in_that_one_alone(wren):
    elsewhere = make_member(make_project("orchard"), user=wren.user)
    participation.withdraw(wren)
    assert (Membership.objects.get(pk=wren.pk).shown_username, elsewhere.shown_username) == ("", "wren")


def test_an_own_return_is_by_consent_alone(wren, browser, project):
    participation.withdraw(wren)
    participation.reactivate(wren, by=make_member(project, Role.ADMIN))
    assert "change them until" not in history(browser)
    assert browser.get("/p/garden/label/")["Location"].endswith("/consent/")
    version = Project.objects.get().consent_version
    browser.post("/p/garden/consent/", {"version": version, "agree": "on"})
    wren.refresh_from_db()
    assert (wren.shown_username, wren.withdrawn_at) == ("wren", None)
