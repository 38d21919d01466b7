"""Evidence over the API: cards with their passages and sources, striking, restoring, a new judgment."""

from typing import Any

import pytest
from django.test import Client

from annotation.domain.choices import Role, Stage
from annotation.models import Item
from antihateagent_web import TELLING, Investigator, article, investigate, results
from builders import make_member
from moderation.models import Evidence
from runs.models import Run

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def reviewer(item: Item) -> Client:
    client = Client()
    client.force_login(make_member(item.project, Role.REVIEWER).user)
    return client


@pytest.fixture
def found(net: Any, item: Item) -> Run:
    net.outer.pages["/weeds"] = article(f"It is not true that {TELLING[0].lower()}{TELLING[1:]}")
    net.engine.pages["/search"] = results("http://a.example/weeds")
    Item.objects.filter(pk=item.pk).update(stage=Stage.DISPUTED)
    return investigate(item, Investigator(), reformulations=0)


def test_cards_are_struck_restored_and_judged_again(reviewer: Client, item: Item, found: Run) -> None:
    base = f"/api/v1/projects/{item.project.slug}"
    given = reviewer.get(f"{base}/items/{item.public_id}/evidence/").json()["investigations"][0]
    card = given["cards"][0]
    assert (given["run"], given["judgment"], given["outdated"]) == (str(found.public_id), str(found.public_id), False)
    assert given["outcome"]["cited"] == [card["number"]] == [1]
    assert card["source"]["publisher"] is None and card["domain"] == "a.example"
    passage = card["passages"][0]
    assert passage["quote"] == "call newcomers weeds" and passage["doubts"] == ["denied"]
    assert passage["sentence"].startswith("It is not true that on several boards")

    struck = reviewer.post(
        f"{base}/evidence/{card['id']}/strike/", {"reason": "It denies it."}, content_type="application/json"
    )
    assert (struck.status_code, struck.json()["struck_because"]) == (200, "It denies it.")
    again = reviewer.post(
        f"{base}/evidence/{card['id']}/strike/", {"reason": "Twice."}, content_type="application/json"
    )
    assert again.status_code == 409
    assert reviewer.get(f"{base}/items/{item.public_id}/evidence/").json()["investigations"][0]["outdated"] is True
    judged = reviewer.post(f"{base}/runs/{found.public_id}/judge-evidence/")
    assert judged.status_code == 202
    assert Run.objects.get(public_id=judged.json()["run"]).options["struck"] == [1]
    assert reviewer.post(f"{base}/runs/{found.public_id}/judge-evidence/").status_code == 409
    assert reviewer.post(f"{base}/evidence/{card['id']}/restore/").json()["struck_at"] is None
    assert reviewer.post(f"{base}/evidence/{card['id']}/restore/").status_code == 409


@pytest.mark.parametrize(
    "body", [{}, {"reason": ""}, {"reason": "x" * 1001}, {"reason": ["a"]}, {"reason": "a", "b": 1}]
)
def test_a_reason_is_one_text(reviewer: Client, item: Item, found: Run, body: dict[str, Any]) -> None:
    card = Evidence.objects.get()
    answer = reviewer.post(
        f"/api/v1/projects/{item.project.slug}/evidence/{card.public_id}/strike/", body, content_type="application/json"
    )
    assert answer.status_code == 400
    card.refresh_from_db()
    assert card.struck_at is None
