"""`answers.jsonl` fed back as `--predictions` gives the figures of its report, whatever the runs came to."""

import json
from collections.abc import Sequence
from dataclasses import replace
from io import BytesIO
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from annotation.domain.formats.base import Unreadable
from annotation.domain.statistics.figure import Measured
from annotation.domain.votes import Category
from moderation.domain.disagreement import Inner
from moderation.domain.evaluation.answer_lines import answer_line
from moderation.domain.evaluation.answers import Gold, Question
from moderation.domain.evaluation.outcomes import Repeat, RunEnd, arm_figures
from moderation.domain.evaluation.predictions import read_predictions
from moderation.domain.evaluation.scores import score_answers
from moderation.domain.task import Task

STATES = ("succeeded", "refused", "unreadable", "failed", "cancelled")
HATEFUL_FIRST = [Category(0, "Origin", True), Category(1, "Age", True), Category(8, "None", False)]
"""Like K-MHaS: the first category is hateful."""

run_ends = some.builds(
    RunEnd,
    some.sampled_from(STATES),
    label=some.sampled_from([None, 0, 1, 2, 8, 99]),
    hateful=some.none() | some.booleans(),
    explanation=some.sampled_from(["", "A word of “weeds”."]),
    way=some.sampled_from(["", "fast", "deep"]),
)
"""Ends of all methods: ARCADE gives a category, PREDICT a side, an explanation may conclude nothing."""


@some.composite
def evaluations(draw: some.DrawFn) -> tuple[list[Gold], list[Repeat], Question]:
    """Gold of one or several categories, one to three repeats, either task, categories hateful in any order."""
    codes = (0, 1, 2, 8)
    sides = dict(zip(codes, draw(some.permutations([True, True, False, False])), strict=True))
    rows = [Category(code, f"C{code}", side) for code, side in sides.items()]
    gold = []
    for number in range(draw(some.integers(1, 6))):
        hateful = draw(some.booleans())
        of_side = [code for code in codes if sides[code] is hateful]
        labels = sorted(draw(some.sets(some.sampled_from(of_side), min_size=1)))
        pattern = draw(some.sampled_from(["", "111" if hateful else "000", "001" if hateful else "110"]))
        gold.append(Gold(f"p{number}", hateful, labels[0], pattern, "", tuple(labels) if len(labels) > 1 else ()))
    ended = some.dictionaries(some.sampled_from([item.id for item in gold]), run_ends)
    repeats = draw(some.lists(ended, min_size=1, max_size=3))
    return gold, repeats, Question.about(draw(some.sampled_from(Task)), rows)


def file_of(gold: Sequence[Gold], repeat: Repeat, question: Question) -> BytesIO:
    """The lines of one arm and repeat, as they are written."""
    lines = [
        {"id": item.id, "dataset": "d", "arm": "a", "repeat": 0} | answer_line(item, repeat[item.id], question)
        for item in gold
        if item.id in repeat
    ]
    return BytesIO("\n".join(map(json.dumps, lines)).encode() or b"{}")


@given(evaluations())
def test_answers_that_are_fed_back_give_the_figures_of_the_report(
    evaluation: tuple[list[Gold], list[Repeat], Question],
) -> None:
    gold, repeats, question = evaluation
    figures = arm_figures(gold, repeats, question, {})
    read = [read_predictions(file_of(gold, repeat, question), question) for repeat in repeats]
    again = [score_answers(gold, answers, question) for answers in read]
    assert [scores.as_json() for scores in again] == figures["scores"]
    coverage = figures["coverage"]
    assert sum(scores.overall.refused for scores in again) == coverage["refused"]
    assert sum(scores.missing for scores in again) == sum(coverage[s] for s in ("failed", "cancelled", "missing"))
    assert sum(scores.unreadable for scores in again) == coverage["unreadable"]
    assert sum(scores.overall.total for scores in again) == coverage["succeeded"] + coverage["unreadable"]


def test_an_explanation_without_a_conclusion_is_unusable_in_every_table() -> None:
    question = Question.about(Task.BINARY, HATEFUL_FIRST)
    gold = [Gold("a", False, pattern="000"), Gold("b", True, pattern="111"), Gold("c", True, pattern="111")]
    states = (RunEnd("succeeded", hateful=False), RunEnd("succeeded"), RunEnd("unreadable"))
    figures = arm_figures(gold, [dict(zip("abc", states, strict=True))], question, {})
    coverage, patterns = figures["coverage"], figures["patterns"]
    assert (coverage["succeeded"], coverage["unreadable"]) == (1, 2)
    assert sum(row["unreadable"] for row in patterns.values()) == 2
    assert answer_line(gold[1], states[1], question)["state"] == "unreadable"


def test_a_line_says_a_side_as_hateful_and_a_category_as_label() -> None:
    gold = Gold("a", True, 1, labels=(0, 1))
    side = answer_line(gold, RunEnd("succeeded", hateful=False), Question.about(Task.BINARY, HATEFUL_FIRST))
    assert "label" not in side
    assert (side["hateful"], side["gold"], side["gold_hateful"], side["gold_categories"]) == (False, 1, True, [0, 1])
    kind = answer_line(gold, RunEnd("succeeded", label=0, hateful=True), Question.about(Task.SIX, HATEFUL_FIRST))
    assert "hateful" not in kind and (kind["label"], kind["gold"], kind["gold_hateful"]) == (0, 1, True)


def earlier(label: int) -> BytesIO:
    """A line as versions wrote it that had no key for a side."""
    return BytesIO(json.dumps({"id": "a", "arm": "x", "repeat": 0, "state": "succeeded", "label": label}).encode())


def test_a_file_of_an_earlier_version_is_refused_only_where_its_label_could_be_misread() -> None:
    six, binary = (Question.about(task, HATEFUL_FIRST) for task in (Task.SIX, Task.BINARY))
    with pytest.raises(Unreadable) as refusal:
        read_predictions(earlier(0), binary)
    assert "Give the command that made it again with --out" in refusal.value.error.reason
    assert read_predictions(earlier(0), six)["a"].label == 0
    assert read_predictions(earlier(1), binary)["a"].label == 1  # hateful as a side and as a category
    usual = Question.about(Task.BINARY, [Category(0, "NotHate", False), Category(1, "Racist", True)])
    assert read_predictions(earlier(0), usual)["a"].label == 0


@pytest.mark.parametrize("answer", [{"hateful": 1}, {"hateful": "yes"}, {"refusal": 0}])
def test_sides_and_refusals_are_true_or_false(answer: dict[str, Any]) -> None:
    with pytest.raises(Unreadable) as refusal:
        read_predictions(BytesIO(json.dumps({"a": answer}).encode()))
    assert "is true or false" in refusal.value.error.reason


def test_a_line_says_what_the_run_tells_and_no_more() -> None:
    plain = {"state": "succeeded", "label": 1, "refusal": False, "reason_code": None, "reason": "A word."}
    counts = {"calls": 2, "tokens": 30, "gold": 1, "gold_hateful": True}
    question = Question.about(Task.SIX, HATEFUL_FIRST)
    gold = Gold("p", True, 1, "", "")
    end = RunEnd("succeeded", label=1, explanation="A word.", calls=2, tokens=30)
    assert answer_line(gold, end, question) == plain | counts

    stances = [{"perspective": "media", "stance": "support"}]
    inner = {Inner.VOTES: Measured(0.5)}
    told = replace(end, reason="early", way="deep", rounds=3, stances=stances, read_by="rules", disagreement=inner)
    line = answer_line(gold, told, question)
    assert (line["reason_code"], line["way"], line["rounds"], line["read_by"]) == ("early", "deep", 3, "rules")
    assert line["votes"] == {"media": "support"} and "media" not in line["missing"]
    assert line["disagreement"] == {Inner.VOTES.value: 0.5}
