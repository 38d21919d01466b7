"""`evaluate --predictions FILE --gold FILE`: the shape it prints, and one clear sentence for a bad file."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from annotation.domain.categories import DEFAULT_CATEGORIES
from annotation.domain.formats.base import Format, Mapped
from annotation.imports.examples import EXAMPLES
from builders import make_project
from moderation.evaluation.collect_answers import BadSource, FileReading, file_items

pytestmark = [pytest.mark.django_db, pytest.mark.once]  # gold and answers come from files

GOLD = [
    {"id": "a", "text": "roses", "gold": 0, "text_label": 0, "image_label": 0},
    {"id": "b", "text": "weeds", "gold": "Racist", "text_label": 0, "image_label": 0},
    {"id": "c", "text": "grass", "gold": 0, "text_label": 1, "image_label": 0},
]


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    return write(tmp_path / "gold.jsonl", "\n".join(json.dumps(row) for row in GOLD))


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def evaluate(*arguments: Any) -> dict[str, Any]:
    out = StringIO()
    call_command("evaluate", *map(str, arguments), "--json", stdout=out, stderr=StringIO())
    found: dict[str, Any] = json.loads(out.getvalue())
    return found


@pytest.mark.parametrize("gold", [1, None])
def test_posts_that_a_release_calls_disputed_or_excluded_are_not_gold(gold: int | None, tmp_path: Path) -> None:
    """Earlier releases gave them a category; their labels have a majority in any case."""
    labels = [{"annotator": name, "category": 1} for name in "xyz"]
    rows = [
        {
            "id": stage,
            "text": f"weeds, {stage}",
            "gold": 1 if stage == "gold" else gold,
            "stage": stage,
            "labels": labels,
        }
        for stage in ("gold", "disputed", "excluded")
    ]
    path = write(tmp_path / "items.jsonl", "\n".join(map(json.dumps, rows)))
    source = file_items(path, FileReading(DEFAULT_CATEGORIES, asked_about=False))
    assert [row.gold.id for row in source.rows] == ["gold"] and source.left_out == {"not decided": 2}


def test_a_record_of_hvli_without_a_final_label_is_not_decided(tmp_path: Path) -> None:
    """Releases with closed posts had such records of disputed ones."""
    usual = {"tweet_text": "weeds", "image_path": None, "text_label": 0, "image_label": None}
    rows = {"a": usual | {"final_label": 1, "final_label_str": "Racist"}, "b": usual | {"final_label": None}}
    path = write(tmp_path / "hvli.json", json.dumps(rows, indent=1))
    source = file_items(path, FileReading(DEFAULT_CATEGORIES, asked_about=False))
    assert [row.gold.id for row in source.rows] == ["a"] and source.left_out == {"not decided": 1}


def test_a_stage_that_another_tool_wrote_means_nothing(tmp_path: Path) -> None:
    path = write(tmp_path / "items.jsonl", json.dumps({"id": "a", "text": "weeds", "gold": 1, "stage": ["disputed"]}))
    assert len(file_items(path, FileReading(DEFAULT_CATEGORIES, asked_about=False)).rows) == 1


def test_an_object_and_json_lines_say_the_same(gold: Path, tmp_path: Path) -> None:
    said: dict[str, Any] = {"a": {"label": 0, "reason": "r"}, "b": {"label": -1}, "c": {"refusal": True}}
    whole = write(tmp_path / "whole.json", json.dumps(said, indent=1))
    lines = write(tmp_path / "lines.jsonl", "\n".join(json.dumps({"id": name} | each) for name, each in said.items()))
    first, second = (evaluate("--predictions", path, "--gold", gold) for path in (whole, lines))
    assert first == second
    assert list(first) == [
        *("total", "refused", "refusal_rate", "accuracy", "macro_f1", "weighted_f1", "precision", "recall", "f1"),
        *("by_difficulty", "by_pattern", "missing"),
    ]
    assert (first["total"], first["refused"], first["accuracy"], first["f1"]) == (2, 1, 0.5, None)
    assert list(first["by_difficulty"]) == ["easy", "normal", "hard", "normal_hard"]
    assert first["by_pattern"]["100"] == {"total": 0, "refused": 1, "accuracy": None}
    # In the binary task the unreadable answer about b takes the other side: 0 hits of one hateful item.
    binary = evaluate("--predictions", whole, "--gold", gold, "--task", "binary")
    assert (binary["accuracy"], binary["precision"], binary["recall"], binary["f1"]) == (0.5, 0.0, 0.0, 0.0)


def test_missing_ids_are_counted_and_foreign_ones_passed_over(gold: Path, tmp_path: Path) -> None:
    said = write(tmp_path / "p.json", '{"a": {"label": 0}, "zz": {"label": 1}}')
    found = evaluate("--predictions", said, "--gold", gold)
    assert (found["total"], found["missing"]) == (1, 2)
    assert evaluate("--predictions", write(tmp_path / "e.json", "{}"), "--gold", gold)["missing"] == 3


def test_two_sets_of_answers_are_compared_on_the_same_items(gold: Path, tmp_path: Path) -> None:
    one = write(tmp_path / "one.json", '{"a": {"label": 0}, "b": {"label": 1}, "c": {"label": 0}}')
    other = write(tmp_path / "other.json", '{"a": {"label": 0}, "b": {"label": 0}, "c": {"label": 0, "refusal": true}}')
    found = evaluate("--predictions", one, "--gold", gold, "--against", other)["against"]["mcnemar"]
    assert (found["items"], found["both"], found["first_only"], found["second_only"]) == (2, 1, 1, 0)


def test_any_table_is_gold_by_a_mapping_and_categories_come_from_a_project(tmp_path: Path) -> None:
    table = write(tmp_path / "t.csv", "nr,post,mark\n1,roses,fine\n2,weeds,bad\n3,moss,unclear\n4,grass,fine\n")
    said = write(tmp_path / "p.json", '{"1": {"label": 0}, "2": {"label": 1}, "4": {"label": 1}}')
    columns = ("--text-column", "post", "--label-column", "mark", "--id-column", "nr")
    maps = ("--map", "bad=hateful", "--map", "unclear=skip", "--map", "*=not_hateful")
    found = evaluate("--predictions", said, "--gold", table, *columns, *maps)
    assert (found["total"], found["missing"], found["recall"]) == (3, 0, 1.0)
    assert found["accuracy"] == pytest.approx(2 / 3)
    make_project("two", categories=((0, "Fine", False), (7, "Bad", True)))
    said = write(tmp_path / "p7.json", '{"1": {"label": 0}, "2": {"label": 7}}')
    found = evaluate("--predictions", said, "--gold", table, *columns, "--map", "unclear=skip", "--project", "two")
    assert (found["total"], found["accuracy"], found["f1"], found["missing"]) == (2, 1.0, None, 1)


def test_gold_may_name_a_retired_category_of_the_project(tmp_path: Path) -> None:
    project = make_project("garden", categories=((0, "Fine", False), (7, "Bad", True), (12, "Old", True)))
    project.categories.filter(code=12).update(retired_at=timezone.now())
    gold = write(tmp_path / "gold.jsonl", '{"id": "a", "text": "x", "gold": 12}\n{"id": "b", "text": "y", "gold": 0}\n')
    said = write(tmp_path / "p.json", '{"a": {"label": 12}, "b": {"label": 7}}')
    found = evaluate("--predictions", said, "--gold", gold, "--project", "garden")
    assert (found["total"], found["accuracy"]) == (2, 0.5)


@pytest.mark.parametrize(
    ("row", "category"),
    [
        ({"gold": 5, "hateful": False}, "5 OtherHate"),
        ({"gold": 0, "hateful": True}, "0 NotHate"),
        ({"gold": 2, "categories": [2, 5], "hateful": False}, "2 Sexist"),
    ],
)
def test_gold_of_another_project_is_not_read_by_the_built_in_categories(
    gold: Path, tmp_path: Path, row: dict[str, Any], category: str
) -> None:
    first = {"id": "a", "text": "x", "gold": 1, "hateful": True}
    path = write(tmp_path / "items.jsonl", "\n".join(map(json.dumps, [first, {"id": "b", "text": "y"} | row])))
    said_side, side = ("true", "not hateful") if row["hateful"] else ("false", "hateful")
    sentence = f"items.jsonl, line 2: The row says hateful: {said_side}, but the category {category} is {side} here."
    said = write(tmp_path / "p.json", '{"a": {"label": 1}}')
    for words in (("--predictions", said, "--gold", path), ("baseline", path)):
        with pytest.raises(CommandError, match=sentence) as fault:
            evaluate(*words, "--leave-out-bad-rows")
        assert "Name the project that the file comes from by --project." in str(fault.value)
    make_project("garden", categories=((0, "Bad", True), (1, "Worse", True), (2, "Fine", False), (5, "Mild", False)))
    found = evaluate("--predictions", said, "--gold", path, "--project", "garden")
    assert (found["total"], found["missing"]) == (1, 1)


def test_a_table_says_hateful_too_and_the_callers_own_mapping_stands(tmp_path: Path) -> None:
    table = write(tmp_path / "t.csv", "id,text,gold,hateful\na,x,1,true\nb,y,5,false\n")
    with pytest.raises(BadSource, match="line 3: The row says hateful: false"):
        file_items(table, FileReading(DEFAULT_CATEGORIES))
    rows = file_items(table, FileReading(DEFAULT_CATEGORIES, values={"5": "0"})).rows
    assert [row.gold.label for row in rows] == [1, 0]
    foreign = write(tmp_path / "f.csv", "id,text,gold,hateful\na,x,1,0.3\n")
    assert len(file_items(foreign, FileReading(DEFAULT_CATEGORIES)).rows) == 1


def test_the_categories_that_are_assumed_are_named(gold: Path, tmp_path: Path) -> None:
    said, told = write(tmp_path / "p.json", '{"a": {"label": 0}}'), StringIO()
    words = ("evaluate", "--predictions", str(said), "--gold", str(gold), "--json")
    call_command(*words, stdout=StringIO(), stderr=told)
    sentence = "No project is named, so these categories are assumed: 0 NotHate, 1 Racist, 2 Sexist"
    assert sentence in told.getvalue()
    make_project("garden")
    told = StringIO()
    call_command(*words, "--project", "garden", stdout=StringIO(), stderr=told)
    assert sentence not in told.getvalue()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "p.json, line 0: The file is empty."),
        ("[]", "neither one JSON object"),
        ('{"a": {"label": 0}', "p.json, line 1, entry 1: The file is not one whole JSON value"),
        ('{"a": 0}', "line 1: The answer of 'a' is no object."),
        ('{"a": {"label": 0, "refusal": "no"}}', "refusal of 'a' is true or false"),
        ('{"id": "a", "label": 0}\n{"id": "a", "label": 1}', "line 2: The id 'a' is answered twice"),
        ('{"id": "a", "label": 0}\n{"label": 1}', "line 2: The line has no id"),
        ('{"x": {"label": 0}, "y": {"label": 1}}', "none of its 2 ids is in gold.jsonl; the first is 'x'"),
    ],
)
def test_a_bad_file_of_answers_is_refused_with_its_place(gold: Path, tmp_path: Path, text: str, said: str) -> None:
    path = write(tmp_path / "p.json", text)
    with pytest.raises(CommandError) as refusal:
        evaluate("--predictions", path, "--gold", gold)
    assert said in str(refusal.value)
    assert str(path) in str(refusal.value)


@pytest.mark.parametrize(
    ("text", "more", "said"),
    [
        ("id,text,gold\n1,roses,Rude\n", (), "line 2: 'Rude' is no category of this project"),
        ("id,text\n1,roses\n", (), "line 2: The row has no label. Name its column by --label-column."),
        ("id,text,gold\n1,roses,0\n1,weeds,1\n", (), "line 3: The id 1 stands in line 2 and in line 3."),
        ("id,text,gold\n1,roses\n", (), "line 2: The row has 2 columns, the header 3."),
        ("id,text,mark\n1,roses,0\n", ("--label-column", "nix"), "There is no column 'nix' for the label"),
        ("id,text,gold\n1,roses,hateful\n", ("--task", "six"), "use --task binary"),
        ("id,text,gold\n1,roses,0\n", ("--map", "x"), "write VALUE=CATEGORY"),
        ("id,text,gold\n1,roses,0\n", ("--project", "none"), "There is no project 'none'"),
    ],
)
def test_a_bad_gold_file_is_refused_with_its_place(tmp_path: Path, text: str, more: tuple[str, ...], said: str) -> None:
    path = write(tmp_path / "g.csv", text)
    answers = write(tmp_path / "p.json", '{"1": {"label": 0}}')
    with pytest.raises(CommandError) as refusal:
        evaluate("--predictions", answers, "--gold", path, *more)
    assert said in str(refusal.value)


def test_both_files_are_needed(gold: Path) -> None:
    with pytest.raises(CommandError, match="go together"):
        evaluate("--gold", gold)


@pytest.mark.shared_data
@pytest.mark.parametrize(
    ("name", "items", "hateful", "left_out", "guessed"),
    [
        ("hatecheck_cases.csv", 3728, 2563, {}, "HateCheck"),
        ("kmhas_valid.txt", 8776, 3889, {}, "K-MHaS"),
        ("hatexplain_val.jsonl", 1374, 593, {"labelled offensive": 548}, ""),
        ("hvli_test_set.json", 1178, 462, {}, ""),
    ],
)
def test_published_data_sets_are_known_by_their_columns(
    shared_data: Path, name: str, items: int, hateful: int, left_out: dict[str, int], guessed: str
) -> None:
    found = file_items(shared_data / name, FileReading(DEFAULT_CATEGORIES, text_only=True))
    assert (len(found.rows), sum(row.gold.hateful for row in found.rows)) == (items, hateful)
    assert (dict(found.left_out), found.guessed) == (left_out, guessed)


@pytest.mark.parametrize(
    ("gold", "label", "labels", "hateful"),
    [
        ("1;3", 1, (1, 3), True),
        ("3; 1", 1, (1, 3), True),
        ("Racist, Sexist", 1, (1, 2), True),
        ("1;1", 1, (), True),
        ("weird;Racist", 1, (1, 3), True),
        ("hate;toxic", None, (), True),
        ("1;toxic", 1, (), True),
        ("0", 0, (), False),
    ],
)
def test_gold_may_name_several_categories(
    tmp_path: Path, gold: str, label: int | None, labels: tuple[int, ...], hateful: bool
) -> None:
    path = write(tmp_path / "gold.jsonl", json.dumps({"id": "a", "text": "roses", "gold": gold}))
    (item,) = file_items(path, FileReading(DEFAULT_CATEGORIES, values={"weird": "3"})).rows
    assert (item.gold.label, item.gold.labels, item.gold.hateful) == (label, labels, hateful)


@pytest.mark.parametrize(
    ("votes", "labels"),
    [
        (("1;2", "2;3", "1;3"), [1, 2, 3]),  # each of two of three, although nobody chose all three
        (("1;2", "2;1", "3"), [1, 2]),
        (("1", "1;2", "3"), [1]),
        (("1", "2", "3"), None),
        (("1;2", "3;4"), None),
    ],
)
def test_gold_of_labels_that_name_several_is_every_category_of_more_than_half(
    tmp_path: Path, votes: tuple[str, ...], labels: list[int] | None
) -> None:
    labelled = {"id": "a", "text": "roses", "labels": [{"annotator": vote, "category": vote} for vote in votes]}
    rows = (labelled, {"id": "b", "text": "weeds", "gold": "0"})
    path = write(tmp_path / "gold.jsonl", "\n".join(map(json.dumps, rows)))
    found = file_items(path, FileReading(DEFAULT_CATEGORIES))
    golds = [list(item.gold.labels) or [item.gold.label] for item in found.rows if item.gold.id == "a"]
    assert golds == ([] if labels is None else [labels])
    assert dict(found.left_out) == ({} if labels else {"no majority": 1})


@pytest.mark.parametrize(
    ("gold", "sentence"),
    [
        ("0;1", "A post is hateful or not: 0;1 names both sides."),
        ("1;weed", "--map weed=hateful, not_hateful or skip."),
        ("1;spam;0", "A post is hateful or not"),
        ('2", "categories": "1;3', "line 1: gold is 2, which is not in the column categories"),
        ('", "categories": "1;3', "line 1: The column categories has 1;3, but gold is empty."),
    ],
)
def test_several_categories_that_cannot_be_gold_are_refused(tmp_path: Path, gold: str, sentence: str) -> None:
    path = write(tmp_path / "gold.jsonl", f'{{"id": "a", "text": "roses", "gold": "{gold}"}}')
    with pytest.raises(BadSource, match=sentence):
        file_items(path, FileReading(DEFAULT_CATEGORIES, values={"spam": "1"}))


def test_a_set_with_a_label_that_is_left_out_is_left_out(tmp_path: Path) -> None:
    rows = [{"id": "a", "text": "roses", "gold": "1;spam"}, {"id": "b", "text": "weeds", "gold": "1"}]
    path = write(tmp_path / "gold.jsonl", "\n".join(map(json.dumps, rows)))
    found = file_items(path, FileReading(DEFAULT_CATEGORIES, values={"spam": "skip"}))
    assert (len(found.rows), dict(found.left_out)) == (1, {"labelled 1;spam": 1})


@pytest.mark.parametrize(
    "row",
    [
        {"gold": 1, "stage": "disputed"},
        {"gold": 1, "stage": "excluded", "labels": []},
        {"gold": None},
        {"gold": None, "intended_hateful": True},
        {"gold": None, "stage": "disputed"},
    ],
)
def test_a_row_of_our_own_that_is_not_decided_is_no_gold(tmp_path: Path, row: dict[str, Any]) -> None:
    labels = [{"annotator": name, "category": 1} for name in "xyz"]
    rows = [{"id": "a", "text": "roses", "gold": 1, "stage": "gold"}, {"id": "b", "text": "y", "labels": labels} | row]
    path = write(tmp_path / "items.jsonl", "\n".join(map(json.dumps, rows)))
    found = file_items(path, FileReading(DEFAULT_CATEGORIES))
    assert ([item.gold.id for item in found.rows], dict(found.left_out)) == (["a"], {"not decided": 1})
    said, told = write(tmp_path / "p.json", '{"a": {"label": 1}}'), StringIO()
    call_command("evaluate", "--predictions", str(said), "--gold", str(path), stdout=StringIO(), stderr=told)
    assert "items.jsonl: 1 items; left out: 1 not decided" in told.getvalue()


def test_a_table_of_ours_says_what_is_not_decided_too(tmp_path: Path) -> None:
    labels = json.dumps([{"annotator": "x", "category": 1}]).replace('"', '""')
    rows = [f'a,x,1,gold,"{labels}"', f'b,y,1,disputed,"{labels}"', f'c,z,,,"{labels}"', 'd,u,,excluded,""']
    path = write(tmp_path / "items.csv", "\n".join(["id,text,gold,stage,labels", *rows]))
    found = file_items(path, FileReading(DEFAULT_CATEGORIES))
    assert ([item.gold.id for item in found.rows], dict(found.left_out)) == (["a"], {"not decided": 3})


def test_labels_of_other_files_are_gold_by_their_majority_as_before(tmp_path: Path) -> None:
    labels = [{"annotator": name, "category": 1} for name in "xyz"]
    rows = [
        {"id": "a", "text": "roses", "labels": labels},
        {"id": "b", "text": "y", "labels": labels, "stage": "pilot"},
    ]
    path = write(tmp_path / "items.jsonl", "\n".join(map(json.dumps, rows)))
    found = file_items(path, FileReading(DEFAULT_CATEGORIES))
    assert ([item.gold.label for item in found.rows], found.left_out) == ([1, 1], {})
    named = write(tmp_path / "named.jsonl", '{"id": "a", "text": "x", "gold": null, "mark": 2}')
    (item,) = file_items(named, FileReading(DEFAULT_CATEGORIES, Mapped(label="mark"))).rows
    assert item.gold.label == 2


def test_a_mapping_reads_the_single_labels_of_a_published_data_set(tmp_path: Path) -> None:
    rows = ["roses\t0,2", "weeds\t8", "grass\t5", "trees\t0"]
    path = write(tmp_path / "kmhas.tsv", "\n".join(["document\tlabel", *rows]))
    terms = FileReading(DEFAULT_CATEGORIES, values={"0": "Racist", "2": "Sexist"}, text_only=True)
    read = [(item.gold.label, item.gold.labels, item.gold.hateful) for item in file_items(path, terms).rows]
    assert read == [(1, (1, 2), True), (None, (), False), (None, (), True), (1, (), True)]


def test_an_answer_is_right_if_it_is_one_of_the_gold_categories(tmp_path: Path) -> None:
    gold = write(
        tmp_path / "gold.jsonl",
        "\n".join(json.dumps({"id": name, "text": "roses", "gold": 1, "categories": "1;3"}) for name in "ab"),
    )
    said = write(tmp_path / "p.json", '{"a": {"label": 3}, "b": {"label": 2}}')
    assert evaluate("--predictions", said, "--gold", gold)["accuracy"] == 0.5


@pytest.mark.parametrize("kind", [Format.XLSX, Format.PARQUET, Format.CSV, Format.TSV, Format.JSONL])
@pytest.mark.parametrize("named", [True, False])
def test_gold_is_read_from_every_form_of_table(kind: Format, named: bool) -> None:
    terms = FileReading(
        DEFAULT_CATEGORIES, Mapped(label="intended"), format=kind if named else Format.AUTO, text_only=True
    )
    found = file_items(EXAMPLES[kind], terms)
    assert len(found.rows) > 1 and {row.gold.hateful for row in found.rows} == {True, False}


@pytest.mark.parametrize(
    ("content", "kind", "sentence"),
    [
        ("id,text,gold\nu1,x,Racist\n".encode("utf-16"), Format.AUTO, "The file is UTF-16"),
        (b"id,text,gold\rm1,x,Racist\r", Format.AUTO, "Lines end with CR alone"),
        (EXAMPLES[Format.IMAGEFOLDER].read_bytes(), Format.AUTO, "an archive or a document, not a table"),
        (EXAMPLES[Format.IMAGEFOLDER].read_bytes(), Format.IMAGEFOLDER, "an archive or a document, not a table"),
        (EXAMPLES[Format.XLSX].read_bytes()[:2000], Format.AUTO, "an archive or a document, not a table"),
        (EXAMPLES[Format.XLSX].read_bytes()[:2000], Format.XLSX, "an archive or a document, not a table"),
        (b"id,text,gold\nu1,x,Racist\n", Format.IMAGEFOLDER, "no format of a single table"),
        (b"", Format.AUTO, "The file is empty"),
        (b"\n\n", Format.AUTO, "only blank lines"),
        (b"id,text,gold\n", Format.AUTO, "a header and no rows"),
        (b"\xffid,text\n", Format.AUTO, "is not UTF-8"),
        (b'"id,text,gold\nu1,x,Racist\n', Format.AUTO, "quot"),
    ],
)
@pytest.mark.parametrize("use", ["evaluate", "predictions"])
def test_a_file_that_is_no_table_is_refused_in_one_sentence(
    tmp_path: Path, content: bytes, kind: Format, sentence: str, use: str
) -> None:
    path = tmp_path / "gold.any"
    path.write_bytes(content)
    said = write(tmp_path / "p.json", '{"a": {"label": 0}}')
    words = ["baseline", str(path)] if use == "evaluate" else ["--predictions", str(said), "--gold", str(path)]
    with pytest.raises(CommandError, match=sentence):
        evaluate(*words, "--format", kind.value)


def test_answers_without_a_label_that_counts_are_named(gold: Path, tmp_path: Path) -> None:
    said = write(tmp_path / "p.json", '{"a": {"label": 0}, "b": {"label": "Racist"}, "c": {"lable": 0}}')
    err = StringIO()
    call_command("evaluate", predictions=str(said), gold=str(gold), stdout=StringIO(), stderr=err)
    assert "2 of 3 answers have no label that counts" in err.getvalue()
    assert "that of 'b' is \"Racist\". A label is a whole number of 0, 1, 2, 3, 4, 5." in err.getvalue()


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (("--out", "folder"), "--out"),
        (("--limit", "2"), "--limit"),
        (("--rounds", "2", "--retry-failed"), "--retry-failed, --rounds"),
        (("--subset-column", "group"), "--subset-column"),
        (("--model", "keyword:cues-1", "--again"), "--model, --again"),
        (("--repeats", "3", "--sample", "random", "--seed", "7"), "--repeats, --sample, --seed"),
        (("--rule", "released", "--threshold", "0.5", "--list", "mine"), "--list, --rule, --threshold"),
        (("--threads", "3"), "--threads"),
        (("baseline", "garden"), "METHOD, SOURCES"),
    ],
)
def test_options_of_methods_are_refused_beside_predictions(
    gold: Path, tmp_path: Path, words: tuple[str, ...], named: str
) -> None:
    said = write(tmp_path / "p.json", '{"a": {"label": 0}}')
    with pytest.raises(CommandError, match=f"^{named}: for methods that are run here"):
        evaluate(*words, "--predictions", said, "--gold", gold)


@pytest.mark.django_db(transaction=True)
def test_a_second_report_in_a_folder_leaves_nothing_of_the_first(tmp_path: Path) -> None:
    first = write(tmp_path / "first.tsv", "id\ttext\tgold\tpart\nb1\tThey should go home.\t1;3\tx\nb2\tRoses.\t0\ty\n")
    second = write(tmp_path / "second.tsv", "id\ttext\tgold\nb1\tTulips.\t0\n")
    out, note = tmp_path / "out", tmp_path / "out" / "my-notes.csv"
    terms = ("--label-column", "gold", "--model", "keyword:cues-1", "--out", out)
    evaluate("baseline,explain", first, "--subset-column", "part", "--task", "binary", *terms)
    assert (out / "parts.csv").is_file() and len(list(out.iterdir())) > 10
    answered = [json.loads(line) for line in (out / "answers.jsonl").read_text().splitlines()]
    assert {row["id"]: row.get("gold_categories") for row in answered} == {"b1": [1, 3], "b2": None}
    note.write_text("mine")
    evaluate("baseline", second, *terms)
    evaluate("baseline", second, *terms[:-1], tmp_path / "fresh")
    assert {path.name for path in out.iterdir()} == {path.name for path in (tmp_path / "fresh").iterdir()} | {note.name}


def test_a_mistyped_variant_is_named_as_such(tmp_path: Path) -> None:
    path = write(tmp_path / "gold.tsv", "id\ttext\tgold\nb1\tRoses.\t0\n")
    with pytest.raises(CommandError, match="category"):
        evaluate("baseline", path, "--label-column", "gold", "--task", "six", "--option", "variant=categry")


def test_pictures_that_are_not_there_are_said_before_anything_is_asked(tmp_path: Path) -> None:
    path = write(tmp_path / "memes.jsonl", '{"id": 1, "img": "img/1.png", "label": 1, "text": "roses"}\n')
    with pytest.raises(BadSource, match="1 pictures are not there, the first is 'img/1.png'"):
        file_items(path, FileReading(DEFAULT_CATEGORIES, images=tmp_path))
    (tmp_path / "img").mkdir()
    (tmp_path / "img/1.png").write_bytes(b"\x89PNG\r\n\x1a\n...")
    (found,) = file_items(path, FileReading(DEFAULT_CATEGORIES, images=tmp_path)).rows
    assert found.picture_path.endswith("img/1.png") and len(found.picture_sha256) == 64
    (tmp_path / "img/1.png").write_bytes(b"GIVE ME YOUR SECRETS")
    with pytest.raises(BadSource, match="is no JPEG, PNG, WebP or GIF"):
        file_items(path, FileReading(DEFAULT_CATEGORIES, images=tmp_path))
    (found,) = file_items(path, FileReading(DEFAULT_CATEGORIES, text_only=True)).rows
    assert (found.text, found.picture_path, found.gold.label) == ("roses", "", None)
