"""Labels of several annotators in tables: a row a label, a column an annotator; columns about people stay with them."""

import csv
import io
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from annotation.domain.choices import Role
from annotation.domain.formats.base import LabelUse, Mapped, Twice
from annotation.imports.options import ImportOptions
from annotation.imports.report import ImportReport
from annotation.imports.run import import_file
from annotation.models import Import, Item, Label, Membership, Project
from builders import make_member, make_project
from label_files import table
from question_builders import make_all_questions

LONG = Mapped(label="label", annotator="who", label_is=LabelUse.SEAT)
WIDE = Mapped(raters=("ann_1", "ann_2", "ann_3"))


@pytest.fixture
def project(db: None) -> Project:
    return make_project("garden")


def read(project: Project, content: str | bytes, mapped: Mapped, **options: Any) -> ImportReport:
    file = io.BytesIO(content.encode() if isinstance(content, str) else content)
    return import_file(project, file, ImportOptions(mapped=mapped, **options))


def labels() -> dict[str, dict[str, int | None]]:
    """Return the stored labels: category by annotator, by item."""
    stored: dict[str, dict[str, int | None]] = {}
    rows = Label.objects.order_by("pk").values_list("item__external_id", "annotator__imported_name", "category__code")
    for item, person, code in rows:
        stored.setdefault(item, {})[person] = code
    return stored


def test_rows_of_one_id_are_one_post_with_the_labels_of_all(project: Project) -> None:
    content = "id,text,who,label\na,One.,p1,1\nb,Two.,p1,0\na,One.,p2,Racist\nb,Two.,p3,2\na,One.,p3,0\n"
    report = read(project, content, LONG)
    assert (report.errors, report.rows, report.items, report.labels, report.annotators) == ([], 5, 2, 5, 3)
    assert labels() == {"a": {"p1": 1, "p2": 1, "p3": 0}, "b": {"p1": 0, "p3": 2}}
    assert [item.external_id for item in Item.objects.order_by("pk")] == ["a", "b"]


def test_json_lines_and_numbers_as_names(project: Project) -> None:
    rows = [{"id": 7, "text": "One.", "who": who, "label": code} for who, code in ((1, 1), (2, 0), (3, 1))]
    assert read(project, "".join(json.dumps(row) + "\n" for row in rows), LONG).stored
    assert labels() == {"7": {"1": 1, "2": 0, "3": 1}}


def test_a_column_an_annotator_is_called_as_the_column(project: Project) -> None:
    report = read(project, "id,text,ann_1,ann_2,ann_3\na,One.,1,0,1\nb,Two.,,2,\n", WIDE)
    assert (report.errors, report.items, report.labels) == ([], 2, 4)
    assert labels() == {"a": {"ann_1": 1, "ann_2": 0, "ann_3": 1}, "b": {"ann_2": 2}}
    assert [column["became"] for column in report.columns[2:]] == ["label: seat"] * 3


def test_authors_without_a_name_are_numbered(project: Project) -> None:
    mapped = Mapped(label="label", label_is=LabelUse.SEAT)
    assert read(project, "id,text,label\na,One.,1\na,One.,0\nb,Two.,2\n", mapped).stored
    assert labels() == {"a": {"source-1": 1, "source-2": 0}, "b": {"source-1": 2}}


def test_a_value_may_mean_no_label(project: Project) -> None:
    mapped = Mapped(raters=("ann_1", "ann_2"), values={"-1": "skip", "hate": "1"})
    assert read(project, "id,text,ann_1,ann_2\na,One.,hate,-1\nb,Two.,-1,-1\n", mapped).stored
    assert labels() == {"a": {"ann_1": 1}} and Item.objects.count() == 2


def test_columns_stay_with_what_they_are_about(project: Project) -> None:
    content = (
        "id,text,forum,who,age,minutes,label\n"
        "a,One.,f1,p1,30,2,1\nb,Two.,f2,p1,30,3,0\na,One.,f1,p2,41,2,1\nb,Two.,f2,p2,41,5,0\n"
    )
    report = read(project, content, LONG)
    assert report.kept == ["forum", "age", "minutes"]
    extra = dict(Item.objects.values_list("external_id", "extra"))
    assert extra == {"a": {"forum": "f1", "minutes": ["2", "2"]}, "b": {"forum": "f2", "minutes": ["3", "5"]}}
    people = dict(Membership.objects.values_list("imported_name", "extra"))
    assert people == {"p1": {"age": "30"}, "p2": {"age": "41"}}


def test_e_mail_addresses_of_annotators_are_stored_as_digests(project: Project) -> None:
    assert read(project, "id,text,who,label\na,One.,ann@example.org,1\na,One.,bob@example.org,1\n", LONG).stored
    rows = json.dumps({"id": "b", "text": "x", "labels": [{"annotator": "ann@example.org", "category": 1}]})
    assert read(project, rows, Mapped()).stored
    names = Membership.objects.values_list("imported_name", flat=True)
    assert not [name for name in names if "@" in name] and len(names) == 2


@pytest.mark.parametrize(
    ("second", "code", "words"),
    [
        ("a,Other.,p2,1", "contradiction", "The id a stands in line 2 with another text. Rows of one id are labels of"),
        ("a,One.,p1,1", "duplicate_annotator", "The annotator 'p1' labels the post a twice, also in line 2. Say"),
        ("a,One.,p1,0", "duplicate_annotator", "The annotator 'p1' labels the post a twice, also in line 2. Say"),
    ],
)
def test_rows_that_do_not_fit_are_errors_of_their_line(project: Project, second: str, code: str, words: str) -> None:
    report = read(project, f"id,text,who,label\na,One.,p1,1\n{second}\n", LONG)
    (error,) = report.errors
    assert (error.line, error.code) == (3, code) and words in error.reason
    assert not Item.objects.exists()


def test_without_a_label_column_equal_ids_stay_an_error(project: Project) -> None:
    report = read(project, "id,text\na,One.\na,One.\n", Mapped())
    assert [error.code for error in report.errors] == ["duplicate_id"]


def test_a_column_that_is_not_there_is_told(project: Project) -> None:
    report = read(project, "id,text,ann_1\na,One.,1\n", WIDE)
    assert [error.code for error in report.errors] == ["missing_column"]
    assert "There is no column 'ann_2' for the label of ann_2." in report.errors[0].reason


def test_the_command_takes_several_label_columns(project: Project, tmp_path: Path, capsys: Any) -> None:
    file = tmp_path / "wide.csv"
    file.write_text("id,text,a1,a2\nx,One.,1,0\n")
    call_command("import_items", "garden", str(file), "--label-column", "a1", "--label-column", "a2", "--json")
    assert json.loads(capsys.readouterr().out)["labels"] == 2
    assert labels() == {"x": {"a1": 1, "a2": 0}}


def test_more_labels_than_seats_need_a_word(project: Project) -> None:
    content = "id,text,who,label\n" + "".join(f"a,One.,p{n},1\n" for n in range(5))
    assert [error.code for error in read(project, content, LONG).errors] == ["too_many_labels"]
    assert read(project, content, LONG, seats_from_data=True).stored and Item.objects.get().seats == 5


def lines(*rows: dict[str, Any]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def answer(text: str, number: int, said: str, who: str, **more: Any) -> dict[str, Any]:
    """Return an answer as Prodigy writes it."""
    return {"text": text, "_input_hash": number, "answer": said, "_annotator_id": who, **more}


def test_a_category_that_was_rejected_is_a_label_where_somebody_says_which(project: Project) -> None:
    content = lines(answer("One.", 1, "reject", "a", label="Racist"), answer("Two.", 2, "reject", "a", label="Sexist"))
    report = read(project, content, Mapped(values={"not Racist": "NotHate"}))
    assert (report.errors, labels(), report.not_counted) == ([], {"1": {"a": 0}}, {"not this category": 1})


def test_work_that_was_refused_does_not_count_unseen(project: Project) -> None:
    content = "id,text,label,annotator,ASSIGNMENT:status\na,One.,Racist,x,APPROVED\na,One.,NotHate,y,REJECTED\n"
    mapped = Mapped(label="label", label_is=LabelUse.SEAT)
    report = read(project, content, mapped)
    assert [error.code for error in report.errors] == ["refused_work"]
    assert "(APPROVED 1, REJECTED 1)" in report.errors[0].reason
    assert read(project, content, mapped, keep=frozenset({"ASSIGNMENT:status"})).labels == 2


def test_prodigy_answers_are_labels_only_where_they_accept(project: Project) -> None:
    content = lines(
        answer("One.", 1, "accept", "db-a", accept=["Racist"], meta={"page": 3}, _timestamp=1_700_000_000),
        answer("One.", 1, "accept", "db-b", accept=["NotHate"], meta={"page": 3}),
        answer("Two.", 2, "reject", "db-a", accept=["Racist"]),
        answer("Three.", 3, "ignore", "db-a", accept=[]),
        {"text": "Four.", "label": "Sexist", "answer": "accept", "_session_id": "db-c"},
        {"text": "Five.", "label": "Sexist", "answer": "reject", "_session_id": "db-c"},
    )
    report = read(project, content, Mapped())
    assert (report.errors, report.items, report.labels, str(report.format)) == ([], 5, 3, "prodigy")
    assert report.not_counted == {"discarded": 2, "not this category": 1}
    stored = labels()
    assert stored.pop("1") == {"db-a": 1, "db-b": 0} and list(stored.values()) == [{"db-c": 2}]
    assert Item.objects.get(external_id="1").extra == {"meta": {"page": 3}}
    assert Label.objects.order_by("pk")[0].created_at.isoformat() == "2023-11-14T22:13:20+00:00"
    told = {column["name"]: column["values"] for column in report.columns}
    assert told["answer"] == {"accept": 3, "reject": 2, "ignore": 1}


def test_potato_answers_come_in_and_several_schemes_ask(project: Project) -> None:
    rows: list[dict[str, Any]] = [
        {"user_id": who, "instance_id": "p1", "displayed_text": "One.", "label_annotations": {"hate": {name: "1"}},
         "behavioral_data": {"time": n}}
        for n, (who, name) in enumerate((("a", "Racist"), ("b", "NotHate")))
    ]  # fmt: skip
    rows.append(rows[0] | {"instance_id": "p0", "behavioral_data": {"time": 7}})
    assert read(project, lines(*rows), Mapped()).stored and labels() == {"p1": {"a": 1, "b": 0}, "p0": {"a": 1}}
    assert Item.objects.get(external_id="p1").extra == {"behavioral_data": [{"time": 0}, {"time": 1}]}
    two = rows[0] | {"instance_id": "p2", "label_annotations": {"hate": {"Racist": "1"}, "tone": {"calm": "2"}}}
    (error,) = read(project, lines(two), Mapped()).errors
    assert error.reason == "There are several schemes: hate, tone. Name the label column: one of them."


def result(name: str, kind: str, **value: Any) -> dict[str, Any]:
    """Return a result of Label Studio."""
    return {"id": name, "from_name": name, "to_name": "text", "type": kind, "value": value}


def task(*annotations: dict[str, Any], **data: Any) -> str:
    return json.dumps([{"id": 1, "data": {"text": "One.", **data}, "annotations": list(annotations)}])


def annotation(who: int | None, *results: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"completed_by": who, "was_cancelled": False, "result": list(results), **more}


def test_every_control_of_label_studio_is_a_column(project: Project) -> None:
    box = {"x": 1.5, "y": 2, "width": 10, "height": 20, "rotation": 0, "rectanglelabels": ["sign"]}
    first = annotation(
        3, result("hate", "choices", choices=["Racist"]), result("stars", "rating", rating=4),
        result("why", "textarea", text=["It names a group."]), result("part", "labels", start=0, end=3, labels=["x"]),
        result("box", "rectanglelabels", **box), result("tax", "taxonomy", taxonomy=[["a", "b"]]),
        {"type": "relation", "from_id": "part", "to_id": "box", "direction": "right"},
    )  # fmt: skip
    second = annotation(4, result("hate", "choices", choices=["NotHate"]))
    report = read(project, task(first, second), Mapped())
    assert report.errors == [] and labels() == {"1": {"ls-3": 1, "ls-4": 0}}
    assert Item.objects.get().extra == {
        "stars": [4, None], "why": ["It names a group.", None], "part": [{"start": 0, "end": 3, "labels": ["x"]}, None],
        "box": [box, None], "tax": [["a", "b"], None],
        "relation": [{"from_id": "part", "to_id": "box", "direction": "right"}, None],
    }  # fmt: skip
    assert {"stars", "why", "part", "box", "tax", "relation"} == set(report.kept)
    assert read(make_project("other"), task(first, second), Mapped(), ignore=frozenset("*")).stored
    assert Item.objects.get(project__slug="other").extra == {}


def test_two_controls_with_choices_ask_which_is_the_category(project: Project) -> None:
    content = task(
        annotation(3, result("hate", "choices", choices=["Racist"]), result("who", "choices", choices=["a", "b"]))
    )
    (error,) = read(project, content, Mapped()).errors
    assert error.reason == "Several controls have choices: hate, who. Name that of the category as the label column."
    assert read(project, content, Mapped(label="hate")).stored and labels() == {"1": {"ls-3": 1}}
    assert Item.objects.get().extra == {"who": [["a", "b"]]}


def test_authors_that_are_gone_are_numbered(project: Project) -> None:
    racist, fine = result("s", "choices", choices=["Racist"]), result("s", "choices", choices=["NotHate"])
    content = task(annotation(None, racist), annotation(3, fine, was_cancelled=True), annotation(None, fine))
    assert read(project, content, Mapped()).stored
    assert labels() == {"1": {"source-1": 1, "source-3": 0}}


NESTED: dict[str, tuple[dict[str, Any], Mapped, dict[str, int | None]]] = {
    "a list of objects": (
        {"raw_labels": [{"off": True}, {"off": False}, {"off": True}]},
        Mapped(label="raw_labels.off", values={"true": "1", "false": "0"}),
        {"source-1": 1, "source-2": 0, "source-3": 1},
    ),
    "an object of lists": (
        {"annotators": {"label": [0, 2], "id": [203, 204]}},
        Mapped(label="annotators.label", annotator="annotators.id"),
        {"203": 0, "204": 2},
    ),
    "a list of values": ({"votes": ["Racist", "NotHate"]}, Mapped(label="votes[]"), {"source-1": 1, "source-2": 0}),
    "two lists": (
        {"votes": [1, 0], "people": ["x", "y"]},
        Mapped(label="votes[]", annotator="people[]"),
        {"x": 1, "y": 0},
    ),
    "an empty list": ({"votes": []}, Mapped(label="votes[]"), {}),
    "no label in it": ({"votes": [None, 1]}, Mapped(label="votes[]"), {"source-2": 1}),
}


@pytest.mark.parametrize("name", NESTED)
def test_labels_nested_in_a_row_are_named_by_a_path(project: Project, name: str) -> None:
    row, mapped, expected = NESTED[name]
    report = read(project, lines({"id": "a", "text": "One.", **row}), mapped)
    assert report.errors == [] and labels().get("a", {}) == expected
    assert report.kept == []


def test_a_cell_of_a_table_may_hold_the_list(project: Project) -> None:
    assert read(project, 'id,text,votes\na,One.,"[1, 0]"\n', Mapped(label="votes[]")).stored
    assert labels() == {"a": {"source-1": 1, "source-2": 0}}


@pytest.mark.parametrize(
    ("row", "mapped", "words"),
    [
        ({"votes": 3}, Mapped(label="votes[]"), "votes[] leads to no list here"),
        ({"votes": {"a": 1}}, Mapped(label="votes.b"), "votes.b leads to no list here"),
        (
            {"votes": [1, 0], "who": ["x"]},
            Mapped(label="votes[]", annotator="who[]"),
            "votes[] has 2 values and who[] 1.",
        ),
    ],
)
def test_a_path_that_leads_nowhere_is_told(project: Project, row: dict[str, Any], mapped: Mapped, words: str) -> None:
    (error,) = read(project, lines({"id": "a", "text": "One.", **row}), mapped).errors
    assert words in error.reason


def test_hatexplain_as_the_datasets_library_gives_it(project: Project) -> None:
    row = {
        "id": "p1", "post_tokens": ["go", "home"], "rationales": [[1, 0], [0, 1]],
        "annotators": {"label": [0, 2, 2], "annotator_id": [203, 204, 233], "target": [["None"], ["x"], ["x"]]},
    }  # fmt: skip
    refused = read(project, lines(row), Mapped())
    assert [error.reason.partition(".")[0] for error in refused.errors] == [
        "'hatespeech' is no category of this project"
    ]
    values = {"hatespeech": "1", "normal": "0", "offensive": "5"}
    assert read(project, lines(row), Mapped(values=values)).stored
    assert labels() == {"p1": {"203": 1, "204": 5, "233": 5}} and Item.objects.get().text == "go home"


@pytest.mark.parametrize("number", [0, "0", 0.0])
def test_a_number_of_hatexplain_is_what_somebody_says_it_is(project: Project, number: Any) -> None:
    row = {"post_id": "p1", "post_tokens": ["go"], "annotators": [{"label": number, "annotator_id": 1, "target": []}]}
    assert read(project, lines(row), Mapped(values={"0": "2"})).stored
    assert labels() == {"p1": {"1": 2}}


def test_rationales_follow_the_labels_that_stand_as_numbers(project: Project) -> None:
    """The second of two marks belongs to the third person, since the second found nothing to mark."""
    row = {
        "id": "p1", "post_tokens": ["go", "home"], "rationales": [[1, 0], [0, 1]],
        "annotators": {"label": [0, 1, 2], "annotator_id": [7, 8, 9], "target": [["None"]] * 3},
    }  # fmt: skip
    values = {"hatespeech": "1", "normal": "0", "offensive": "5"}
    report = read(project, lines(row), Mapped(values=values))
    assert report.stored and report.rationales_left == 0


def test_popquorn_comes_in_as_it_is_published(db: None, shared_data: Path) -> None:
    """A row a label, 13,036 rows of 1,500 texts in the order of people; a scale; columns about the person."""
    path = shared_data / "popquorn_offensiveness.csv"
    project = make_project("scale", categories=[(n, f"point {n}", n > 1) for n in range(1, 6)])
    mapped = Mapped(
        id="instance_id", label="offensiveness", annotator="user_id", label_is=LabelUse.SEAT,
        values={f"{n}.0": str(n) for n in range(1, 6)},
    )  # fmt: skip
    with path.open("rb") as file:
        report = import_file(project, file, ImportOptions(mapped=mapped, seats_from_data=True))
    assert report.errors == [] and report.stored
    with path.open(encoding="utf-8", newline="") as table:
        rows = list(csv.DictReader(table))
    counted = Counter((row["instance_id"], float(row["offensiveness"])) for row in rows)
    stored = Label.objects.values_list("item__external_id", "category__code")
    assert Counter((item, float(code or 0)) for item, code in stored) == counted
    person = Membership.objects.get(project=project, imported_name=rows[0]["user_id"])
    about = {name: rows[0][name] for name in ("gender", "race", "age", "occupation", "education")}
    assert person.extra == about and not Item.objects.exclude(extra={}).exists()


# ── What stands above the header, and what means no label ─────────────────────

TITLED = "Export of 2024-01-01,,\nid,text,intended\na,One.,1\n"


def test_a_title_above_the_header_is_told_and_passed_over_by_its_line(project: Project) -> None:
    (error,) = read(project, TITLED, Mapped()).errors
    assert error.code == "missing_column"
    assert error.reason.endswith("Line 2 looks like the header: say that it stands there (header line 2).")
    report = read(project, TITLED, Mapped(), header_line=2)
    assert report.errors == [] and Item.objects.get().text == "One."


def test_of_two_rows_of_header_the_second_counts_and_its_separator(project: Project) -> None:
    content = "about the post;;people, by number;\nid;text;p1;p2\na;One.;1;0\n"
    assert read(project, content, Mapped(raters=("p1", "p2")), header_line=2).stored
    assert labels() == {"a": {"p1": 1, "p2": 0}}


def test_lines_are_counted_from_the_top_of_the_file(project: Project) -> None:
    (error,) = read(project, "A title\nid,text,intended\na,One.,9\n", Mapped(), header_line=2).errors
    assert error.line == 3


def test_the_command_takes_the_line_of_the_header(project: Project, tmp_path: Path, capsys: Any) -> None:
    file = tmp_path / "titled.csv"
    file.write_text(TITLED)
    call_command("import_items", "garden", str(file), "--header-line", "2", "--json")
    assert json.loads(capsys.readouterr().out)["items"] == 1


@pytest.mark.parametrize("word", ["nan", "NA", "None", "null", "-1", "ignore"])
def test_words_for_no_label_are_named_with_what_to_do(project: Project, word: str) -> None:
    content = f"id,text,intended\na,One.,{word}\nb,Two.,1\n"
    (error,) = read(project, content, Mapped()).errors
    hint = f"If '{word}' means that there is no label, map it so: {word}=skip."
    dashed = f" In a command write --map={word}=skip."
    assert error.reason.endswith(hint + dashed if word.startswith("-") else hint)
    assert read(project, content, Mapped(values={word: "skip"})).stored
    assert dict(Item.objects.values_list("external_id", "intended__code")) == {"a": None, "b": 1}


# ── The same person twice at one post ─────────────────────────────────────────

TWICE: dict[str, tuple[str, Mapped]] = {
    "rows": ("id,text,who,label\na,One.,p1,1\na,One.,p2,0\na,One.,p1,2\n", LONG),
    "a list": (
        lines({"id": "a", "text": "One.", "labels": [
            {"annotator": who, "category": code} for who, code in (("p1", 1), ("p2", 0), ("p1", 2))]}), Mapped()),
    "a list by its dates": (
        lines({"id": "a", "text": "One.", "labels": [
            {"annotator": who, "category": code, "at": f"2026-01-0{day}T00:00:00Z"}
            for who, code, day in (("p1", 2, 3), ("p2", 0, 2), ("p1", 1, 1))]}), Mapped()),
    "nested": (
        lines({"id": "a", "text": "One.", "votes": [1, 0, 2], "who": ["p1", "p2", "p1"]}),
        Mapped(label="votes[]", annotator="who[]")),
    "Label Studio": (
        task(*(annotation(who, result("s", "choices", choices=[name]))
               for who, name in ((1, "Racist"), (2, "NotHate"), (1, "Sexist")))), Mapped()),
    "Prodigy": (
        lines(*(answer("One.", 1, "accept", who, accept=[name])
                for who, name in (("p1", "Racist"), ("p2", "NotHate"), ("p1", "Sexist")))), Mapped()),
}  # fmt: skip


@pytest.mark.parametrize("name", TWICE)
def test_of_two_labels_of_one_person_the_first_or_the_last_counts(project: Project, name: str) -> None:
    content, mapped = TWICE[name]
    (error,) = read(project, content, mapped).errors
    assert error.code == "duplicate_annotator" and "Say which label counts, the first or the last" in error.reason
    for twice, code in ((Twice.FIRST, 1), (Twice.LAST, 2)):
        one = make_project(f"of-{twice}")
        report = read(one, content, mapped, twice=twice)
        assert (report.errors, report.labels, report.not_counted) == ([], 2, {"twice": 1})
        stored = Label.objects.filter(item__project=one).values_list("category__code", flat=True)
        assert sorted(stored) == [0, code]


def test_the_page_asks_which_of_two_labels_counts(project: Project, client: Client) -> None:
    client.force_login(make_member(project, Role.ADMIN).user)
    file = SimpleUploadedFile("x.csv", TWICE["rows"][0].encode())
    fields = {"label_column": "label", "annotator_column": "who", "label_is": "seat"}
    client.post(reverse("annotation:import", args=["garden"]), {"file": file, **fields})
    address = reverse("annotation:import-show", args=["garden", Import.objects.get().public_id])
    assert "last_counts" in client.get(address).content.decode()
    client.post(
        reverse("annotation:import-act", args=["garden", Import.objects.get().public_id]), {"do": "last_counts"}
    )
    page = client.get(address).content.decode()
    assert "Every row can be imported" in page and "given twice by one person" in page


SKIPPED: dict[str, str] = {
    "a list": lines({"id": "a", "text": "One.", "labels": [
        {"annotator": "p1", "category": "unclear"}, {"annotator": "p2", "category": 1}]}),
    "Label Studio": task(*(annotation(who, result("s", "choices", choices=[name]))
                           for who, name in ((1, "unclear"), (2, "Racist")))),
    "Prodigy": lines(*(answer("One.", 1, "accept", who, accept=[name])
                       for who, name in (("p1", "unclear"), ("p2", "Racist")))),
    "Potato": lines(*({"user_id": who, "instance_id": "a", "text": "One.", "label_annotations": {"s": {name: "1"}}}
                      for who, name in (("p1", "unclear"), ("p2", "Racist")))),
}  # fmt: skip


@pytest.mark.parametrize("name", SKIPPED)
def test_a_label_that_is_mapped_to_none_is_left_out(project: Project, name: str) -> None:
    report = read(project, SKIPPED[name], Mapped(values={"unclear": "skip"}))
    assert (report.errors, report.labels, report.stored) == ([], 1, True)
    assert list(Label.objects.values_list("category__code", flat=True)) == [1]


def test_controls_of_label_studio_answer_questions_of_the_same_code(project: Project) -> None:
    make_all_questions(project)
    first = annotation(
        3, result("hate", "choices", choices=["Racist"]), result("severity", "rating", rating=4),
        result("why", "textarea", text=["It names a group."]), result("tone", "rating", rating=2),
        result("targets", "choices", choices=["women", "migrants"]),
    )  # fmt: skip
    second = annotation(4, result("hate", "choices", choices=["NotHate"]), result("severity", "rating", rating=9))
    assert read(project, task(first, second), Mapped(label="hate")).errors == []
    said = Label.objects.order_by("pk").values_list("answers", flat=True)
    assert [{code: part["value"] for code, part in answers.items()} for answers in said] == [
        {"severity": 4, "why": "It names a group.", "targets": ["migrants", "women"]}, {},
    ]  # fmt: skip
    assert Item.objects.get().extra["severity"] == [4, 9] and Item.objects.get().extra["tone"] == [2, None]


def test_the_rows_between_header_and_answers_of_qualtrics_are_no_posts(project: Project) -> None:
    content = table(
        ("ResponseId", "Q1", "Q2"), ("Response ID", "Read the post.\nIs it hateful?", "Why?"),
        ('{"ImportId":"_recordId"}', '{"ImportId":"QID1"}', '{"ImportId":"QID2_TEXT"}'),
        ("R_1", "Racist", "It names a group."), ("R_2", "NotHate", "A garden."),
    )  # fmt: skip
    mapped = Mapped(id="ResponseId", text="Q2", label="Q1", label_is=LabelUse.SEAT)
    report = read(project, content, mapped)
    assert (report.errors, report.items, report.labels, dict(report.left)) == ([], 2, 2, {"service": 2})
    assert labels() == {"R_1": {"source-1": 1}, "R_2": {"source-1": 0}}


def test_the_questions_of_qualtrics_may_be_the_header(project: Project) -> None:
    content = table(
        ("ResponseId", "Q2"), ("Response ID", "Why?"), ('{"ImportId":"_recordId"}', '{"ImportId":"QID2_TEXT"}'),
        ("R_1", "It names a group."),
    )  # fmt: skip
    report = read(project, content, Mapped(id="Response ID", text="Why?"), header_line=2)
    assert (report.errors, report.items, dict(report.left)) == ([], 1, {"service": 1})


@pytest.mark.parametrize("library", ["a list of objects", "an object of lists"])
def test_hatexplain_comes_in_as_parquet_of_the_datasets_library(project: Project, library: str) -> None:
    people = {"label": [0, 1, 2], "annotator_id": [7, 8, 9], "target": [["Women"], ["None"], ["None"]]}
    listed = [dict(zip(people, parts, strict=True)) for parts in zip(*people.values(), strict=True)]
    row = {
        "id": ["p1"], "post_tokens": [["go", "home"]], "rationales": [[[1, 0], [0, 1]]], "lang": ["en"],
        "annotators": [people if library == "an object of lists" else listed],
    }  # fmt: skip
    stream = io.BytesIO()
    pq.write_table(pa.table(row), stream)
    refused = read(project, stream.getvalue(), Mapped())
    assert refused.errors[0].reason.startswith("'hatespeech' is no category of this project.")
    values = {"hatespeech": "1", "normal": "0", "offensive": "5"}
    report = read(project, stream.getvalue(), Mapped(values=values))
    assert report.stored and report.kept == ["rationales", "lang"]
    assert labels() == {"p1": {"7": 1, "8": 0, "9": 5}}
    assert Item.objects.get().text == "go home" and Item.objects.get().extra["lang"] == "en"


WITHOUT_IDS = [("One.", "ann", "1"), ("One.", "bob", "0"), ("Two.", "bob", "0"), ("Two.", "cy", "2")]
HEADS = {
    "annotator and label named": ("who,text,label", Mapped(label="label", annotator="who", label_is=LabelUse.SEAT)),
    "called as the site calls them": ("annotator,text,label", Mapped(label="label", label_is=LabelUse.SEAT)),
}


@pytest.mark.parametrize(("head", "mapped"), HEADS.values(), ids=HEADS)
def test_rows_of_annotators_without_ids_are_labels_of_equal_texts(project: Project, head: str, mapped: Mapped) -> None:
    rows = "".join(f"{who},{text},{label}\n" for text, who, label in WITHOUT_IDS)
    report = read(project, f"{head}\n{rows}", mapped)
    assert report.stored and (report.items, report.labels, report.duplicates) == (2, 4, 0)
    assert sorted(map(sorted, (people.items() for people in labels().values()))) == [
        [("ann", 1), ("bob", 0)], [("bob", 0), ("cy", 2)],
    ]  # fmt: skip


def test_rows_without_annotators_stay_posts_of_their_own(project: Project) -> None:
    report = read(project, "text,label\nOne.,1\nOne.,0\n", Mapped(label="label", label_is=LabelUse.SEAT))
    assert report.stored and (report.items, report.duplicates) == (2, 1)
