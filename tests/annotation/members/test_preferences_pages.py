"""Pages about the person: projects, preferences, look, the picture of a second step, the login page."""

import json
import re
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as site_settings
from django.test import Client
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme

from annotation.domain.choices import Role, Stage
from annotation.members.invitations import invite
from annotation.members.views_preferences import MANY_PROJECTS
from annotation.models import Item, Project, Seat, User, WorkDay
from annotation.pages.page_keys import every_page_keys
from builders import make_item, make_label, make_member, make_open_item, make_project, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def wren() -> User:
    return make_user("wren", "garden-gate-7")


@pytest.fixture
def browser(wren: User) -> Client:
    client = Client()
    client.force_login(wren)
    return client


def text_of(page: Any) -> str:
    text: str = page.content.decode()
    return text


def test_the_first_page_shows_own_projects_with_what_is_done_and_what_waits(browser, wren):
    mine = make_project("mine", name="My garden")
    make_project("other", name="Their garden")
    member = make_member(mine, Role.ANNOTATOR, Role.REVIEWER, user=wren)
    make_label(make_open_item(mine).seat_rows.order_by("number")[0], member, 1)
    old = make_label(make_open_item(mine).seat_rows.order_by("number")[0], member, 1)
    Seat.objects.filter(label=old).update(filled_at=timezone.now() - timedelta(days=2))
    make_item(mine, stage=Stage.DISPUTED)
    page = text_of(browser.get("/"))
    assert "My garden" in page and "Their garden" not in page
    assert "1 labelled today, 2 in all" in page
    assert "1 disputed" in page
    assert 'href="/p/mine/label/"' in page and 'href="/p/mine/desk/"' in page
    assert 'href="/p/mine/settings/"' not in page
    assert Item.objects.count() == 3


def test_who_is_through_for_today_is_urged_to_nothing(browser, wren):
    over, under = make_project("over", minutes_a_day=60), make_project("under", minutes_a_day=60)
    for project, minutes in ((over, 60), (under, 59)):
        member = make_member(project, Role.ANNOTATOR, user=wren)
        WorkDay.objects.create(member=member, day=timezone.localdate(), active_seconds=60 * minutes)
    cards = text_of(browser.get("/")).split('<li class="sheet">')[1:]
    told = {
        name: ("Done for today" in card, "is-primary" in card)
        for card, name in zip(cards, ("over", "under"), strict=True)
    }
    assert told == {"over": (True, False), "under": (False, True)}


def test_who_leads_a_project_sees_how_far_it_is(browser, wren):
    led, both = make_project("led"), make_project("both")
    make_member(led, Role.ADMIN, user=wren)
    make_member(both, Role.ANNOTATOR, Role.REVIEWER, user=wren)  # own labels come first: no figures of the whole
    for project in (led, both):
        for stage in (Stage.GOLD, Stage.GOLD, Stage.READY, Stage.EXCLUDED, Stage.KNOWN):
            make_item(project, stage=stage)
    page = text_of(browser.get("/"))
    assert page.count("posts have their final label") == 1
    assert "2 of 3 posts have their final label" in page and 'value="66"' in page


def test_of_many_projects_one_is_found_by_name_and_those_in_archives_stand_apart(browser, wren):
    for number in range(MANY_PROJECTS + 1):
        make_member(make_project(f"p-{number}", name=f"Garden {number}"), Role.ADMIN, user=wren)
    Project.objects.filter(slug="p-3").update(archived_at=timezone.now())
    page = text_of(browser.get("/"))
    assert page.index("Garden 8") < page.index("Archived projects") < page.index("Garden 3")
    found = text_of(browser.get("/?q=garden+4"))
    assert "Garden 4" in found and "Garden 5" not in found and "Archived projects" not in found


def test_somebody_without_a_project_is_told_what_to_do(browser):
    assert "You are in no project yet" in text_of(browser.get("/"))


def test_of_a_project_one_has_left_the_own_answers_are_shown_and_no_other_way(browser, wren):
    make_member(make_project("left", name="Left behind"), user=wren, active=False)
    make_member(make_project("read", name="Only reviewed"), Role.REVIEWER, user=wren, active=False)
    page = text_of(browser.get("/"))
    assert "Left behind" in page and re.findall('href="/p/[^"]+"', page) == ['href="/p/left/history/"']
    assert "Only reviewed" not in page


def test_preferences_are_stored_with_the_person(browser, wren):
    assert "Blur pictures" in text_of(browser.get("/me/"))
    answer = browser.post("/me/", {"grey": "on", "theme": "dark", "language": "ko"})
    assert answer.status_code == 302
    wren.refresh_from_db()
    assert (wren.blur, wren.grey, wren.theme, wren.language) == (False, True, "dark", "ko")
    assert 'data-theme="dark"' in text_of(browser.get("/me/"))
    assert 'lang="ko"' in text_of(browser.get("/me/"))


def test_own_keys_are_stored_with_the_person_and_told_to_the_pages_they_are_for(browser, wren):
    make_member(make_project("garden"), Role.REVIEWER, user=wren)
    assert "data-own-keys" not in text_of(browser.get("/me/keys/"))
    sent = {"annotation-s": "k", "annotation-n": "", "moderation-j": "q", "samples-a": "v"}
    assert browser.post("/me/keys/", sent).status_code == 302
    wren.refresh_from_db()
    assert wren.own_keys == {"annotation": {"s": "k"}, "moderation": {"j": "q"}, "samples": {"a": "v"}}
    assert 'data-own-keys="{&quot;s&quot;: &quot;k&quot;}"' in text_of(browser.get("/me/keys/"))
    assert 'data-own-keys="{&quot;j&quot;: &quot;q&quot;}"' in text_of(browser.get("/p/garden/desk/"))
    assert 'data-own-keys="{&quot;a&quot;: &quot;v&quot;}"' in text_of(browser.get("/p/garden/injection/samples/"))
    assert "data-own-keys" not in text_of(browser.get("/p/garden/counterspeech/"))


def test_two_actions_on_one_key_are_refused_and_what_was_typed_is_kept(browser, wren):
    User.objects.filter(pk=wren.pk).update(own_keys={"moderation": {"j": "q"}})
    answer = browser.post("/me/keys/", {"annotation-s": "k", "annotation-n": "k"})
    page = text_of(answer)
    assert answer.status_code == 422 and "K already presses “Note”." in page
    assert page.count('value="k"') == 2
    browser.post("/me/keys/", {"annotation-s": "k"})  # an annotator is offered no key of the desk: it stays
    wren.refresh_from_db()
    assert wren.own_keys == {"annotation": {"s": "k"}, "moderation": {"j": "q"}}


def test_every_letter_of_a_page_stands_in_the_list_of_own_keys(settings):
    listed: dict[str, set[str]] = {}
    for place in every_page_keys():
        listed.setdefault(place.app, set()).update(key.letter for key in place.keys)
    for app, letters in listed.items():
        pages = Path(settings.BASE_DIR, "templates", app).rglob("*.html")
        press = re.compile(r'(?:data-press|\bkey)="([a-z])"')
        pressed = {letter for page in pages for letter in press.findall(page.read_text("utf-8"))}
        assert pressed <= letters, f"{app}: these letters are missing in its PageKeys"


def test_nobody_makes_themselves_an_admin_by_preferences(browser, wren):
    browser.post("/me/", {"theme": "dark", "is_staff": "true", "is_superuser": "true", "username": "boss"})
    wren.refresh_from_db()
    assert (wren.is_staff, wren.is_superuser, wren.username) == (False, False, "wren")


@pytest.mark.parametrize("sent", [{"theme": "pink"}, {"theme": "dark", "language": "xx"}, {}])
def test_unknown_preferences_are_refused(browser, wren, sent):
    assert browser.post("/me/", sent).status_code == 422
    wren.refresh_from_db()
    assert wren.theme == "system"


def test_the_menu_sets_theme_and_language_and_comes_back(browser, wren):
    answer = browser.post("/me/look/", {"theme": "light"}, HTTP_REFERER="http://testserver/p/x/items/?page=2")
    assert answer["Location"] == "/p/x/items/?page=2"
    browser.post("/me/look/", {"language": "zh-hans"})
    wren.refresh_from_db()
    assert (wren.theme, wren.language) == ("light", "zh-hans")


@pytest.mark.parametrize("elsewhere", ["//evil.example", "https://evil.example/", "javascript:alert(1)"])
def test_the_menu_leads_to_no_other_site(browser, elsewhere):
    assert browser.post("/me/look/", {"theme": "light", "next": elsewhere})["Location"] == "/"
    assert browser.post("/me/look/", {"theme": "light"}, HTTP_REFERER=elsewhere)["Location"] == "/"


@pytest.mark.parametrize(
    "path", ["//elsewhere.example/x", "/\\elsewhere.example/x", "///elsewhere.example", "/%2F/elsewhere.example"]
)
def test_l30_a_way_back_with_two_slashes_stays_on_this_site(browser, path):
    answer = browser.post("/me/look/", {"theme": "light"}, HTTP_REFERER=f"http://testserver{path}")
    assert not answer["Location"].startswith(("//", "/\\"))
    assert url_has_allowed_host_and_scheme(answer["Location"], allowed_hosts={"testserver"})


def test_a_stranger_may_choose_the_language_of_the_login_page(wren):
    client = Client()
    client.post("/me/look/", {"language": "ko", "theme": "dark"})
    assert client.cookies[site_settings.LANGUAGE_COOKIE_NAME].value == "ko"
    wren.refresh_from_db()
    assert (wren.language, wren.theme) == ("", "system")


def test_the_picture_of_a_second_step_exists_only_while_it_is_set_up(browser, wren):
    assert browser.get("/me/second-step.svg").status_code == 404
    session = browser.session
    session["mfa.totp.secret"] = "JBSWY3DPEHPK3PXP"
    session.save()
    picture = browser.get("/me/second-step.svg")
    assert picture["Content-Type"] == "image/svg+xml"
    assert picture["Cache-Control"] == "no-store"
    assert b"<svg" in picture.content and b"<script" not in picture.content


def test_the_login_page_warns_and_lists_demo_accounts_in_demo_mode_only(settings):
    logins = [{"role": "annotator", "username": "robin", "password": "robin-sings-1"}]
    settings.DEMO_LOGINS.parent.mkdir(parents=True, exist_ok=True)
    settings.DEMO_LOGINS.write_text(json.dumps(logins), encoding="utf-8")
    page = text_of(Client().get("/accounts/login/"))
    assert "Posts here may demean people" in page
    assert "robin" not in page
    settings.DEMO = True
    assert "robin-sings-1" in text_of(Client().get("/accounts/login/"))


def test_pages_of_failures_say_what_to_do_and_show_no_address(browser):
    page = browser.get("/p/nowhere-at-all/label/")
    assert page.status_code == 404
    assert "There is nothing here" in text_of(page)
    assert "nowhere-at-all" not in text_of(page)


@pytest.mark.parametrize(
    ("blur", "grey", "said"),
    [(True, True, "start blurred and grey"), (True, False, "start blurred."), (False, True, "are shown at once")],
)
def test_the_consent_says_how_this_person_will_meet_pictures(browser, wren, blur, grey, said):
    make_member(make_project("mine"), user=wren, consent_version=0)
    User.objects.filter(pk=wren.pk).update(blur=blur, grey=grey)
    page = text_of(browser.get("/p/mine/consent/"))
    assert f"Pictures {said}" in page
    assert page.count("Pictures ") == 1


@pytest.mark.parametrize("blur", [True, False])
def test_an_invitation_promises_no_blur_where_the_project_begins_without(blur):
    project = make_project("mine", viewing_defaults={"blur": blur})
    invited = invite(make_member(project, Role.ADMIN), [Role.ANNOTATOR])
    page = text_of(Client().get(f"/invite/{invited.token}/"))
    assert ("Pictures stay blurred" in page) is blur
    assert "Posts here may demean people." in page
