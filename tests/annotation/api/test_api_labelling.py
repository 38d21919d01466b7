"""Labelling, importing and releasing over the API: the same verbs as the pages."""

import json
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client
from django.utils import timezone

from annotation.consensus.close import close_item
from annotation.core.release_paths import folder_of
from annotation.domain.choices import Choose, Role
from annotation.domain.design.file import as_json, read_design
from annotation.models import Item, Label, Membership, Prior, Release, Seat
from annotation.projects.design import change_design, design_of
from builders import make_label, make_labelled_item, make_member, make_open_item, make_project

pytestmark = pytest.mark.django_db


def client_of(member: Membership) -> Client:
    client = Client()
    client.force_login(member.user)
    return client


def post(client: Client, address: str, body: Any = None) -> Any:
    return client.post(address, body or {}, content_type="application/json")


def test_three_programs_label_an_item_to_gold():
    project = make_project("p")
    item = make_open_item(project, "Roses.")
    for _person in range(3):
        client = client_of(make_member(project))
        seat = post(client, "/api/v1/projects/p/next/").json()
        assert seat["text"] == "Roses."
        answer = post(client, f"/api/v1/projects/p/seats/{seat['seat']}/label/", {"key": str(uuid4()), "category": 1})
        assert (answer.status_code, answer.json()["category"]) == (200, 1)
    item.refresh_from_db()
    assert (item.stage, item.level, item.category.code) == ("gold", "perfect", 1)


def test_the_next_item_shows_nothing_but_the_post():
    project = make_project("p")
    make_open_item(project, external_id="secret-id", source="secret", target_group="secret")
    seat = post(client_of(make_member(project)), "/api/v1/projects/p/next/").json()
    fields = {"seat", "item", "expires_at", "text", "picture", "priors_hidden", "priors", "break_offered"}
    fields |= {"picture_text", "questions", "extra"}
    assert seat["picture_text"] is None
    assert (seat["questions"], seat["extra"]) == ([], {})
    assert set(seat) == fields
    assert "secret" not in str(seat)


def test_a_program_answers_further_questions_and_corrects_itself():
    project = make_project("p")
    scale = {"code": "severity", "kind": "scale", "points": 5, "low": "mild", "when": "hateful", "required": True}
    rows = as_json(design_of(project))["categories"]
    design = {"categories": rows, "questions": [scale, {"code": "words", "kind": "span"}]}
    change_design(project, read_design(design), admin=None)
    make_open_item(project, "Roses are late.")
    client = client_of(make_member(project))
    seat = post(client, "/api/v1/projects/p/next/").json()
    assert seat["questions"] == [
        {**scale, "key": "a", "version": 1},
        {"code": "words", "kind": "span", "key": "d", "version": 1},
    ]
    address, key = f"/api/v1/projects/p/seats/{seat['seat']}/label/", {"key": str(uuid4()), "category": 1}
    refused = post(client, address, {**key, "answers": {"words": ["Roses"]}})
    assert (refused.status_code, refused.json()["code"]) == (400, "answer_needed")
    assert refused.json()["field"] == "answers.severity"
    answers = {"severity": {"version": 1, "value": 4}, "words": ["late", [0, 5]]}
    stored = post(client, address, {**key, "answers": answers}).json()
    assert stored["answers"] == {
        "severity": {"version": 1, "value": 4},
        "words": {"version": 1, "value": [[0, 5], [10, 14]]},
    }
    body = {"key": str(uuid4()), "category": 0, "answers": {"words": None}}
    corrected = client.put(f"/api/v1/projects/p/labels/{stored['id']}/", body, content_type="application/json")
    assert corrected.json()["answers"] == {"words": {"version": 1, "value": None}}


def test_nothing_left_is_an_empty_answer():
    assert post(client_of(make_member(make_project("p"))), "/api/v1/projects/p/next/").status_code == 204


def test_the_same_key_gives_the_stored_label_again_and_another_body_is_refused():  # B104, B105, B108
    project = make_project("p")
    make_open_item(project)
    client = client_of(make_member(project))
    seat = post(client, "/api/v1/projects/p/next/").json()["seat"]
    address, key = f"/api/v1/projects/p/seats/{seat}/label/", str(uuid4())
    first = post(client, address, {"key": key, "category": 1})
    again = post(client, address, {"key": key, "category": 1})
    other = post(client, address, {"key": key, "category": 2})
    second_tab = post(client, address, {"key": str(uuid4()), "category": 2})
    assert (first.status_code, again.status_code, first.json()) == (200, 200, again.json())
    assert (other.status_code, other.json()["code"]) == (422, "key_reused")
    assert (second_tab.status_code, second_tab.json()["code"]) == (409, "already_labelled")
    assert Label.objects.count() == 1


def test_a_seat_of_somebody_else_is_missing():  # B109
    project = make_project("p")
    make_open_item(project)
    seat = post(client_of(make_member(project)), "/api/v1/projects/p/next/").json()["seat"]
    answer = post(
        client_of(make_member(project)),
        f"/api/v1/projects/p/seats/{seat}/label/",
        {"key": str(uuid4()), "category": 1},
    )
    assert answer.status_code == 404


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"category": 1, "not_sure": True}, 400),
        ({}, 400),
        ({"category": 77}, 400),
        ({"category": "many"}, 400),
        ({"category": 1, "note": "\x00"}, 400),
        ({"category": 1, "note": "\ud800"}, 400),
        ({"category": 1, "note": "x" * 5000}, 400),
    ],
)
def test_an_answer_that_says_nothing_or_cannot_be_stored_is_refused_and_stores_nothing(body, status):
    project = make_project("p")
    make_open_item(project)
    client = client_of(make_member(project))
    seat = post(client, "/api/v1/projects/p/next/").json()["seat"]
    answer = post(client, f"/api/v1/projects/p/seats/{seat}/label/", {"key": str(uuid4()), **body})
    assert answer.status_code == status
    assert set(answer.json()) >= {"code", "detail"}
    assert not Label.objects.exists()


@pytest.mark.parametrize(
    ("body", "stored"),
    [
        ({"category": 1, "categories": [2]}, None),
        ({"category": 2, "categories": [1, 2]}, None),
        ({"category": 0, "categories": [1, 2]}, None),
        ({"category": 1, "categories": [1]}, (1, [])),
        ({"category": 1, "categories": [2, 1]}, (1, [1, 2])),
        ({"categories": [2, 1, 2]}, (1, [1, 2])),
        ({"category": 2, "categories": []}, (2, [])),
    ],
)
def test_no_category_of_an_answer_is_dropped(body, stored):
    """The answer names all, or is refused; a label and its correction read it in the same way."""
    project = make_project("p", choose=Choose.SEVERAL)
    make_open_item(project)
    client = client_of(make_member(project))
    seat = post(client, "/api/v1/projects/p/next/").json()["seat"]
    answer = post(client, f"/api/v1/projects/p/seats/{seat}/label/", {"key": str(uuid4()), **body})
    if stored is None:
        assert (answer.status_code, answer.json()["code"]) == (400, "contradiction")
        assert not Label.objects.exists()
    else:
        label = Label.objects.get()
        assert (answer.status_code, label.category.code, label.categories) == (200, *stored)


def held_long_ago(project: Any, **fields: Any) -> tuple[Client, str]:
    """Return a client and the address of a seat that it has held for two minutes."""
    make_open_item(project)
    client = client_of(make_member(project))
    seat = post(client, "/api/v1/projects/p/next/").json()["seat"]
    Seat.objects.filter(public_id=seat).update(held_at=timezone.now() - timedelta(minutes=2), **fields)
    return client, f"/api/v1/projects/p/seats/{seat}/label/"


@pytest.mark.parametrize("shown", [{}, {"shown_at": None}])
def test_the_seconds_that_a_program_counted_are_kept(shown):
    client, address = held_long_ago(make_project("p"), **shown)
    answer = post(client, address, {"key": str(uuid4()), "category": 1, "seconds": 93.217})
    assert (answer.status_code, answer.json()["seconds"]) == (200, 93.217)
    assert Label.objects.get().seconds == 93.217


def test_a_form_is_no_body_of_the_api():
    client, address = held_long_ago(make_project("p"))
    answer = client.post(address, {"key": str(uuid4()), "category": "1"})
    assert (answer.status_code, answer.json()["code"]) == (415, "unsupported_media_type"), answer.json()
    assert not Label.objects.exists()


@pytest.mark.parametrize("seconds", [-1, -0.001, "NaN", "12", "long", True, [3], {}, 1e300])
def test_seconds_that_are_none_are_refused_with_422_and_nothing_is_stored(seconds):
    client, address = held_long_ago(make_project("p"))
    answer = post(client, address, {"key": str(uuid4()), "category": 1, "seconds": seconds})
    assert (answer.status_code, answer.json()["field"]) == (422, "seconds"), answer.json()
    assert answer.json()["code"] == "bad_seconds"
    assert not Label.objects.exists()


def test_seconds_that_json_does_not_know_are_refused_as_no_json():
    client, address = held_long_ago(make_project("p"))
    body = f'{{"key": "{uuid4()}", "category": 1, "seconds": NaN}}'
    assert client.post(address, body, content_type="application/json").status_code == 400
    assert not Label.objects.exists()


def test_ones_own_label_can_be_corrected_while_the_item_is_open():
    project = make_project("p")
    member = make_member(project)
    item = make_open_item(project)
    label = make_label(item.seat_rows.first(), member, 1)
    client = client_of(member)
    answer = client.put(
        f"/api/v1/projects/p/labels/{label.public_id}/",
        {"key": str(uuid4()), "category": 2},
        content_type="application/json",
    )
    assert (answer.status_code, answer.json()["category"], answer.json()["revision"]) == (200, 2, 2)
    assert [each["category"] for each in client.get("/api/v1/projects/p/labels/").json()["results"]] == [2]


def test_another_first_answer_is_refused_and_the_same_one_is_not():
    project = make_project("p", prior_display="after_first_answer")
    Prior.objects.create(item=make_open_item(project), modality="text", hateful=True)
    client = client_of(make_member(project))
    seat = post(client, "/api/v1/projects/p/next/").json()
    address = f"/api/v1/projects/p/seats/{seat['seat']}/first-answer/"
    assert seat["priors_hidden"]
    assert post(client, address, {"category": 1}).status_code == 200
    assert post(client, address, {"category": 1}).status_code == 200
    other = post(client, address, {"category": 0})
    assert (other.status_code, other.json()["code"]) == (409, "first_answer_stands")
    assert other.json()["detail"] == "Your first answer for this item is stored already and stays; label the item now."
    assert Seat.objects.get(public_id=seat["seat"]).first_answer["category"] == 1


def test_a_first_answer_that_nobody_asked_for_is_refused():
    project = make_project("p")
    make_open_item(project)
    client = client_of(make_member(project))
    seat = post(client, "/api/v1/projects/p/next/").json()
    answer = post(client, f"/api/v1/projects/p/seats/{seat['seat']}/first-answer/", {"category": 1})
    assert (answer.status_code, answer.json()["code"]) == (409, "first_answer_not_asked")
    assert answer.json()["detail"] == "No first answer is asked for here, and none was stored; label the item."
    assert Seat.objects.get(public_id=seat["seat"]).first_answer is None


def test_a_skipped_item_is_not_offered_again():
    project = make_project("p")
    make_open_item(project)
    client = client_of(make_member(project))
    seat = post(client, "/api/v1/projects/p/next/").json()["seat"]
    assert post(client, f"/api/v1/projects/p/seats/{seat}/skip/").status_code == 204
    assert post(client, "/api/v1/projects/p/next/").status_code == 204


def test_rows_come_in_all_together_or_not_at_all():
    project = make_project("p")
    client = client_of(make_member(project, Role.ADMIN))
    good, bad = {"id": "a", "text": "Roses."}, {"id": "b", "text": "Weeds.", "intended": "super_hate"}
    refused = post(client, "/api/v1/projects/p/import/", {"rows": [good, bad]})
    assert refused.status_code == 400
    assert refused.json()["code"] == "unknown_label"
    assert refused.json()["errors"][0]["line"] == 2
    assert not Item.objects.exists()
    assert post(client, "/api/v1/projects/p/import/", {"rows": [good], "dry_run": True}).json()["items"] == 1
    assert not Item.objects.exists()
    assert post(client, "/api/v1/projects/p/import/", {"rows": [good]}).status_code == 201
    assert Item.objects.get().external_id == "a"


def test_rows_are_masked_before_they_are_stored():
    client = client_of(make_member(make_project("p"), Role.ADMIN))
    row = {"id": "a", "text": "Ask @weed_hater.", "by": "wren@garden.example", "parent": {"text": "see @rose_lane"}}
    address = "/api/v1/projects/p/import/"
    assert post(client, address, {"rows": [row], "mask": ["names"]}).status_code == 400
    answer = post(client, address, {"rows": [row], "mask": ["handles", "emails"]}).json()
    assert answer["masked"] == {"handles": 2, "emails": 1} and "wren@" not in json.dumps(answer)
    item = Item.objects.get()
    assert (item.text, item.extra) == ("Ask <user>.", {"by": "<email>", "parent": {"text": "see <user>"}})


def test_a_key_that_looks_like_labels_is_refused_with_the_field_that_leaves_it_out():
    client = client_of(make_member(make_project("p"), Role.ADMIN))
    body = {"rows": [{"id": "a", "text": "One.", "label": "Racist"}, {"id": "b", "text": "Two.", "txet": "x"}]}
    refused = post(client, "/api/v1/projects/p/import/", body)
    assert (refused.status_code, refused.json()["code"]) == (422, "unused_labels")
    assert refused.json()["detail"] == refused.json()["errors"][0]["reason"]
    assert refused.json()["detail"] == (
        "The key 'label' looks like labels and would not be read so. Write it as `labels`, `gold` or `intended`, "
        "or name it in `keep` or `ignore`."
    )
    stored = post(client, "/api/v1/projects/p/import/", body | {"ignore": ["label"]})
    assert stored.status_code == 201
    assert {column["name"]: column["became"] for column in stored.json()["columns"]}["txet"] == "kept"


def test_a_release_is_made_listed_and_fetched_file_by_file(settings):
    project = make_project("p")
    item = make_labelled_item(project, [make_member(project) for _ in range(3)], [1, 1, 1], closed_at=timezone.now())
    close_item(item)
    client = client_of(make_member(project, Role.ADMIN))
    made = post(client, "/api/v1/projects/p/releases/")
    assert (made.status_code, made.json()["items"]) == (201, 1)
    assert [each["number"] for each in client.get("/api/v1/projects/p/releases/").json()] == [1]
    path = next(each["path"] for each in made.json()["manifest"]["files"] if each["path"].endswith(".jsonl"))
    file = client.get(f"/api/v1/projects/p/releases/1/files/{path}")
    assert b'"gold"' in b"".join(file.streaming_content)
    assert client.get("/api/v1/projects/p/releases/1/files/../../secret").status_code == 404
    nothing = post(client, "/api/v1/projects/p/releases/", {"levels": ["weak"]})
    assert nothing.status_code == 409


def test_a_release_that_changed_on_disk_is_not_handed_out():
    project = make_project("p")
    close_item(make_labelled_item(project, [make_member(project) for _ in range(3)], [1, 1, 1]))
    client = client_of(make_member(project, Role.ADMIN))
    made = post(client, "/api/v1/projects/p/releases/").json()

    path = next(each["path"] for each in made["manifest"]["files"] if each["path"].endswith(".jsonl"))
    target = folder_of(Release.objects.get()) / path
    target.chmod(0o644)
    target.write_bytes(target.read_bytes()[:-2] + b" \n")
    answer = client.get(f"/api/v1/projects/p/releases/1/files/{path}")
    assert (answer.status_code, answer.json()["code"]) == (409, "release_changed")


def test_an_admin_sees_how_far_the_priors_are():
    project = make_project("p")
    make_open_item(project)
    answer = client_of(make_member(project, Role.ADMIN)).get("/api/v1/projects/p/priors/").json()
    assert (answer["done"], answer["missing"]) == (0, 1)


@pytest.mark.parametrize("act", ["skip", "report"])
def test_a_reason_that_cannot_be_stored_is_refused_with_a_code(act):  # B11
    project = make_project("p")
    make_open_item(project)
    client = client_of(make_member(project))
    seat = post(client, "/api/v1/projects/p/next/").json()["seat"]
    answer = post(client, f"/api/v1/projects/p/seats/{seat}/{act}/", {"reason": "a\x00b", "note": "a\x00b"})
    assert answer.status_code == 400
    assert set(answer.json()) >= {"code", "detail"}
