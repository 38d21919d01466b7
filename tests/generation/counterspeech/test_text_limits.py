"""A browser lets people type as much as the server takes, in each place for a text of the desk's pages.

A pasted post, explanations and a reply are not cut by a browser: the server refuses them and shows them whole.
"""

from collections.abc import Callable, Mapping

import pytest
from django.test import Client

from annotation.models import Item, Membership
from desk_pages import address, client_of
from generation.counterspeech import request
from generation.counterspeech.claims import claims_of
from generation.counterspeech.forms import MOST
from generation.domain.counterspeech.explanations import Explanation
from generation.domain.counterspeech.first_step import MOST_NOTE
from generation.domain.counterspeech.intents import Intent
from generation.domain.counterspeech.options import CounterRequest
from generation.models import Claim, Exchange, FirstStep, Reply
from reply_builders import approve_reply, draft_reply, submit_reply
from typed_texts import typed_texts

pytestmark = pytest.mark.django_db

NOT_CUT = dict.fromkeys([*map(str, Explanation), "text", "insults"])
HALF = "Half of them work here."


def claim_page(reply: Reply) -> str:
    return address("reply-claim", reply.public_id, claims_of(reply).stated[0].public_id)


def limits(client: Client, page: str) -> Mapping[tuple[str, str], int | None]:
    """Return how much can be typed, by the last word of the form's address and the field."""
    return {
        (text.action.split("/")[-2] if text.action else "", text.name): text.most
        for text in typed_texts(client.get(page))
    }


def test_each_place_for_a_text_at_the_desk_has_the_limit_of_the_server(item: Item, author: Membership) -> None:
    draft_reply(item, author, "Be kind.")
    desk = limits(client_of(author), address("item-counterspeech", item.public_id))
    language = next(
        rule.max_length for rule in CounterRequest.model_fields["language"].metadata if hasattr(rule, "max_length")
    )
    assert {name: most for (_form, name), most in desk.items()} == NOT_CUT | {
        "group": MOST["name"], "theme": MOST["name"], "note": MOST_NOTE, "language": language,
    }  # fmt: skip


def test_each_place_for_a_text_on_the_pages_of_a_reply_and_a_claim_has_the_limit_of_the_server(
    item: Item, author: Membership, second: Membership
) -> None:
    reply = submit_reply(item, author, HALF, Intent.INFORMATIVE)
    page = address("reply", reply.public_id)
    assert limits(client_of(second), page) == {
        ("approve", "said"): MOST["comment"],
        ("comment", "said"): MOST["comment"],
    }
    assert limits(client_of(author), page) == {
        ("comment", "said"): MOST["comment"],
        ("withdraw", "said"): MOST["reason"],
    }
    assert limits(client_of(second), claim_page(reply)) == {("", "reason"): MOST["claim_reason"]}


def refused_above(send: Callable[[str], int], most: int) -> None:
    assert send("a" * (most + 1)) in (409, 422)
    assert send("a\r\n" + "b" * (most - 2)) == 302  # a browser counts a new line as one


@pytest.mark.parametrize("move", ["comment", "return", "approve"])
def test_a_comment_and_a_reason_may_have_as_many_characters_as_a_browser_takes(
    item: Item, author: Membership, second: Membership, move: str
) -> None:
    reply, client = submit_reply(item, author, "Be kind."), client_of(second)
    refused_above(
        lambda said: client.post(address(f"reply-{move}", reply.public_id), {"said": said}).status_code, MOST["comment"]
    )


@pytest.mark.parametrize("move", ["withdraw", "correct"])
def test_the_line_that_says_why_a_reply_is_taken_back_may_be_as_long_as_a_browser_takes(
    item: Item, author: Membership, second: Membership, move: str
) -> None:
    reply, client = approve_reply(item, author, second, "Be kind."), client_of(author)
    for length, status in ((MOST["reason"] + 1, 422), (MOST["reason"], 302)):
        assert client.post(address(f"reply-{move}", reply.public_id), {"said": "a" * length}).status_code == status


def test_the_reason_of_a_claim_the_group_and_the_first_step_may_be_as_long_as_a_browser_takes(
    item: Item, author: Membership
) -> None:
    exchange, client = request.open_on_item(item), client_of(author)
    page = claim_page(draft_reply(item, author, HALF))
    for field, most, post in (
        ("reason", MOST["claim_reason"], (page, {"state": "without_source", "sentence": HALF, "seen": ""})),
        ("theme", MOST["name"], (address("about", exchange.public_id), {"group": ""})),
        ("note", MOST_NOTE, (address("first-step", exchange.public_id), {"choice": "answer"})),
    ):
        assert client.post(post[0], {**post[1], field: "a" * (most + 1)}).status_code == 422
        assert client.post(post[0], {**post[1], field: "a" * most}).status_code == 302
    assert (len(Claim.objects.get().reason), len(Exchange.objects.get().theme)) == (MOST["claim_reason"], MOST["name"])
    assert len(FirstStep.objects.get().note) == MOST_NOTE
