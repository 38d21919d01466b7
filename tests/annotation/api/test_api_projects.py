"""Projects, items and priors over the API: shapes, roles, filters."""

import json
from uuid import uuid4

import pytest
from django.test import Client
from knox.models import AuthToken

from annotation.domain.choices import Role, Stage
from annotation.domain.glossary.entry import EntryValues
from annotation.glossary import entries
from annotation.models import Adjudication, Batch, Item, KnownAnswer, Membership, Prior
from builders import category, make_item, make_labelled_item, make_member, make_project, make_user
from generation.models import Exchange, Reply
from runs.models import Run

pytestmark = pytest.mark.django_db


def client_of(member: Membership) -> Client:
    client = Client()
    client.force_login(member.user)
    return client


def test_lists_only_ones_own_projects_with_ones_roles():
    member = make_member(make_project("mine"), Role.ANNOTATOR, Role.REVIEWER)
    make_project("not-mine")
    answer = client_of(member).get("/api/v1/projects/").json()
    assert [(project["slug"], project["roles"]) for project in answer] == [("mine", ["annotator", "reviewer"])]


def test_a_foreign_project_answers_like_a_missing_one():
    make_project("theirs")
    client = Client()
    client.force_login(make_user())
    foreign, missing = client.get("/api/v1/projects/theirs/"), client.get("/api/v1/projects/none/")
    assert foreign.status_code == missing.status_code == 404
    assert foreign.content == missing.content


def test_items_can_be_filtered_and_paged():
    project = make_project()
    admin = make_member(project, Role.ADMIN)
    for number in range(3):
        make_item(project, external_id=f"g-{number}", stage=Stage.GOLD, pattern="001")
    make_item(project, external_id="r-0")
    client = client_of(admin)
    answer = client.get(f"/api/v1/projects/{project.slug}/items/?stage=gold&pattern=001&order=-id&limit=2").json()
    assert (answer["count"], answer["pages"], [item["external_id"] for item in answer["results"]]) == (
        3,
        2,
        ["g-2", "g-1"],
    )


@pytest.mark.parametrize("query", ["annotator__user__email__startswith=a", "order=project__export_key", "stage=heaven"])
def test_unknown_filters_orders_and_values_are_refused_by_name(query):
    project = make_project()
    answer = client_of(make_member(project, Role.ADMIN)).get(f"/api/v1/projects/{project.slug}/items/?{query}")
    assert answer.status_code == 400
    assert answer.json()["code"] == "unknown_filter"


def test_a_page_beyond_the_end_is_empty_so_that_a_loop_ends():
    project = make_project()
    admin = make_member(project, Role.ADMIN)
    for number in range(3):
        make_item(project, external_id=f"r-{number}")
    client, found = client_of(admin), []
    for page in range(1, 10):
        answer = client.get(f"/api/v1/projects/{project.slug}/items/?limit=2&page={page}").json()
        assert (answer["count"], answer["page"], answer["pages"]) == (3, page, 2)
        if not answer["results"]:
            break
        found += [item["external_id"] for item in answer["results"]]
    assert (found, page) == (["r-0", "r-1", "r-2"], 3)


def test_a_list_is_walked_by_key_without_being_counted():
    project = make_project()
    admin = make_member(project, Role.ADMIN)
    for number in range(3):
        make_item(project, external_id=f"r-{number}")
    client, address = client_of(admin), f"/api/v1/projects/{project.slug}/items/"
    first = client.get(f"{address}?after=&limit=2").json()
    last = client.get(f"{address}?after={first['next']}&limit=2").json()
    back = client.get(f"{address}?before={last['previous']}&limit=2").json()
    numbered = client.get(f"{address}?limit=2").json()
    assert [[item["external_id"] for item in page["results"]] for page in (first, last, back)] == [
        ["r-0", "r-1"],
        ["r-2"],
        ["r-0", "r-1"],
    ]
    assert (first["count"], first["pages"], first["previous"], last["next"]) == (None, None, None, None)
    assert numbered["next"] == back["next"] == first["next"]
    wrong = client.get(f"{address}?after={project.public_id}")
    assert (wrong.status_code, wrong.json()["code"], wrong.json()["field"]) == (400, "unknown_key", "after")
    both = client.get(f"{address}?after=&page=1")
    assert (both.status_code, both.json()["code"]) == (400, "unknown_filter")


@pytest.mark.parametrize(
    ("place", "key"),
    [
        ("labels/given/", "id"),
        ("decisions/", "item"),
        ("runs/", "run"),
        ("counterspeech/exchanges/", "id"),
        ("counterspeech/replies/all/", "id"),
        ("training/posts/", "external_id"),
    ],
)
def test_other_long_lists_are_walked_by_key_too(place, key):
    project = make_project()
    admin, people = make_member(project, Role.ADMIN, Role.REVIEWER), [make_member(project) for _ in range(3)]
    for number in range(3):
        item = make_labelled_item(project, people, (1,), external_id=f"r-{number}")
        Adjudication.objects.create(item=item, round=1, ruling="decide", rationale="Yes.", item_version=1)
        limits = {"call_limit": 3, "token_limit": 1000, "seconds_limit": 60}
        Run.objects.create(method="arcade", project=project.public_id, subject=item.public_id, **limits)
        exchange = Exchange.objects.create(project=project, item=item, opened_by=admin)
        Reply.objects.create(exchange=exchange, author=admin, intent="positive", text="No.")
        known = make_item(project, external_id=f"k-{number}", stage=Stage.KNOWN)
        KnownAnswer.objects.create(item=known, category=category(project, 1))
    Item.objects.exclude(stage=Stage.KNOWN).update(stage=Stage.GOLD)
    client, address = client_of(admin), f"/api/v1/projects/{project.slug}/{place}"
    whole = client.get(address).json()
    first = client.get(f"{address}?after=&limit=2").json()
    last = client.get(f"{address}?after={first['next']}&limit=2").json()
    back = client.get(f"{address}?before={last['previous']}&limit=2").json()
    assert [row[key] for page in (first, last) for row in page["results"]] == [row[key] for row in whole["results"]]
    assert [row[key] for row in back["results"]] == [row[key] for row in first["results"]]
    assert (whole["count"], first["count"], last["next"]) == (3, None, None)


@pytest.mark.parametrize("wrong", ["-1", "0", "abc", "１２", "1.5", "99999999999999999999"])
@pytest.mark.parametrize(("name", "most"), [("page", "1,000,000,000"), ("limit", "200")])
def test_a_page_or_limit_that_is_none_is_refused_by_name(name, most, wrong):
    project = make_project()
    answer = client_of(make_member(project, Role.ADMIN)).get(f"/api/v1/projects/{project.slug}/items/?{name}={wrong}")
    assert (answer.status_code, answer.json()["field"]) == (400, name)
    assert (answer.json()["code"], answer.json()["detail"]) == ("not_in_range", f"A whole number from 1 to {most}.")


@pytest.mark.parametrize("query", ["page=", "limit=", "limit=200", "page=007"])
def test_a_page_or_limit_that_is_empty_or_in_range_is_accepted(query):
    project = make_project()
    answer = client_of(make_member(project, Role.ADMIN)).get(f"/api/v1/projects/{project.slug}/items/?{query}")
    assert answer.status_code == 200


@pytest.mark.parametrize(
    ("place", "there_are"),
    [
        ("disputes/", "batch, difficulty, disagreement, level, limit, order, page, reason, run, score, who"),
        ("runs/", "after, before, limit, method, page, state"),
        ("labels/", "after, before, limit, page"),
        ("training/posts/", "after, before, limit, page"),
        ("decisions/", "after, before, limit, page"),
        ("appeals/", "limit, page"),
        ("injection/samples/", "limit, state"),
    ],
)
def test_a_filter_that_a_list_does_not_have_is_refused_with_those_that_it_has(place, there_are):
    project = make_project()
    client = client_of(make_member(project, Role.ANNOTATOR, Role.REVIEWER, Role.ADMIN))
    answer = client.get(f"/api/v1/projects/{project.slug}/{place}?bogus=1")
    assert (answer.status_code, answer.json()["code"]) == (400, "unknown_filter")
    assert answer.json()["detail"] == f"There is no filter 'bogus'; there are {there_are}."


def test_a_batch_that_the_project_does_not_have_is_refused_with_those_that_it_has():
    project = make_project()
    client = client_of(make_member(project, Role.ADMIN))
    address = f"/api/v1/projects/{project.slug}/items/?batch=zzz"
    assert client.get(address).json()["detail"] == "“zzz” is no batch; the project has none."
    Batch.objects.create(project=project, name="first")
    assert client.get(address).json()["detail"] == "“zzz” is no batch; choose one of first."


def test_an_item_shows_its_current_priors_to_reviewers_and_nothing_to_annotators():
    project = make_project()
    item = make_item(project)
    Prior.objects.create(item=item, modality="text", category=category(project, 1), explanation="old", current=False)
    Prior.objects.create(item=item, modality="text", category=category(project, 0), explanation="new")
    address = f"/api/v1/projects/{project.slug}/items/{item.public_id}/"
    shown = client_of(make_member(project, Role.REVIEWER)).get(address).json()
    assert [(prior["modality"], prior["category"], prior["explanation"]) for prior in shown["priors"]] == [
        ("text", 0, "new")
    ]
    blind = client_of(make_member(project, Role.ANNOTATOR))
    missing = address.replace(str(item.public_id), str(uuid4()))
    assert blind.get(address).status_code == 404
    assert blind.get(address).content == blind.get(missing).content


def test_agreement_is_open_to_leads_alone():
    project = make_project()
    annotators = [make_member(project) for _ in range(3)]
    make_labelled_item(project, annotators, [1, 1, 1])
    address = f"/api/v1/projects/{project.slug}/agreement/"
    assert set(client_of(make_member(project, Role.ADMIN)).get(address).json()) >= {"raw", "final", "patterns"}
    assert client_of(annotators[0]).get(address).status_code == 404


@pytest.mark.parametrize("figures", ["agreement", "influence"])
def test_figures_are_not_for_those_who_label_even_if_they_review(figures):
    project = make_project()
    address = f"/api/v1/projects/{project.slug}/{figures}/"
    assert client_of(make_member(project, Role.ANNOTATOR, Role.REVIEWER)).get(address).status_code == 404
    assert client_of(make_member(project, Role.REVIEWER)).get(address).status_code == 200
    assert client_of(make_member(project, Role.ANNOTATOR, Role.ADMIN)).get(address).status_code == 200


def test_the_influence_of_priors_is_what_a_manifest_says():
    project = make_project()
    found = client_of(make_member(project, Role.ADMIN)).get(f"/api/v1/projects/{project.slug}/influence/").json()
    assert found.pop("as_of") and not found.pop("being_computed")
    assert found == {"labels": {"shown": 0, "hidden": 0, "withheld": 0}, "labels_without_arm": 0, "groups": []}


def test_a_token_is_kept_as_a_hash_and_opens_what_its_person_may_see():
    member = make_member(make_project("mine"), Role.ADMIN)
    row, token = AuthToken.objects.create(member.user)
    answer = Client().get("/api/v1/projects/mine/", headers={"Authorization": f"Token {token}"})
    assert answer.status_code == 200
    assert token not in (row.digest, row.token_key)
    assert Client().get("/api/v1/projects/mine/").status_code == 401


def test_a_person_makes_and_ends_tokens_on_a_page_that_shows_each_once():
    member = make_member(make_project())
    client = client_of(member)
    page = client.post("/me/tokens/")
    row = AuthToken.objects.get(user=member.user)
    assert page.content.decode().count(row.token_key) == 3  # the token itself, its row, its button
    assert client.get("/me/tokens/").content.decode().count(row.token_key) == 2
    client.post(f"/me/tokens/{row.token_key}/end/")
    assert not AuthToken.objects.exists()


def test_the_page_and_the_schema_describe_every_address():
    client = client_of(make_member(make_project()))
    assert client.get("/api/v1/").status_code == 200
    schema = client.get("/api/v1/schema/")
    assert schema.status_code == 200
    paths = json.loads(schema.content)["paths"]
    assert "/api/v1/projects/{slug}/seats/{seat}/label/" in paths


def test_an_item_lists_the_terms_of_the_glossary_in_its_text():
    project = make_project()
    admin = make_member(project, Role.ADMIN)
    entries.propose(admin, EntryValues("weed", "an unwanted person"), approved=True)
    item = make_item(project, "so w33d")
    shown = client_of(admin).get(f"/api/v1/projects/{project.slug}/items/{item.public_id}/").json()
    assert shown["picture_text"] is None
    assert shown["glossary"] == [
        {"term": "weed", "start": 3, "end": 7, "how": "look_alikes", "sureness": 0.9, "in_picture": False}
    ]
