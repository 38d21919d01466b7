"""Claims of replies and posts rest on evidence: by checks and by hand, until the sentence or the card changes."""

import json
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db import IntegrityError, transaction
from django.urls import reverse
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some
from rest_framework.test import APIClient

from annotation.domain.text_rules import BadText
from annotation.members.personal_data import data_of
from annotation.models import Event, Item, Membership, Project
from annotation.projects import purge
from builders import make_labelled_item, make_project
from checked_claims import PAGE, make_card, make_check
from desk_pages import address, client_of, text_of
from generation.counterspeech import approve, replies, request, withdraw
from generation.counterspeech.claims import StatedClaim, claims_of, claims_of_post, take_checks
from generation.domain.counterspeech.claim_states import ClaimState
from generation.domain.counterspeech.intents import Intent
from generation.domain.counterspeech.safety_flags import Flag
from generation.files import export
from generation.files.training_export import posts_of, training_files
from generation.methods.counterspeech.score import keep_scores
from generation.models import Claim, Exchange, Exemplar, Reply
from generation.practice import claims as decisions
from generation.practice.claims import Decision, stamp_of
from moderation.evidence import edit
from moderation.models import Evidence
from reply_builders import draft_reply, submit_reply, write_reply

pytestmark = pytest.mark.django_db

HALF, KIND, TEN = "Half of them work here.", "Be kind to them.", "Ten families came."
WHY = "Everybody in the street can see that."


def api_of(member: Membership) -> APIClient:
    client = APIClient()
    client.force_authenticate(member.user)
    return client


def drafted(about: Item | Exchange, author: Membership, text: str) -> Reply:
    return draft_reply(about, author, text, Intent.INFORMATIVE)


def submitted(about: Item | Exchange, author: Membership, text: str) -> Reply:
    """Hand in a reply that critics find good, so that only its claims can raise a flag."""
    return scored(submit_reply(about, author, text, Intent.INFORMATIVE))


def scored(reply: Reply) -> Reply:
    keep_scores(
        reply.exchange, reply.text, {"pc": -0.9, "aq": 0.9, "t": 0.0, "reward": 0.9, "seen_intent": reply.intent}
    )
    reply.refresh_from_db()
    return reply


def states(reply: Reply | Exchange) -> dict[str, str]:
    stated = claims_of(reply).stated if isinstance(reply, Reply) else claims_of_post(reply).stated
    return {claim.sentence: claim.state.value for claim in stated}


def claim_of(reply: Reply | Exchange, sentence: str) -> StatedClaim:
    stated = claims_of(reply).stated if isinstance(reply, Reply) else claims_of_post(reply).stated
    return next(claim for claim in stated if claim.sentence == sentence)


def decide(reply: Reply | Exchange, sentence: str, member: Membership, decision: Decision) -> StatedClaim:
    return decisions.decide(reply, claim_of(reply, sentence).public_id, member, decision)


# ── Checks ────────────────────────────────────────────────────────────────────


def test_a_check_gives_the_claim_its_state_and_its_card(item: Item, author: Membership) -> None:
    reply = drafted(item, author, f"{HALF} {KIND} {TEN}")
    assert states(reply) == {HALF: "open", TEN: "open"}
    run = make_check(item, HALF, True, "refutes", "supports")
    assert states(reply) == {HALF: "supported", TEN: "open"}
    claim = claim_of(reply, HALF)
    assert claim.card is not None and claim.card.number == 2 and claim.is_checked and claim.decided_by is None
    make_check(item, TEN, False, "refutes")
    assert states(reply) == {HALF: "supported", TEN: "contradicted"}
    make_check(item, HALF, None)
    assert states(reply) == {HALF: "open", TEN: "contradicted"}
    events = Event.objects.filter(row=reply.public_id, verb="claim_checked").order_by("pk")
    assert [event.facts["state"] for event in events] == ["supported", "contradicted", "open"]
    assert run.public_id not in Claim.objects.values_list("run", flat=True)


def test_a_model_alone_supports_no_claim_and_a_false_one_is_false_without_a_page(
    item: Item, author: Membership
) -> None:
    reply = drafted(item, author, f"{HALF} {TEN}")
    make_check(item, HALF, True)
    make_check(item, TEN, False)
    assert states(reply) == {HALF: "open", TEN: "contradicted"}
    assert "the agent judged from what it knows" in text_of(client_of(author).get(address("reply", reply.public_id)))


def test_what_was_checked_before_counts_for_whoever_writes_it_later(
    item: Item, author: Membership, second: Membership
) -> None:
    request.open_on_item(item)
    make_check(item, HALF, True, "supports")
    assert states(drafted(item, second, f"{HALF} {TEN}")) == {HALF: "supported", TEN: "open"}
    assert Claim.objects.filter(sentence=HALF, state="supported").count() == 1


def test_a_check_of_other_words_or_of_another_post_changes_nothing(
    project: Project, item: Item, author: Membership
) -> None:
    reply = drafted(item, author, HALF)
    make_check(item, "Half of them worked here.", False)
    make_check(request.open_on_text(project, "Another post."), HALF, False)
    assert states(reply) == {HALF: "open"}


def test_a_claim_longer_than_a_check_takes_is_known_by_its_beginning(item: Item, author: Membership) -> None:
    long = "Half of them work here " + "and in the next street " * 40 + "too."
    reply = drafted(item, author, long)
    make_check(item, long[:500].strip(), True, "supports")
    assert states(reply) == {long: "supported"}


def test_a_persons_word_stands_against_an_earlier_check_and_a_later_check_against_it(
    item: Item, author: Membership
) -> None:
    reply = drafted(item, author, HALF)
    run = make_check(item, HALF, False, "refutes", told=False)
    decide(reply, HALF, author, Decision(ClaimState.WITHOUT_SOURCE, reason=WHY))
    take_checks(reply.exchange)
    assert states(reply) == {HALF: "without_source"}, run
    make_check(item, HALF, None)
    assert states(reply) == {HALF: "without_source"}  # it settled nothing
    make_check(item, HALF, False, "refutes")
    assert states(reply) == {HALF: "contradicted"}
    assert Claim.objects.get().reason == ""


# ── Edits ─────────────────────────────────────────────────────────────────────


def test_an_edit_of_the_sentence_makes_it_open_and_the_others_keep_their_state(item: Item, author: Membership) -> None:
    reply = drafted(item, author, f"{HALF} {TEN}")
    make_check(item, HALF, True, "supports")
    decide(reply, TEN, author, Decision(ClaimState.WITHOUT_SOURCE, reason=WHY))
    reply = write_reply(reply, f"{TEN} {KIND} Half of us work here.")
    assert states(reply) == {TEN: "without_source", "Half of us work here.": "open"}
    assert not Claim.objects.filter(sentence=HALF).exists()
    reply = write_reply(reply, f"Eleven families came. {HALF}")
    assert states(reply) == {"Eleven families came.": "open", HALF: "supported"}  # these words were checked


def test_a_correction_keeps_what_was_decided_about_the_sentences_that_it_keeps(
    item: Item, author: Membership, second: Membership
) -> None:
    reply = submitted(item, author, f"{HALF} {TEN}")
    decide(reply, TEN, second, Decision(ClaimState.WITHOUT_SOURCE, reason=WHY))
    approve.approve(reply, second, "One claim is open, and it is plain.")
    draft = withdraw.begin_correction(reply, author, "A word is wrong.")
    assert states(draft) == {HALF: "open", TEN: "without_source"}
    assert states(write_reply(draft, f"Half of us work here. {TEN}"))[TEN] == "without_source"
    assert states(reply) == {HALF: "open", TEN: "without_source"}


WORDS = (HALF, KIND, TEN, "대부분은 세금을 낸다.", "研究发现有三成。")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=30, deadline=None)
@given(
    some.lists(
        some.one_of(
            some.tuples(some.just("write"), some.lists(some.sampled_from(WORDS), max_size=4)),
            some.tuples(some.just("check"), some.sampled_from(WORDS), some.sampled_from([True, False, None])),
            some.tuples(some.just("reason"), some.sampled_from(WORDS)),
            some.tuples(some.just("strike"), some.sampled_from(WORDS)),
            some.tuples(some.just("restore"), some.sampled_from(WORDS)),
        ),
        max_size=12,
    )
)
def test_whatever_is_done_the_states_follow_the_last_that_counts(
    item: Item, author: Membership, steps: list[tuple[Any, ...]]
) -> None:
    """Keep the states by a slow, plain account of all that happened, and compare after each step."""
    with transaction.atomic():
        reply = drafted(item, author, HALF)
        said, by_hand, checks = [HALF], dict[str, int](), dict[str, tuple[int, bool | None, list[Evidence]]]()
        for number, step in enumerate(steps):
            kind, what = step[0], step[1]
            if kind == "write":
                reply = write_reply(reply, " ".join(what))
                said = list(dict.fromkeys(what))
                by_hand = {words: at for words, at in by_hand.items() if words in said}
            elif kind == "check":
                run = make_check(item, what, step[2], "supports", "refutes")
                checks[what] = (number, step[2], list(Evidence.objects.filter(run=run.public_id).order_by("number")))
                if step[2] is not None:
                    by_hand.pop(what, None)
            elif kind == "reason" and what in said and what != KIND:
                decide(reply, what, author, Decision(ClaimState.WITHOUT_SOURCE, reason=WHY))
                by_hand[what] = number
            elif kind in ("strike", "restore") and what in checks:
                card = checks[what][2][0 if checks[what][1] else 1]
                _act = (
                    edit.strike_card(card, "Not so.", author) if kind == "strike" else edit.restore_card(card, author)
                )
            assert set(states(reply)) == {words for words in said if words != KIND}
            for words, state in states(reply).items():
                assert state == _expected(words, by_hand, checks), (step, words)
        transaction.set_rollback(True)


def _expected(words: str, by_hand: dict[str, int], checks: dict[str, Any]) -> str:
    if words in by_hand:
        return "without_source"
    if words not in checks or checks[words][1] is None:
        return "open"
    holds = checks[words][1]
    card = checks[words][2][0 if holds else 1]
    card.refresh_from_db()
    return "open" if card.struck_at else "supported" if holds else "contradicted"


# ── By hand ───────────────────────────────────────────────────────────────────


def test_a_person_chooses_a_card_or_says_why_there_is_none(item: Item, author: Membership, second: Membership) -> None:
    reply = submitted(item, author, f"{HALF} {TEN}")
    card = make_card(item, uuid4())
    with pytest.raises(replies.CannotDo, match="Choose the source"):
        decide(reply, HALF, second, Decision(ClaimState.SUPPORTED))
    with pytest.raises(replies.CannotDo, match="at least 10 characters"):
        decide(reply, HALF, second, Decision(ClaimState.WITHOUT_SOURCE, reason="So."))
    with pytest.raises(BadText):
        decide(reply, HALF, second, Decision(ClaimState.WITHOUT_SOURCE, reason="Two lines\nof a reason."))
    assert states(reply) == {HALF: "open", TEN: "open"}
    run = make_check(item, "What the post means.", None)
    Evidence.objects.filter(pk=card.pk).update(run=run.public_id)
    decided = decide(reply, HALF, second, Decision(ClaimState.CONTRADICTED, card=card.public_id))
    assert (decided.state, decided.decided_by) == (ClaimState.CONTRADICTED, second)
    assert decide(reply, HALF, second, Decision(ClaimState.SUPPORTED, card.public_id)).state == "supported"
    assert decide(reply, HALF, author, Decision(ClaimState.OPEN)).state == "open"
    assert Claim.objects.get(sentence=HALF).card is None


def test_a_card_of_another_post_or_one_that_was_struck_is_no_source(
    project: Project, item: Item, author: Membership
) -> None:
    reply = drafted(item, author, HALF)
    elsewhere = make_check(request.open_on_text(project, "Another post."), HALF, None, "supports")
    other = make_check(
        make_labelled_item(make_project("other"), [], [], text="x", external_id="p"), HALF, None, "supports"
    )
    own = make_check(item, HALF, None, "supports")
    for run in (elsewhere, other):
        with pytest.raises(replies.CannotDo, match="Choose another one"):
            decide(
                reply, HALF, author, Decision(ClaimState.SUPPORTED, Evidence.objects.get(run=run.public_id).public_id)
            )
    card = Evidence.objects.get(run=own.public_id)
    edit.strike_card(card, "A joke.", author)
    with pytest.raises(replies.CannotDo, match="Choose another one"):
        decide(reply, HALF, author, Decision(ClaimState.SUPPORTED, card.public_id))


def test_a_decision_on_what_was_not_seen_is_refused(item: Item, author: Membership, second: Membership) -> None:
    reply = submitted(item, author, HALF)
    seen = stamp_of(claim_of(reply, HALF))
    decide(reply, HALF, author, Decision(ClaimState.WITHOUT_SOURCE, reason=WHY, seen=seen))
    with pytest.raises(replies.SomebodyWasFirst, match="Somebody else decided"):
        decide(reply, HALF, second, Decision(ClaimState.OPEN, seen=seen))
    with pytest.raises(replies.SomebodyWasFirst, match="not in it any more"):
        decisions.decide(reply, uuid4(), second, Decision(ClaimState.OPEN))


def test_a_struck_or_removed_card_makes_the_claim_open_again(item: Item, author: Membership) -> None:
    reply = drafted(item, author, f"{HALF} {TEN}")
    run = make_check(item, HALF, True, "supports")
    make_check(item, TEN, True, "supports")
    card = Evidence.objects.get(run=run.public_id)
    edit.strike_card(card, "The page is a joke.", author)
    assert states(reply) == {HALF: "open", TEN: "supported"} and claim_of(reply, HALF).lapsed
    assert "Its source was struck, or is gone" in text_of(client_of(author).get(address("reply", reply.public_id)))
    edit.restore_card(card, author)
    assert states(reply) == {HALF: "supported", TEN: "supported"}
    Evidence.objects.all().delete()
    assert states(reply) == {HALF: "open", TEN: "open"}


@pytest.mark.parametrize(("holds", "stance"), [(True, "supports"), (False, "refutes")])
def test_a_card_struck_before_somebody_writes_the_words_leaves_them_open_too(
    item: Item, author: Membership, holds: bool, stance: str
) -> None:
    request.open_on_item(item)
    make_check(item, HALF, holds, stance)
    edit.strike_card(Evidence.objects.get(), "The page is a joke.", author)
    assert states(drafted(item, author, HALF)) == {HALF: "open"}


@pytest.mark.parametrize(
    "fields",
    [
        {"state": "supported"},
        {"state": "open", "card": UUID(int=1)},
        {"state": "without_source", "card": UUID(int=1), "reason": WHY},
        {"state": "without_source"},
        {"state": "contradicted"},
        {"state": "supported", "card": UUID(int=1)},
        {"state": "open", "reason": WHY},
    ],
)
def test_the_database_keeps_no_state_that_rests_on_nothing(
    item: Item, author: Membership, fields: dict[str, Any]
) -> None:
    exchange = request.open_on_item(item)
    with pytest.raises(IntegrityError), transaction.atomic():
        Claim.objects.create(exchange=exchange, sentence=HALF, **fields)


# ── Approval ──────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(("holds", "flag"), [(None, Flag.OPEN_CLAIM), (False, Flag.FALSE_CLAIM)])
def test_an_open_or_a_false_claim_needs_a_reason_everywhere_by_the_same_sentence(
    item: Item, author: Membership, second: Membership, holds: bool | None, flag: Flag
) -> None:
    reply = submitted(item, author, HALF)
    make_check(item, HALF, holds, "refutes", told=False)  # approval looks for itself
    with pytest.raises(replies.CannotDo) as refused:
        approve.approve(reply, second, "")
    page = client_of(second).post(address("reply-approve", reply.public_id), {"said": "Nice."})
    assert page.status_code == 409 and str(refused.value) in text_of(page)
    approve.approve(reply, second, "It is a joke that everybody knows.")
    assert reply.flags == [flag.value] and reply.override_reason


def test_a_supported_claim_and_one_without_source_need_no_reason(
    item: Item, author: Membership, second: Membership
) -> None:
    reply = submitted(item, author, f"{HALF} {TEN} {KIND}")
    make_check(item, HALF, True, "supports")
    decide(reply, TEN, second, Decision(ClaimState.WITHOUT_SOURCE, reason=WHY))
    assert approve.approve(reply, second).flags == [] and Exemplar.objects.exists()


def test_a_claim_of_an_approved_reply_found_false_since_is_told(
    item: Item, author: Membership, second: Membership
) -> None:
    reply = submitted(item, author, HALF)
    make_check(item, HALF, True, "supports")
    approve.approve(reply, second)
    title = "Approved, and a claim was found false since"
    assert title not in text_of(client_of(author).get(address("overview")))
    make_check(item, HALF, False, "refutes")
    assert states(reply) == {HALF: "contradicted"}
    page = text_of(client_of(author).get(address("overview")))
    assert title in page and address("reply", reply.public_id) in page
    page = text_of(client_of(second).get(address("reply", reply.public_id)))
    assert "Claim checked by an agent" in page
    withdraw.withdraw(reply, author, "It is not so.")
    assert title not in text_of(client_of(author).get(address("overview")))
    with pytest.raises(replies.CannotDo, match="stay as they are"):
        decide(reply, HALF, author, Decision(ClaimState.OPEN))


def test_a_copy_of_a_stored_reply_and_an_intent_read_as_another_one_are_marked(
    project: Project, item: Item, author: Membership, second: Membership
) -> None:
    reply = submitted(item, author, KIND)
    assert approve.approve(reply, second).flags == []
    assert replies.findings(reply) == []  # it is no copy of itself, nor is its correction
    assert [each.flag for each in replies.findings(withdraw.begin_correction(reply, author, "Too short."))] == []
    copy = submitted(request.open_on_text(project, "Another post."), author, KIND.upper())
    assert [each.flag for each in replies.findings(copy)] == [Flag.COPIED]
    Reply.objects.filter(pk=copy.pk).update(seen_intent="positive")
    copy.refresh_from_db()
    assert [each.flag for each in replies.findings(copy)] == [Flag.COPIED, Flag.OTHER_INTENT]
    with pytest.raises(replies.CannotDo, match="flagged"):
        approve.approve(copy, second)
    page = text_of(client_of(author).get(address("reply", copy.public_id)))
    assert "Says the same as a stored reply" in page and "choose the intent that was read" in page


# ── Pages, API, files ─────────────────────────────────────────────────────────


def test_both_readers_see_state_source_dates_and_link(item: Item, author: Membership, second: Membership) -> None:
    reply = submitted(item, author, f"{HALF} {TEN}")
    make_check(item, HALF, True, "supports")
    make_check(item, TEN, False)
    today = timezone.now().date().isoformat()
    for person in (author, second):
        page = text_of(client_of(person).get(address("reply", reply.public_id)))
        assert 'class="chip is-good" >supported' in page or 'class="chip is-good">supported' in page
        assert 'class="chip is-bad" >contradicted' in page or 'class="chip is-bad">contradicted' in page
        assert "What the city counted" in page and "City Office" in page and "2024-05-06" in page
        assert f"read {today}" in page and f'href="{PAGE}"' in page


def test_a_claim_is_decided_on_its_page_and_a_refusal_loses_nothing(
    item: Item, author: Membership, second: Membership
) -> None:
    reply = submitted(item, author, f"{HALF} {TEN}")
    run = make_check(item, "Something else.", None, "supports")
    card = Evidence.objects.get(run=run.public_id)
    claim = claim_of(reply, HALF)
    there = address("reply-claim", reply.public_id, claim.public_id)
    client = client_of(second)
    page = text_of(client.get(there))
    assert HALF in page and "What the city counted" in page and str(card.public_id) in page
    refused = client.post(there, {"state": "without_source", "reason": "Because"})
    assert refused.status_code == 409 and "at least 10 characters" in text_of(refused)
    assert 'value="Because"' in text_of(refused)
    kept = client.post(there, {"state": "supported", "card": card.public_id, "seen": ""}, follow=True)
    assert "Stored with the claim" in text_of(kept) and states(reply)[HALF] == "supported"
    stale = client.post(there, {"state": "open", "seen": ""})
    assert stale.status_code == 409 and "Somebody else decided" in text_of(stale)
    assert client.post(there, {"state": "true"}).status_code == 404
    assert client.get(address("reply-claim", reply.public_id, uuid4())).status_code == 404


def test_who_decides_about_a_sentence_that_was_changed_reads_so_and_loses_nothing(
    item: Item, author: Membership
) -> None:
    reply = drafted(item, author, HALF)
    there = address("reply-claim", reply.public_id, claim_of(reply, HALF).public_id)
    client = client_of(author)
    assert 'name="sentence"' in text_of(client.get(there))
    write_reply(reply, TEN)
    sent = {"state": "without_source", "reason": WHY, "sentence": HALF, "seen": ""}
    gone = client.post(there, sent)
    assert gone.status_code == 409 and "not in it any more" in text_of(gone) and WHY in text_of(gone)
    assert client.post(there, sent | {"sentence": "Never there."}).status_code == 404
    assert client.get(there).status_code == 404


def test_sources_are_listed_under_the_text_on_request_and_are_no_claims(
    item: Item, author: Membership, second: Membership
) -> None:
    reply = drafted(item, author, f"{HALF} {KIND}")
    client = client_of(author)
    nothing = client.post(address("reply-sources", reply.public_id))
    assert nothing.status_code == 409 and "No claim has a source yet" in text_of(nothing)
    make_check(item, HALF, True, "supports")
    assert "List the sources under the text" in text_of(client.get(address("item-counterspeech", item.public_id)))
    typed = f"{HALF} {KIND} {KIND}"
    more = {"text": typed, "version": reply.version, "intent": reply.intent}
    assert client.post(address("reply-sources", reply.public_id), more).status_code == 302
    reply.refresh_from_db()
    today = timezone.now().date().isoformat()
    line = f"– What the city counted, City Office, 2024-05-06, read {today} {PAGE}"
    assert reply.text == f"{typed}\n\nSources:\n{line}"
    assert states(reply) == {HALF: "supported"} and [each.flag for each in replies.findings(reply)] == ["not_scored"]
    again = client.post(address("reply-sources", reply.public_id))
    assert again.status_code == 409 and "stand in the text already" in text_of(again)
    edit.strike_card(Evidence.objects.get(), "A joke.", author)
    assert {claim.value for claim in (Flag.OPEN_CLAIM, Flag.UNOPENED_LINK)} < {
        each.flag.value for each in replies.findings(reply)
    }
    with pytest.raises(replies.CannotDo):
        decisions.list_sources(reply, second)


def test_the_api_shows_and_decides_claims(item: Item, author: Membership, second: Membership) -> None:
    reply = submitted(item, author, f"{HALF} {TEN}")
    make_check(item, HALF, True, "supports")
    there = reverse("generation-api:reply", args=["garden", reply.public_id])
    claims = api_of(second).get(there).json()["claims"]
    assert [(claim["sentence"], claim["state"]) for claim in claims] == [(HALF, "supported"), (TEN, "open")]
    source = claims[0]["source"]
    assert (source["url"], source["title"], source["published"]) == (PAGE, "What the city counted", "2024-05-06")
    assert claims[0]["checked_by"] and claims[0]["decided_by"] is None and claims[1]["source"] is None
    one = reverse("generation-api:reply-claim", args=["garden", reply.public_id, claims[1]["id"]])
    refused = api_of(second).post(one, {"state": "supported"}, format="json")
    assert refused.status_code == 409 and refused.json()["detail"] == "Choose the source that says so."
    assert api_of(second).post(one, {"state": "true"}, format="json").status_code == 400
    decided = api_of(second).post(one, {"state": "without_source", "reason": WHY}, format="json").json()
    assert (decided["state"], decided["reason"], decided["decided_by"]) == ("without_source", WHY, "owl")
    by_card = api_of(second).post(one, {"state": "contradicted", "card": source["id"]}, format="json").json()
    assert (by_card["state"], by_card["source"]["id"]) == ("contradicted", source["id"])


def test_files_of_replies_and_of_training_carry_the_states(
    project: Project, item: Item, author: Membership, second: Membership
) -> None:
    reply = submitted(item, author, f"{HALF} {TEN}")
    make_check(item, HALF, True, "supports")
    approve.approve(reply, second, "The second one is plain.")
    expected = [(HALF, "supported", PAGE), (TEN, "open", None)]
    (row,) = export.replies(project)
    assert [(claim["sentence"], claim["state"], claim["source"]) for claim in row["claims"]] == expected
    assert row["claims"][0]["published"] == "2024-05-06" and row["claims"][0]["read_on"]
    trained = json.loads(training_files(posts_of(project))["replies.jsonl"])
    assert trained["claims"] == row["claims"]


# ── Pasted posts, and what takes rows along ───────────────────────────────────


def test_claims_of_a_pasted_post_are_checked_as_those_of_a_reply_to_it(
    project: Project, author: Membership, second: Membership
) -> None:
    exchange = request.open_on_text(project, f"Newcomers are weeds. {TEN}", author)
    assert states(exchange) == {"Newcomers are weeds.": "open", TEN: "open"}
    reply = submitted(exchange, author, HALF)
    page = text_of(client_of(author).get(address("exchange", exchange.public_id)))
    there = reverse("moderation:text-evidence", args=["garden", exchange.public_id])
    assert "Claims of the post" in page and f"{there}?claim=Ten%20families%20came." in page
    make_check(exchange, TEN, False, "refutes")
    make_check(exchange, HALF, True, "supports")
    assert states(exchange)[TEN] == "contradicted" and states(reply) == {HALF: "supported"}
    evidence = text_of(client_of(author).get(there))
    assert "A pasted text" in evidence and "Newcomers are weeds." in evidence and "The claim is true" in evidence
    claim = claim_of(exchange, TEN)
    one = address("post-claim", exchange.public_id, claim.public_id)
    kept = client_of(second).post(one, {"state": "without_source", "reason": WHY, "seen": stamp_of(claim)}, follow=True)
    assert "Stored with the claim" in text_of(kept) and states(exchange)[TEN] == "without_source"
    listed = api_of(second).get(reverse("generation-api:post-claims", args=["garden", exchange.public_id])).json()
    assert [claim["state"] for claim in listed] == ["open", "without_source"]


def test_a_card_about_a_pasted_post_is_struck_and_put_back_on_its_page(project: Project, author: Membership) -> None:
    exchange = request.open_on_text(project, f"Newcomers are weeds. {TEN}", author)
    run = make_check(exchange, TEN, True, "supports")
    card = Evidence.objects.get(run=run.public_id)
    client = client_of(author)
    page = client.post(
        reverse("moderation:evidence-strike", args=["garden", card.public_id]), {"reason": "A joke."}, follow=True
    )
    assert "Card 1 is struck" in text_of(page) and states(exchange)[TEN] == "open"
    client.post(reverse("moderation:evidence-restore", args=["garden", card.public_id]))
    assert states(exchange)[TEN] == "supported"


def test_a_discarded_draft_and_a_deleted_project_take_their_claims_along(
    project: Project, item: Item, author: Membership
) -> None:
    reply = drafted(item, author, HALF)
    pasted = request.open_on_text(project, f"Newcomers are weeds. {TEN}", author)
    make_check(pasted, TEN, True, "supports")
    make_check(item, HALF, True, "supports")
    assert Claim.objects.count() == 2
    replies.discard(reply, author)
    assert [claim.sentence for claim in Claim.objects.all()] == [TEN]
    Project.objects.filter(pk=project.pk).update(delete_after=timezone.now() - timezone.timedelta(days=1))
    project.refresh_from_db()
    assert purge.purge(project)
    assert not Claim.objects.exists() and not Evidence.objects.exists() and not Exchange.objects.exists()


def test_a_persons_data_hold_what_they_decided_about_claims(item: Item, author: Membership) -> None:
    reply = drafted(item, author, HALF)
    decide(reply, HALF, author, Decision(ClaimState.WITHOUT_SOURCE, reason=WHY))
    assert author.user is not None
    (row,) = data_of(author.user)["claims_decided"]
    assert (row["sentence"], row["state"], row["reason"]) == (HALF, "without_source", WHY)
