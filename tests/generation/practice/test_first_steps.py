"""Whether a post is answered at all is said before anybody writes, in the record, the files and the figures."""

import json
from typing import Any

import pytest
from django.urls import reverse
from rest_framework.test import APIClient

from annotation.domain.choices import Role
from annotation.members.personal_data import data_of
from annotation.models import Event, Item, Membership, Project
from builders import make_member, make_project
from desk_pages import address, client_of, text_of
from generation.counterspeech import request
from generation.domain.counterspeech.first_step import FirstChoice, StepReason
from generation.models import Exchange, FirstStep
from generation.practice import first_steps

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    return make_project("garden", operator_contact="abuse@garden.example")


@pytest.fixture
def member(project: Project) -> Membership:
    return make_member(project, Role.REVIEWER, pseudonym="heron")


def test_before_anybody_writes_one_click_decides_and_the_report_names_its_contact(
    item: Item, member: Membership
) -> None:
    client = client_of(member)
    page = text_of(client.get(address("item-counterspeech", item.public_id)))
    assert "First: answer it at all?" in page and "abuse@garden.example" in page and not Exchange.objects.exists()
    assert all(word in page for word in ("Answer it", "Report it", "Support the people meant", "Leave it alone"))
    answer = client.post(address("item-first-step", item.public_id), {"choice": "report"})
    exchange = Exchange.objects.get()
    assert answer["Location"] == address("exchange", exchange.public_id)
    step = FirstStep.objects.get()
    assert (step.choice, step.reasons, step.note, step.member) == ("report", [], "", member)
    page = text_of(client.get(answer["Location"]))
    assert '<span class="chip is-accent">Report it</span>' in page and "abuse@garden.example" in page
    assert reverse("annotation:item", args=["garden", item.public_id]) in page


def test_a_later_decision_is_in_force_and_the_earlier_one_stays_in_the_record(item: Item, member: Membership) -> None:
    client, exchange = client_of(member), request.open_on_item(item)
    step = address("first-step", exchange.public_id)
    client.post(step, {"choice": "leave", "reasons": ["wide_reach", "threat"], "note": "  Nobody asked us. "})
    page = text_of(client.get(address("exchange", exchange.public_id)))
    assert "“Nobody asked us.”" in page and "These reasons would rather speak for this: Report it. You decide." in page
    client.post(step, {"choice": "answer", "reasons": ["readers_in_doubt"]})
    page = text_of(client.get(address("exchange", exchange.public_id)))
    assert '<span class="chip is-accent">Answer it</span>' in page and "would rather speak" not in page
    assert [row.choice for row in exchange.first_steps.all()] == ["answer", "leave"]
    assert FirstStep.objects.last() is not None
    events = Event.objects.filter(verb="first_step", row=exchange.public_id)
    assert [event.facts["choice"] for event in events.order_by("id")] == ["leave", "answer"]
    assert [row["choice"] for row in data_of(member.user)["first_steps"]] == ["leave", "answer"]


def test_it_never_blocks_a_reply(item: Item, member: Membership) -> None:
    exchange = request.open_on_item(item)
    first_steps.decide(exchange, member, FirstChoice.LEAVE, [StepReason.NOBODY_READS])
    answer = client_of(member).post(address("reply-begin", exchange.public_id), {"intent": "positive"})
    assert answer.status_code == 302 and exchange.replies.count() == 1


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        ({"note": "My line"}, "This field is required."),
        ({"choice": "shout", "note": "My line"}, "shout is not one of the available choices."),
        ({"choice": "leave", "reasons": ["weather"], "note": "My line"}, "weather is not one of the available"),
        ({"choice": "leave", "note": "My line\nand more"}, "There is a line break"),
        ({"choice": "leave", "note": "My line" + "x" * 500}, "at most 500 characters"),
    ],
)
def test_what_cannot_be_stored_is_said_and_what_was_typed_stays(
    item: Item, member: Membership, sent: dict[str, Any], said: str
) -> None:
    exchange = request.open_on_item(item)
    for to in (address("first-step", exchange.public_id), address("item-first-step", item.public_id)):
        answer = client_of(member).post(to, sent | {"reasons": [*sent.get("reasons", []), "threat"]})
        page = text_of(answer)
        assert answer.status_code == 422 and said in page and "My line" in page
        assert 'value="threat" checked' in page
    assert not FirstStep.objects.exists()


def test_decisions_are_in_a_file_of_their_own_in_replies_and_in_the_figures(
    project: Project, item: Item, member: Membership
) -> None:
    exchange, pasted = request.open_on_item(item), request.open_on_text(project, "Weeds everywhere.")
    first_steps.decide(exchange, member, FirstChoice.LEAVE)
    first_steps.decide(exchange, member, FirstChoice.ANSWER, [StepReason.WIDE_REACH], "Many ask.")
    first_steps.decide(pasted, member, FirstChoice.REPORT, [StepReason.THREAT])
    admin = client_of(make_member(project, Role.ADMIN))
    lines = b"".join(admin.get(address("dataset-file", "first_steps.jsonl")).streaming_content)  # type: ignore[arg-type]
    rows = [json.loads(line) for line in lines.splitlines()]
    assert [(row["item"], row["choice"], row["advised"]) for row in rows] == [
        ("post-1", "leave", None),
        ("post-1", "answer", "answer"),
        (None, "report", "report"),
    ]
    assert (rows[1]["by"], rows[1]["note"], rows[1]["post"]) == ("heron", "Many ask.", "All newcomers are weeds.")
    assert first_steps.counts(project) == {"answer": 1, "report": 1, "support": 0, "leave": 0}
    page = text_of(admin.get(address("dataset")))
    assert "<dt>Answer it</dt><dd>1</dd>" in page and "first_steps.jsonl" in page
    assert client_of(member).get(address("dataset-file", "first_steps.jsonl")).status_code == 404


def test_the_api_decides_and_lists(project: Project, item: Item, member: Membership) -> None:
    assert member.user is not None
    api = APIClient()
    api.force_authenticate(member.user)
    url = reverse("generation-api:first-steps", args=["garden"])
    answer = api.post(
        url, {"item": "post-1", "choice": "support", "reasons": ["threat"], "note": "Her son reads it."}, "json"
    )
    assert answer.status_code == 201
    assert (answer.data["choice"], answer.data["advised"], answer.data["by"]) == ("support", "report", "heron")
    pasted = request.open_on_text(project, "Weeds everywhere.")
    assert api.post(url, {"exchange": str(pasted.public_id), "choice": "leave"}, format="json").status_code == 201
    assert [row["item"] for row in api.get(url).data] == [None, "post-1"]
    for body, code in (
        ({"choice": "leave"}, "bad_choice"),
        ({"choice": "leave", "item": "post-1", "exchange": str(pasted.public_id)}, "bad_choice"),
        ({"choice": "leave", "item": "post-9"}, "unknown_item"),
    ):
        refused = api.post(url, body, format="json")
        assert refused.status_code == 400 and refused.json()["code"] == code
    assert FirstStep.objects.count() == 2


def test_group_and_theme_of_a_pasted_post_are_named_at_the_desk(
    project: Project, item: Item, member: Membership
) -> None:
    client, pasted = client_of(member), request.open_on_text(project, "Weeds everywhere.")
    client.post(address("about", pasted.public_id), {"group": "newcomers", "theme": "work"})
    pasted.refresh_from_db()
    assert (pasted.target_group, pasted.theme) == ("newcomers", "work")
    refused = client.post(address("about", pasted.public_id), {"group": "x" * 201, "theme": "crime"})
    assert refused.status_code == 422 and 'value="crime"' in text_of(refused)
    Item.objects.filter(pk=item.pk).update(target_group="roses")
    item.refresh_from_db()
    exchange = request.open_on_item(item)
    client.post(address("about", exchange.public_id), {"group": "", "theme": "work"})
    exchange.refresh_from_db()
    assert (exchange.target_group, exchange.theme) == ("roses", "work")
