"""The courtroom's forms: what a prosecutor and a defender may say, what a concession is."""

import json
from typing import Any

import pytest

from annotation.domain.categories import DEFAULT_CATEGORIES
from moderation.domain import arcade
from moderation.domain.arcade import Exchange
from moderation.domain.verdicts import Task, not_hateful_verdict, verdict, verdict_shape
from providers.structured_output import InvalidAnswer, ReadAnswer, read_answer


def cue(**fields: Any) -> dict[str, Any]:
    return {
        "id": "c1",
        "cue_type": "Metaphor",
        "target_group": "gardeners",
        "claim": "“weeds” stands for them",
        "hate_type": 5,
        "justification": "nothing else is pulled out",
    } | fields


def said(cues: list[dict[str, Any]], most: int = 2, **more: Any) -> ReadAnswer[Any] | InvalidAnswer:
    return read_answer(json.dumps({"cues": cues}), arcade.cues_shape(DEFAULT_CATEGORIES, most, **more))


def test_a_statement_holds_none_to_the_allowed_number_of_cues() -> None:
    assert isinstance(said([]), ReadAnswer)
    assert isinstance(said([cue(), cue(id="c2")]), ReadAnswer)
    assert isinstance(said([cue(), cue(id="c2"), cue(id="c3")]), InvalidAnswer)


def test_a_cue_is_of_a_hateful_kind_by_code_or_name_and_of_a_known_type() -> None:
    named = said([cue(hate_type="OtherHate")])
    assert isinstance(named, ReadAnswer) and named.value.cues[0].hate_type == 5
    for wrong in ({"hate_type": 0}, {"hate_type": 9}):
        refused = said([cue(**wrong)])
        assert isinstance(refused, InvalidAnswer) and refused.code == "invalid_label"
    assert isinstance(said([cue(cue_type="Vague")]), InvalidAnswer)


def test_two_cues_of_one_id_are_refused_since_nobody_could_answer_one_of_them() -> None:
    assert isinstance(said([cue(), cue()]), InvalidAnswer)


def test_a_maintained_cue_brings_its_counter_argument_in_place_of_claim_and_justification() -> None:
    maintained = {"id": "c1", "cue_type": "Direct", "target_group": "all", "counter_argument": "no", "hate_type": 1}
    assert isinstance(said([maintained], maintained=True), ReadAnswer)
    assert isinstance(said([cue()], maintained=True), InvalidAnswer)
    assert isinstance(said([maintained]), InvalidAnswer)


def test_the_defence_answers_only_cues_that_were_brought() -> None:
    shape = arcade.rebuttals_shape(["c1", "c2"])
    row = {"evidence": "the text", "rebuttal": "is about a garden"}
    assert isinstance(read_answer(json.dumps({"rebuttals": [{"id": "c2", **row}]}), shape), ReadAnswer)
    assert isinstance(read_answer('{"rebuttals": []}', shape), ReadAnswer)
    assert isinstance(read_answer(json.dumps({"rebuttals": [{"id": "c3", **row}]}), shape), InvalidAnswer)
    assert isinstance(read_answer(json.dumps({"rebuttals": [{"id": "c1", **row}] * 2}), shape), InvalidAnswer)


def test_what_the_defence_leaves_out_is_conceded() -> None:
    heard = Exchange(1, [cue(), cue(id="c2")], [{"id": "c2", "evidence": "e", "rebuttal": "r"}])
    assert heard.conceded == ("c1",)
    assert arcade.transcript([heard])[0]["conceded_by_the_defence"] == ["c1"]


def test_only_rounds_that_were_heard_in_full_count() -> None:
    values = {
        "prosecutor.1": {"cues": [cue()]},
        "defender.1": {"rebuttals": []},
        "prosecutor.2": {"cues": []},
    }
    assert [each.round for each in arcade.exchanges(values)] == [1]
    assert [each.round for each in arcade.exchanges(values | {"defender.2": {"rebuttals": []}})] == [1, 2]


@pytest.mark.parametrize(
    ("answer", "task", "wanted"),
    [
        ({"reason": "r", "category": "Sexist"}, Task.SIX, (True, 2)),
        ({"reason": "r", "category": 0}, Task.SIX, (False, 0)),
        ({"reason": "r", "hateful": True}, Task.BINARY, (True, None)),
    ],
)
def test_a_verdict_says_hateful_and_the_category_where_one_was_asked_for(
    answer: dict[str, Any], task: Task, wanted: tuple[bool, int | None]
) -> None:
    found = read_answer(json.dumps(answer), verdict_shape(DEFAULT_CATEGORIES, task))
    assert isinstance(found, ReadAnswer)
    value = verdict(found.value.model_dump(mode="json"), DEFAULT_CATEGORIES)
    assert (value["hateful"], value["category"], value["reason"]) == (*wanted, "r")


@pytest.mark.parametrize(
    "answer", [{"reason": "r", "hateful": "yes"}, {"reason": "", "hateful": True}, {"hateful": True}]
)
def test_a_binary_verdict_is_true_or_false_with_a_reason(answer: dict[str, Any]) -> None:
    assert isinstance(read_answer(json.dumps(answer), verdict_shape(DEFAULT_CATEGORIES, Task.BINARY)), InvalidAnswer)


def test_a_dismissed_case_is_not_hateful_and_of_the_first_such_category() -> None:
    assert not_hateful_verdict(DEFAULT_CATEGORIES, Task.SIX, "r") == {"hateful": False, "category": 0, "reason": "r"}
    assert not_hateful_verdict(DEFAULT_CATEGORIES, Task.BINARY, "r")["category"] is None
