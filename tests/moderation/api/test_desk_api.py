"""The desk over the API: disputes, decisions, appeals, statements (T22, B104, B105, B109, B115, B116)."""

from typing import Any
from uuid import uuid4

import pytest
from django.test import Client

from annotation.consensus.close import close_item
from annotation.domain.choices import Modality, Reason, Role, Stage
from annotation.models import Adjudication, Batch, Item, Membership, Prior, Project, Replacement
from annotation.review.expert_replacement import look_at_votes
from builders import category, make_label, make_labelled_item, make_member, make_open_item, make_project
from moderation.desk import leases
from moderation.desk.settings import set_rules
from moderation.domain.statement import problems

pytestmark = pytest.mark.django_db

PROJECT = "/api/v1/projects/garden/"


@pytest.fixture
def project() -> Project:
    return make_project("garden")


@pytest.fixture
def heron(project: Project) -> Membership:
    return make_member(project, Role.REVIEWER, pseudonym="Heron")


@pytest.fixture
def wren(project: Project) -> Membership:
    return make_member(project, Role.REVIEWER, pseudonym="Wren")


def client_of(member: Membership) -> Client:
    client = Client()
    client.force_login(member.user)
    return client


def disputed(project: Project, *codes: int | None, **fields: Any) -> Item:
    people = [make_member(project) for _ in codes]
    made = make_labelled_item(project, people, codes, **fields)
    close_item(made)
    made.refresh_from_db()
    return made


def send(client: Client, place: str, **fields: Any):
    return client.post(f"{PROJECT}{place}", fields, content_type="application/json")


def decision(item: Item, **fields: Any) -> dict[str, Any]:
    return {
        "ruling": "decide", "category": 1, "rationale": "The roses.", "version": item.version, "key": str(uuid4()),
        **fields,
    }  # fmt: skip


def place(item: Item) -> str:
    return f"disputes/{item.public_id}/decision/"


def test_a_reviewer_takes_the_next_dispute_and_settles_it(project, heron):
    item = disputed(project, 0, 1, 2)
    client = client_of(heron)
    (row,) = client.get(f"{PROJECT}disputes/").json()["results"]
    assert (row["id"], row["reasons"], row["version"]) == (str(item.public_id), ["no_majority"], item.version)
    taken = send(client, "disputes/next/").json()
    assert sorted(vote["category"] for vote in taken["votes"]) == [0, 1, 2]
    assert taken["may_decide"] and "annotator" not in str(taken)
    answer = send(client, place(item), **decision(item, target_group="neighbours"))
    assert (answer.status_code, answer.json()["category"]) == (200, 1)
    item.refresh_from_db()
    assert item.stage == Stage.GOLD
    assert send(client, "disputes/next/").status_code == 204
    (told,) = client.get(f"{PROJECT}decisions/").json()["results"]
    assert (told["reviewer"], told["target_group"]) == ("Heron", "neighbours")


def test_of_two_reviewers_one_decides_and_the_other_learns_who_and_what(project, heron, wren):
    item = disputed(project, 0, 1, 2)
    sent = decision(item)
    assert send(client_of(heron), place(item), **sent).status_code == 200
    assert send(client_of(heron), place(item), **sent).status_code == 200  # the reply was lost
    answer = send(client_of(wren), place(item), **decision(item, category=2))
    assert (answer.status_code, answer.json()["code"]) == (409, "stale")
    last = answer.json()["last"]
    assert (last["who"], last["what"], last["category"]) == ("Heron", "decide", 1)
    assert Adjudication.objects.count() == 1


def test_what_waits_for_a_second_reviewer_is_replaced_or_taken_back(project, heron, wren):
    set_rules(make_member(project, Role.ADMIN), 15, [Reason.NO_MAJORITY], appeals=True)
    item, client = disputed(project, 0, 1, 2), client_of(heron)
    first = send(client, place(item), **decision(item)).json()["proposal"]
    assert client.get(f"{PROJECT}disputes/{item.public_id}/").json()["proposal"] == first
    assert client_of(wren).get(f"{PROJECT}disputes/{item.public_id}/").json()["proposal"] is None
    refused = send(client, place(item), **decision(item, category=2))
    assert (refused.status_code, refused.json()["code"]) == (409, "already_proposed")
    changed = decision(item, category=2, replaces=first)
    assert send(client, place(item), **changed).status_code == 202
    assert send(client, place(item), **changed).status_code == 202  # the reply was lost
    assert send(client, place(item), **decision(item, replaces=first)).json()["code"] == "proposal_answered"
    assert client_of(wren).delete(PROJECT + place(item)).json()["code"] == "proposal_answered"
    assert client.delete(PROJECT + place(item)).status_code == 204
    assert client.delete(PROJECT + place(item)).status_code == 409


@pytest.mark.parametrize(
    ("fields", "status", "code"),
    [
        ({"category": 2}, 422, "key_reused"),
        ({"key": "new", "category": 9}, 422, "unknown_category"),
        ({"key": "new", "version": None}, 400, "null"),
        ({"key": "new", "ruling": "reopen"}, 400, "invalid_choice"),
    ],
)
def test_what_cannot_be_decided_is_refused_with_a_code(project, heron, fields, status, code):
    item = disputed(project, 0, 1, 2)
    sent = decision(item)
    send(client_of(heron), place(item), **sent)
    key = str(uuid4()) if fields.get("key") == "new" else sent["key"]
    answer = send(client_of(heron), place(item), **{**sent, **fields, "key": key})
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert Adjudication.objects.count() == 1


@pytest.mark.parametrize(
    ("ruling", "fields", "field", "theirs"),
    [
        ("decide", {"message": "m"}, "message", "new_round"),
        ("decide", {"count": 7}, "count", "more_seats"),
        ("decide", {"reason": "low_quality"}, "reason", "exclude"),
        ("exclude", {"category": 0}, "category", "decide"),
        ("exclude", {"category": None, "categories": [1]}, "categories", "decide"),
        ("new_round", {"category": None, "target_group": "gardeners"}, "target_group", "decide"),
        ("more_seats", {"category": None, "count": 1, "uphold": ["text"]}, "uphold", "decide"),
    ],
)
def test_a_field_that_the_ruling_does_not_take_is_refused_by_name(project, heron, ruling, fields, field, theirs):
    item = disputed(project, 0, 1, 2)
    answer = send(client_of(heron), place(item), **decision(item, ruling=ruling, **fields))
    assert (answer.status_code, answer.json()["code"], answer.json()["field"]) == (400, "not_taken", field)
    assert answer.json()["detail"] == f"Only the ruling '{theirs}' takes this field."
    assert not Adjudication.objects.exists()


def test_empty_fields_of_other_rulings_pass(project, heron):
    item = disputed(project, 0, 1, 2)
    empty = {"message": "", "count": 0, "reason": None, "uphold": []}
    assert send(client_of(heron), place(item), **decision(item, **empty)).status_code == 200
    other = disputed(project, 0, 1, 2)
    empty = {"category": None, "categories": [], "target_group": "", "count": 0, "uphold": []}
    sent = decision(other, ruling="new_round", message="Section 2 is clearer now.", **empty)
    assert send(client_of(heron), place(other), **sent).json()["message"] == "Section 2 is clearer now."


def test_a_prior_that_nobody_challenged_cannot_be_upheld_as_such(project, heron):
    item = disputed(project, 0, 1, 2)
    answer = send(client_of(heron), place(item), **decision(item, uphold=["text", "image"]))
    assert (answer.status_code, answer.json()["code"], answer.json()["field"]) == (400, "not_contested", "uphold")
    assert (
        answer.json()["detail"]
        == "No challenge of the text is open here; `contested` of the dispute names those that are."
    )
    assert not Adjudication.objects.exists()


def test_a_challenge_is_upheld_and_the_same_decision_again_gets_the_same_answer(project, heron):
    item = make_open_item(project)
    for modality in Modality:
        Prior.objects.create(item=item, modality=modality, category=category(project, 0))
    for number, seat in enumerate(item.seat_rows.all()):
        rows = [] if number else [{"modality": "text", "category": 2, "hateful": True}]
        make_label(seat, make_member(project), 0, challenges=rows)
    close_item(item)
    item.refresh_from_db()
    assert item.stage == Stage.DISPUTED
    client = client_of(heron)
    assert client.get(f"{PROJECT}disputes/{item.public_id}/").json()["contested"] == ["text"]
    sent = decision(item, category=0, uphold=["text"])
    first = send(client, place(item), **sent)
    assert first.status_code == 200
    assert send(client, place(item), **sent).json() == first.json()


def test_a_decision_without_a_version_is_refused(project, heron):
    item = disputed(project, 0, 1, 2)
    sent = decision(item)
    del sent["version"]
    answer = send(client_of(heron), place(item), **sent)
    assert (answer.status_code, answer.json()["code"]) == (422, "version_missing")


def test_nobody_decides_what_they_labelled_or_what_somebody_else_has(project, heron, wren):
    both = make_member(project, Role.ANNOTATOR, Role.REVIEWER)
    item = make_labelled_item(project, [both, make_member(project), make_member(project)], (0, 1, 2))
    close_item(item)
    item.refresh_from_db()
    answer = send(client_of(both), place(item), **decision(item))
    assert (answer.status_code, answer.json()["code"]) == (403, "own_label")
    leases.take(item, wren)
    answer = send(client_of(heron), place(item), **decision(item))
    assert (answer.status_code, answer.json()["code"]) == (409, "leased")


def test_a_missing_category_is_given_blind(project, heron):
    item = disputed(project, 0, 0, None)
    client = client_of(heron)
    shown = client.get(f"{PROJECT}disputes/{item.public_id}/").json()
    assert shown["wants_category"] and "votes" not in shown
    answer = send(client, f"disputes/{item.public_id}/category/", category=0)
    assert (answer.status_code, answer.json()["stage"]) == (200, "gold")
    assert Replacement.objects.count() == 1


@pytest.mark.parametrize("ruling", ["decide", "exclude", "new_round", "more_seats"])
def test_whoever_should_give_the_missing_category_does_not_decide_before(project, heron, ruling):
    item = disputed(project, 0, 1, None)
    client = client_of(heron)
    assert not client.get(f"{PROJECT}disputes/{item.public_id}/").json()["may_decide"]
    fields = {"category": 1} if ruling == "decide" else {"category": None, "count": int(ruling == "more_seats")}
    answer = send(client, place(item), **decision(item, ruling=ruling, **fields))
    assert (answer.status_code, answer.json()["code"]) == (403, "category_wanted")
    assert answer.json()["detail"].endswith("Give the category that replaces it first, or see the votes on its page.")
    assert not Adjudication.objects.exists()
    send(client, f"disputes/{item.public_id}/category/", category=2)
    item.refresh_from_db()
    assert send(client, place(item), **decision(item)).status_code == 200


def test_whoever_has_seen_the_votes_decides_without_a_replacement(project, heron):
    item = disputed(project, 0, 0, None)
    look_at_votes(item, heron)
    assert send(client_of(heron), place(item), **decision(item)).status_code == 200


def test_a_decision_that_waits_for_a_second_reviewer_says_so(project, heron, wren):
    set_rules(make_member(project, Role.ADMIN), 15, ["no_majority"], True)
    item = disputed(project, 0, 1, 2)
    assert send(client_of(heron), place(item), **decision(item)).status_code == 202
    assert "The roses." not in client_of(wren).get(f"{PROJECT}disputes/{item.public_id}/").content.decode()
    assert send(client_of(wren), place(item), **decision(item)).status_code == 200


def test_an_appeal_and_a_statement_go_the_same_way_as_on_the_pages(project, heron, wren):
    item = disputed(project, 0, 1, 2)
    client = client_of(heron)
    statement = f"items/{item.public_id}/statement/"
    assert client.get(f"{PROJECT}{statement}").status_code == 409
    send(client, place(item), **decision(item))
    draft = client.get(f"{PROJECT}{statement}").json()
    assert draft["version"] == 0
    answer = send(client, statement, **draft["fields"])
    assert answer.status_code == 422 and set(answer.json()["fields"]) == {"decision_visibility"}
    answer = send(client, statement, **{**draft["fields"], "decision_visibilty": "Removed"})
    assert (answer.status_code, answer.json()["field"]) == (400, "decision_visibilty")
    assert "decision_visibility" in answer.json()["detail"]
    answer = send(client, statement, **{**draft["fields"], "decision_visibility": "Removed", "content_type": 7})
    assert answer.status_code == 422 and set(answer.json()["fields"]) == {"content_type"}
    answer = send(client, statement, **{**draft["fields"], "decision_visibility": "Removed"})
    assert answer.status_code == 201 and problems(answer.json()["fields"]) == {}
    assert send(client, f"items/{item.public_id}/appeal/", grounds="A joke.").status_code == 201
    again = send(client, f"items/{item.public_id}/appeal/", grounds="A joke.")
    assert (again.status_code, again.json()["code"]) == (409, "not_appealable")
    item.refresh_from_db()
    answer = send(client, place(item), **decision(item))
    assert (answer.status_code, answer.json()["code"]) == (403, "decided_before")
    assert send(client_of(wren), place(item), **decision(item, category=0)).status_code == 200
    (told,) = client.get(f"{PROJECT}appeals/").json()["results"]
    assert told["outcome"] == "overturned"


def test_odd_filters_and_foreign_posts_are_refused(project, heron):
    client = client_of(heron)
    answer = client.get(f"{PROJECT}disputes/", {"reason": "super_hate"})
    assert (answer.status_code, answer.json()["code"]) == (400, "unknown_filter")
    answer = client.get(f"{PROJECT}disputes/", {"batch": "zzz"})
    assert (answer.status_code, answer.json()["code"]) == (400, "unknown_filter")
    assert answer.json()["detail"] == "There is no batch 'zzz'."
    Batch.objects.create(project=project, name="first")
    answer = client.get(f"{PROJECT}disputes/", {"batch": "zzz"})
    assert answer.json()["detail"] == "There is no batch 'zzz'; there are first."
    assert client.get(f"{PROJECT}disputes/", {"batch": "first"}).status_code == 200
    other = disputed(make_project("orchard"), 0, 1, 2)
    assert client.get(f"{PROJECT}disputes/{other.public_id}/").status_code == 404
    assert send(client, place(other), **decision(other)).status_code == 404
    both = make_member(project, Role.ANNOTATOR, Role.REVIEWER)
    open_item = make_open_item(project)
    category(project, 0)
    assert client_of(both).get(f"{PROJECT}disputes/{open_item.public_id}/").status_code == 404


def test_a_dispute_is_parked_and_assigned_and_taken_over_the_api(project, heron, wren):
    item = disputed(project, 0, 1, 2)
    aside, own = f"disputes/{item.public_id}/set-aside/", client_of(heron)
    assert send(own, aside).json()["code"] == "note_missing"
    assert send(own, aside, note="x", until="2020-01-01T00:00:00Z").json()["code"] == "past_day"
    assert send(own, aside, reviewer="Nobody").json()["code"] == "unknown_reviewer"
    row = send(own, aside, note="Ask the lead.").json()
    assert (row["reviewer"], row["note"], row["by"], row["until"]) == (None, "Ask the lead.", "Heron", None)
    other = client_of(wren)
    (listed,) = other.get(f"{PROJECT}disputes/", {"who": "parked"}).json()["results"]
    assert (listed["waits"], listed["set_aside"]["by"]) == (True, "Heron")
    assert other.get(f"{PROJECT}disputes/{item.public_id}/").json()["set_aside"]["note"] == "Ask the lead."
    assert send(other, "disputes/next/").status_code == 204
    answer = send(other, place(item), **decision(item))
    assert (answer.status_code, answer.json()["code"]) == (409, "set_aside")
    assert send(other, aside, note="Mine.").json()["code"] == "set_aside"
    assert other.delete(f"{PROJECT}{aside}").status_code == 204
    assert send(own, aside, reviewer="Heron").json()["code"] == "leased"
    assert send(other, aside, reviewer="Heron").status_code == 201
    assert send(own, "disputes/next/").json()["set_aside"]["reviewer"] == "Heron"
    assert send(own, place(item), **decision(item)).status_code == 200
