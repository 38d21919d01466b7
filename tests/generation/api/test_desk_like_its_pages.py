"""The desk's API does what its pages do: the same steps are allowed, and refused with the same sentences."""

import json
from html import unescape
from itertools import product
from typing import Any
from uuid import UUID

import pytest
from django.db import transaction
from django.test import Client
from django.urls import reverse

from annotation.domain.choices import Role
from annotation.models import Membership, Project
from builders import make_member, make_project
from generation.counterspeech import approve, replies, request, withdraw
from generation.domain.counterspeech.states import MOVES, ReplyState
from generation.models import Reply
from markup import compact
from reply_builders import draft_reply, write_reply

pytestmark = pytest.mark.django_db

TEXT, WHY = "Please be kind, we belong together.", "I read all of it twice myself."
STEPS = ("write", "submit", "take-back", "discard", "approve", "return", "comment", "withdraw", "correct", "score")
REASONS = {"given": WHY, "blank": "  ", "too long": "x" * 4001}


@pytest.fixture(autouse=True)
def _built_in_only(settings: Any) -> None:
    settings.MODEL_BINDINGS, settings.MODEL_ALLOWED = {}, []


@pytest.fixture
def project() -> Project:
    return make_project("garden")


@pytest.fixture
def people(project: Project) -> dict[str, Membership]:
    roles = {"author": Role.REVIEWER, "second": Role.REVIEWER, "admin": Role.ADMIN, "annotator": Role.ANNOTATOR}
    return {name: make_member(project, role, pseudonym=name) for name, role in roles.items()}


def reply_in(state: ReplyState, author: Membership, second: Membership) -> Reply:
    """Return a reply of the author in this state."""
    reply = draft_reply(request.open_on_text(author.project, f"Weeds, {state}."), author, TEXT)
    if state is ReplyState.DRAFT:
        return reply
    replies.submit(reply, author)
    if state is ReplyState.RETURNED:
        return approve.send_back(reply, second, "Name the street.")
    if state is not ReplyState.SUBMITTED:
        approve.approve(reply, second, WHY)
    if state is ReplyState.WITHDRAWN:
        withdraw.withdraw(reply, author, WHY)
    if state is ReplyState.REPLACED:
        draft = withdraw.begin_correction(reply, author, WHY)
        draft = write_reply(draft, "Other words.")
        replies.submit(draft, author)
        approve.approve(draft, second, WHY)
        reply.refresh_from_db()
    return reply


def by_page(client: Client, reply: Reply, step: str, said: str) -> tuple[int, str]:
    """Return the status of the page, and its words."""
    fields = {"said": said, "text": said, "version": str(reply.version), "intent": "positive"}
    answer = client.post(reverse(f"generation:reply-{step}", args=["garden", reply.public_id]), fields)
    return answer.status_code, unescape(compact(answer.content.decode()))


BODIES = {
    "write": lambda reply, said: {"version": reply.version, "text": said},
    "approve": lambda reply, said: {"version": reply.version, "reason": said},
    "return": lambda reply, said: {"version": reply.version, "comment": said},
    "comment": lambda reply, said: {"text": said},
    "withdraw": lambda reply, said: {"reason": said},
    "correct": lambda reply, said: {"reason": said, "text": "Quite other words."},
    "score": lambda reply, said: {},
}


def by_program(client: Client, reply: Reply, step: str, said: str) -> tuple[int, str]:
    """Return the status of the API, and the sentence of its refusal."""
    parts = {"slug": "garden", "public_id": reply.public_id}
    name = "reply" if step in ("write", "discard") else f"reply-{step}"
    body = BODIES[step](reply, said) if step in BODIES else {}
    method = {"write": "PATCH", "discard": "DELETE"}.get(step, "POST")
    answer = client.generic(
        method, reverse(f"generation-api:{name}", kwargs=parts), json.dumps(body), "application/json"
    )
    return answer.status_code, json.loads(answer.content).get("detail", "") if answer.content else ""


def tried(way: Any, *args: Any) -> tuple[int, str, dict[UUID, tuple[str, str]]]:
    """Return what a way answers and the replies after it, and undo it."""
    with transaction.atomic():
        status, words = way(*args)
        after = {row.public_id: (row.state, row.text) for row in Reply.objects.all()}
        transaction.set_rollback(True)
    return status, words, after


def test_each_step_is_allowed_to_the_same_people_in_the_same_states_with_the_same_sentences(
    people: dict[str, Membership],
) -> None:
    rows = {state: reply_in(state, people["author"], people["second"]) for state in ReplyState}
    clients = {name: Client() for name in people}
    for name, member in people.items():
        assert member.user is not None
        clients[name].force_login(member.user)
    faults, allowed = [], set()
    for (state, reply), (who, client), step, (what, said) in product(
        rows.items(), clients.items(), STEPS, REASONS.items()
    ):
        if what != "given" and step not in ("approve", "return", "comment", "withdraw"):
            continue
        case = (state.value, who, step, what)
        page, words, after_page = tried(by_page, client, reply, step, said)
        told, sentence, after = tried(by_program, client, reply, step, said)
        if (page < 400) != (told < 400) or (page == 404) != (told == 404):
            faults.append((*case, page, told))
        elif step != "correct" and after_page != after:  # the API hands a correction in at once
            faults.append((*case, "another state"))
        elif page in (409, 422) and told != 404 and what == "given" and sentence not in words:
            faults.append((*case, sentence))
        if told < 400:
            allowed.add((state.value, who, step))
    assert faults == []
    assert {(state, "approve") for state, _who, step in allowed if step == "approve"} == {("submitted", "approve")}
    assert {who for _state, who, _step in allowed} == {"author", "second", "admin"}
    moves = {"submit": "submitted", "take-back": "draft", "approve": "approved", "return": "returned"}
    for state, _who, step in allowed:
        if step in moves:
            assert (ReplyState(state), ReplyState(moves[step])) in MOVES
    assert len(allowed) > 40
