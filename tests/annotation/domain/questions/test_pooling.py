"""Which versions of a question are counted together."""

from dataclasses import replace

from annotation.domain.questions.pooling import comparable, pooled_questions
from annotation.domain.questions.question import Option, Question, QuestionKind

SEVERITY = Question("severity", QuestionKind.SCALE, points=5, wording={"": "How severe?"})
TARGETS = Question("targets", QuestionKind.MANY, options=(Option("a"), Option("b")), place=1)


def test_other_words_ask_the_same():
    reworded = replace(SEVERITY, version=2, wording={"": "How bad?"}, low={"": "mild"}, required=True, key="x")
    assert comparable(SEVERITY, reworded)
    assert comparable(TARGETS, replace(TARGETS, options=(Option("b", {"": "B"}), Option("a"))))


def test_other_points_or_options_ask_something_else():
    assert not comparable(SEVERITY, replace(SEVERITY, points=7))
    assert not comparable(TARGETS, replace(TARGETS, options=(*TARGETS.options, Option("c"))))
    assert not comparable(TARGETS, replace(TARGETS, options=(Option("a"), Option("b", retired=True))))


def test_versions_are_pooled_by_what_they_mean_and_the_newest_comes_first():
    wider = replace(SEVERITY, version=2, points=7)
    back = replace(SEVERITY, version=3, wording={"": "How severe is it?"})
    gone = replace(TARGETS, place=0, retired=True)
    severity, targets = pooled_questions([SEVERITY, gone, back, wider])
    assert (severity.newest.question, severity.newest.versions) == (back, (1, 3))
    assert [(pool.question, pool.versions) for pool in severity.earlier] == [(wider, (2,))]
    assert severity.pools == (severity.newest, *severity.earlier)
    assert targets.code == "targets" and targets.earlier == ()  # retired ones are last
