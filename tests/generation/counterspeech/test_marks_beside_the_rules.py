"""Marks that no rule raises: by the weight of words, and by the reader that a project names."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from annotation.models import Item, Membership
from counterspeech_models import Desk, desk_on_the_wire, kind_of
from desk_pages import address, client_of, text_of
from generation.api.reply_json import standing
from generation.counterspeech import approve, candidate_json, costs, replies, request
from generation.counterspeech.presenters import draft_of
from generation.domain.counterspeech.intents import Intent
from generation.domain.counterspeech.safety_flags import BY_WEIGHT, Flag, FlaggedWords
from generation.files.export import reply_row
from generation.methods.counterspeech import weighed_marks
from generation.models import Candidate, Reply
from reply_builders import draft_reply, write_reply
from runs.execution import runner, worker
from runs.models import Run
from wire.server import WireServer

pytestmark = pytest.mark.django_db(transaction=True)

KIND = "Nobody on this street was planted here first."
VEILED = "The lantern over the third porch is green, as we all remember."
"""Words without weight, in which only the reader sees a hint where somebody lives."""
WEIGHED = "Somebody local could dig up who this guy is and tell his customers."
READER = "openai:reads"
HINT = "third porch is green"


@pytest.fixture
def desk(settings: Any) -> Iterator[tuple[WireServer, Desk]]:
    with desk_on_the_wire(settings) as both:
        settings.MODEL_BINDINGS = {**settings.MODEL_BINDINGS, "MODEL_READER": READER}
        both[1].marks[VEILED] = {"hunts": HINT}
        yield both


def work() -> None:
    for run in Run.objects.filter(state="queued").order_by("pk"):
        runner.claim_and_perform(run.pk, worker.planned_model)


def questions(wire: WireServer) -> int:
    return sum(kind_of(heard) == "marks" for heard in wire.heard)


def write(item: Item, *texts: str, desk: Desk) -> list[Candidate]:
    exchange = request.open_on_item(item)
    desk.replies["positive"] = [*texts]
    request.write(exchange, options={"intents": ["positive"], "candidates": len(texts)})
    work()
    return list(Candidate.objects.filter(exchange=exchange).order_by("place"))


def scored(item: Item, author: Membership, text: str) -> Reply:
    reply = draft_reply(item, author, text)
    request.score(reply.exchange, text, author)
    work()
    reply.refresh_from_db()
    return reply


def marked(reply: Reply) -> list[FlaggedWords]:
    return [mark for mark in replies.findings(reply) if mark.flag in (Flag.HUNTS, Flag.THREATENS, Flag.CALLS_NAMES)]


def test_texts_of_these_tests_are_marked_by_nobody_else() -> None:
    assert weighed_marks.by_weight(KIND) == weighed_marks.by_weight(VEILED) == []
    assert weighed_marks.by_weight(WEIGHED) == [FlaggedWords(Flag.HUNTS, WEIGHED, BY_WEIGHT)]


def test_the_reader_is_asked_once_about_a_candidate_that_nothing_else_marks(
    desk: tuple[WireServer, Desk], item: Item
) -> None:
    kind, veiled, weighed, open_one = write(item, KIND, VEILED, WEIGHED, "We know where you live.", desk=desk[1])
    assert questions(desk[0]) == 2
    assert (kind.flags, kind.read_marks) == ([], [])
    assert (veiled.flags, veiled.marks) == (["hunts"], [FlaggedWords(Flag.HUNTS, HINT, READER)])
    assert (weighed.flags, [mark.by for mark in weighed.marks]) == (["hunts"], [BY_WEIGHT])
    assert (open_one.flags, open_one.read_marks) == (["threatens"], [])


def test_a_draft_takes_the_readers_marks_along_and_words_of_a_persons_own_are_read_with_the_critics(
    desk: tuple[WireServer, Desk], item: Item, author: Membership
) -> None:
    (veiled,) = write(item, VEILED, desk=desk[1])
    reply = replies.begin(veiled.exchange, author, Intent.POSITIVE, veiled)
    assert marked(reply) == [FlaggedWords(Flag.HUNTS, HINT, READER)]
    write_reply(reply, KIND)
    assert marked(reply) == []  # it was read in other words
    request.score(reply.exchange, KIND, author)
    work()
    reply.refresh_from_db()
    assert (marked(reply), reply.read_marks, questions(desk[0])) == ([], [], 2)
    assert marked(scored(item, author, VEILED)) == [FlaggedWords(Flag.HUNTS, HINT, READER)]


def test_the_page_asks_no_model_and_says_who_read_it(
    desk: tuple[WireServer, Desk], item: Item, author: Membership
) -> None:
    reply = scored(item, author, VEILED)
    heard = len(desk[0].heard)
    page = text_of(client_of(author).get(address("reply-state", reply.public_id), HTTP_HX_REQUEST="true"))
    assert f"sends readers after somebody (read by {READER})" in page and HINT in page
    assert "may be wrong" not in page and len(desk[0].heard) == heard
    weighed = draft_reply(item, author, WEIGHED)
    page = text_of(client_of(author).get(address("reply-state", weighed.public_id), HTTP_HX_REQUEST="true"))
    assert "perhaps: sends readers after somebody" in page and "may be wrong" in page
    assert "take this out" in page  # what to do about it is said as for a mark by rule


def test_candidates_say_who_read_their_marks_too(desk: tuple[WireServer, Desk], item: Item, author: Membership) -> None:
    (veiled, _weighed) = write(item, VEILED, WEIGHED, desk=desk[1])
    page = text_of(client_of(author).get(address("exchange", veiled.exchange.public_id) + "?intent=positive"))
    assert f"sends readers after somebody (read by {READER})" in page
    assert "perhaps: sends readers after somebody" in page


def test_api_and_files_hold_the_mark_with_who_read_it(
    desk: tuple[WireServer, Desk], item: Item, author: Membership, second: Membership
) -> None:
    (veiled,) = write(item, VEILED, desk=desk[1])
    run = Run.objects.get(method="counterspeech")
    (of_intent,) = candidate_json.reported(veiled.exchange, run, [Intent.POSITIVE])
    told = {"flag": "hunts", "words": HINT, "by": READER}
    assert json.loads(json.dumps(of_intent["candidates"][0]["read_marks"], default=vars)) == [told]
    reply = scored(item, author, VEILED)
    assert FlaggedWords(Flag.HUNTS, HINT, READER) in standing(reply)["marks"]
    replies.submit(reply, author)
    with pytest.raises(replies.CannotDo, match="flagged"):
        approve.approve(reply, second)
    approve.approve(reply, second, "The lantern is that of the town hall.")
    row = reply_row(reply)
    assert "hunts" in row["flags"] and row["read_marks"] == [told]


def test_words_that_the_reader_made_up_are_not_shown(
    desk: tuple[WireServer, Desk], item: Item, author: Membership
) -> None:
    desk[1].marks[KIND] = {"calls_names": "words that stand nowhere"}
    assert marked(scored(item, author, KIND)) == [FlaggedWords(Flag.CALLS_NAMES, "", READER)]


def test_an_unreadable_reader_leaves_the_draft_to_rules_weights_and_critics(
    desk: tuple[WireServer, Desk], item: Item, author: Membership
) -> None:
    desk[1].broken.add("reader")
    reply = scored(item, author, VEILED)
    assert (marked(reply), replies.is_scored(reply)) == ([], True)


def test_without_a_reader_nobody_is_asked_and_the_question_is_the_one_of_before(
    desk: tuple[WireServer, Desk], item: Item, author: Membership, settings: Any
) -> None:
    settings.MODEL_BINDINGS = {**settings.MODEL_BINDINGS, "MODEL_READER": ""}
    reply = scored(item, author, VEILED)
    run = Run.objects.get(method="counterscore")
    assert (marked(reply), questions(desk[0]), "reader" in run.model_plan) == ([], 0, False)


def test_what_the_reader_may_take_is_said_before(desk: tuple[WireServer, Desk], item: Item) -> None:
    expected = costs.of_scores(item.project)
    assert expected is not None and expected.spending.calls == 5


def test_a_mark_of_the_reader_counts_although_a_critic_gave_no_answer(
    desk: tuple[WireServer, Desk], item: Item, author: Membership
) -> None:
    desk[1].broken.add("quality")
    (veiled,) = write(item, VEILED, desk=desk[1])
    reply = replies.begin(veiled.exchange, author, Intent.POSITIVE, veiled)
    assert marked(reply) == [FlaggedWords(Flag.HUNTS, HINT, READER)]
    assert draft_of(reply, author).wants_scores or replies.is_scored(reply)
