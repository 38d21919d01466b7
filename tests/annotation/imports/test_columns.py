"""What an import understood: each column with its use and values; nothing that looks like labels passes unseen."""

import io
import json
import re
import zipfile

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command

from annotation.domain.columns.items import GOLD_SET
from annotation.domain.formats.base import Format, LabelUse, Mapped
from annotation.domain.formats.mapping import NAMES
from annotation.imports.options import COLUMN_NAMES, ImportOptions
from annotation.imports.run import import_file
from annotation.models import Item, Project
from builders import make_project

pytestmark = pytest.mark.django_db


@pytest.fixture
def project():
    return make_project("garden")


def read(project, content, dry_run=True, **options):
    raw = content if isinstance(content, bytes) else content.encode()
    return import_file(project, io.BytesIO(raw), ImportOptions(**options), dry_run=dry_run)


def lines(*rows):
    return "".join(json.dumps(row) + "\n" for row in rows)


def task(name, **answers):
    """Return a row of Label Studio's short form."""
    return {"id": name, "text": "A post.", "annotation_id": 1, "annotator": 1, "lead_time": 1.0, **answers}


SEVERAL_GOLD = "id,text,gold,categories\na,One.,1,1;3\n"


@pytest.mark.parametrize(
    ("row", "code", "sentence"),
    [
        ("b,Two.,2,1;3", "gold_contradicts_categories", "gold is 2, which is not in the column categories (1;3). Cor"),
        ("b,Two.,NotHate,3", "gold_contradicts_categories", "gold is NotHate, which is not in the column categories"),
        ("b,Two.,1;2,1;3", "gold_contradicts_categories", "gold is 1;2, which is not in the column categories (1;3)"),
        ("b,Two.,,1;3", "categories_without_gold", "The column categories has 1;3, but gold is empty. Write one of"),
    ],
)
def test_gold_that_its_categories_contradict_is_an_error_of_the_row(project, row, code, sentence):
    Project.objects.update(choose="several")
    project.refresh_from_db()
    (error,) = read(project, f"{SEVERAL_GOLD}{row}\n").errors
    assert (error.line, error.code) == (3, code)
    assert error.reason.startswith(sentence)


def test_gold_is_one_of_its_categories_by_code_or_name_or_a_translation(project):
    Project.objects.update(choose="several")
    project.refresh_from_db()
    rows = "b,Two.,Homophobe,3;Racist\nc,Three.,x,1;2\nd,Four.,1;3,3;1\ne,Five.,2,\n"
    assert read(project, SEVERAL_GOLD + rows, dry_run=False, mapped=Mapped(values={"x": "2"})).stored
    gold = [(item.category.code, item.categories) for item in Item.objects.order_by("external_id")]
    assert gold == [(1, [1, 3]), (1, [1, 3]), (1, [1, 2]), (1, [1, 3]), (2, [])]


@pytest.mark.parametrize("form", ["JSON lines", "Label Studio"])
@pytest.mark.parametrize("first", [{}, {"categories": []}])
def test_gold_of_several_may_begin_in_a_later_row(project, form, first):
    Project.objects.update(choose="several")
    project.refresh_from_db()
    rows = [{"id": "a", "text": "One.", **first}, {"id": "b", "text": "Two.", "gold": 1, "categories": [1, 3]}]
    tasks = json.dumps([{"id": number, "data": row, "annotations": []} for number, row in enumerate(rows)])
    report = read(project, lines(*rows) if form == "JSON lines" else tasks, dry_run=False)
    assert report.errors == []
    assert Item.objects.get(external_id="b").categories == [1, 3]


@pytest.mark.parametrize(("written", "stored"), [("7", 7), ("-100", -100), ("", 0), (3, 3), (2.0, 2), (None, 0)])
def test_the_priority_comes_in(project, written, stored):
    assert read(project, lines({"id": "a", "text": "x", "priority": written}), dry_run=False).stored
    assert Item.objects.get().priority == stored


@pytest.mark.parametrize("written", ["high", "101", -101, 0.5, True, [1]])
def test_a_priority_that_is_none_is_an_error_that_says_what_to_do(project, written):
    (error,) = read(project, lines({"id": "a", "text": "x", "priority": written})).errors
    assert (error.code, error.field) == ("bad_priority", "priority")
    assert error.reason == "priority is a whole number from -100 to 100. Rename the column to keep it as it is."


def test_values_are_told_as_a_mapping_of_values_names_them(project):
    rows = [{"id": "a", "text": "x", "toxic": True}, {"id": "b", "text": "y", "toxic": False}]
    told = {"true": 1, "false": 1}
    mapped = Mapped(label="toxic", values={"true": "Racist", "false": "NotHate"})
    report = read(project, lines(*rows), mapped=mapped)
    assert report.errors == [] and report.columns[2]["values"] == told
    numbers = lines(*({**row, "toxic": float(row["toxic"])} for row in rows))
    report = read(project, numbers, mapped=Mapped(label="toxic"))
    assert report.errors == [] and report.columns[2]["values"] == {"1": 1, "0": 1}


def test_only_decisions_that_came_with_the_file_count_as_decided(project):
    def labels(*codes):
        return [{"annotator": f"a{place}", "category": code} for place, code in enumerate(codes)]

    agreed, split = {"text": "x", "labels": labels(1, 1, 1)}, {"text": "y", "labels": labels(1, 2, 0)}
    rows = [{"id": "a"} | agreed, {"id": "b"} | split]
    assert read(project, lines(*rows)).decided == 0
    given = [{"id": "c", "text": "z", "gold": 1}, {"id": "d", "gold": 1} | agreed]
    adjudicated = {"id": "e", "gold": 2, "source": "adjudicated", "rationale": "A sign."} | split
    disputed = {"id": "f", "gold": 1, "intended": 0} | agreed  # as the closed items of a release say it
    report = read(project, lines(*rows, *given, adjudicated, disputed), dry_run=False)
    assert (report.stored, report.items, report.decided) == (True, 6, 3)
    assert Item.objects.get(external_id="f").stage == "disputed"


def folder_of_pictures(metadata):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("metadata.csv", metadata)
    return packed.getvalue()


LABELS_UNDER_ANOTHER_NAME = {
    "a column called label": ("id,text,label\na,One.,Racist\nb,Two.,NotHate\n", "label"),
    "a column called Class": ("id,text,Class\na,One.,1\n", "Class"),
    "a column called is_hateful": ("id\ttext\tis_hateful\na\tOne.\ttrue\n", "is_hateful"),
    "a column called by its Korean word": ("id,text,라벨\na,One.,x\n", "라벨"),
    "values that are categories": ("id,text,opinion\na,One.,racist\nb,Two.,Sexist\n", "opinion"),
    "JSON lines": (lines({"id": "a", "text": "One.", "category": 3}), "category"),
    "a key of a later line": (lines({"id": "a", "text": "1"}, {"id": "b", "text": "2", "label": "Racist"}), "label"),
    "Label Studio's short form": (json.dumps([task(1, cat="Racist"), task(2, cat="NotHate")]), "cat"),
    "an ImageFolder": (folder_of_pictures("file_name,text,label\na.jpg,One.,Racist\n"), "label"),
}


@pytest.mark.parametrize("name", LABELS_UNDER_ANOTHER_NAME)
def test_labels_under_another_name_stop_the_import_until_they_are_used_or_left_out(project, name):
    content, column = LABELS_UNDER_ANOTHER_NAME[name]
    report = read(project, content, dry_run=False, leave_out=True)
    assert report.fatal is not None and report.fatal.code == "unused_labels"
    assert f"{column!r} looks like labels" in report.fatal.reason
    assert report.status == 422
    counted = report.as_json()
    # The column is the reason and no row; the ImageFolder lacks its picture too.
    assert (counted["bad_rows"], counted["bad_columns"]) == (len(report.errors) - 1, [column])
    assert not Item.objects.exists()
    left_out = read(project, content, ignore=frozenset({column}))
    assert "unused_labels" not in {error.code for error in left_out.errors}


@pytest.mark.parametrize(
    "content",
    [
        "id,text,likes\na,One.,1\nb,Two.,0\n",  # numbers may be anything
        "id,text,mood\na,One.,fine\n",
        "id,text,label\na,One.,\n",  # an empty column holds no labels
        "id,text,level,votes\na,One.,full,3\n",  # names that releases have, in a file of somebody else
    ],
)
def test_what_is_no_label_passes(project, content):
    assert read(project, content).errors == []


def test_each_column_says_what_it_became_with_its_values(project):
    rows = "id,text,topic,intended,n\n" + "".join(
        f"i{number},Post {number}.,garden,{'Racist' if number % 3 else 'NotHate'},{number}\n" for number in range(90)
    )
    report = read(project, rows)
    columns = {column["name"]: column for column in report.columns}
    assert [(name, column["became"]) for name, column in columns.items()] == [
        ("id", "id"),
        ("text", "text"),
        ("topic", "kept"),
        ("intended", "intended"),
        ("n", "kept"),
    ]
    assert columns["intended"]["values"] == {"NotHate": 30, "Racist": 60}
    assert columns["topic"]["values"] == {"garden": 90}
    assert columns["n"] == {"name": "n", "became": "kept", "rows": 90, "values": {}, "many": True}
    assert columns["text"]["values"] == {}
    assert (report.items, report.intended, report.labels) == (90, 90, 0)


def test_the_use_of_a_mapped_column_is_told(project):
    mapped = Mapped(text="words", label="opinion", label_is=LabelUse.GOLD, values={"bad": "Racist"})
    report = read(project, "words,opinion\nOne.,bad\nTwo.,NotHate\n", mapped=mapped)
    assert [(column["name"], column["became"]) for column in report.columns] == [
        ("words", "text"),
        ("opinion", "label: gold"),
    ]
    assert report.errors == [] and report.decided == 2


def test_known_answers_and_priors_are_counted(project):
    rows = "id,text,known_category,text_label\na,One.,Racist,\nb,Two.,,NotHate\n"
    report = read(project, rows)
    assert (report.items, report.known_answers, report.priors, report.decided) == (2, 1, 1, 0)


HATEXPLAIN = {
    "post_id": "p1",
    "post_tokens": ["a", "post"],
    "annotators": [{"annotator_id": 1, "label": "normal", "target": []}, {"annotator_id": 2, "label": "hatespeech"}],
}
MAPPED_EVERYWHERE = {
    "HateXplain": (lines(HATEXPLAIN), {"normal": "0", "hatespeech": "1"}, 2),
    "Label Studio": (json.dumps([task(1, label="ok"), task(2, label="bad")]), {"ok": "NotHate", "bad": "5"}, 2),
    "our own labels": (
        lines({"id": "a", "text": "x", "labels": [{"annotator": "n", "category": "ok"}]}),
        {"ok": "NotHate"},
        1,
    ),
    "MMHS150K": (json.dumps({"1": {"tweet_text": "x", "labels": [9, 9, 8]}}), {"9": "0", "8": "1"}, 3),
}


@pytest.mark.parametrize("name", MAPPED_EVERYWHERE)
def test_values_are_mapped_in_every_format(project, name):
    content, values, labels = MAPPED_EVERYWHERE[name]
    assert read(project, content).errors
    report = read(project, content, mapped=Mapped(values=values))
    assert report.errors == []
    assert report.labels == labels


def test_a_value_is_translated_once(project):
    content = lines({"id": "a", "text": "x", "intended": "a"})
    report = read(project, content, mapped=Mapped(values={"a": "Racist", "Racist": "Sexist"}), dry_run=False)
    assert report.errors == []
    assert Item.objects.get().intended.name == "Racist"


def test_a_data_set_of_a_fixed_form_is_told_too(project):
    report = read(project, lines(HATEXPLAIN | {"lang": "en"}), mapped=Mapped(values={"normal": "0", "hatespeech": "1"}))
    assert report.format is Format.HATEXPLAIN
    assert {column["name"]: column["became"] for column in report.columns} == {
        "post_id": "id",
        "post_tokens": "text",
        "annotators": "labels",
        "lang": "kept",
    }


def test_wide_and_long_files_keep_the_tally_small(project):
    header = [f"c{number}" for number in range(1_000)]
    table = [["id", "text", *header], *([f"i{n}", "x", *(f"v{n}" for _ in header)] for n in range(60))]
    report = read(project, "".join(",".join(cells) + "\n" for cells in table), ignore=frozenset({"*"}))
    assert report.errors == []
    assert len(report.columns) == 200
    assert all(len(column["values"]) <= 40 for column in report.columns)


class TestCommandAndPage:
    def test_the_command_says_it_in_words_and_in_json(self, project, tmp_path, capsys):
        file = tmp_path / "posts.csv"
        file.write_text("id,text,label\na,One.,Racist\n")
        with pytest.raises(SystemExit):
            call_command("import_items", "garden", str(file), "--dry-run")
        told = capsys.readouterr().out
        assert "column label → left out, 1 rows: Racist 1" in told
        assert "looks like labels" in told
        with pytest.raises(SystemExit):
            call_command("import_items", "garden", str(file), "--dry-run", "--json")
        answer = json.loads(capsys.readouterr().out)
        told = {"name": "label", "became": "", "rows": 1, "values": {"Racist": 1}, "many": False}
        assert answer["columns"][2] == told
        assert answer["errors"][0]["line"] == 0
        call_command("import_items", "garden", str(file), "--ignore-column", "label", "--json")
        assert json.loads(capsys.readouterr().out)["items"] == 1

    def test_the_command_lists_every_column_name(self, project, capsys):
        call_command("import_items", "--columns")
        told = capsys.readouterr().out
        assert "known_category" in told and "text_explanation" in told
        with pytest.raises(CommandError):
            call_command("import_items", "garden")


def test_the_table_of_columns_names_every_column_that_is_read(project):
    told = {name for names, _ in COLUMN_NAMES for name in names}
    assert told == NAMES | {"file_name", GOLD_SET, "answer_CODE", "answer_CODE_version", "extra_NAME"}
    document = (settings.BASE_DIR / "docs" / "importing.md").read_text(encoding="utf-8")
    for names, meaning in COLUMN_NAMES:
        assert f"| {', '.join(f'`{name}`' for name in names)} | {meaning} |" in document


def test_the_files_of_the_guide_are_imported(project):
    document = (settings.BASE_DIR / "docs" / "importing.md").read_text(encoding="utf-8")
    table, rows, metadata = re.findall(r"```\n(.*?)```", document, re.DOTALL)
    for content in (table, rows, folder_of_pictures(metadata)):
        report = read(project, content)
        assert {error.code for error in report.errors} <= {"missing_picture"}
        assert report.columns


CODES_IN_MANY_ROWS = {
    "ラベル": ["差別的", "問題なし"],
    "혐오여부": ["혐오", "혐오아님"],
    "annotator_1": ["0", "1"],
    "opinion": ["a", "b", "c"],
    "étiquette": ["oui", "non"],
    "Kategorie": ["1", "2"],
    "odio": ["sí", "no"],
    "标注": ["是", "否"],
}


@pytest.mark.parametrize("name", CODES_IN_MANY_ROWS)
def test_columns_of_codes_ask_in_every_language(project, name):
    values = CODES_IN_MANY_ROWS[name]
    rows = "".join(f"i{n},Post {n}.,{values[n % len(values)]}\n" for n in range(40))
    report = read(project, f"id,text,{name}\n{rows}")
    assert [(error.code, error.field) for error in report.errors] == [("unused_labels", name)]
    assert read(project, f"id,text,{name}\n{rows}", keep=frozenset({"*"})).errors == []


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("split", ["train", "test"]),
        ("platform", ["reddit", "x"]),
        ("gender", ["f", "m"]),
        ("remark", [f"a remark of many words, number {n % 3}" for n in range(40)]),
        ("score", [f"{n / 7:.3f}" for n in range(40)]),
        ("constant", ["x"]),
    ],
)
def test_other_columns_of_few_values_pass(project, name, values):
    rows = "".join(f"i{n},Post {n}.,{values[n % len(values)]!s}\n" for n in range(40)).replace(", number", " number")
    assert read(project, f"id,text,{name}\n{rows}").errors == []
