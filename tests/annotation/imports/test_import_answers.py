"""Answers to further questions in files: JSON lines and tables, and what stops an import."""

import json
from io import StringIO

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

import builders
import other_alphas
from annotation.analytics.agreement.agreement_json import as_json
from annotation.analytics.agreement.labels import read_agreement
from annotation.domain.choices import Policy
from annotation.domain.questions.question import QuestionKind
from annotation.models import Item, Label
from annotation.projects.create import create_project
from annotation.projects.templates import template
from question_builders import make_all_questions, make_question

pytestmark = pytest.mark.django_db

TEXT = "They should all go home."


@pytest.fixture
def project():
    project = builders.make_project(policy=Policy.REVIEW)
    make_all_questions(project)
    return project


def import_(project, tmp_path, content, name="posts.jsonl", **options):
    file = tmp_path / name
    file.write_text(content, encoding="utf-8")
    call_command("import_items", project.slug, file, **options)
    stored = Label.objects.filter(item__project=project).order_by("item__external_id", "seat__number")
    return list(stored.values_list("answers", flat=True))


def post(answers, versions=None):
    label = {"annotator": "a", "category": 1, "answers": answers}
    label |= {"answer_versions": versions} if versions else {}
    return json.dumps({"id": "p1", "text": TEXT, "labels": [label]}) + "\n"


def test_json_lines_bring_answers_as_formats_have_them(project, tmp_path):
    answers = {"severity": 4, "targets": ["women", "migrants"], "why": "…", "words": [[3, 9], [0, 3]], "frame": None}
    (stored,) = import_(project, tmp_path, post(answers))
    assert stored == {
        "severity": {"version": 1, "value": 4},
        "targets": {"version": 1, "value": ["migrants", "women"]},
        "why": {"version": 1, "value": "…"},
        "words": {"version": 1, "value": [[0, 9]]},
        "frame": {"version": 1, "value": None},  # asked, and skipped
    }


def test_a_version_that_the_project_has_is_kept_and_another_counts_as_the_one_in_force(project, tmp_path):
    make_question(project, "severity", QuestionKind.SCALE, version=2, points=9)
    (stored,) = import_(project, tmp_path, post({"severity": 5}, {"severity": 1}))
    assert stored == {"severity": {"version": 1, "value": 5}}
    again = post({"severity": 8, "frame": None}, {"severity": 7, "frame": None}).replace("p1", "p2")
    assert import_(project, tmp_path, again)[1] == {"severity": {"version": 2, "value": 8}}


def test_a_table_has_a_column_for_each_answer_of_its_one_label(project, tmp_path):
    table = (
        "id,text,who,verdict,answer_severity,answer_severity_version,answer_targets,answer_words,answer_why\n"
        f'p1,{TEXT},a,Racist,4,1,women; migrants,"[[5, 11]]","They, said"\n'
        f"p2,{TEXT},a,Racist,,1,,,\n"
        f"p3,{TEXT},b,NotHate,,,,,\n"
    )
    options = {"label_column": ["verdict"], "label_is": "seat", "annotator_column": "who"}
    first, second, third = import_(project, tmp_path, table, "posts.csv", **options)
    assert first == {
        "severity": {"version": 1, "value": 4},
        "targets": {"version": 1, "value": ["migrants", "women"]},
        "words": {"version": 1, "value": [[5, 11]]},
        "why": {"version": 1, "value": "They, said"},
    }
    assert second == {"severity": {"version": 1, "value": None}} and third == {}


@pytest.mark.parametrize(
    ("answers", "sentence"),
    [
        ({"severity": 6}, "choose a point from 1 to 5"),
        ({"severity": "much"}, "choose a point from 1 to 5"),
        ({"frame": "nobody"}, "choose one of women, migrants, others"),
        ({"targets": ["nobody"]}, "choose one of"),
        ({"words": [[0, 99]]}, "which has 24 characters"),
        ({"mood": 3}, "asks no question 'mood'; it asks: frame, targets, severity, why, words"),
        ({"severity": {"value": 3, "who": 1}}, "an object of version and value"),
        ([4], "are objects by the code of the question"),
    ],
)
def test_an_answer_that_cannot_be_stored_is_an_error_of_its_row(project, tmp_path, capsys, answers, sentence):
    with pytest.raises((CommandError, SystemExit)):
        import_(project, tmp_path, post(answers), as_json=True)
    (error,) = json.loads(capsys.readouterr().out)["errors"]
    assert sentence.casefold() in error["reason"].casefold()
    assert not Item.objects.filter(project=project).exists()


def test_answers_are_left_out_where_somebody_says_so(project, tmp_path):
    assert import_(project, tmp_path, post({"mood": 3}), ignore_column=["answers"]) == [{}]


def test_answer_columns_without_a_label_stop_the_import(project, tmp_path, capsys):
    with pytest.raises((CommandError, SystemExit)):
        import_(project, tmp_path, f"id,text,answer_severity\np1,{TEXT},4\n", "posts.csv")
    assert "answer_severity" in "".join(capsys.readouterr())


def test_masked_texts_take_no_places(project, tmp_path, capsys):
    line = post({"words": [[0, 4]]}).replace(TEXT, "Write to me@example.org at once, all of you.")
    with pytest.raises((CommandError, SystemExit)):
        import_(project, tmp_path, line, mask="emails")
    assert "marked places no longer fit" in "".join(capsys.readouterr())


def test_a_project_without_questions_reads_a_release_without_answers_as_before(tmp_path):
    project = builders.make_project(policy=Policy.REVIEW)
    label = {"annotator": "a", "category": 1, "answers": {"severity": None}, "answer_versions": {"severity": None}}
    line = json.dumps({"id": "p1", "text": TEXT, "labels": [label]}) + "\n"
    assert import_(project, tmp_path, line) == [{}]


def test_targets_and_rationales_of_hatexplain_answer_the_questions_of_its_template(tmp_path):
    project = create_project("posts", design=template("hatexplain"))
    said = [("hatespeech", ["Women", "Arab"]), ("normal", ["None"]), ("offensive", ["Martians"])]
    record = {
        "post_id": "p1",
        "annotators": [
            {"label": label, "annotator_id": number, "target": target} for number, (label, target) in enumerate(said, 1)
        ],
        "rationales": [[1, 1, 0, 0, 1], [0, 0, 0, 1, 0]],
        "post_tokens": ["They", "should", "all", "go", "home"],
    }
    unclear = record | {"post_id": "p2", "rationales": record["rationales"][:1]}
    lines = "".join(json.dumps(row) + "\n" for row in (record, unclear))
    stored = import_(project, tmp_path, lines, "hatexplain.jsonl", mapping=["normal=0", "offensive=1", "hatespeech=2"])
    first, second, third = stored[:3]
    assert first["targets"] == {"version": 1, "value": ["Arab", "Women"]}
    assert first["words"] == {"version": 1, "value": [[0, 11], [19, 23]]}
    assert second == {"targets": {"version": 1, "value": ["None"]}}
    assert third == {"words": {"version": 1, "value": [[16, 18]]}}  # nobody asks for Martians
    assert all("words" not in answers for answers in stored[3:])  # whose rationale it is, nobody knows


@pytest.mark.shared_data
def test_agreement_on_the_imported_rationales_is_that_of_the_published_ones(shared_data):
    project = create_project("published", design=template("hatexplain"))
    file = shared_data / "hatexplain_val.jsonl"
    out, mapping = StringIO(), ["normal=0", "offensive=1", "hatespeech=2"]
    call_command("import_items", project.slug, file, mapping=mapping, json=True, stdout=out)
    assert json.loads(out.getvalue())["rationales_left"] == 431  # two rationales for three labels: whose, nobody knows
    items = []
    for post in map(json.loads, file.read_text(encoding="utf-8").splitlines()):
        marking = sum(own["label"] != "normal" for own in post["annotators"])
        if len(post["rationales"]) == marking:
            text = " ".join(post["post_tokens"])
            items.append((len(text), [_characters(marks, post["post_tokens"]) for marks in post["rationales"]]))
    words = as_json(read_agreement(project))["questions"]["words"]
    expected = other_alphas.unitizing_alpha(items)
    assert words["alpha"] == pytest.approx(float(expected), abs=1e-9)
    assert (words["items"], words["ratings"]) == (710, 3 * 415 + 2 * 295)


def _characters(marks, tokens):
    """Return marked tokens as passages, by walking over the characters of the text."""
    marked = [flag for mark, token in zip(marks, tokens, strict=True) for flag in [bool(mark)] * len(token) + [None]]
    for place, flag in enumerate(marked):
        if flag is None:
            marked[place] = place + 1 < len(marked) and bool(marked[place - 1]) and bool(marked[place + 1])
    steps = zip([False, *marked], [*marked, False], strict=True)
    edges = [place for place, (before, after) in enumerate(steps) if bool(before) != bool(after)]
    return [list(pair) for pair in zip(edges[::2], edges[1::2], strict=True)]
