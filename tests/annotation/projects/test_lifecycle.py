"""A project as a whole: begun in the browser, copied, archived, deleted in seven days, kept after all."""

from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command
from django.db import DatabaseError
from django.test import Client
from django.urls import reverse
from django.utils import timezone

import builders
from annotation.assignment import claim
from annotation.assignment.outcomes import HeldSeat, NotOpen
from annotation.batches.open_items import set_project_open
from annotation.domain.choices import Policy, Role
from annotation.members import invitations
from annotation.models import (
    Category,
    Deletion,
    Event,
    Guideline,
    Import,
    Item,
    Label,
    Membership,
    Project,
    ReleaseOrder,
    Seat,
)
from annotation.projects import lifecycle
from annotation.projects.clone import OWN, clone_project
from annotation.projects.create import BadProject
from annotation.projects.settings import change_settings
from runs.models import Run

pytestmark = pytest.mark.django_db

PASSWORD = "correct horse battery"


@pytest.fixture
def project():
    return builders.make_project("life", name="A campaign")


@pytest.fixture
def admin(project):
    return builders.make_member(project, Role.ADMIN, user=builders.make_user("boss", PASSWORD))


def client_of(user) -> Client:
    client = Client()
    client.force_login(user)
    return client


def test_settings_from_an_older_page_do_not_undo_a_deletion_or_bring_a_project_back(project, admin):
    read_before = Project.objects.get()
    lifecycle.ask_deletion(project, admin)
    read_before.name = "Another name"
    change_settings(admin, read_before, ["name"])
    project.refresh_from_db()
    assert (project.name, project.is_closed, project.is_open) == ("Another name", True, False)
    read_before.pk = 10**6  # as when the row is purged meanwhile
    with pytest.raises(DatabaseError):
        change_settings(admin, read_before, ["name"])


# ── Archived ──────────────────────────────────────────────────────────────────


def test_an_archived_project_is_read_and_nothing_in_it_changes(project, admin):
    annotator = builders.make_member(project)
    item = builders.make_open_item(project)
    assert isinstance(claim.claim(annotator), HeldSeat)
    lifecycle.archive(project, admin)
    annotator.refresh_from_db()
    project.refresh_from_db()

    assert isinstance(claim.claim(annotator), NotOpen)
    assert Seat.objects.filter(annotator__isnull=False).count() == 0
    client = client_of(admin.user)
    for name in ("items", "project-settings", "members", "dashboard", "releases", "import"):
        page = client.get(reverse(f"annotation:{name}", args=["life"]))
        assert page.status_code == 200, name
        assert "This project is archived." in page.content.decode(), name
        changed = client.post(reverse(f"annotation:{name}", args=["life"]), {})
        assert changed.status_code in (403, 405), name
    withdrawn = client.post(
        reverse("annotation:item-withdraw", args=["life", item.public_id]), {"reason": "No.", "version": 1}
    )
    assert withdrawn.status_code == 403
    assert "This project is archived" in withdrawn.content.decode()
    api = client.post("/api/v1/projects/life/import/", {"rows": [{"id": "a", "text": "b"}]}, "application/json")
    assert (api.status_code, api.json()["code"]) == (403, "read_only")
    with pytest.raises(CommandError, match="archived"):
        call_command("compute_priors", "life")
    assert Item.objects.count() == 1


@pytest.mark.parametrize(
    ("page", "fields"),
    [
        ("guidelines-edit", {"text": "# Weeds\n\nWhat <b>somebody</b> wrote for an hour.", "summary": "ok"}),
        (
            "project-settings",
            {"description": "What <b>somebody</b> wrote for an hour.", "password": "a secret of many words"},
        ),
        ("design", {"note": "What <b>somebody</b> wrote for an hour.", "key": "a key of a form with words"}),
    ],
)
def test_what_was_typed_while_somebody_archived_the_project_is_shown_again(project, admin, page, fields):
    lifecycle.archive(project, admin)
    client = client_of(admin.user)
    refused = client.post(reverse(f"annotation:{page}", args=["life"]), fields)
    shown = refused.content.decode()
    assert refused.status_code == 403 and "What you typed" in shown
    assert "What &lt;b&gt;somebody&lt;/b&gt; wrote for an hour." in shown
    assert "secret" not in shown and "a key of a form" not in shown
    told = client.post(reverse(f"annotation:{page}", args=["life"]), fields, headers={"accept": "application/json"})
    assert set(told.json()) == {"code", "detail"}


def test_a_closed_project_offers_no_form_that_it_refuses_and_a_refusal_leads_back(project, admin):
    client = client_of(admin.user)
    client.post(f"/p/{project.slug}/life/archive/", {"archived": "1"})
    for name in ("settings", "design", "guidelines/edit"):
        text = client.get(f"/p/{project.slug}/{name}/").content.decode()
        assert "Nothing can be changed here" in text, name
        assert '<button class="button is-primary">Save' not in text, name
    settings = f"/p/{project.slug}/settings/"
    refused = client.post(settings, {"description": "A new text"}, headers={"referer": f"http://testserver{settings}"})
    assert refused.status_code == 403
    assert f'href="{settings}"' in refused.content.decode().split('class="sheet empty"')[1]
    assert "A new text" in refused.content.decode()


def test_labels_of_a_closed_project_are_not_said_to_change(project, admin):
    ann = builders.make_member(project)
    builders.make_label(builders.make_open_item(project).seat_rows.first(), ann, 0)
    client_of(admin.user).post(f"/p/{project.slug}/life/archive/", {"archived": "1"})
    text = client_of(ann.user).get(f"/p/{project.slug}/history/").content.decode()
    assert "Labels can be changed until" not in text
    assert ">Change</a>" not in text


def test_somebody_may_leave_an_archived_project_all_the_same(project, admin):
    annotator = builders.make_member(project)
    lifecycle.archive(project, admin)
    assert client_of(annotator.user).post(reverse("annotation:withdraw", args=["life"])).status_code == 302
    annotator.refresh_from_db()
    assert annotator.active is False


def test_what_waits_ends_with_the_archive_and_what_runs_has_to_end_first(project, admin):
    upload = Import.objects.create(project=project, file_name="a.csv", sha256="0" * 64, state="checked")
    run = Run.objects.create(
        method="prior",
        project=project.public_id,
        subject=project.public_id,
        call_limit=1,
        token_limit=1,
        seconds_limit=1,
    )
    invitation = invitations.invite(admin, [Role.ANNOTATOR]).invitation
    going = ReleaseOrder.objects.create(project=project, ordered_by=admin, key=project.public_id, state="building")
    with pytest.raises(lifecycle.UnderWay):
        lifecycle.archive(project, admin)
    ReleaseOrder.objects.filter(pk=going.pk).update(state="done")
    lifecycle.archive(project, admin)
    upload.refresh_from_db()
    run.refresh_from_db()
    invitation.refresh_from_db()
    assert invitation.revoked_at is not None
    assert (upload.state, run.state) == ("cancelled", "cancelled")


def test_an_archived_project_comes_back_closed_for_labelling(project, admin):
    client = client_of(admin.user)
    address = reverse("annotation:project-archive", args=["life"])
    client.post(address, {"archived": "1"})
    client.post(address, {"archived": "0"})
    project.refresh_from_db()
    assert (project.archived_at, project.is_open) == (None, False)
    assert set_project_open(project, admin, is_open=True)
    assert list(Event.objects.order_by("pk").values_list("verb", flat=True))[:2] == [
        "project_archived",
        "project_unarchived",
    ]
    with pytest.raises(lifecycle.NotSo):
        lifecycle.unarchive(project, admin)


# ── Deleted ───────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("name", "password", "says"),
    [
        ("A campaign", "wrong", "That is not your password."),
        ("another", PASSWORD, "That is not the name of this project."),
        ("", "", "This field is required."),
    ],
)
def test_a_deletion_wants_the_name_and_the_password(project, admin, name, password, says):
    address = reverse("annotation:project-delete", args=["life"])
    refused = client_of(admin.user).post(address, {"name": name, "password": password})
    assert refused.status_code == 422
    assert says in refused.content.decode()
    project.refresh_from_db()
    assert project.delete_after is None


def test_the_page_names_what_is_lost_and_the_project_closes_for_seven_days(project, admin):
    people = [builders.make_member(project) for _ in range(3)]
    builders.make_labelled_item(project, people, (1, 1, 0))
    client, address = client_of(admin.user), reverse("annotation:project-delete", args=["life"])
    page = client.get(address)
    assert page.context["losses"] == {
        "items": 1, "labels": 3, "pictures": 0, "releases": 0, "people": 4, "runs": 0, "events": 0,
    }  # fmt: skip
    assert client.post(address, {"name": "A campaign", "password": PASSWORD}).status_code == 302
    project.refresh_from_db()
    wait = project.delete_after - timezone.now()
    assert timedelta(days=6, hours=23) < wait <= timedelta(days=7)
    assert project.is_open is False
    told = client.get(reverse("annotation:items", args=["life"])).content.decode()
    assert "This project will be deleted on" in told
    assert client.post(reverse("annotation:project-settings", args=["life"]), {}).status_code == 403
    assert Deletion.objects.get().asked_by == admin.user
    assert (Item.objects.count(), Label.objects.count()) == (1, 3)


def test_a_deletion_can_be_cancelled_until_its_moment_and_not_after(project, admin):
    lifecycle.ask_deletion(project, admin)
    with pytest.raises(lifecycle.NotSo):
        lifecycle.ask_deletion(project, admin)
    assert client_of(admin.user).post(reverse("annotation:project-keep", args=["life"])).status_code == 302
    project.refresh_from_db()
    assert project.delete_after is None
    assert Deletion.objects.get().cancelled_at is not None

    lifecycle.ask_deletion(project, admin)
    Project.objects.update(delete_after=timezone.now())
    with pytest.raises(lifecycle.NotSo):
        lifecycle.cancel_deletion(project, admin)


def test_annotators_and_reviewers_see_that_it_ends_but_no_way_to_keep_it(project, admin):
    reviewer = builders.make_member(project, Role.REVIEWER)
    lifecycle.ask_deletion(project, admin)
    page = client_of(reviewer.user).get(reverse("annotation:items", args=["life"])).content.decode()
    assert "This project will be deleted on" in page
    assert "Cancel the deletion" not in page


# ── Copied and begun ──────────────────────────────────────────────────────────


def test_a_copy_has_every_setting_the_newest_guidelines_and_no_items(project, admin):
    Project.objects.filter(pk=project.pk).update(
        policy=Policy.PAPER, lease_minutes=33, severe_a_day=5, model_plan={"prior_text": "keyword:cues"}, licence="CC0"
    )
    Category.objects.filter(project=project, code=1).update(definition="About origin.", aliases=["R"])
    Guideline.objects.create(project=project, number=2, text="Look twice.")
    builders.make_item(project)
    made = clone_project(admin, "second", "A second one")
    project.refresh_from_db()
    fields = [field.attname for field in Project._meta.concrete_fields if field.attname not in OWN]
    assert {name: getattr(made, name) for name in fields} == {name: getattr(project, name) for name in fields}
    assert made.export_key != project.export_key
    assert made.influence_seed != project.influence_seed
    assert made.category_values() == project.category_values()
    assert [(each.number, each.text) for each in made.guidelines.all()] == [(1, "Look twice.")]
    assert (made.items.count(), made.is_open, made.consent_version) == (0, True, 1)
    assert [member.roles for member in made.memberships.all()] == [(Role.ADMIN,)]


def test_a_copy_with_people_gives_roles_new_pseudonyms_and_asks_for_consent_again(project, admin):
    annotator = builders.make_member(project, Role.ANNOTATOR, Role.REVIEWER, pseudonym="old-name")
    builders.make_member(project, active=False)
    made = clone_project(admin, "second", "A second one", with_people=True)
    there = {member.user_id: member for member in made.memberships.all()}
    assert set(there) == {admin.user_id, annotator.user_id}
    copy = there[annotator.user_id]
    assert (copy.roles, copy.consent_version) == ((Role.ANNOTATOR, Role.REVIEWER), 0)
    assert copy.pseudonym != "old-name"


def test_an_address_that_is_taken_is_refused_and_what_was_typed_stays(project, admin):
    with pytest.raises(BadProject):
        clone_project(admin, "LIFE", "Again")
    answer = client_of(admin.user).post(
        reverse("annotation:project-clone", args=["life"]), {"slug": "life", "name": "Again"}
    )
    assert answer.status_code == 422
    assert 'value="Again"' in answer.content.decode()
    assert Project.objects.count() == 1


def test_the_sites_staff_begins_projects_in_the_browser_and_nobody_else():
    staff, other = builders.make_user(is_staff=True), builders.make_user()
    address = reverse("annotation:project-new")
    assert client_of(other).get(address).status_code == 404
    assert "New project" in client_of(staff).get("/").content.decode()
    sent = {"name": "Memes", "slug": "memes", "seats": "5", "policy": "paper"}
    assert client_of(staff).post(address, sent).status_code == 302
    made = Project.objects.get()
    assert (made.slug, made.name, made.seats, made.policy, made.categories.count()) == ("memes", "Memes", 5, "paper", 6)
    assert Membership.objects.get().user == staff
    wrong = client_of(staff).post(address, sent | {"seats": "1"})
    assert wrong.status_code == 422
