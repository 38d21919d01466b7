"""Agreement on further questions from the rows: which answers count, and what the command says."""

import csv
import io
import json
from collections import Counter
from io import StringIO

import pytest
from django.core.management import call_command
from django.urls import reverse
from django.utils import timezone

import builders
import other_alphas
from annotation.analytics.agreement.agreement_json import as_json
from annotation.analytics.agreement.labels import read_agreement
from annotation.consensus.close import close_item
from annotation.domain.choices import Policy, Role, Stage
from annotation.domain.questions.question import Option, QuestionKind
from annotation.domain.statistics.figure import Measured, Undefined, Why
from annotation.models import Item, Seat
from markup import compact
from question_builders import answered, make_all_questions, make_answered_item, make_question

pytestmark = pytest.mark.django_db


@pytest.fixture
def project():
    return builders.make_project(policy=Policy.REVIEW)


@pytest.fixture
def trio(project):
    return [builders.make_member(project) for _ in range(3)]


def questions_of(project):
    return as_json(read_agreement(project))["questions"]


def test_every_kind_has_the_alpha_that_fits_it(project, trio):
    make_all_questions(project)
    texts = ["A post of some length.", "Another one, longer than that.", "A third."]
    frames = [("women", "women", "migrants"), ("others", "others", "others"), ("women", "others", None)]
    targets = [(["women"], ["others", "women"], ["women"]), (["others"], ["others"], None), (["women"], None, None)]
    severity = [(1, 2, 2), (5, 5, 3), (1, None, 4)]
    words = [([[0, 4]], [[0, 6]], [[2, 6]]), ([[8, 12]], [[8, 12]], [[0, 3], [9, 12]]), (None, [[0, 1]], None)]
    why = [("a", "b", None), ("c", None, None), (None, None, None)]
    for place, text in enumerate(texts):
        own = zip(frames[place], targets[place], severity[place], why[place], words[place], strict=True)
        names = ("frame", "targets", "severity", "why", "words")
        answers = [answered(**dict(zip(names, values, strict=True))) for values in own]
        make_answered_item(project, trio, answers, text=text)

    found = questions_of(project)

    def given(values):
        return [[value for value in item if value is not None] for item in values]

    expected = {
        "frame": other_alphas.alpha_by_pairs(given(frames), other_alphas.nominal),
        "severity": other_alphas.alpha_by_pairs(given(severity), other_alphas.ordinal(given(severity))),
        "targets": other_alphas.alpha_by_pairs(
            [[frozenset(chosen) for chosen in item] for item in given(targets)], other_alphas.masi
        ),
        "words": other_alphas.unitizing_alpha(zip(map(len, texts), given(words), strict=True)),
    }
    assert list(found) == ["frame", "targets", "severity", "why", "words"]  # the order of the page
    for code, alpha in expected.items():
        assert found[code]["alpha"] == pytest.approx(float(alpha), abs=1e-9)
        low, high = found[code]["interval"]
        assert low <= found[code]["alpha"] <= high
    counts = {code: (row["kind"], row["items"], row["ratings"], row["answers"]) for code, row in found.items()}
    assert counts == {
        "frame": ("one", 3, 8, 8),
        "targets": ("many", 2, 5, 6),
        "severity": ("scale", 3, 8, 8),
        "why": ("text", 1, 2, 3),
        "words": ("span", 2, 6, 7),
    }
    assert found["why"]["alpha"] is None and "own words" in found["why"]["why"]


def test_answers_of_the_first_round_of_closed_items_count_as_submitted(project, trio):
    make_question(project, "severity", QuestionKind.SCALE)
    item = make_answered_item(project, trio, [answered(severity=1), answered(severity=1), answered(severity=5)])
    make_answered_item(project, trio, [answered(severity=4)] * 3)
    before = questions_of(project)["severity"]
    assert (before["items"], before["ratings"]) == (2, 6)
    # A further round decides the item; an open item and one with a known answer are not there yet.
    Item.objects.filter(pk=item.pk).update(stage=Stage.GOLD, round=2)
    for number, annotator in enumerate([builders.make_member(project) for _ in range(3)], start=1):
        seat = Seat.objects.create(item=item, round=2, number=number, seats=3)
        builders.make_label(seat, annotator, 1, answers=answered(severity=5))
    open_item = builders.make_open_item(project)
    builders.make_label(open_item.seat_rows.get(number=1), trio[0], 1, answers=answered(severity=3))
    known = builders.make_open_item(project)
    for seat, annotator in zip(known.seat_rows.order_by("number"), trio, strict=True):
        builders.make_label(seat, annotator, 1, answers=answered(severity=3))
    Item.objects.filter(pk=known.pk).update(stage=Stage.KNOWN)
    assert questions_of(project)["severity"] == before


def test_wording_changes_are_pooled_and_other_scales_stand_apart(project, trio):
    make_question(project, "severity", QuestionKind.SCALE, points=9)
    make_answered_item(project, trio, [answered(1, severity=9), answered(1, severity=8), answered(1, severity=9)])
    make_question(project, "severity", QuestionKind.SCALE, version=2, points=5)
    make_answered_item(project, trio, [answered(2, severity=1), answered(2, severity=1), answered(2, severity=2)])
    make_question(project, "severity", QuestionKind.SCALE, version=3, points=5, wording={"": "How severe is it?"})
    make_answered_item(project, trio, [answered(2, severity=5), answered(3, severity=5), answered(1, severity=9)])
    severity = questions_of(project)["severity"]
    assert (severity["versions"], severity["items"], severity["ratings"]) == ([2, 3], 2, 5)
    # Items 112 and 55: the 9 of the first scale stands with its own kind, where nothing pairs with it.
    expected = other_alphas.alpha_by_pairs([[1, 1, 2], [5, 5]], other_alphas.ordinal([[1, 1, 2], [5, 5]]))
    assert severity["alpha"] == pytest.approx(float(expected), abs=1e-9)
    (earlier,) = severity["earlier"]
    assert (earlier["versions"], earlier["items"], earlier["ratings"], earlier["answers"]) == ([1], 1, 3, 4)


def test_a_new_option_makes_figures_of_its_own_and_a_retired_question_keeps_its_figures(project, trio):
    make_question(project, "targets", QuestionKind.MANY, options=(Option("a"), Option("b")))
    make_answered_item(project, trio, [answered(targets=["a"]), answered(targets=["b"]), answered(targets=["a"])])
    make_question(project, "targets", QuestionKind.MANY, version=2, options=(Option("a"), Option("b"), Option("c")))
    found = questions_of(project)["targets"]
    assert found["alpha"] is None and found["why"] == "There is no such item yet."
    assert [pool["versions"] for pool in found["earlier"]] == [[1]]
    project.questions.filter(newest=True).update(retired_at=timezone.now())
    make_question(project, "severity", QuestionKind.SCALE)
    assert list(questions_of(project)) == ["severity", "targets"]


def test_equal_answers_of_everybody_have_no_alpha_and_its_reason_is_said(project, trio):
    make_question(project, "severity", QuestionKind.SCALE)
    make_answered_item(project, trio, [answered(severity=2)] * 3)
    row = questions_of(project)["severity"]
    assert row["alpha"] is None and row["interval"] is None
    assert row["why"] == "Everybody gave the same answer, so agreement beyond chance is not defined."


def test_the_command_says_it_in_json_and_in_words(project, trio):
    make_question(project, "severity", QuestionKind.SCALE)
    make_answered_item(project, trio, [answered(severity=1), answered(severity=2), answered(severity=1)])
    make_answered_item(project, trio, [answered(severity=5), answered(severity=5), answered(severity=4)])
    out, words = StringIO(), StringIO()
    call_command("agreement", project.slug, "--json", stdout=out)
    call_command("agreement", project.slug, stdout=words)
    said = json.loads(out.getvalue())["questions"]
    assert said == questions_of(project)
    assert {"kind", "alpha", "interval", "items", "ratings"} <= set(said["severity"])
    (line,) = [line for line in words.getvalue().splitlines() if line.startswith("question severity")]
    assert "scale" in line and f"{said['severity']['alpha']:.3f}" in line and "2 items, 6 ratings" in line


def test_a_project_without_questions_says_so_and_reads_no_answers(project, trio):
    builders.make_labelled_item(project, trio, [0, 0, 0])
    assert questions_of(project) == {}
    assert read_agreement(project).questions == ()


def test_the_number_of_queries_stays_where_questions_are_asked(project, trio, django_assert_num_queries):
    make_all_questions(project)
    for _ in range(5):
        make_answered_item(project, trio, [answered(severity=1, words=[[0, 2]])] * 3)
    with django_assert_num_queries(5):
        figures = read_agreement(project).questions
    assert Counter(type(question.newest.alpha.figure) for question in figures) == {Undefined: 4, Measured: 1}
    assert figures[0].newest.alpha.figure == Undefined(Why.NO_ITEMS)


def test_the_dashboard_shows_each_question_with_its_counts_and_a_table(project, trio, client):
    make_question(
        project, "severity", QuestionKind.SCALE, wording={"": "How severe?", "ko": "얼마나 심한가요?"}, points=7
    )
    make_answered_item(project, trio, [answered(1, severity=7), answered(1, severity=6), answered(1, severity=7)])
    make_question(project, "severity", QuestionKind.SCALE, version=2, wording={"": "How severe?"})
    make_question(project, "why", QuestionKind.TEXT)
    make_answered_item(project, trio, [answered(2, severity=1), answered(2, severity=2), answered(2, why="because")])
    make_answered_item(project, trio, [answered(2, severity=5), answered(2, severity=5), answered(2, severity=4)])
    client.force_login(builders.make_member(project, Role.ADMIN).user)
    page = client.get(reverse("annotation:dashboard", args=[project.slug])).content.decode()
    assert "<h2>Further questions</h2>" in page and "2 items, 5 ratings" in compact(page)
    answer = client.get(reverse("annotation:dashboard-table", args=[project.slug, "questions"]))
    rows = list(csv.DictReader(io.StringIO(answer.content.decode("utf-8-sig"), newline="")))
    assert [(row["question"], row["versions"], row["items"], row["ratings"]) for row in rows] == [
        ("severity", "2", "2", "5"),
        ("severity", "1", "1", "3"),
        ("why", "1", "0", "0"),
    ]
    assert float(rows[0]["value"]) == pytest.approx(questions_of(project)["severity"]["alpha"])
    assert "own words" in rows[2]["why undefined"]


def test_a_dashboard_without_questions_has_no_such_part(project, trio, client):
    close_item(builders.make_labelled_item(project, trio, [0, 0, 0]))
    client.force_login(builders.make_member(project, Role.ADMIN).user)
    page = client.get(reverse("annotation:dashboard", args=[project.slug])).content.decode()
    assert "Further questions" not in page
