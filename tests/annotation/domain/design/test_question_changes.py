"""Changes of the further questions while people label: what makes a new version, and what is refused."""

from dataclasses import replace

import pytest

from annotation.domain.design.question_changes import changes, merge
from annotation.domain.questions.question import Asked, Option, Question, QuestionKind, When
from annotation.domain.questions.refusals import BadQuestions

SEVERITY = Question("severity", QuestionKind.SCALE, wording={"": "How bad?"}, points=5, key="a", place=1)
TARGETS = Question("targets", QuestionKind.MANY, options=(Option("men"), Option("women")), key="d", place=2)
PRESENT = (SEVERITY, TARGETS)


def told(merged, present=PRESENT):
    return [(str(change.kind), change.code, change.version) for change in changes(present, merged)]


def test_the_same_questions_change_nothing():
    assert merge(PRESENT, PRESENT) == PRESENT
    assert changes(PRESENT, PRESENT) == ()


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("wording", {"": "How severe?"}),
        ("wording", {"": "How bad?", "ko": "얼마나?"}),
        ("help", {"": "Think."}),
        ("points", 7),
        ("low", {"": "mild"}),
        ("required", True),
        ("when", When(Asked.HATEFUL)),
    ],
)
def test_whatever_asks_otherwise_is_a_new_version(field, value):
    merged = merge(PRESENT, (replace(SEVERITY, **{field: value}), TARGETS))
    assert [question.version for question in merged] == [2, 1]
    (change,) = changes(PRESENT, merged)
    assert (change.kind, change.code, change.version, change.parts) == ("reasked", "severity", 2, (field,))


def test_key_and_order_are_no_new_version():
    merged = merge(PRESENT, (replace(TARGETS, key="e", place=1), replace(SEVERITY, place=2)))
    assert [(question.code, question.version) for question in merged] == [("targets", 1), ("severity", 1)]
    assert told(merged) == [("key", "targets", 1), ("moved", "targets", 1), ("moved", "severity", 1)]


def test_an_option_that_is_left_out_is_retired_and_the_next_version_begins():
    merged = merge(PRESENT, (SEVERITY, replace(TARGETS, options=(Option("women"), Option("old")))))
    assert merged[1].options == (Option("women"), Option("old"), Option("men", {}, True))
    assert [option.code for option in merged[1].offered] == ["women", "old"]
    assert merged[1].version == 2
    again = merge(merged, (SEVERITY, replace(TARGETS, options=(Option("women"), Option("old")))))
    assert again[1] == merged[1]


def test_a_question_that_is_left_out_is_retired_and_comes_back_as_the_version_it_was():
    merged = merge(PRESENT, (TARGETS,))
    assert [(question.code, question.retired, question.key) for question in merged] == [
        ("targets", False, "d"),
        ("severity", True, ""),
    ]
    assert told(merged) == [("retired", "severity", 1)]
    back = merge(merged, PRESENT)
    assert [(question.version, question.retired) for question in back] == [(1, False), (1, False)]
    assert told(back, merged) == [("restored", "severity", 1)]


def test_a_retired_question_keeps_what_it_asked():
    merged = merge(PRESENT, (replace(SEVERITY, points=9, retired=True), TARGETS))
    assert (merged[0].points, merged[0].version, merged[0].retired) == (5, 1, True)


@pytest.mark.parametrize("kind", [QuestionKind.TEXT, QuestionKind.ONE])
def test_the_kind_of_a_code_never_changes(kind):
    with pytest.raises(BadQuestions, match=f"Question severity cannot change from scale to {kind}"):
        merge(PRESENT, (Question("severity", kind), TARGETS))


def test_a_new_question_begins_at_version_one_and_hides_no_other_change():
    why = Question("why", QuestionKind.TEXT, limit=20, place=1)
    merged = merge(PRESENT, (why, replace(SEVERITY, key="x", place=2), replace(TARGETS, key="a", place=3)))
    assert told(merged) == [("added", "why", 1), ("key", "severity", 1), ("key", "targets", 1)]
