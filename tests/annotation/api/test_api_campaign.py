"""A campaign over the API: people, settings, guidelines, batches, quotas, training; refused as on the pages."""

from html import unescape
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from annotation.domain.choices import BatchState, Role, Stage
from annotation.models import Batch, Event, Guideline, Invitation, Item, KnownAnswer, Membership, Project
from builders import category, make_item, make_label, make_member, make_open_item, make_project, make_user
from markup import compact

pytestmark = pytest.mark.django_db

HOME = "/api/v1/projects/p"


class Caller:
    """Somebody who sends JSON."""

    def __init__(self, user: Any) -> None:
        self._client = Client()
        self._client.force_login(user)

    def __call__(self, method: str, path: str, body: Any = None, status: int = 200) -> Any:
        """Return the value of the answer, which has this status."""
        address = path if path.startswith("/") else f"{HOME}/{path}"
        send = getattr(self._client, method)
        answer = send(address) if method == "get" else send(address, body or {}, content_type="application/json")
        assert answer.status_code == status, answer.content
        return answer.json() if answer.content else None

    def page(self, address: str) -> str:
        """Return a page of the site, as this person reads it."""
        return unescape(self._client.get(address).content.decode())


@pytest.fixture
def project() -> Project:
    return make_project("p")


@pytest.fixture
def lead(project: Project) -> Membership:
    return make_member(project, Role.ADMIN, pseudonym="lead")


@pytest.fixture
def ask(lead: Membership) -> Caller:
    return Caller(lead.user)


# ── Projects ──────────────────────────────────────────────────────────────────


def test_staff_create_a_project_with_a_design_and_are_its_admins():
    ask = Caller(make_user(is_staff=True))
    design = {
        "categories": [{"code": 0, "name": "Fine", "hateful": False}, {"code": 1, "name": "Bad", "hateful": True}]
    }
    made = ask("post", "/api/v1/projects/", {"slug": "new", "seats": 2, "design": design}, 201)
    assert (made["slug"], made["seats"], made["roles"]) == ("new", 2, ["admin"])
    assert [each["name"] for each in made["categories"]] == ["Fine", "Bad"]
    assert ask("post", "/api/v1/projects/", {"slug": "NEW"}, 409)["code"] == "slug_taken"
    assert ask("post", "/api/v1/projects/", {"slug": "-"}, 422)["field"] == "slug"
    refused = ask("post", "/api/v1/projects/", {"slug": "other", "design": {"categories": []}}, 422)
    assert refused["field"] == "design"
    assert Project.objects.count() == 1


def test_nobody_else_creates_projects(ask: Caller):
    assert ask("post", "/api/v1/projects/", {"slug": "new"}, 403)["code"] == "not_staff"
    assert Project.objects.count() == 1


# ── People ────────────────────────────────────────────────────────────────────


def test_people_are_listed_with_roles_and_labels_and_imported_names_are_not(project, lead, ask):
    ann = make_member(project, pseudonym="ann", quota=7)
    make_label(make_open_item(project).seat_rows.first(), ann, 1)
    Membership.objects.create(project=project, pseudonym="imported-1", imported_name="x", annotates=True)
    people = {each["name"]: each for each in ask("get", "members/")}
    assert set(people) == {"lead", "ann"}
    shown = people["ann"]
    assert (shown["roles"], shown["labels"], shown["quota"], shown["active"]) == (["annotator"], 1, 7, True)
    assert ask("get", f"members/{ann.public_id}/") == shown


def test_a_new_account_s_password_is_told_once(ask):
    made = ask("post", "members/", {"username": "somebody", "role": "annotator"}, 201)
    assert made["password"] and made["roles"] == ["annotator"]
    again = ask("post", "members/", {"username": "somebody", "role": "reviewer"})
    assert (again["password"], again["roles"]) == (None, ["annotator", "reviewer"])
    assert ask("post", "members/", {"username": "no space", "role": "annotator"}, 409)["code"] == "bad_username"


def test_changes_of_a_member_are_stored_together_or_not_at_all(project, lead, ask):
    ann = make_member(project, pseudonym="ann")
    changes = {"roles": ["reviewer"], "quota": 3, "name": "heron"}
    assert ask("patch", f"members/{ann.public_id}/", changes)["roles"] == ["reviewer"]
    refused = ask("patch", f"members/{ann.public_id}/", {"roles": ["admin"], "name": "LEAD"}, 422)
    assert (refused["code"], refused["field"]) == ("pseudonym_taken", "name")
    ann.refresh_from_db()
    assert (ann.reviews, ann.administers, ann.quota, ann.pseudonym) == (True, False, 3, "heron")
    assert ask("patch", f"members/{ann.public_id}/", {"quota": None})["quota"] is None


def test_a_project_keeps_an_admin_and_nobody_ends_their_own_access(lead, ask):
    assert ask("patch", f"members/{lead.public_id}/", {"roles": ["reviewer"]}, 409)["code"] == "last_admin"
    assert ask("post", f"members/{lead.public_id}/end/", status=409)["code"] == "own_access"
    lead.refresh_from_db()
    assert lead.active and lead.administers


def test_an_ended_access_is_given_again(project, ask):
    ann = make_member(project)
    ended = ask("post", f"members/{ann.public_id}/end/")
    assert (ended["active"], ended["roles"]) == (False, ["annotator"])  # the roles that come back with the access
    assert ask("post", f"members/{ann.public_id}/again/")["active"] is True
    Project.objects.update(archived_at="2026-01-01T00:00:00Z")
    assert ask("post", f"members/{ann.public_id}/end/")["active"] is False  # as on the page of an archived project
    assert ask("post", f"members/{ann.public_id}/again/", status=403)["code"] == "read_only"


def test_a_member_of_another_project_is_missing(ask):
    other = make_member(make_project("other"))
    for method, path in (("get", ""), ("patch", ""), ("post", "end/")):
        ask(method, f"members/{other.public_id}/{path}", status=404)


# ── Joining ───────────────────────────────────────────────────────────────────


def test_the_secret_of_an_invitation_is_told_once_and_lets_one_person_in(project, ask):
    made = ask("post", "invitations/", {"roles": ["annotator", "reviewer"], "days": 3, "note": "For Kim."}, 201)
    assert made["link"].endswith(f"/invite/{made['token']}/")
    listed = ask("get", "invitations/")
    assert [(each["state"], each["note"]) for each in listed] == [("open", "For Kim.")]
    assert made["token"] not in str(listed)
    kim, other = make_user(), make_user()
    joined = Caller(kim)("post", "/api/v1/invitations/accept/", {"token": made["token"]})
    assert joined == {"project": "p", "roles": ["annotator", "reviewer"]}
    refused = Caller(other)("post", "/api/v1/invitations/accept/", {"token": made["token"]}, 422)
    assert refused["code"] == "invitation_closed"
    assert not Membership.objects.filter(user=other).exists()


def test_a_revoked_invitation_opens_nothing(ask):
    made = ask("post", "invitations/", {"roles": ["annotator"]}, 201)
    assert ask("post", f"invitations/{made['id']}/end/")["state"] == "revoked"
    assert ask("post", f"invitations/{made['id']}/end/", status=409)["code"] == "invitation_over"
    Caller(make_user())("post", "/api/v1/invitations/accept/", {"token": made["token"]}, 422)


def test_whose_access_ended_does_not_return_by_an_invitation(project, ask):
    gone = make_member(project, active=False)
    token = ask("post", "invitations/", {"roles": ["annotator"]}, 201)["token"]
    assert Caller(gone.user)("post", "/api/v1/invitations/accept/", {"token": token}, 409)["code"] == "access_ended"


def test_an_invitation_to_a_team_needs_a_limited_batch_of_this_project(project, ask):
    team = Batch.objects.create(project=project, name="team", limited=True)
    foreign = Batch.objects.create(project=make_project("other"), name="team", limited=True)
    sent = {"roles": ["annotator"], "team": str(team.public_id)}
    assert ask("post", "invitations/", sent, 201)["team"] == str(team.public_id)
    for wrong in ({"team": str(foreign.public_id)}, {"roles": ["reviewer"]}):
        assert ask("post", "invitations/", sent | wrong, 400)["field"] == "team"
    assert Invitation.objects.count() == 1


def test_an_invitation_to_a_batch_that_is_open_to_everybody_is_refused_in_true_words(project, lead, ask):
    Batch.objects.create(project=project, name="first")
    sent = {"roles": ["annotator"], "team": str(Batch.objects.get(name="first").public_id)}
    sentence = "A team is a batch of this project that is limited to people. The chosen batch is not."
    assert ask("post", "invitations/", sent, 400)["detail"] == sentence
    client = Client()
    client.force_login(lead.user)
    form = {"invite-roles": ["annotator"], "invite-days": "7", "invite-team": str(Batch.objects.get(name="first").pk)}
    assert sentence in client.post("/p/p/people/invitations/", form).content.decode()


def test_what_a_webhook_is_told_of_is_stored_once(ask):
    sent = {"address": "https://hooks.example.org/", "happenings": ["run.ended", "item.closed", "run.ended"]}
    made = ask("post", "webhooks/", sent, 201)
    assert made["happenings"] == ["item.closed", "run.ended"]


def test_consent_is_to_the_version_that_was_read(project):
    ann = make_member(project, consent_version=0)
    make_open_item(project)
    ask = Caller(ann.user)
    assert ask("post", "next/", status=403)["code"] == "consent_needed"
    shown = ask("get", "consent/")
    page = compact(ask.page("/p/p/consent/"))
    assert (shown["version"], shown["given"]) == (1, False)
    assert all(shown[part] and shown[part] in page for part in ("warning", "text", "leaving"))
    assert ask("post", "consent/", {"version": 2}, 409)["code"] == "consent_changed"
    assert ask("post", "consent/", {"version": 1})["given"] is True
    assert ask("post", "next/")["seat"]


# ── Settings ──────────────────────────────────────────────────────────────────


def test_settings_change_one_by_one_and_are_recorded(project, ask):
    before = ask("get", "settings/")
    after = ask("patch", "settings/", {"order": "hard", "call_budget": 100})
    assert after == {**before, "order": "hard", "call_budget": 100}
    assert Event.objects.get(verb="change_settings").facts["changed"] == ["call_budget", "order"]
    assert ask("patch", "settings/", {}) == after
    assert Event.objects.filter(verb="change_settings").count() == 1


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"order": "easy"}, "order"),
        ({"lease_minutes": 0}, "lease_minutes"),
        ({"low_quality_threshold": 9}, "low_quality_threshold"),
        ({"daily_goal": "many"}, "daily_goal"),
        ({"prompt_set": "none"}, "prompt_set"),
        ({"name": "  "}, "name"),
    ],
)
def test_a_setting_that_does_not_fit_is_refused_and_none_is_stored(ask, changes, field):
    before = ask("get", "settings/")
    assert ask("patch", "settings/", {"licence": "CC0", **changes}, 400)["field"] == field
    assert ask("get", "settings/") == before


def test_a_setting_that_does_not_exist_is_refused_by_name(ask):
    refused = ask("patch", "settings/", {"licence": "CC0", "seats": 9}, 400)
    assert refused["code"] == "unknown_setting" and "'seats'" in refused["detail"]
    assert ask("get", "settings/")["licence"] == ""


def test_an_admin_does_not_shut_themselves_out(ask):
    assert ask("patch", "settings/", {"second_factor": "staff"}, 409)["code"] == "own_second_factor"
    assert ask("get", "settings/")["second_factor"] == "none"


def test_a_closed_project_hands_nothing_out(project, ask):
    make_open_item(project)
    ann = Caller(make_member(project).user)
    assert ask("put", "open/", {"open": False}) == {"open": False}
    assert ann("post", "next/", status=403)["code"] == "not_open"
    ask("put", "open/", {"open": True})
    assert ann("post", "next/")["seat"]


def test_a_command_shows_and_changes_settings(project, capsys):
    call_command("project_settings", "p", "order=hard", "call_budget=100", "--json")
    assert capsys.readouterr().out.strip() == '{"project": "p", "changed": ["call_budget", "order"]}'
    call_command("project_settings", "p", "call_budget=null")
    call_command("project_settings", "p", "--json")
    shown = capsys.readouterr().out
    assert '"order": "hard"' in shown and '"call_budget": null' in shown
    for wrong, sentence in (
        *(("seats=9", "no setting 'seats'"), ("order=easy", "order: "), ("order", "NAME=VALUE")),
        *((f"lease_minutes={minutes}", "Between 1 and 240 minutes") for minutes in (-5, 0, 241, 99999)),
        *((f"low_quality_threshold={count}", "Between 1 and the number of seats") for count in (-1, 0, 16)),
    ):
        with pytest.raises(CommandError, match=sentence):
            call_command("project_settings", "p", "licence=CC0", wrong)
    project.refresh_from_db()
    assert (project.order, project.call_budget, project.licence) == ("hard", None, "")


# ── Guidelines ────────────────────────────────────────────────────────────────


def test_a_version_is_published_once_and_nobody_s_work_is_overwritten(project, ask):
    sent = {"text": "# New\n", "begun_at": 1, "summary": "All of it.", "examples": [{"text": "A.", "category": 1}]}
    made = ask("post", "guidelines/", sent, 201)
    assert (made["number"], made["examples"]) == (2, [{"text": "A.", "category": 1, "why": ""}])
    assert ask("post", "guidelines/", {**sent, "begun_at": 2})["number"] == 2  # the same text is no new version
    refused = ask("post", "guidelines/", {**sent, "text": "# Other"}, 409)
    assert refused["code"] == "changed_meanwhile" and "Version 2" in refused["detail"]
    assert [each["number"] for each in ask("get", "guidelines/")] == [2, 1]
    assert ask("get", "guidelines/newest/") == ask("get", "guidelines/2/") == made
    ask("get", "guidelines/3/", status=404)


def test_a_version_that_asks_to_be_read_says_what_changed(ask):
    refused = ask("post", "guidelines/", {"text": "# New", "begun_at": 1}, 400)
    assert refused["field"] == "summary"
    unknown = {"text": "# New", "begun_at": 1, "summary": "x", "examples": [{"text": "A.", "category": 77}]}
    assert ask("post", "guidelines/", unknown, 400)["field"] == "examples"
    assert Guideline.objects.count() == 1


def test_reviewers_read_versions_and_do_not_publish(project):
    ask = Caller(make_member(project, Role.REVIEWER).user)
    assert ask("get", "guidelines/1/")["number"] == 1
    assert ask("post", "guidelines/", {"text": "# Mine", "begun_at": 1}, 403)["code"] == "not_an_admin"


def test_an_annotator_goes_on_after_reading_the_new_version(project, lead, ask):
    ann = make_member(project)
    make_label(make_open_item(project).seat_rows.first(), ann, 1)
    make_open_item(project)
    ask("post", "guidelines/", {"text": "# New", "begun_at": 1, "summary": "All."}, 201)
    mine = Caller(ann.user)
    assert mine("post", "next/", status=403)["code"] == "guidelines_changed"
    assert mine("get", "guidelines/newest/")["number"] == 2
    mine("post", "guidelines/2/read/", status=204)
    assert mine("post", "next/")["seat"]
    mine("get", "guidelines/", status=404)


# ── Batches and quotas ────────────────────────────────────────────────────────


def test_a_batch_is_opened_paused_resumed_and_closed(project, ask):
    for number in range(3):
        make_item(project, stage=Stage.READY, batch="first", external_id=f"i-{number}")
    opened = ask("post", "batches/", {"name": "first"})
    assert opened == {"opened": 3, "pictures_missing": 0, "waiting_for_priors": 0, "more": False}
    assert ask("post", "batches/", {"name": "first"})["opened"] == 0
    assert ask("post", "batches/", {"name": "second"}, 400)["field"] == "name"
    row = Batch.objects.get(name="first")
    states = [
        ask("post", f"batches/{row.public_id}/act/", {"act": act})["state"] for act in ("pause", "resume", "close")
    ]
    assert states == ["paused", "open", "closed"]
    refused = ask("post", f"batches/{row.public_id}/act/", {"act": "close"}, 409)
    assert (refused["code"], "closed" in refused["detail"]) == ("batch_not_so", True)
    assert ask("get", f"batches/{row.public_id}/")["seats"]["free"] == 9


@pytest.mark.parametrize("left", [None, Stage.KNOWN], ids=["no post", "a known answer alone"])
def test_the_batch_without_a_name_and_posts_is_missing_on_page_api_and_command(project, lead, ask, client, left):
    client.force_login(lead.user)
    item = make_item(project, batch="")
    row = Batch.objects.create(project=project, name="", state=BatchState.OPEN)
    path, page = f"batches/{row.public_id}/", f"/p/{project.slug}/batches/{row.public_id}/"
    assert ask("get", path)["name"] == ""
    assert client.get(page).status_code == 200
    Item.objects.filter(pk=item.pk).update(**{"stage": left} if left else {"batch": "second"})
    changes = (("get", path, None), ("patch", path, {"priority": 5}), ("post", f"{path}act/", {"act": "pause"}))
    for method, address, body in changes:
        assert ask(method, address, body, 404)["code"] == "not_found"
    assert client.get(page).status_code == client.post(f"{page}do/", {"do": "pause"}).status_code == 404
    for act in ((), ("pause",)):
        with pytest.raises(CommandError, match="has no batch ''"):
            call_command("batches", project.slug, "", *act)
    row.refresh_from_db()
    assert (row.state, Item.objects.get().priority) == (BatchState.OPEN, 0)


def test_a_batch_is_for_people_of_the_project_alone(project, lead, ask):
    make_item(project, batch="first")
    row = Batch.objects.create(project=project, name="first")
    ann, foreign = make_member(project, pseudonym="ann"), make_member(make_project("other"))
    path = f"batches/{row.public_id}/"
    assert ask("patch", path, {"members": [str(ann.public_id)], "priority": 5})["members"] == ["ann"]
    for wrong in (foreign, lead):
        assert ask("patch", path, {"members": [str(wrong.public_id)]}, 409)["code"] == "not_an_annotator"
    assert Item.objects.get().priority == 5
    assert ask("patch", path, {"members": None})["members"] is None
    assert ask("patch", path, {"priority": 101}, 400)["field"] == "priority"


def test_quotas_bound_everybody_and_single_people(project, ask):
    ann, bob = make_member(project, pseudonym="ann"), make_member(project, pseudonym="bob")
    shown = ask("patch", "quotas/", {"quota": 50, "people": [{"id": str(ann.public_id), "own": 5}]})
    assert (shown["quota"], shown["new_batches"]) == (50, "waiting")
    assert {each["name"]: (each["own"], each["quota"], each["left"]) for each in shown["people"]} == {
        "ann": (5, 5, 5), "bob": (None, 50, 50),
    }  # fmt: skip
    foreign = make_member(make_project("other"))
    refused = ask("patch", "quotas/", {"quota": 1, "people": [{"id": str(foreign.public_id), "own": 5}]}, 400)
    assert refused["field"] == "people"
    assert ask("get", "quotas/") == shown
    assert bob.quota is None


# ── Training ──────────────────────────────────────────────────────────────────


def test_posts_get_known_answers_all_or_none(project, ask):
    make_item(project, stage=Stage.READY, external_id="a")
    make_open_item(project, external_id="b")
    lines = [{"id": "a", "category": "Racist"}, {"id": "b", "category": "1"}, {"id": "none", "category": "1"}]
    refused = ask("post", "training/posts/", {"purpose": "check", "posts": lines}, 422)
    assert [each["line"] for each in refused["errors"]] == [2, 3]
    assert not KnownAnswer.objects.exists()
    assert ask("post", "training/posts/", {"purpose": "training", "posts": lines[:1]}) == {"marked": 1}
    (shown,) = ask("get", "training/posts/")["results"]
    assert (shown["external_id"], shown["category"], shown["purpose"], shown["active"]) == ("a", 1, "training", True)


@pytest.mark.parametrize(
    ("place", "body", "fields"),
    [
        ("training/posts/", {"posts": [{"id": "a", "category": "0"}, {"category": "0"}]}, ["posts.1.id"]),
        ("training/posts/", {"posts": [{"category": "0"}, {"id": "b"}]}, ["posts.0.id", "posts.1.category"]),
        ("training/posts/", {"posts": [{"id": "a", "category": "0", "x": 1}]}, ["posts.0.x"]),
        ("training/posts/", {"posts": [7]}, ["posts.0"]),
        ("training/posts/", {"posts": "a"}, ["posts"]),
        ("training/posts/", {}, ["posts"]),
        ("releases/", {"formats": ["csv", "paper"]}, ["formats.1"]),
        ("split-lists/", {"name": "n", "parts": {"a": ["train"]}}, ["parts.a"]),
        ("training/posts/", [1], ["non_field_errors"]),
    ],
)
def test_an_error_inside_a_list_or_an_object_says_where(ask, place, body, fields):
    body = {"purpose": "check", **body} if place == "training/posts/" and isinstance(body, dict) else body
    told = ask("post", place, body, status=400)
    assert list(told["fields"]) == fields
    assert told.get("field", "non_field_errors") == fields[0]
    assert (told["detail"], told["code"] != "") == (told["fields"][fields[0]][0], True)


def test_a_rule_of_training_that_does_not_exist_is_refused_by_name(ask):
    assert ask("patch", "training/", {"check_percentage": 5}, 400)["field"] == "check_percentage"


def test_training_is_required_once_there_is_something_to_pass(project, ask):
    refused = ask("patch", "training/", {"training_required": True}, 400)
    assert refused["field"] == "training_required"
    item = make_item(project, stage=Stage.READY)
    ask("put", f"items/{item.public_id}/known/", {"category": 2, "purpose": "training", "explanation": "Weeds."})
    rules = ask("patch", "training/", {"training_required": True, "training_pass_percent": 75})
    assert (rules["training_required"], rules["training_pass_percent"]) == (True, 75)
    assert rules["posts"] == {"training": 1, "checks": 0, "resting": 0}
    assert ask("patch", "training/", {"check_percent": 51}, 400)["field"] == "check_percent"


def test_a_known_answer_rests_and_is_given_back_while_nobody_answered(project, ask):
    item = make_item(project, stage=Stage.READY)
    path = f"items/{item.public_id}/known/"
    ask("get", path, status=404)
    ask("put", path, {"category": 2, "purpose": "check"})
    assert ask("patch", path, {"active": False})["active"] is False
    assert ask("patch", path, {})["active"] is False
    ask("delete", path, status=204)
    item.refresh_from_db()
    assert item.stage == Stage.READY
    open_item = make_open_item(project)
    refused = ask("put", f"items/{open_item.public_id}/known/", {"category": 2, "purpose": "check"}, 409)
    assert refused["code"] == "not_markable"


def test_people_in_training_are_granted_attempts_or_a_pass(project, ask):
    ann = make_member(project, pseudonym="ann")
    (shown,) = ask("get", "training/people/")
    assert shown == {
        "id": str(ann.public_id), "name": "ann", "trained_at": None, "attempts": [], "under_way": False, "checks": None,
    }  # fmt: skip
    ask("post", f"training/people/{ann.public_id}/", {"act": "attempt"})
    assert ask("post", f"training/people/{ann.public_id}/", {"act": "trained"})["trained_at"]
    ann.refresh_from_db()
    assert ann.training_extra == 1 and ann.trained_at


def test_annotators_and_reviewers_read_nothing_about_known_answers(project):
    item = make_item(project, stage=Stage.KNOWN)
    KnownAnswer.objects.create(item=item, category=category(project, 1), explanation="secret")
    for role in (Role.ANNOTATOR, Role.REVIEWER):
        ask = Caller(make_member(project, role).user)
        for path in ("training/", "training/posts/", "training/people/", f"items/{item.public_id}/known/"):
            ask("get", path, status=404)
