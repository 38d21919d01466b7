"""Which profile a model's name has, and how an operator changes it."""

from typing import Any

import pytest

from providers.learnt_facts import LearntFact, LearntFacts
from providers.profiles import Fact, Lesson, ModelProfile, family_profile, read_amendments, site_profile


@pytest.mark.parametrize(
    ("name", "thinks", "pictures", "json"),
    [
        ("gpt-5-mini", True, True, "schema"),
        ("gpt-5-chat-latest", False, True, "schema"),
        ("gpt-6-large", True, True, "schema"),
        ("openai/o3", True, True, "schema"),
        ("gpt-4o", False, True, "schema"),
        ("GPT-3.5-Turbo-0125", False, False, "object"),
        ("qwen-plus", False, False, "schema"),
        ("qwen3-vl-plus", False, True, "schema"),
        ("qwen3-vl-235b-a22b-thinking", True, True, "schema"),
        ("qwen3-30b-a3b-thinking-2507", True, False, "schema"),
        ("deepseek-r1-distill-llama-70b", True, False, "schema"),
        ("meta-llama/Llama-3.2-11B-Vision-Instruct", False, True, "schema"),
        ("meta-llama/Llama-3.1-8B-Instruct", False, False, "schema"),
        ("a-model-of-tomorrow", False, True, "schema"),
    ],
)
def test_a_family_is_known_by_the_beginning_of_its_name(name: str, thinks: bool, pictures: bool, json: str):
    profile = family_profile(name)
    assert (profile.thinks, profile.pictures, profile.json) == (thinks, pictures, json)


def test_only_a_model_that_thinks_needs_room_for_it():
    assert ModelProfile(thinks=False, thinking_tokens=4000).room_to_think == 0
    assert ModelProfile(thinks=True, thinking_tokens=4000).room_to_think == 4000


def test_the_first_pattern_that_fits_amends_the_family():
    tables: dict[str, Any] = {
        "lab:gpt-5*": {"temperature": True, "picture_side": 1024},
        "lab:*": {"json": "off", "rejects": ["seed"], "temperature": False},
    }
    amendments = read_amendments(tables)
    assert site_profile("lab:gpt-5", amendments).rejects == frozenset()
    assert site_profile("lab:gpt-5", amendments).picture_side == 1024
    assert site_profile("lab:other", amendments).rejects == {"seed", "temperature"}
    assert site_profile("openai:gpt-5", amendments) == family_profile("gpt-5")


@pytest.mark.parametrize(
    "tables",
    [
        {"gpt-5": {}},
        {"lab:m": 3},
        {"lab:m": {"mood": "grey"}},
        {"lab:m": {"json": "xml"}},
        {"lab:m": {"thinks": "yes"}},
        {"lab:m": {"picture_side": 2}},
        {"lab:m": {"most_tokens": True}},
        {"lab:m": {"send": {"max_tokens": 3}}},
        {"lab:m": {"send": {"n": 2}}},
        {"lab:m": {"rejects": "seed"}},
        {"lab:m": {"limit_name": "tokens"}},
        {"lab:m": {"plain": "yes"}},
        {"lab:m": {"n": 5}},
        {"lab:m": {"trained": True}},
        {"lab:m": {"trained": "x" * 81}},
        {"lab:m": {"trained": "two\nlines"}},
    ],
)
def test_an_amendment_that_makes_no_sense_is_refused(tables: dict[str, Any]):
    with pytest.raises(ValueError, match="must be a table|makes no sense"):
        read_amendments(tables)


def test_an_operator_says_that_a_model_is_trained_answers_plainly_and_takes_n():
    profile = site_profile("lab:coarl", read_amendments({"lab:*": {"plain": True, "n": True, "trained": "CoARL"}}))
    assert (profile.plain, profile.takes_n, profile.trained) == (True, True, "CoARL")
    assert not profile.with_lesson(Lesson(Fact.REJECTS, "n")).takes_n
    assert (ModelProfile().plain, ModelProfile().takes_n, ModelProfile().trained) == (False, False, "")


def test_a_lesson_that_makes_no_sense_changes_nothing():
    for lesson in (Lesson(Fact.JSON, "xml"), Lesson(Fact.MOST_TOKENS, "many"), Lesson(Fact.LIMIT_NAME, "tokens")):
        assert ModelProfile().with_lesson(lesson) == ModelProfile()


def test_a_json_form_never_steps_up():
    assert ModelProfile(json="off").with_lesson(Lesson(Fact.JSON, "object")).json == "off"


def test_a_new_fact_takes_the_place_of_the_old_one_and_rejected_parameters_add_up():
    facts = LearntFacts()
    lessons = [
        Lesson(Fact.JSON, "object"),
        Lesson(Fact.REJECTS, "seed"),
        Lesson(Fact.JSON, "off"),
        Lesson(Fact.REJECTS, "temperature"),
        Lesson(Fact.LIMIT_NAME, "max_tokens"),
        Lesson(Fact.LIMIT_NAME, "max_completion_tokens"),
    ]
    for lesson in lessons:
        facts.learn(LearntFact("lab:m", lesson))
    assert facts.about("lab:m") == (lessons[1], lessons[2], lessons[3], lessons[5])


@pytest.mark.parametrize("slower", ["object", "off"])
def test_a_slower_question_does_not_teach_a_form_that_asks_for_more(slower: str):
    facts = LearntFacts()
    for form in ("off", slower):
        facts.learn(LearntFact("lab:m", Lesson(Fact.JSON, form)))
    assert facts.about("lab:m") == (Lesson(Fact.JSON, "off"),)
    assert [fact.lesson.value for fact in facts.take_new()] == ["off"]
    facts.know([LearntFact("lab:m", Lesson(Fact.JSON, form)) for form in ("off", slower)])
    assert facts.about("lab:m") == (Lesson(Fact.JSON, "off"),)


def test_what_is_stored_replaces_what_was_known_but_not_what_is_new():
    facts = LearntFacts()
    facts.learn(LearntFact("lab:m", Lesson(Fact.REJECTS, "seed")))
    facts.take_new()
    facts.learn(LearntFact("lab:m", Lesson(Fact.REJECTS, "temperature")))
    facts.know([LearntFact("lab:n", Lesson(Fact.THINKS))])
    assert facts.about("lab:m") == (Lesson(Fact.REJECTS, "temperature"),)
    assert facts.about("lab:n") == (Lesson(Fact.THINKS),)
    assert facts.has_new


def test_a_server_that_rejects_without_end_does_not_fill_the_memory():
    facts = LearntFacts()
    for number in range(100):
        facts.learn(LearntFact("lab:m", Lesson(Fact.REJECTS, f"p{number}")))
    assert len(facts.about("lab:m")) == 40
