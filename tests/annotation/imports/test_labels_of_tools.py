"""Labels of programs and crowds: only what people handed in and nobody refused counts, the rest is told."""

import json
from pathlib import Path
from typing import Any

import pytest

from annotation.domain.formats.base import NotCounted
from annotation.domain.questions.question import Option, QuestionKind
from annotation.imports.presenters import NOT_COUNTED
from annotation.models import Item, Label, Membership
from builders import make_project
from label_files import SEVERAL, File, Said, check_labels, check_page, command, lines, parquet, table, workbook
from question_builders import make_question

pytestmark = [pytest.mark.django_db, pytest.mark.once]
BATCH = ("HITId", "WorkerId", "AssignmentStatus", "WorkTimeInSeconds", "SubmitTime", "Input.text", "Answer.label")
DONE = "Thu Oct 09 07:30:20 PDT 2025"
WORK = (
    ("H1", "W1", "Approved", "12", DONE, "One.", "Racist"),
    ("H2", "W1", "Submitted", "9", DONE, "Two.", "NotHate"),
    ("H1", "W2", "Rejected", "1", DONE, "One.", "nonsense"),
    ("H1", "W3", "Approved", "20", DONE, "One.", "NotHate"),
)
WORKED = {"One.": {"W1": 1, "W3": 0}, "Two.": {"W1": 0}}
SHORT = ("WorkerId", "AssignmentStatus", "Input.text")
PEOPLE = (
    ("post", "body", "hate", "PROLIFIC_PID", "Status", "Age"),
    ("a", "One.", 1, "p1", "APPROVED", 30),
    ("b", "Two.", 0, "p1", "APPROVED", 30),
    ("a", "One.", 0, "p2", "AWAITING REVIEW", 41),
    ("b", "Two.", 2, "p3", "RETURNED", 19),
    ("b", "Two.", 5, "p4", "REJECTED", 19),
)
NAMED_PEOPLE = ("--id-column", "post", "--text-column", "body", "--label-column", "hate")

CROWDS = {
    "a batch of MTurk": File(table(BATCH, *WORK), (), WORKED, told=("1 labels do not count: rejected.",)),
    "its requester marked it as to be rejected": File(
        table((*BATCH, "Approve", "Reject"), *((*row, "", "too quick" if row[1] == "W3" else "") for row in WORK)), (),
        {"One.": {"W1": 1}, "Two.": {"W1": 0}}, told=("2 labels do not count: rejected.",),
    ),
    "all of a post rejected": File(
        table(BATCH, WORK[0], ("H9", *WORK[2][1:5], "Nine.", "Racist")), (), {"One.": {"W1": 1}, "Nine.": None}
    ),
    "a workbook, where refused work would count": File(
        workbook(BATCH, *WORK), refused=("Save the sheet as CSV: then its rows are read by person",)
    ),
    "a table without ids": File(
        table((*SHORT, "Answer.label"), ("W1", "Approved", "One.", 1), ("W2", "Approved", "One.", 0)), (),
        {"One.": {"W1": 1, "W2": 0}},
    ),
    "a button for each value": File(
        table(
            (*SHORT, "Answer.hate.Racist", "Answer.hate.NotHate"), ("W1", "Approved", "One.", "true", "false"),
            ("W2", "Approved", "One.", "false", "true"), ("W3", "Approved", "One.", "false", "false"),
        ), (), {"One.": {"W1": 1, "W2": 0}},
    ),
    "an element of its own for classes": File(
        table((*SHORT, "Answer.category.label"), ("W1", "Approved", "One.", "Sexist")), (), {"One.": {"W1": 2}}
    ),
    "answers as JSON": File(
        table(
            (*SHORT, "Answer.taskAnswers"),
            ("W1", "Approved", "One.", '[{"hate": {"Racist": true, "NotHate": false}}]'),
            ("W2", "Approved", "One.", '[{"hate": {"label": "NotHate"}}]'), ("W3", "Rejected", "One.", ""),
        ), (), {"One.": {"W1": 1, "W2": 0}},
    ),
    "several answers ask which is the label": File(
        table((*SHORT, "Answer.hate", "Answer.tone"), ("W1", "Approved", "One.", 1, "calm")),
        refused=("There are several answers: hate, tone. Name the label column: one of them.",),
    ),
    "several answers, the label named": File(
        table((*SHORT, "Answer.hate", "Answer.tone"), ("W1", "Approved", "One.", 1, "calm")),
        ("--label-column", "hate"), {"One.": {"W1": 1}},
    ),
    "several parts of a post": File(
        table((*SHORT[:2], "Input.a", "Input.b", "Answer.label"), ("W1", "Approved", "One.", "x", 1)),
        refused=("no column 'Input.text' for the text. Found: Answer.label",),
    ),
    "results of Prolific": File(
        table(*PEOPLE), NAMED_PEOPLE, {"One.": {"p1": 1, "p2": 0}, "Two.": {"p1": 0}},
        told=("1 labels do not count: rejected.", "1 labels do not count: unfinished."),
    ),
    "results of Prolific, the label unnamed": File(
        table(*PEOPLE), NAMED_PEOPLE[:4], refused=("'hate' looks like labels",),
    ),
    "an export of Prolific beside answers": File(
        table(
            ("Submission id", "Participant id", "Status", "text", "label"), ("s1", "p1", "APPROVED", "One.", 1),
            ("s2", "p2", "TIMED-OUT", "One.", 0),
        ), (), {"One.": {"p1": 1}}, told=("1 labels do not count: unfinished.",),
    ),
}  # fmt: skip


def said(question: str, *responses: tuple[str, str, Any]) -> dict[str, list[Any]]:
    """Return the responses to a question of Argilla as a flattened record has them: person, status, value."""
    people, status, values = map(list, zip(*responses, strict=True)) if responses else ([], [], [])
    name = f"{question}.responses"
    return {name: values, f"{name}.users": people, f"{name}.status": status}


def record(**more: Any) -> dict[str, Any]:
    """Return a record of Argilla."""
    return {"id": "a", "status": "pending", "fields": {"text": "One."}, "metadata": {}, "suggestions": {}, **more}


def person(name: str, status: str, **values: Any) -> dict[str, Any]:
    return {"user_id": name, "status": status, "values": {key: {"value": value} for key, value in values.items()}}


THREE = (("u1", "submitted", "Racist"), ("u2", "draft", "NotHate"), ("u3", "discarded", "NotHate"))
OF_THREE = ("1 labels do not count: draft.", "1 labels do not count: discarded.")
ONE_SUBMITTED: Said = {"One.": {"u1": 1}}
ARGILLA = {
    "records by person": File(
        json.dumps([record(responses=[person(name, status, label=value) for name, status, value in THREE])]),
        (), ONE_SUBMITTED, told=OF_THREE,
    ),
    "records by question, as JSON lines": File(
        lines(record(responses={"hate": [{"user_id": "u1", "value": "Racist"}, {"user_id": "u2", "value": 0}]})),
        (), {"One.": {"u1": 1, "u2": 0}},
    ),
    "flattened, as JSON": File(
        json.dumps([{"id": "a", "status": "completed", "text": "One.", **said("hate", *THREE)}]), (), ONE_SUBMITTED,
        told=OF_THREE,
    ),
    "flattened, as Parquet": File(
        parquet({"id": ["a", "b"], "text": ["One.", "Two."], **{
            name: [value, None] for name, value in said("label", *THREE).items()}}),
        (), {**ONE_SUBMITTED, "Two.": None}, told=OF_THREE,
    ),
    "flattened, as CSV of JSON": File(
        table(("id", "text", *said("hate", *THREE)), ("a", "One.", *map(json.dumps, said("hate", *THREE).values()))),
        (), ONE_SUBMITTED, told=OF_THREE,
    ),
    "flattened, as CSV of Python": File(
        table(("id", "text", *said("hate", *THREE)), ("a", "One.", *map(repr, said("hate", *THREE).values())),
              ("b", "Two.", "[]", "[]", "[]")),
        (), {**ONE_SUBMITTED, "Two.": None}, told=OF_THREE,
    ),
    "flattened, as CSV of numpy": File(
        table(("id", "text", *said("hate")), ("a", "One.", "['Racist' 'NotHate']", "['u1' 'u2']", "['submitted' 'x']")),
        refused=("no commas between its values, as numpy writes it. Export the records as JSON or Parquet.",),
    ),
    "its first version, by question": File(
        lines({"text": "One.", "label-suggestion": None, "external_id": "a", "metadata": "{}",
               "label": [dict(zip(("user_id", "status", "value"), one, strict=True)) for one in THREE]}),
        (), ONE_SUBMITTED, told=OF_THREE,
    ),
    "its first version, as `datasets` has it": File(
        lines({"text": "One.", "label": {"user_id": ["u1", "u2"], "value": [1, 0], "status": ["submitted"] * 2}}),
        (), {"One.": {"u1": 1, "u2": 0}},
    ),
    "nobody responded": File(lines(record(responses={})), (), {"One.": None}),
    "only a field of another name": File(
        lines(record(fields={"post": "One."}, responses=[person("u1", "submitted", label="Racist")])), (), ONE_SUBMITTED
    ),
    "several labels": File(
        lines(record(responses=[person("u1", "submitted", label=["Racist", "Sexist"])])), (), {"One.": {"u1": [1, 2]}},
        design=SEVERAL,
    ),
    "other names of labels": File(
        lines(record(responses=[person("u1", "submitted", label="hate"), person("u2", "submitted", label="unsure")])),
        ("--map", "hate=1", "--map", "unsure=skip"), ONE_SUBMITTED,
    ),
    "several questions ask which is the label": File(
        lines(record(responses=[person("u1", "submitted", hate="Racist", tone="calm")])),
        refused=("There are several questions: hate, tone. Name the label column: one of them.",),
    ),
    "several questions, the label named": File(
        lines(record(responses=[person("u1", "submitted", hate="Racist", tone="calm")])),
        ("--label-column", "hate"), ONE_SUBMITTED,
    ),
    "a suggestion of a model is asked about": File(
        lines(record(responses=[person("u1", "submitted", label="Racist")],
                     suggestions={"label": {"value": "Racist", "score": 0.9, "agent": "m"}})),
        refused=("'label.suggestion' looks like labels",),
    ),
    "lists of different lengths": File(
        lines({"text": "One.", "hate.responses": ["Racist"], "hate.responses.users": []}),
        refused=("hate.responses and hate.responses.users are lists of the same length.",),
    ),
}  # fmt: skip

FILES = {**CROWDS, **ARGILLA}


@pytest.mark.parametrize("name", FILES)
def test_labels_come_in_by_one_command_or_one_sentence_says_what_to_do(name: str, tmp_path: Path) -> None:
    check_labels(FILES[name], tmp_path)


@pytest.mark.parametrize("name", FILES)
def test_the_page_can_ask_for_all_that_the_command_asks_for(name: str) -> None:
    check_page(FILES[name])


def test_time_and_people_of_a_crowd_stay_with_their_labels(tmp_path: Path) -> None:
    make_project("garden")
    for name, rows, arguments in (("turk", (BATCH, *WORK), ()), ("people", PEOPLE, NAMED_PEOPLE)):
        (tmp_path / name).write_text(table(*rows))
        command(tmp_path / name, *arguments)
    label = Label.objects.get(annotator__imported_name="W3")
    assert (label.seconds, label.created_at.isoformat()) == (20.0, "2025-10-09T14:30:20+00:00")
    people = Membership.objects.filter(imported_name__in=("p1", "p2")).order_by("imported_name")
    assert [person.extra["Age"] for person in people] == ["30", "41"]
    assert all(not item.extra for item in Item.objects.order_by("pk"))


def test_other_questions_of_argilla_answer_those_of_the_project_and_are_kept(tmp_path: Path) -> None:
    project = make_project("garden")
    make_question(project, "tone", QuestionKind.ONE, options=(Option("calm"), Option("loud")))
    content = lines(
        record(
            metadata={"platform": "forum"},
            responses=[
                person("u1", "submitted", hate="Racist", tone="loud", why="A group."),
                person("u2", "submitted", hate="NotHate"),
            ],
        )
    )
    (tmp_path / "file").write_text(content)
    command(tmp_path / "file", "--label-column", "hate")
    answers = dict(Label.objects.values_list("annotator__imported_name", "answers"))
    assert answers == {"u1": {"tone": {"version": 1, "value": "loud"}}, "u2": {}}
    kept = {"platform": "forum", "tone.responses": ["loud", None], "why.responses": ["A group.", None]}
    assert Item.objects.get().extra == kept


def test_the_page_has_words_for_all_that_does_not_count() -> None:
    assert set(NOT_COUNTED) == set(NotCounted)
