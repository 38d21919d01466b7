"""Erasing a person (threats T15, T23): no name, address or e-mail is left anywhere, and no label is lost."""

import io
import json
import logging
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from django.apps import apps
from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.messages.middleware import MessageMiddleware
from django.contrib.sessions.models import Session
from django.core.management import CommandError, call_command
from django.db import connection
from django.http import HttpResponse
from django.test import Client, RequestFactory
from django.urls import reverse
from django.utils import timezone
from knox.models import AuthToken

from annotation.assignment.claim import claim
from annotation.assignment.outcomes import HeldSeat
from annotation.core.release_paths import releases_root
from annotation.domain.answer import Answer
from annotation.domain.choices import EventVerb, OnWithdrawal, Role
from annotation.labelling.submit import submit_label
from annotation.members import erasure, invitations, participation, personal_data, views_preferences
from annotation.members.join import add_member
from annotation.models import (
    Batch,
    CheckIn,
    Event,
    Import,
    Invitation,
    Item,
    Label,
    Membership,
    OptOut,
    Project,
    SavedSearch,
    Seat,
    Skip,
    User,
    record,
)
from annotation.operations.audit import audit
from annotation.releases.build import release
from builders import category, make_item, make_label, make_member, make_open_item, make_project, make_user
from config.monitoring.logging_filters import Redacting
from markup import compact

pytestmark = pytest.mark.django_db

NAME, MAIL, PASSWORD = "zz-canary", "zz-canary@example.org", "garden-gate-at-dusk"
GIVEN, FAMILY, ADDRESS = "Zzgiven", "Zzfamily", "203.0.113.77"
TRACES = (NAME, MAIL, GIVEN, FAMILY, ADDRESS)


@pytest.fixture
def project() -> Project:
    return make_project("garden", name="My garden")


@pytest.fixture
def log() -> Any:
    """Everything that is logged meanwhile, as the site writes it."""
    written = io.StringIO()
    handler = logging.StreamHandler(written)
    handler.setFormatter(Redacting("%(levelname)s %(name)s %(message)s"))
    logging.getLogger().addHandler(handler)
    yield written
    logging.getLogger().removeHandler(handler)


def canary_who_did_everything(project: Project, admin: Membership) -> tuple[User, Client]:
    """Somebody who came by an invitation and left traces in whatever the site has."""
    client = Client(REMOTE_ADDR=ADDRESS)
    made = invitations.invite(admin, list(Role), note=f"for {GIVEN} {FAMILY}, {MAIL}")
    form = {"username": NAME, "password": PASSWORD, "again": PASSWORD}
    assert client.post(f"/invite/{made.token}/", form).status_code == 302
    user = User.objects.get(username=NAME)
    User.objects.filter(pk=user.pk).update(email=MAIL, first_name=GIVEN, last_name=FAMILY)
    client.post("/accounts/logout/")
    client.post("/accounts/login/", {"login": NAME, "password": "a wrong one"})
    assert client.post("/accounts/login/", {"login": NAME, "password": PASSWORD}).status_code == 302
    member = Membership.objects.get(user=user)
    agree = {"version": str(project.consent_version), "agree": "on"}
    assert client.post("/p/garden/consent/", agree)["Location"] == "/p/garden/label/"
    _work(project, member, client)
    _own_things(project, member, user, client)
    user.refresh_from_db()
    return user, client


def _work(project: Project, member: Membership, client: Client) -> None:
    others = [make_member(project) for _ in range(2)]
    for _ in range(2):
        item = make_open_item(project)
        first, second, _third = item.seat_rows.order_by("number")
        for seat, other in ((first, others[0]), (second, others[1])):
            make_label(seat, other, 1)
            Event.objects.create(
                project=project, actor=other, verb="labelled", item=item, row=other.labels.last().public_id
            )
    for _ in range(2):
        held = claim(member)
        assert isinstance(held, HeldSeat)
        submit_label(member, held.seat.public_id, uuid4(), Answer(category=1, note="the roses"))
    for other in others:  # the canary is asked last
        other.refresh_from_db()
    unclear = make_open_item(project)
    make_label(unclear.seat_rows.get(number=1), others[0], None)
    make_label(unclear.seat_rows.get(number=2), others[1], 0)
    make_open_item(project)
    held = claim(member)
    assert isinstance(held, HeldSeat)
    client.post(f"/p/garden/label/{held.seat.public_id}/skip/", {"reason": "too long"})
    assert isinstance(claim(member), HeldSeat)  # a seat is held when the erasure comes
    release(project, member)
    client.post("/p/garden/releases/", {"key": str(uuid4())})
    rows = io.BytesIO(b'{"id": "n1", "text": "A post about a shed."}\n')
    rows.name = "posts.jsonl"
    assert client.post("/p/garden/import/", {"file": rows}).status_code in (302, 422)
    client.post("/p/garden/people/", {"username": "somebody-else", "role": "annotator"})
    client.post(
        "/p/garden/people/invitations/", {"invite-roles": ["annotator"], "invite-days": "3", "invite-note": GIVEN}
    )
    assert Invitation.objects.filter(created_by=member).exists()


def _own_things(project: Project, member: Membership, user: User, client: Client) -> None:
    EmailAddress.objects.create(user=user, email=MAIL, verified=True, primary=True)
    Authenticator.objects.create(user=user, type="webauthn", data={"name": f"{GIVEN}'s key"})
    AuthToken.objects.create(user)
    OptOut.objects.create(member=member, category=category(project, 2))
    CheckIn.objects.create(member=member, day="2026-01-01", mood=2)
    SavedSearch.objects.create(project=project, member=member, name="mine", query="q=roses", shared=True)
    Batch.objects.create(project=project, name="three", limited=True).members.add(member)
    site_admin = make_user("root", is_staff=True, is_superuser=True)
    for row in (user, EmailAddress.objects.get(user=user)):
        LogEntry.objects.create(
            user=site_admin, content_type_id=_type_of(row), object_id=str(row.pk), object_repr=str(row),
            action_flag=CHANGE, change_message=json.dumps([{"changed": {"fields": ["email"], "object": MAIL}}]),
        )  # fmt: skip
    elsewhere = make_project("elsewhere")
    make_member(elsewhere, user=user)
    half_way = Client(REMOTE_ADDR=ADDRESS).session
    half_way["account_login"] = {"user_pk": str(user.pk), "email": MAIL}
    half_way.save()


def _type_of(row: Any) -> int:
    return apps.get_model("contenttypes", "ContentType").objects.get_for_model(row).pk


def everything_stored() -> dict[str, str]:
    """Every table of the database as text, sessions decoded too."""
    found = {}
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names():
            cursor.execute(f'SELECT * FROM "{table}"')
            found[table] = repr(cursor.fetchall())
    found["decoded sessions"] = repr([row.get_decoded() for row in Session.objects.all()])
    for model in apps.get_models(include_auto_created=True):
        found[f"model {model._meta.label}"] = repr(list(model._default_manager.values()))
    return found


def everything_on_disk(*folders: Path) -> dict[str, str]:
    files = [path for folder in folders if folder.exists() for path in folder.rglob("*") if path.is_file()]
    return {str(path): path.name + path.read_bytes().decode("latin-1") for path in files}


def traces_in(texts: dict[str, str]) -> list[tuple[str, str]]:
    return [(place, trace) for place, text in texts.items() for trace in TRACES if trace.casefold() in text.casefold()]


def pages_seen_by(person: Membership, project: Project) -> dict[str, str]:
    """Every page and answer of the API that takes no more than the project's name, and the item pages."""
    client = Client()
    client.force_login(person.user)
    seen = {}
    home, api = f"/p/{project.slug}/", f"/api/v1/projects/{project.slug}/"
    names = [
        "",
        "label/",
        "history/",
        "items/",
        "people/",
        "dashboard/",
        "quality/",
        "releases/",
        "releases/1/",
        "review/",
    ]
    names += ["batches/", "import/", "settings/", "hours/", "influence/", "people/invitations/"]
    addresses = [
        "/",
        *(home + name for name in names),
        *(api + name for name in ("", "items/", "releases/", "labels/")),
    ]
    addresses += [reverse("annotation:item", args=[project.slug, row.public_id]) for row in project.items.all()]
    addresses += [reverse("annotation:member", args=[project.slug, row.public_id]) for row in project.memberships.all()]
    for address in addresses:
        answer = client.get(address)
        assert answer.status_code < 500, address
        if not answer.streaming:
            seen[address] = answer.content.decode(errors="replace")
    assert sum(len(text) > 500 for text in seen.values()) > 5
    return seen


def test_t23_after_an_erasure_no_trace_is_left_in_any_table_log_page_or_file(project, log, settings):
    admin = make_member(project, Role.ADMIN)
    user, _client = canary_who_did_everything(project, admin)
    pk, pseudonym = user.pk, Membership.objects.get(user=user, project=project).pseudonym
    before = Label.objects.count(), Seat.objects.filter(label__isnull=False).count(), Event.objects.count()
    assert {place for place, _trace in traces_in(everything_stored())} >= {
        *("annotation_user", "account_emailaddress", "mfa_authenticator", "annotation_invitation"),
        *("django_admin_log", "decoded sessions"),
    }, "the canary has to be there before it can be gone"
    assert len(AuthToken.objects.filter(user=user)) == 1

    client = Client(REMOTE_ADDR=ADDRESS)
    client.force_login(user)
    answer = client.post("/me/data/erase/", {"proof": PASSWORD})
    assert (answer.status_code, answer["Location"]) == (302, "/accounts/login/")

    assert traces_in(everything_stored()) == []
    assert (
        traces_in(everything_on_disk(releases_root(), Path(settings.MEDIA_ROOT), Path(settings.RATE_LIMITS_FOLDER)))
        == []
    )
    assert traces_in({"log": log.getvalue()}) == []
    peer = make_member(project, Role.ANNOTATOR)
    for person in (admin, make_member(project, Role.REVIEWER), peer):
        assert traces_in(pages_seen_by(person, project)) == []
    exported = json.dumps(personal_data.data_of(peer.user), default=str)
    assert traces_in({"export of a peer": exported}) == []

    left = User.objects.get(pk=pk)
    assert left.username.startswith("erased-") and not left.is_active and left.last_login is None
    assert not left.has_usable_password() and not left.is_staff
    assert (Label.objects.count(), Seat.objects.filter(label__isnull=False).count()) == before[:2]
    assert Event.objects.count() > before[2]  # history grows, and nothing of it goes
    place = Membership.objects.get(user=left, project=project)
    assert (place.pseudonym, place.active) == (pseudonym, False)
    assert Event.objects.filter(actor=place, verb="labelled").exists()
    assert not Seat.objects.filter(annotator=place, expires_at__isnull=False).exists()
    assert not AuthToken.objects.filter(user=left).exists()
    for model in (OptOut, CheckIn, SavedSearch):
        assert not model.objects.filter(member__user=left).exists()
    assert [problem for problem in audit(project) if "no event tells of it" not in problem] == []


def test_t15_a_release_and_its_files_never_name_an_annotator(project):
    admin = make_member(project, Role.ADMIN)
    user, _client = canary_who_did_everything(project, admin)
    made = release(project, admin)
    files = everything_on_disk(releases_root())
    assert made.items and files
    assert traces_in(files) == []
    member = Membership.objects.get(user=user, project=project)
    told = [text for text in files.values() if str(member.public_id) in text or str(user.public_id) in text]
    assert told == []


def test_a_peer_sees_no_name_of_anybody_even_before_an_erasure(project):
    admin = make_member(project, Role.ADMIN)
    canary_who_did_everything(project, admin)
    peers = [make_member(project, Role.ANNOTATOR), make_member(project, Role.REVIEWER)]
    for peer in peers:
        assert traces_in(pages_seen_by(peer, project)) == []


def test_who_is_erased_cannot_sign_in_or_use_a_token(project):
    user = make_user("wren", PASSWORD)
    make_member(project, user=user)
    _row, token = AuthToken.objects.create(user=user)
    client = Client()
    client.force_login(user)
    erasure.erase(user)
    assert client.get("/")["Location"].startswith("/accounts/login/")
    assert Client().get("/api/v1/projects/", headers={"authorization": f"Token {token}"}).status_code == 401
    assert Client().post("/accounts/login/", {"login": "wren", "password": PASSWORD}).status_code == 200


def test_a_wrong_password_erases_nobody(project):
    user = make_user("wren", PASSWORD)
    client = Client()
    client.force_login(user)
    page = client.post("/me/data/erase/", {"proof": "another"})
    assert page.status_code == 422 and "nothing was erased" in page.content.decode()
    assert User.objects.filter(username="wren", is_active=True).exists()


def test_who_has_no_password_confirms_with_their_name(project):
    user = make_user("wren")
    client = Client()
    client.force_login(user)
    assert client.post("/me/data/erase/", {"proof": "robin"}).status_code == 422
    assert client.post("/me/data/erase/", {"proof": "wren"}).status_code == 302
    assert not User.objects.filter(username="wren").exists()


def test_passwords_for_an_erasure_are_tried_five_times_a_minute(project, rate_limits):
    client = Client()
    client.force_login(make_user("wren", PASSWORD))
    statuses = [client.post("/me/data/erase/", {"proof": "another"}).status_code for _ in range(6)]
    assert statuses == [422] * 5 + [429]


def test_the_last_admin_of_a_project_is_erased_only_once_there_is_another(project):
    admin = make_member(project, Role.ADMIN, user=make_user("wren", PASSWORD))
    client = Client()
    client.force_login(admin.user)
    page = client.post("/me/data/erase/", {"proof": PASSWORD})
    assert page.status_code == 422 and "These projects would have no admin: My garden" in page.content.decode()
    make_member(project, Role.ADMIN)
    assert client.post("/me/data/erase/", {"proof": PASSWORD}).status_code == 302


def test_the_last_site_admin_is_not_erased(project):
    root = make_user("root", is_superuser=True, is_staff=True)
    with pytest.raises(erasure.CannotErase, match="site admin"):
        erasure.erase(root)
    make_user("second", is_superuser=True)
    erasure.erase(root)
    assert not User.objects.get(pk=root.pk).is_superuser


def test_a_project_admin_erases_whose_projects_are_all_theirs(project):
    admin = make_member(project, Role.ADMIN)
    person = make_member(project, pseudonym="dafi12")
    client = Client()
    client.force_login(admin.user)
    address = f"/p/garden/people/{person.public_id}/erase/"
    wrong = client.post(address, {"pseudonym": "somebody"})
    assert wrong.status_code == 422 and "nothing was erased" in wrong.content.decode()
    elsewhere = make_member(make_project("elsewhere"), user=person.user)
    assert client.post(address, {"pseudonym": "dafi12"}).status_code == 404
    elsewhere.delete()
    assert client.post(address, {"pseudonym": "dafi12"}).status_code == 302
    assert "The account was erased" in client.get(f"/p/garden/people/{person.public_id}/").content.decode()
    told = Event.objects.get(verb="erased")
    assert (told.actor, told.row, told.facts) == (admin, person.public_id, {})


def test_an_account_that_was_only_added_by_its_name_is_not_the_admins_to_erase(project):
    admin = make_member(project, Role.ADMIN)
    theirs = make_user("freelance", last_login=timezone.now())
    person = add_member(project, "Freelance", Role.ANNOTATOR, actor=admin).membership
    assert not erasure.may_erase(admin, theirs)
    client = Client()
    client.force_login(admin.user)
    address = f"/p/garden/people/{person.public_id}/"
    assert "has done nothing here yet" in compact(client.get(address).text)
    assert client.post(f"{address}erase/", {"pseudonym": person.pseudonym}).status_code == 404
    record(EventVerb.LABELLED, project=project, actor=person)  # they worked here
    assert erasure.may_erase(admin, theirs)


def test_an_account_that_nobody_ever_used_may_be_erased(project):
    admin = make_member(project, Role.ADMIN)
    assert erasure.may_erase(admin, add_member(project, "typo", Role.ANNOTATOR, actor=admin).membership.user)


def test_a_project_admin_never_erases_who_runs_the_site(project):
    admin = make_member(project, Role.ADMIN)
    person = make_member(project, user=make_user("staff", is_staff=True))
    assert not erasure.may_erase(admin, person.user)


def test_an_erased_account_is_not_let_in_again(project):
    admin = make_member(project, Role.ADMIN)
    person = make_member(project)
    erasure.erase(person.user, by=admin)
    client = Client()
    client.force_login(admin.user)
    page = client.post(f"/p/garden/people/{person.public_id}/again/", follow=True)
    assert "The account is closed" in page.content.decode()
    person.refresh_from_db()
    assert not person.active


def test_sessions_of_others_stay(project):
    admin = make_member(project, Role.ADMIN)
    client = Client()
    client.force_login(admin.user)
    erasure.erase(make_member(project).user, by=admin)
    assert client.get("/p/garden/people/").status_code == 200


def test_the_command_erases_and_says_what_is_left(project):
    make_member(project, user=make_user("wren"))
    out = io.StringIO()
    call_command("erase", "WREN", "--json", stdout=out)
    said = json.loads(out.getvalue())
    assert said["ok"] and said["memberships"] == 1 and said["account"].startswith("erased-")
    assert "wren" not in out.getvalue()
    with pytest.raises(CommandError, match="no account of this name"):
        call_command("erase", "wren")
    make_member(project, user=make_user("finch"))
    call_command("erase", "finch", stdout=(shown := io.StringIO()))
    first, _ok, *_rest = shown.getvalue().splitlines()
    assert first.startswith("Of the ") and first.endswith("1 projects, 0 items, 0 labels, 2 people.")


# ── One's own data ────────────────────────────────────────────────────────────


def test_one_takes_along_what_one_did_and_nothing_of_others(project):
    admin = make_member(project, Role.ADMIN)
    user, client = canary_who_did_everything(project, admin)
    answer = client.get("/me/data/interplay-my-data.json")
    assert answer["Content-Disposition"] == 'attachment; filename="interplay-my-data.json"'
    data = json.loads(answer.content)
    assert data["account"]["username"] == NAME and data["account"]["email"] == MAIL
    assert [place["project"] for place in data["memberships"]] == ["elsewhere", "garden"]
    assert len(data["labels"]) == Label.objects.filter(annotator__user=user).count() == 2
    assert data["labels"][0]["category"] == "Racist" and data["labels"][0]["note"] == "the roses"
    assert data["labels"][0]["in_force"] is True
    assert [row["reason"] for row in data["skips"]] == [Skip.objects.get().reason]
    assert data["opt_outs"][0]["category"] == "Sexist" and data["check_ins"][0]["mood"] == 2
    assert {"labelled", "skipped", "invited", "invitation_accepted"} <= {row["verb"] for row in data["events"]}
    text = answer.content.decode()
    assert not any(item.text in text for item in Item.objects.all())
    others = Membership.objects.exclude(user=user).values_list("pseudonym", flat=True)
    assert not any(f'"{name}"' in text for name in others)


def test_taking_ones_data_along_has_a_fixed_number_of_queries(project, django_assert_num_queries):
    member = make_member(project)
    for _ in range(3):
        make_label(make_open_item(project).seat_rows.first(), member, 1)
    with django_assert_num_queries(74):
        personal_data.data_of(member.user)


def test_after_an_erasure_the_admins_pages_say_what_holds(project):
    Project.objects.update(on_withdrawal=OnWithdrawal.REMOVE)
    person, admin = make_member(project, consent_version=1), make_member(project, Role.ADMIN)
    make_label(make_open_item(project).seat_rows.first(), person, 1)
    client = Client()
    client.force_login(admin.user)
    pages = "/p/garden/people/", f"/p/garden/people/{person.public_id}/"
    before = [client.get(page).content.decode() for page in pages]
    assert "2 people with an account" in before[0] and "their labels no longer count" in before[1]
    erasure.erase(person.user)
    people, about = (client.get(page).content.decode() for page in pages)
    assert "1 person with an account; 1 account was erased" in compact(people)
    assert "their labels no longer count" not in about and "labels that were in force stay in use" in about


def test_the_page_of_own_data_says_what_stays(project):
    client = Client()
    client.force_login(make_member(project).user)
    page = compact(client.get("/me/data/").content.decode())
    for what in ("text answers", "reasons of decisions", "reports", "working days", "the record of what you did"):
        assert what in page


def test_the_page_of_own_data_shows_what_was_agreed_to(project):
    person = make_member(project, consent_version=0)
    Project.objects.update(consent_text="I know about the <b>thorns</b>.")
    participation.consent(person)
    client = Client()
    client.force_login(person.user)
    page = client.get("/me/data/").content.decode()
    assert "I know about the &lt;b&gt;thorns&lt;/b&gt;." in page and "version 1" in page


def test_an_import_stays_when_its_uploader_is_erased(project):
    person = make_member(project, Role.ADMIN)
    make_member(project, Role.ADMIN)
    Import.objects.create(project=project, started_by=person, file_name="posts.csv", sha256="0" * 64)
    make_item(project)
    erasure.erase(person.user)
    assert Import.objects.get().started_by == person


def test_a_form_of_preferences_that_comes_in_during_the_erasure_brings_nothing_back() -> None:
    user = make_user(NAME)
    read_before = User.objects.get(pk=user.pk)
    erasure.erase(user)
    request = RequestFactory().post(
        "/me/", {"blur_strength": "", "picture_size": "", "language": "ko", "theme": "dark"}
    )
    request.user = read_before
    request.session = {}  # type: ignore[assignment]  # only messages are kept there
    MessageMiddleware(lambda request: HttpResponse()).process_request(request)
    assert views_preferences.preferences(request).status_code == 302
    user.refresh_from_db()
    assert not user.is_active and NAME not in user.username
