"""Answers to further questions: what a label stores, what is refused, and in which words."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.domain.answer import Answer, BadAnswer
from annotation.domain.categories import DEFAULT_CATEGORIES
from annotation.domain.questions.answers import read_answers, read_value
from annotation.domain.questions.question import Asked, Option, Question, QuestionKind, When, in_force, is_asked

FINE, RACIST = DEFAULT_CATEGORIES[:2]
TEXT = "Go away, 너희들 🙂 all."
SEVERITY = Question("severity", QuestionKind.SCALE, points=5, place=1, when=When(Asked.HATEFUL))
TARGETS = Question("targets", QuestionKind.MANY, options=(Option("b"), Option("a"), Option("old", {}, True)), place=2)
GROUP = Question(
    "group", QuestionKind.ONE, options=(Option("us"), Option("them")), place=3, when=When(Asked.CATEGORIES, (1,))
)
WHY = Question("why", QuestionKind.TEXT, limit=10, place=4)
WORDS = Question("words", QuestionKind.SPAN, place=5)
ALL = (SEVERITY, TARGETS, GROUP, WHY, WORDS)


def test_every_question_that_was_asked_is_stored_and_a_skipped_one_is_empty():
    stored = read_answers(ALL, {"severity": 4, "targets": ["b", "a", "b"], "why": " ", "words": []}, RACIST, TEXT)
    assert stored == {
        "severity": {"version": 1, "value": 4},
        "targets": {"version": 1, "value": ["a", "b"]},
        "group": {"version": 1, "value": None},
        "why": {"version": 1, "value": None},
        "words": {"version": 1, "value": None},
    }
    assert list(stored) == [question.code for question in ALL]


def test_what_is_not_asked_beside_the_category_is_not_stored_and_not_taken():
    assert list(read_answers(ALL, {}, FINE, TEXT)) == ["targets", "why", "words"]
    assert list(read_answers(ALL, {"severity": None}, None, TEXT)) == ["targets", "why", "words"]
    with pytest.raises(BadAnswer, match="is not asked here") as refused:
        read_answers(ALL, {"severity": 3}, FINE, TEXT)
    assert refused.value.field == "answers.severity"


@pytest.mark.parametrize(
    ("code", "value"),
    [
        ("severity", 0),
        ("severity", 6),
        ("severity", True),
        ("severity", "3"),
        ("severity", 2.0),
        ("targets", "a"),
        ("targets", ["c"]),
        ("targets", ["old"]),
        ("targets", [1]),
        ("targets", {"a": 1}),
        ("targets", {"version": 1}),
        ("group", ["us"]),
        ("group", "old"),
        ("why", 3),
        ("why", "x" * 11),
        ("why", "a\x00"),
        ("words", "Go"),
        ("words", [[0, 0]]),
        ("words", [[-1, 2]]),
        ("words", [[0, len(TEXT) + 1]]),
        ("words", [[0, 1.5]]),
        ("words", [[True, 2]]),
        ("words", [[0]]),
        ("words", [[0, 1]] * 201),
        ("unknown", 1),
        ("severity", {"version": 9, "value": 3}),
        ("severity", {"version": None, "value": 3}),
    ],
)
def test_what_is_no_answer_is_refused_at_its_question(code, value):
    with pytest.raises(BadAnswer) as refused:
        read_answers(ALL, {code: value}, RACIST, TEXT)
    assert refused.value.field == f"answers.{code}"
    assert refused.value.sentence.endswith(".")


@pytest.mark.parametrize(
    "entry", [{"version": 1, "value": 3, "x": 1}, {"value": 3, "note": ""}, {"value": 3}, {"x": None, "value": 3}]
)
def test_an_unknown_key_beside_a_value_loses_no_label(entry):
    assert read_answers(ALL, {"severity": entry}, RACIST, TEXT)["severity"] == {"version": 1, "value": 3}


@pytest.mark.parametrize(
    ("code", "entry", "sentence"),
    [
        ("targets", {"a": 1}, "The answer to the question 'targets' has no value."),
        ("targets", {}, "The answer to the question 'targets' has no value."),
        ("severity", {"version": 1}, "The answer to the question 'severity' has no value."),
        ("severity", {"version": "1", "value": 3}, "The version of the question 'severity' is a whole number."),
        ("severity", {"version": None, "value": 3}, "The version of the question 'severity' is a whole number."),
        ("severity", {"version": 9, "value": 3}, "The question 'severity' has no version 9."),
    ],
)
def test_an_answer_of_the_wrong_form_is_refused_with_what_is_true(code, entry, sentence):
    with pytest.raises(BadAnswer) as refused:
        read_answers(ALL, {code: entry}, RACIST, TEXT)
    assert refused.value.sentence == sentence


def test_a_retired_question_without_a_version_is_said_to_be_retired():
    with pytest.raises(BadAnswer, match="no longer asked"):
        read_answers((replace(SEVERITY, retired=True),), {"severity": {"value": 2}}, RACIST, TEXT)


def test_a_required_question_stops_the_answer_only_beside_a_category():
    required = (replace(SEVERITY, required=True, when=When()),)
    for category in (FINE, RACIST):
        with pytest.raises(BadAnswer, match="severity: This question needs an answer"):
            read_answers(required, {"severity": None}, category, TEXT)
    assert read_answers(required, {}, None, TEXT) == {"severity": {"version": 1, "value": None}}


def test_an_earlier_version_is_read_by_its_own_rules():
    later = replace(SEVERITY, version=2, points=3)
    stored = read_answers((SEVERITY, later), {"severity": {"version": 1, "value": 5}}, RACIST, TEXT)
    assert stored == {"severity": {"version": 1, "value": 5}}
    with pytest.raises(BadAnswer, match="from 1 to 3"):
        read_answers((SEVERITY, later), {"severity": 5}, RACIST, TEXT)


def test_a_question_that_was_retired_meanwhile_keeps_the_answer_by_its_version():
    gone = (replace(SEVERITY, retired=True),)
    assert read_answers(gone, {}, RACIST, TEXT) == {}
    given = {"severity": {"version": 1, "value": 2}}
    assert read_answers(gone, given, RACIST, TEXT) == given
    with pytest.raises(BadAnswer, match="no longer asked"):
        read_answers(gone, {"severity": 2}, RACIST, TEXT)


def test_the_newest_version_is_in_force_in_the_order_of_the_page():
    versions = [replace(WHY, place=1), replace(WHY, version=2, place=9), SEVERITY, replace(TARGETS, retired=True)]
    assert [(one.code, one.version) for one in in_force(versions)] == [("severity", 1), ("why", 2)]
    assert [question.code for question in in_force(versions) if is_asked(question, FINE)] == ["why"]


@given(st.lists(st.tuples(st.integers(0, len(TEXT)), st.integers(0, len(TEXT))).filter(lambda pair: pair[0] < pair[1])))
def test_spans_come_out_sorted_apart_and_cover_the_same_characters(pairs):
    spans = read_value(WORDS, [list(pair) for pair in pairs], TEXT) or []
    assert all(before[1] < after[0] for before, after in zip(spans, spans[1:], strict=False))
    covered = {place for start, end in spans for place in range(start, end)}
    assert covered == {place for start, end in pairs for place in range(start, end)}


@given(
    st.dictionaries(
        st.sampled_from([question.code for question in ALL]),
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.text(),
            lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
        ),
    )
)
def test_whatever_is_sent_is_stored_or_refused_and_what_is_stored_is_read_again(raw):
    try:
        stored = read_answers(ALL, raw, RACIST, TEXT)
    except BadAnswer as bad:
        assert bad.field.startswith("answers.")
    else:
        assert read_answers(ALL, stored, RACIST, TEXT) == stored


def test_an_answer_without_further_answers_has_the_digest_it_always_had():
    digest = "128eb6610437d1ef2d630255ffcda78f8024f966b82994e265676dae7237a732"
    assert Answer(category=1).digest("seat") == digest
    assert Answer(category=1, answers={"why": "x"}).digest("seat") != Answer(category=1).digest("seat")
