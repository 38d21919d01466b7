"""A user name reads like no other and like no path, whichever way the account is made (B131)."""

from importlib import import_module
from io import StringIO

import pytest
from django.apps import apps
from django.core.exceptions import ValidationError
from django.core.management import CommandError, call_command
from django.db import IntegrityError, connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.domain.choices import Role
from annotation.members import invitations
from annotation.members.join import BadMember, add_member
from annotation.models import Membership, User
from builders import make_member, make_project, make_user
from concurrency import at_once

PASSWORD = "a long enough passphrase"


@pytest.fixture
def admin(db):
    make_user("beta-admin")
    return make_member(make_project("winter"), Role.ADMIN, user=make_user("wren"))


WAYS = {
    "beta-adrnin": "This name is taken, or reads like one that is: choose another.",
    "..": "The name reads like a file or an option of a program",
    "con": "The name reads like a file or an option of a program",
    "한국ру": "The name mixes letters of scripts that are not written together: use one script.",
}


@pytest.mark.parametrize(("name", "sentence"), WAYS.items(), ids=WAYS)
def test_an_invited_person_chooses_another_name(client, admin, name, sentence):
    made = invitations.invite(admin, [Role.ANNOTATOR])
    fields = {"username": name, "password": PASSWORD, "again": PASSWORD}
    response = client.post(reverse("annotation:invitation", args=[made.token]), fields)
    assert sentence in response.content.decode()
    assert not User.objects.filter(username=name).exists()


@pytest.mark.parametrize(("name", "sentence"), WAYS.items(), ids=WAYS)
def test_an_admin_of_a_project_adds_nobody_of_such_a_name(admin, name, sentence):
    with pytest.raises(BadMember, match=sentence[:30]):
        add_member(admin.project, name, Role.ANNOTATOR, actor=admin)
    assert not User.objects.filter(username=name).exists()


@pytest.mark.parametrize(("name", "sentence"), WAYS.items(), ids=WAYS)
def test_createsuperuser_and_the_site_administration_refuse_it(admin, name, sentence):
    with pytest.raises(CommandError, match=sentence[:30]):
        call_command("createsuperuser", username=name, email="a@example.org", interactive=False, stdout=StringIO())
    with pytest.raises(ValidationError, match=sentence[:30]):
        User.objects.create_user(name)
    with pytest.raises(ValidationError) as refused:
        User(username=name, password="x").full_clean()
    assert set(refused.value.error_dict) == {"username"}


def test_the_api_refuses_it_with_a_code(admin):
    client = Client()
    client.force_login(admin.user)
    address = "/api/v1/projects/winter/members/"
    response = client.post(address, {"username": "..", "role": "annotator"}, content_type="application/json")
    assert response.json()["code"] == "name_like_path"
    assert response.json()["field"] == "username"


@pytest.mark.django_db
@pytest.mark.parametrize(
    "names", [("김민수", "김민주"), ("王伟", "王维"), ("иван", "ivan"), ("محمد", "محمود"), ("a1", "a2")]
)
def test_names_that_read_apart_stand_beside_each_other(names):
    for name in names:
        User.objects.create_user(name)
    assert User.objects.filter(username__in=names).count() == 2


def test_an_account_keeps_its_name_and_changes_it_by_the_same_rule(admin):
    user = User.objects.get(username="beta-admin")
    user.theme = "dark"
    user.save()
    user.username = "w\u0433en"
    with pytest.raises(ValidationError):
        user.save()
    user.username = "Beta-Admin"  # its own name in another case
    user.save()
    user.username = "robin"
    user.save()
    assert User.objects.create_user("beta-admin").pk


@pytest.mark.django_db
def test_a_new_name_is_compared_by_one_look_up_in_an_index():
    for name in ("a1", "b2", "c3"):
        make_user(name)
    with CaptureQueriesContext(connection) as queries:
        make_user("d4")
    compared = [query["sql"] for query in queries if query["sql"].startswith("SELECT")]
    assert len(compared) == 1
    with connection.cursor() as cursor:
        constraints = connection.introspection.get_constraints(cursor, "annotation_user")
    unique = {tuple(found["columns"]) for found in constraints.values() if found["unique"]}
    assert {("name_key",), ("name_look",)} <= unique


@pytest.mark.django_db
def test_the_database_itself_holds_one_account_of_names_that_read_alike():
    User.objects.bulk_create([User(username="paul")])
    with pytest.raises(IntegrityError):
        User.objects.bulk_create([User(username="pau1")])


@pytest.mark.django_db(transaction=True)
def test_of_two_who_take_names_that_read_alike_at_once_one_is_told(db):
    admin = make_member(make_project(), Role.ADMIN)
    links = [invitations.invite(admin, [Role.ANNOTATOR]).token for _ in range(4)]

    def take(token, name):
        try:
            return type(invitations.accept_anew(token, name, PASSWORD)).__name__
        except BadMember as bad:
            return bad.code

    names = ["paul-b", "pau1-b", "PAUL-B", "paul-b"]
    told = at_once([lambda pair=pair: take(*pair) for pair in zip(links, names, strict=True)])
    assert sorted(told).count("Accepted") == 1
    assert {word for word in told if word != "Accepted"} <= {"username_taken", "name_reads_alike"}


@pytest.mark.django_db
def test_accounts_of_before_that_read_alike_stay_and_can_be_used():
    older = make_user("paul")
    User.objects.bulk_create([User(username="other")])
    younger = User.objects.get(username="other")
    User.objects.filter(pk=younger.pk).update(username="pau1")
    User.objects.update(name_key=None, name_look=None)
    import_module("annotation.migrations.0028_user_names_that_read_alike").fill_keys(apps, None)
    older.refresh_from_db()
    younger.refresh_from_db()
    assert (bool(older.name_key), bool(older.name_look)) == (True, True)
    assert (younger.name_key, younger.name_look) == (None, None)
    younger.theme = "dark"
    younger.save()
    with pytest.raises(ValidationError):
        User.objects.create_user("pauI")


@pytest.mark.django_db
def test_an_account_of_before_is_stored_whichever_way_it_was_read():
    member = make_member(make_project("yard"))
    User.objects.filter(pk=member.user_id).update(username="..")
    for read in (
        lambda: User.objects.get(pk=member.user_id),
        lambda: User.objects.filter(pk=member.user_id).get(),
        lambda: Membership.objects.select_related("user").get(pk=member.pk).user,
        lambda: User.objects.only("pk").get(username=".."),
    ):
        account = read()
        account.first_name = "Wren"
        account.save()
    account.username = "..."
    with pytest.raises(ValidationError):
        account.save()
