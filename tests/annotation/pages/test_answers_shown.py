"""Answers to further questions in words, with the question as it was asked."""

from dataclasses import replace

from django.utils import translation

from annotation.domain.questions.question import Option, Question, QuestionKind
from annotation.pages.answers_shown import answers_shown

WORDS = Question("words", QuestionKind.SPAN, place=1)
SEVERITY = Question("severity", QuestionKind.SCALE, wording={"": "How bad?", "ko": "얼마나?"}, points=5, place=2)
TARGETS = Question(
    "targets", QuestionKind.MANY, options=(Option("a", {"": "Men"}), Option("b", {}, retired=True)), place=3
)
LATER = replace(SEVERITY, version=2, points=7, high={"": "the worst"})
ALL = (SEVERITY, LATER, TARGETS, WORDS)


def test_answers_stand_in_the_order_of_the_page_in_the_words_of_their_version():
    answers = {
        "targets": {"version": 1, "value": ["a", "b"]},
        "severity": {"version": 2, "value": 7},
        "words": {"version": 1, "value": [[0, 2], [3, 5]]},
    }
    assert [(one.title, one.version, one.parts, one.quotes) for one in answers_shown(answers, ALL, "Go 🙂!")] == [
        ("words", 1, ("Go", "🙂!"), True),
        ("How bad?", 2, ("7 / 7 (the worst)",), False),
        ("targets", 1, ("Men", "b"), False),
    ]


def test_an_earlier_version_and_a_skipped_question_are_told_as_they_were():
    answers = {"severity": {"version": 1, "value": 5}, "targets": {"version": 1, "value": None}}
    with translation.override("ko"):
        assert [(one.title, one.parts) for one in answers_shown(answers, ALL, "")] == [
            ("얼마나?", ("5 / 5",)),
            ("targets", ()),
        ]
