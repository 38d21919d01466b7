"""Further questions in releases: the columns of every format, the consensus, and the way back in."""

import csv
import json
import tarfile
from dataclasses import replace
from typing import Any

import pyarrow.parquet as pq
import pytest
from django.core.management import call_command
from hypothesis import given
from hypothesis import strategies as st

import builders
from annotation.domain.choices import Policy, Role, Stage
from annotation.domain.csv_cells import cell, restored
from annotation.domain.formats.base import Row, RowLabel
from annotation.domain.formats.labels import listed
from annotation.domain.formats.labels.of_row import with_answers
from annotation.domain.imports.cells import AnswerReader
from annotation.domain.label_studio.answers import answer_results, read_result
from annotation.domain.questions.question import Option, Question, QuestionKind
from annotation.domain.questions.released_answers import ReleasedAnswers, flat_values
from annotation.domain.releases.columns import COLUMNS, ReleaseFormat, label_columns
from annotation.models import Item, Label
from annotation.projects.design import change_design, design_of
from annotation.releases.build import copy_to, release
from annotation.releases.documents import dataset_card
from annotation.releases.request import Selection
from label_studio_cases import exported_short
from question_builders import TARGETS, answered, make_all_questions, make_answered_item, make_question
from release_builders import rows_of

pytestmark = pytest.mark.django_db

TEXT = "Weeds \U0001f339 in the garden."


def asking_project():
    project = builders.make_project(policy=Policy.REVIEW)
    make_all_questions(project)
    # The wording changed while people labelled: answers to both versions count together.
    make_question(project, "severity", QuestionKind.SCALE, version=2, wording={"": "How severe is it?"}, place=2)
    return project


@pytest.fixture
def project():
    project = asking_project()
    trio = [builders.make_member(project) for _ in range(3)]
    first = answered(
        frame="women", targets=["migrants", "women"], severity=5, why="Because, \u2028 so.", words=[[0, 5]]
    )
    second = answered(frame="women", targets=["women"], severity=None, why=None, words=[[2, 7], [9, 11]])
    third = {**answered(frame="others", targets=None), **answered(2, severity=2)}
    make_answered_item(project, trio, [first, second, third], text=TEXT, external_id="w.1")
    make_answered_item(project, trio, [{}, {}, {}], (0, 0, 0), text="A post.", external_id="w.2")
    return project


def test_a_row_has_answers_with_versions_and_the_consensus(project):
    made = release(project, None, Selection())
    row, other = rows_of(made)
    first, second, third = row["labels"]
    assert list(first) == [*label_columns(COLUMNS), "answers", "answer_versions"]
    assert first["answers"] == {
        **{"frame": "women", "targets": ["migrants", "women"], "severity": 5},
        **{"why": "Because, \u2028 so.", "words": [[0, 5]]},
    }
    # Skipped: a version without a value. Not asked: neither.
    assert (second["answers"]["severity"], second["answer_versions"]["severity"]) == (None, 1)
    assert (third["answers"]["words"], third["answer_versions"]["words"]) == (None, None)
    assert third["answer_versions"]["severity"] == 2
    assert row["questions"] == {
        "frame": {"value": "women", "answers": 3, "version": 1},
        "targets": {"value": ["women"], "answers": 2, "version": 1},
        "severity": {"value": 3.5, "answers": 2, "version": 2},
        "why": {"value": None, "answers": 1, "version": 1},
        # 2-5 of 0-5, 2-7 and 9-11: three of nine characters.
        "words": {"value": [[2, 5]], "answers": 2, "version": 1, "overlap": pytest.approx(1 / 3)},
    }
    assert other["questions"]["severity"] == {"value": None, "answers": 0, "version": None}


def test_an_item_of_an_earlier_scale_keeps_its_consensus_on_that_scale(project):
    trio = [builders.make_member(project) for _ in range(3)]
    make_answered_item(project, trio, [answered(2, severity=5)] * 3, text="An older post.", external_id="w.3")
    make_question(project, "severity", QuestionKind.SCALE, version=3, points=9)
    mixed = [answered(2, severity=1), answered(3, severity=8), answered(3, severity=9)]
    make_answered_item(project, trio, mixed, text="A newer post.", external_id="w.4")
    by_id = {row["id"]: row["questions"]["severity"] for row in rows_of(release(project, None, Selection()))}
    assert by_id["w.3"] == {"value": 5.0, "answers": 3, "version": 2}
    assert by_id["w.4"] == {"value": 8.5, "answers": 2, "version": 3}


def test_every_format_carries_answers_and_consensus(project, tmp_path):
    made = release(project, None, Selection(formats=tuple(ReleaseFormat)))
    out = tmp_path / "out"
    copy_to(made, out)
    call_command("check_release", out)
    row = rows_of(made)[0]
    answers = [label["answers"] for label in row["labels"]]

    with (out / "items.csv").open(encoding="utf-8-sig", newline="") as lines:
        sheet = next(csv.DictReader(lines))
    assert json.loads(sheet["questions"]) == row["questions"]
    assert [label["answers"] for label in json.loads(sheet["labels"])] == answers
    for name in ("labels.csv", "annotators.csv"):
        with (out / name).open(encoding="utf-8-sig", newline="") as lines:
            table = list(csv.DictReader(lines))
        assert [line["answer_severity"] for line in table] == ["5", "", "2", "", "", ""]
        assert [line["answer_severity_version"] for line in table] == ["1", "1", "2", "", "", ""]
        assert json.loads(table[0]["answer_words"]) == [[0, 5]]
    for path in ("parquet/train.parquet", "imagefolder/train/metadata.parquet"):
        typed = pq.read_table(out / path).to_pylist()[0]
        assert [label["answers"] for label in typed["labels"]] == answers
        assert typed["questions"] == row["questions"]
    long = pq.read_table(out / "annotators.parquet").to_pylist()
    assert (long[0]["answer_targets"], long[0]["answer_severity"]) == (["migrants", "women"], 5)
    with tarfile.open(out / "webdataset/train-000000.tar") as shard:
        member = json.load(shard.extractfile("000000.json"))
    assert (member["questions"], member["labels"]) == (row["questions"], row["labels"])
    record = json.loads((out / "hvli.json").read_text())["w.1"]
    assert (record["questions"], record["labels"][0]["answers"]) == (row["questions"], answers[0])
    task = json.loads((out / "label_studio.json").read_text())[0]
    results = {result["from_name"]: result["value"] for result in task["annotations"][0]["result"]}
    assert results["answer_severity"] == {"rating": 5}
    assert results["answer_words"] == {"start": 0, "end": 5, "text": "Weeds", "labels": ["words"]}
    assert '<Rating name="answer_severity"' in (out / "label_studio.xml").read_text()


CARRIERS = {
    "jsonl": "items.jsonl",
    "csv": "items.csv",
    "parquet": "parquet/train.parquet",
    "webdataset": "webdataset/train-000000.tar",
    "label_studio": "label_studio.json",
}


def test_every_format_brings_its_answers_back(project, tmp_path):
    made = release(project, None, Selection(formats=tuple(ReleaseFormat)))
    copy_to(made, tmp_path / "out")
    wanted = [(row["id"], row["questions"], said(row)) for row in rows_of(made)]
    for name, path in CARRIERS.items():
        other = asking_project()
        call_command("import_items", other.slug, tmp_path / "out" / path)
        again = rows_of(release(other, None, Selection()))
        assert [(row["id"], row["questions"], said(row)) for row in again] == wanted, name


def test_the_short_form_of_label_studio_brings_answers_and_versions_back(project, tmp_path):
    made = release(project, None, Selection(formats=(ReleaseFormat.LABEL_STUDIO,)))
    copy_to(made, tmp_path / "out")
    rows = exported_short(json.loads((tmp_path / "out/label_studio.json").read_text()))
    # Its rows of a task come in any order; the versions are those of the annotations in theirs.
    (tmp_path / "back.json").write_text(json.dumps(rows))
    other = asking_project()
    call_command("import_items", other.slug, tmp_path / "back.json")
    again = rows_of(release(other, None, Selection()))
    assert [(row["id"], sorted(said(row), key=str)) for row in again] == [
        (row["id"], sorted(said(row), key=str)) for row in rows_of(made)
    ]


def said(row) -> list[Any]:
    return [(label["answers"], label["answer_versions"]) for label in row["labels"]]


values = st.fixed_dictionaries(
    {},
    optional={
        "frame": st.sampled_from([None, *TARGETS]),
        "targets": st.none() | st.lists(st.sampled_from(TARGETS), min_size=1, unique=True).map(sorted),
        "severity": st.none() | st.integers(1, 5),
        "why": st.none() | st.text("ab ;,\"'\n\U0001f339[{", min_size=1, max_size=12).filter(lambda text: text.strip()),
        "words": st.none()
        | st.lists(st.integers(0, len(TEXT)), min_size=2, max_size=6, unique=True).map(
            lambda places: [list(pair) for pair in zip(*[iter(sorted(places))] * 2, strict=False)]
        ),
    },
)


QUESTIONS = (
    Question("frame", QuestionKind.ONE, options=tuple(map(Option, TARGETS))),
    Question("targets", QuestionKind.MANY, options=tuple(map(Option, TARGETS))),
    *(Question("severity", QuestionKind.SCALE, version=version, points=5) for version in (1, 2)),
    Question("why", QuestionKind.TEXT),
    Question("words", QuestionKind.SPAN),
)


@pytest.mark.once  # no row is read or written
@given(values, st.sampled_from([1, 2]))
def test_whatever_people_answered_comes_back_the_same(label, version):
    stored = {code: {"version": version if code == "severity" else 1, "value": said} for code, said in label.items()}
    released, reader = ReleasedAnswers(QUESTIONS), AnswerReader(QUESTIONS)
    columns = released.of_label(stored)

    def read(written):
        return reader.read(listed.label({"annotator": "a", "category": 1} | written).answers, TEXT, masked=False)

    assert read(json.loads(json.dumps(columns))) == stored
    # A row of a table, for which each answer is a text in a cell of its own.
    cells = {name: "" if own is None else restored(cell(own)) for name, own in flat_values(columns).items()}
    row = with_answers(Row(1, "w", labels=(RowLabel("a", "1"),)), cells)
    assert reader.read(row.labels[0].answers, TEXT, masked=False) == stored
    # Label Studio's results, with the versions beside them.
    results = [*answer_results("k", columns, TEXT, released.kinds)]
    answers: dict[str, Any] = {}
    assert all(read_result(result["from_name"], result["value"], answers) for result in results)
    assert read({"answers": answers, "answer_versions": columns["answer_versions"]}) == stored


def test_nobody_is_imported_as_having_skipped_parts_of_a_text_that_is_not_there():
    reader = AnswerReader(QUESTIONS)
    answers = {code: {"version": 1, "value": None} for code in ("why", "words")}
    assert list(reader.read(answers, TEXT, masked=False)) == ["why", "words"]
    assert list(reader.read(answers, "", masked=False)) == ["why"]


def test_a_release_without_texts_has_no_answers_in_own_words(project):
    row = rows_of(release(project, None, Selection(texts=False)))[0]
    assert [label["answers"]["why"] for label in row["labels"]] == [None] * 3
    assert row["labels"][0]["answers"]["severity"] == 5 and row["labels"][0]["answer_versions"]["why"] == 1


def test_a_project_without_further_questions_releases_the_columns_of_before():
    project = builders.make_project(policy=Policy.REVIEW)
    trio = [builders.make_member(project) for _ in range(3)]
    make_answered_item(project, trio, [{}, {}, {}])
    made = release(project, None, Selection())
    row = rows_of(made)[0]
    assert "questions" not in row and list(row["labels"][0]) == list(label_columns(COLUMNS))
    assert "questions" not in made.manifest["columns"]


def test_the_file_of_a_search_has_answers_for_those_who_may_see_labels(project, client):
    client.force_login(builders.make_member(project, Role.ADMIN).user)
    address = f"/p/{project.slug}/items/found.jsonl"
    rows = [json.loads(line) for line in b"".join(client.get(address).streaming_content).splitlines()]
    assert rows[0]["questions"]["severity"]["value"] == 3.5
    Item.objects.filter(project=project).update(stage=Stage.LABELLING)
    client.force_login(builders.make_member(project, Role.REVIEWER, Role.ANNOTATOR).user)
    rows = [json.loads(line) for line in b"".join(client.get(address).streaming_content).splitlines()]
    assert all(row["questions"] is None and row["labels"] == [] for row in rows)


def test_a_retired_option_stays_in_old_answers_and_comes_back(tmp_path):
    def campaign():
        project = builders.make_project(policy=Policy.REVIEW)
        make_question(project, "frame", QuestionKind.ONE, options=(Option("a"), Option("b"), Option("c")))
        options = (Option("a"), Option("b"), Option("c", retired=True))
        make_question(project, "frame", QuestionKind.ONE, version=2, options=options)
        return project

    project = campaign()
    trio = [builders.make_member(project) for _ in range(3)]
    make_answered_item(project, trio, [answered(1, frame="c"), answered(1, frame="c"), answered(2, frame="a")])
    copy_to(release(project, None, Selection()), tmp_path / "out")
    other = campaign()
    call_command("import_items", other.slug, tmp_path / "out/items.jsonl")
    stored = Label.objects.filter(item__project=other).order_by("seat__number").values_list("answers", flat=True)
    assert [entry["frame"] for entry in stored] == [{"version": 1, "value": "c"}] * 2 + [{"version": 2, "value": "a"}]


def test_the_papers_describe_the_questions_with_every_version(project, tmp_path):
    made = release(project, None, Selection())
    copy_to(made, tmp_path / "out")
    questions = json.loads((tmp_path / "out/questions.json").read_text())["questions"]
    assert questions == made.manifest["questions"]
    assert [question["code"] for question in questions] == ["frame", "targets", "severity", "why", "words"]
    first, second = questions[2]["versions"]
    assert (first["version"], first["asked"], first["answers"], first["counted_with"]) == (1, 2, 1, [2])
    assert (second["version"], second["asked"], second["answers"], second["counted_with"]) == (2, 1, 1, [1])
    assert first["design"]["points"] == 5 and second["design"]["wording"] == "How severe is it?"
    card = (tmp_path / "out/README.md").read_text()
    assert (
        "## Further questions" in card and "| `severity` | scale | How severe is it? (version 1, 2) | 3 | 2 |" in card
    )
    assert "`questions.json`: the further questions" in card
    (records,) = json.loads((tmp_path / "out/croissant.json").read_text())["recordSet"]
    assert "severity (scale): How severe is it?" in records["description"]


def test_the_croissant_description_gives_the_records(project, tmp_path):
    import mlcroissant  # noqa: PLC0415 (loads pandas)

    copy_to(release(project, None), tmp_path / "out")
    described = mlcroissant.Dataset(jsonld=str(tmp_path / "out" / "croissant.json"))
    assert [record["items/id"] for record in described.records("items")] == [b"w.1", b"w.2"]


def test_the_card_says_that_the_design_changed_while_people_labelled(project):
    before = release(project, None, Selection())
    assert "design_changes" not in before.manifest and "The design changed" not in dataset_card(before.manifest)
    design = design_of(project)
    severity = next(question for question in design.questions if question.code == "severity")
    wider = replace(severity, points=7, wording={"": "How bad?"})
    others = tuple(question for question in design.questions if question.code != "severity")
    categories = tuple(replace(one, name="Nothing") if one.code == 0 else one for one in design.categories)
    change_design(project, replace(design, categories=categories, questions=(*others, wider)), admin=None)
    made = release(project, None, Selection())
    (change,) = made.manifest["design_changes"]
    (asked,) = [question for question in change["questions"] if question["change"] == "reasked"]
    assert (asked["code"], asked["version"], asked["parts"]) == ("severity", 3, ["wording", "points"])
    card = dataset_card(made.manifest)
    assert "## The design changed while people labelled" in card
    assert "question severity reasked as version 3 (wording, points)" in card
    assert "category 0 NotHate renamed to Nothing, category 0 Nothing has the other names NotHate" in card
    # The old scale keeps a row of its own; its labels still name it.
    assert "| `severity` | scale | How bad? (version 3) | 0 | 0 | undefined | 0 (0) |" in card
    assert "| `severity` | scale | How bad? (version 1, 2) | 3 | 2 |" in card
    assert rows_of(made)[0]["labels"][0]["answer_versions"]["severity"] == 1


def load_dataset(*given, **options):
    """Open a release with the library `datasets`, which is loaded then."""
    from datasets import load_dataset as load  # noqa: PLC0415 (loads pandas)

    return load(*given, **options)


@pytest.mark.slow
def test_the_data_sets_library_reads_answers_with_their_types(project, tmp_path):
    for name, formats in (("jsonl", ()), ("parquet", (ReleaseFormat.PARQUET,))):
        copy_to(release(project, None, Selection(formats=formats)), tmp_path / name)
        loaded = load_dataset(str(tmp_path / name), cache_dir=str(tmp_path / "cache"))["train"]
        assert loaded[0]["questions"]["severity"] == {"value": 3.5, "answers": 2, "version": 2}, name
        assert loaded[0]["labels"][0]["answers"]["words"] == [[0, 5]], name
        assert loaded[1]["questions"]["words"]["value"] is None, name
