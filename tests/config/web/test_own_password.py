"""A password that was printed is changed at the first sign-in; until then every page leads to that of the password."""

import json
import re

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from knox.models import AuthToken

import builders
from annotation.domain.choices import Role
from annotation.members.join import add_member
from annotation.models import User
from site_addresses import ROUTES
from site_objects import World, module_world, world

__all__ = ["module_world", "world"]
pytestmark = pytest.mark.django_db

LOGIN, CHANGE, OWN = "/accounts/login/", "/accounts/password/change/", "an own long passphrase"


@pytest.fixture
def printed():
    return add_member(builders.make_project("winter"), "wren", Role.ANNOTATOR, shows_password=True).password


def signed_in(password, name="wren", **more):
    client = Client()
    assert client.post(LOGIN, {"login": name, "password": password, **more}).status_code == 302
    return client


def new(password=OWN, **more):
    return {"password1": password, "password2": password, **more}


def test_the_first_sign_in_leads_to_an_own_password_and_then_on_to_the_page_that_was_wanted(printed):
    client = Client()
    wanted = client.post(LOGIN, {"login": "wren", "password": printed, "next": "/p/winter/?a=1"})["Location"]
    asked = client.get(wanted)
    assert asked["Location"] == f"{CHANGE}?next=/p/winter/%3Fa%3D1"
    page = client.get(asked["Location"])
    said = page.content.decode()
    assert "Choose your own password" in said and 'name="next"' in said and "oldpassword" not in said
    refused = client.post(CHANGE, new("short", next="/p/winter/?a=1"))
    assert refused.status_code == 200 and "/p/winter/?a=1" in refused.content.decode()
    assert client.post(CHANGE, new(next="/p/winter/?a=1"))["Location"] == "/p/winter/?a=1"
    assert client.get("/p/winter/?a=1", follow=True).status_code == 200
    assert signed_in(OWN).get("/me/").status_code == 200
    assert User.objects.get(username="wren").check_password(OWN)


def test_page_command_and_api_print_a_password_that_must_be_changed(capsys):
    project = builders.make_project("winter")
    admin = Client()
    admin.force_login(builders.make_member(project, Role.ADMIN).user)
    page = admin.post("/p/winter/people/", {"username": "wren", "role": "annotator"}).content.decode()
    printed = {"winter.wren": re.search(r"\w{5}(-\w{5}){3}", page).group()}
    call_command("add_member", "winter", "robin", "annotator", "--json")
    printed["robin"] = json.loads(capsys.readouterr().out)["password"]
    answer = admin.post("/api/v1/projects/winter/members/", {"username": "kim", "role": "reviewer"}, "application/json")
    printed["winter.kim"] = answer.json()["password"]
    for name, password in printed.items():
        assert signed_in(password, name).get("/")["Location"] == f"{CHANGE}?next=/"


def test_the_new_password_is_not_the_old_one_and_no_weak_one(printed):
    client = signed_in(printed)
    assert "Choose another one" in client.post(CHANGE, new(printed)).content.decode()
    assert client.post(CHANGE, new("12345678901")).status_code == 200
    assert client.get("/me/")["Location"].startswith(CHANGE)
    own = builders.make_user("robin", OWN)
    usual = signed_in(OWN, "robin")
    assert "Choose another one" in usual.post(CHANGE, new(oldpassword=OWN)).content.decode()
    assert usual.post(CHANGE, new("another long passphrase")).status_code == 200  # without the old one
    own.refresh_from_db()
    assert own.check_password(OWN)


def test_every_address_leads_there_and_nothing_is_done(world: World, rate_limits):
    user = world.members[Role.ADMIN].user
    assert user is not None
    User.objects.filter(pk=user.pk).update(must_change_password=True)
    before = world.project.__class__.objects.values_list().get(pk=world.project.pk)
    client = Client()
    client.force_login(user)
    stays = {"annotation:look"}
    open_ones = {}
    for name, route in ROUTES.items():
        for method in set(route.methods) - {"head"}:
            answer = getattr(client, method)(reverse(name, kwargs=route.parts(world)))
            api = "-api:" in name or name.startswith("api:")
            led = answer.status_code == 403 if api else answer.get("Location", "").startswith(CHANGE)
            if not led and name not in stays:
                open_ones[name, method] = answer.status_code
    assert open_ones == {}
    assert world.project.__class__.objects.values_list().get(pk=world.project.pk) == before


def test_forms_and_parts_of_pages_come_back_to_their_page_and_programs_get_a_sentence(printed):
    client = signed_in(printed)
    page = f"http://testserver{reverse('annotation:preferences')}"
    form = client.post("/me/", {}, headers={"referer": page})
    assert form["Location"] == f"{CHANGE}?next=/me/"
    part = client.get("/p/winter/", headers={"referer": page, "hx-request": "true"})
    assert (part.status_code, part["HX-Redirect"]) == (200, f"{CHANGE}?next=/me/")
    here = client.get("/p/winter/", headers={"referer": f"http://testserver{CHANGE}?next=/", "hx-request": "true"})
    assert here.status_code == 204
    said = client.get("/api/v1/projects/")
    assert (said.status_code, said.json()["code"]) == (403, "password_change_needed")
    assert client.get("/livez").status_code == 200
    assert client.post("/accounts/logout/").status_code == 302
    assert client.get("/me/")["Location"].startswith(LOGIN)


def test_no_token_is_made_with_a_printed_password_and_none_works(printed):
    client = signed_in(printed)
    assert client.post(reverse("annotation:tokens"))["Location"].startswith(CHANGE)
    _row, token = AuthToken.objects.create(User.objects.get(username="wren"))
    refused = Client().get("/api/v1/projects/", headers={"authorization": f"Token {token}"})
    assert (refused.status_code, refused.json()["code"]) == (403, "password_change_needed")


def test_what_a_site_admin_sets_for_somebody_else_is_changed_too(client, settings):
    site_admin = User.objects.create_superuser("ada", password=OWN)
    wren = builders.make_user("wren", OWN)
    client.force_login(site_admin)
    for user in (wren, site_admin):
        address = reverse("admin:auth_user_password_change", args=[user.pk])
        assert client.post(address, new("another long passphrase", usable_password="true")).status_code == 302
        user.refresh_from_db()
        assert user.check_password("another long passphrase")
    assert (wren.must_change_password, site_admin.must_change_password) == (True, False)


def test_twenty_weak_choices_behind_one_address_lock_nobody_out(printed, rate_limits):
    client = signed_in(printed)
    assert {client.post(CHANGE, new("short")).status_code for _ in range(20)} == {200}
    assert client.post(CHANGE, new()).status_code == 302
    wrong = [client.post(CHANGE, new("x" * 20, oldpassword="wrong")).status_code for _ in range(6)]
    assert wrong == [200] * 5 + [429]
