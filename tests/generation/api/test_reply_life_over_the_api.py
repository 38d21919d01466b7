"""A reply's life by program, with tokens: written, returned, edited, approved, contradicted, withdrawn."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from knox.models import AuthToken

from annotation.consensus.close import close_item
from annotation.domain.choices import Role
from annotation.models import Item, Membership, Project
from builders import make_labelled_item, make_member, make_project
from checked_claims import make_card, make_check
from generation.counterspeech import request
from generation.domain.counterspeech.intents import Intent
from generation.files.training_export import posts_of, training_files
from generation.models import Exemplar, Reply
from runs.execution import runner, worker
from runs.models import Run

pytestmark = pytest.mark.django_db

Caller = Callable[..., Any]
HOME = "/api/v1/projects/garden/counterspeech/"
WHY = "It names a study that there is not."


@pytest.fixture(autouse=True)
def _built_in_only(settings: Any) -> None:
    settings.MODEL_BINDINGS, settings.MODEL_ALLOWED = {}, []


@pytest.fixture
def project() -> Project:
    return make_project("garden")


def decided(project: Project, name: str, text: str, category: int = 1) -> Item:
    item = make_labelled_item(
        project, [make_member(project) for _ in range(3)], [category] * 3, text=text, external_id=name
    )
    close_item(item)
    return item


def caller(member: Membership) -> Caller:
    """Return a function that calls the API with a token of this person."""
    assert member.user is not None
    client, token = Client(), AuthToken.objects.create(member.user)[1]

    def call(method: str, path: str, body: Any = None, status: int = 200) -> Any:
        content = "" if body is None else json.dumps(body)
        headers = {"Authorization": f"Token {token}"}
        answer = client.generic(method, f"{HOME}{path}", content, "application/json", headers=headers)
        told = b"".join(answer.streaming_content) if answer.streaming else answer.content
        assert answer.status_code == status, told[:400]
        return json.loads(told) if told and "json" in answer["Content-Type"] and not answer.streaming else told.decode()

    return call


def work() -> None:
    for run in Run.objects.filter(state="queued"):
        runner.claim_and_perform(run.pk, worker.planned_model)


def dataset(admin: Caller) -> str:
    names = admin("get", "dataset/")["files"]
    assert {"replies.jsonl", "replies.csv", "conan.jsonl", "pairs.jsonl", "preferences.jsonl"} <= set(names)
    return "".join(admin("get", f"dataset/{name}") for name in names)


def test_a_reply_is_written_returned_edited_approved_contradicted_and_withdrawn(project: Project) -> None:
    decided(project, "post-1", "All immigrants are vermin.")
    decided(project, "post-2", "Immigrants are vermin, all of them.")
    heron, owl, crane = (
        caller(make_member(project, role, pseudonym=name))
        for role, name in ((Role.REVIEWER, "heron"), (Role.REVIEWER, "owl"), (Role.ADMIN, "crane"))
    )

    # the post is opened and explained, by models first and then by a person
    desk = heron("post", "exchanges/", {"item": "post-1"}, 201)
    assert (desk["item"], desk["explanations"], desk["opened_by"]) == ("post-1", None, "heron")
    post = f"exchanges/{desk['id']}/"
    asked = heron("post", f"{post}explain/", {}, 202)
    assert asked["new"] and heron("get", post)["explaining"] == {
        "run": asked["run"], "state": "queued", "reason": None, "detail": None,
        "spent": {"calls": 0, "tokens": 0, "cost": None, "currency": "USD"},
    }  # fmt: skip
    work()
    first = heron("get", post)["explanations"]
    assert (first["number"], first["author"], first["insults"]) == (1, None, ["are vermin"])
    edited = heron("post", f"{post}explanations/", {"begun_at": 1, "implication": "That people are animals."}, 201)
    assert (edited["number"], edited["author"], edited["insults"]) == (2, "heron", ["are vermin"])
    assert edited["offensiveness"] == first["offensiveness"]
    stale = owl("post", f"{post}explanations/", {"begun_at": 1, "implication": "Else."}, 409)
    assert stale["code"] == "changed_meanwhile"
    assert [row["number"] for row in owl("get", f"{post}explanations/")] == [2, 1]

    # a candidate is taken, edited, scored, and handed in
    costs = heron("get", f"{post}costs/?intents=positive&candidates=2")
    assert costs["candidates"]["calls"] == 1 + 2 * costs["score"]["calls"] and costs["explain"]["calls"] == 7
    queued = heron("post", f"{post}candidates/", {"intents": ["positive"], "candidates": 2}, 202)
    work()
    assert heron("get", post)["writing"]["spent"]["calls"] == costs["candidates"]["calls"]
    (listed,) = heron("get", f"{post}candidates/")
    assert (listed["run"], listed["intent"], len(listed["candidates"])) == (queued["run"], "positive", 2)
    best = listed["candidates"][0]
    draft = heron("post", f"{post}replies/", {"candidate": best["id"]}, 201)
    assert (draft["state"], draft["text"], draft["candidate"], draft["edits"]) == (
        "draft",
        best["text"],
        best["id"],
        [],
    )
    mine = f"replies/{draft['id']}/"
    owl("get", mine, status=404)  # a draft is its author's alone
    assert owl("get", f"replies/all/?exchange={desk['id']}")["count"] == 0
    text = "Welcome to our street. Half of us came last year."
    written = heron("patch", mine, {"version": draft["version"], "text": text})
    assert written["text"] == text and written["edits"] and not written["scored"]
    late = heron("patch", mine, {"version": draft["version"], "text": "From another window."}, 409)
    assert (late["code"], late["version"]) == ("changed_meanwhile", written["version"])
    assert heron("post", f"{mine}score/", {}, 202)["scoring"]["state"] == "queued"
    work()
    assert heron("get", mine)["scored"]
    handed_in = heron("post", f"{mine}submit/")
    assert (handed_in["state"], [row["text"] for row in handed_in["versions"]]) == ("submitted", [text])

    # it is read by somebody else, sent back, edited, and approved
    (waiting,) = owl("get", "replies/all/?state=submitted&who=others")["results"]
    assert waiting["id"] == draft["id"] and owl("get", "replies/all/?who=mine")["count"] == 0
    owl("post", f"{mine}comment/", {"text": "Who counted?"}, 201)
    owl("post", f"{mine}approve/", {"version": 1, "reason": "I read it twice myself."}, 409)
    returned = owl("post", f"{mine}return/", {"version": waiting["version"], "comment": "The figure is wrong."})
    assert returned["state"] == "returned"
    better = "Welcome to our street. Ten of us came last year."
    written = heron("patch", mine, {"version": returned["version"], "text": better})
    handed_in = heron("post", f"{mine}submit/")
    own = heron("post", f"{mine}approve/", {"version": handed_in["version"], "reason": "I like it very much."}, 409)
    assert "you wrote this one" in own["detail"]
    approved = owl("post", f"{mine}approve/", {"version": handed_in["version"], "reason": "I read it twice myself."})
    assert (approved["state"], approved["approver"]) == ("approved", "owl")
    one, two = approved["versions"]
    assert (one["returned_by"], one["comment"], one["edits"]) == ("owl", "The figure is wrong.", None)
    assert two["edits"] == [{"kind": "removed", "text": "Half"}, {"kind": "added", "text": "Ten"}]
    assert [row["text"] for row in approved["comments"]] == ["Who counted?", "The figure is wrong."]
    assert [row["what"] for row in approved["history"]] == [
        "reply_begun", "reply_submitted", "reply_returned", "reply_submitted", "reply_approved",
    ]  # fmt: skip

    # it guides the next candidates and is in every file
    assert [row["counterspeech"] for row in crane("get", "replies/")] == [better]
    assert better in dataset(crane) and crane("get", "dataset/")["count"] == 1
    other = heron("post", "exchanges/", {"item": "post-2"}, 201)
    heron("post", f"exchanges/{other['id']}/candidates/", {"intents": ["positive"], "candidates": 1}, 202)
    assert [*Run.objects.latest("pk").options["exemplars"]["positive"]] == [Exemplar.objects.get().pk]

    # a claim in it is found false: that is told, and stays with the reply
    item = Item.objects.get(external_id="post-1")
    card = make_card(item, make_check(item, "Somebody asked.", None).public_id, 1, "refutes")
    (claim,) = [row for row in heron("get", mine)["claims"] if row["sentence"] == "Ten of us came last year."]
    false = {"state": "contradicted", "card": str(card.public_id)}
    assert owl("post", f"{mine}claims/{claim['id']}/", false)["source"]["id"] == str(card.public_id)
    (told,) = heron("get", mine)["claims"]
    assert (told["state"], told["decided_by"]) == ("contradicted", "owl")

    # it is withdrawn, and gone from all of them; what was said stays
    withdrawn = crane("post", f"{mine}withdraw/", {"reason": WHY})
    assert (withdrawn["state"], withdrawn["withdrawn_by"], withdrawn["withdrawal_reason"]) == (
        "withdrawn",
        "crane",
        WHY,
    )
    assert not Exemplar.objects.exists() and crane("get", "replies/") == []
    assert better not in dataset(crane) and crane("get", "dataset/")["count"] == 0
    assert better.encode() not in b"".join(training_files(posts_of(project)).values())
    exchange = request.open_on_item(Item.objects.get(external_id="post-2"))
    assert request.exemplars_for(exchange, Intent.POSITIVE, 3) == []
    heron("post", f"exchanges/{other['id']}/candidates/", {"intents": ["positive"], "candidates": 2}, 202)
    assert [*Run.objects.latest("pk").options["exemplars"]["positive"]] == []
    assert [row["text"] for row in owl("get", mine)["versions"]] == [text, better]
    assert owl("get", "replies/all/?state=withdrawn&item=post-1")["count"] == 1
    assert Reply.objects.get().text == better


def test_the_desk_is_open_to_reviewers_and_admins_alone(project: Project) -> None:
    heron = caller(make_member(project, Role.REVIEWER))
    desk = heron("post", "exchanges/", {"text": "All newcomers are weeds."}, 201)
    reply = heron("post", f"exchanges/{desk['id']}/replies/", {"intent": "positive"}, 201)
    outside = make_member(make_project("elsewhere"), Role.REVIEWER, Role.ADMIN)
    for somebody in (make_member(project), outside):
        call = caller(somebody)
        for path in ("exchanges/", f"exchanges/{desk['id']}/", "replies/all/", f"replies/{reply['id']}/", "dataset/"):
            call("get", path, status=404)
        for path in (
            "exchanges/",
            f"exchanges/{desk['id']}/explain/",
            f"replies/{reply['id']}/submit/",
            "comparisons/",
        ):
            call("post", path, {"text": "More weeds."}, 404)
    for path in ("rules/", "dataset/replies.jsonl", "replies/"):  # for admins
        heron("get", path, status=404)


def test_what_is_asked_of_models_can_be_stopped(project: Project) -> None:
    heron = caller(make_member(project, Role.REVIEWER))
    desk = heron("post", "exchanges/", {"text": "All newcomers are weeds."}, 201)
    heron("post", f"exchanges/{desk['id']}/explain/", {}, 202)
    assert heron("post", f"exchanges/{desk['id']}/cancel/") == {"stopped": 1}
    assert heron("post", f"exchanges/{desk['id']}/cancel/") == {"stopped": 0}
    assert heron("get", f"exchanges/{desk['id']}/")["explaining"]["state"] == "cancelled"
