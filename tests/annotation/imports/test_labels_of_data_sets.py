"""Labels of data sets as they are published: a column for each category, levels in columns, lists of codes."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from annotation.domain.choices import Role
from annotation.models import Import, Label
from builders import make_member, make_project
from label_files import SEVERAL, File, check_labels, check_page, command, lines, stored, table
from question_builders import make_all_questions

pytestmark = [pytest.mark.django_db, pytest.mark.once]
UNSMILE = (
    ("문장", "여성/가족", "지역", "기타 혐오", "clean", "개인지칭"),
    ("골목에 또 잡초들이 자라네", 0, 1, 0, 0, 0),
    ("김밥 먹으러 갈 사람", 0, 0, 0, 1, 0),
    ("새로 온 사람들 때문에 시끄럽다", 0, 1, 1, 0, 1),
)
NAMED_UNSMILE = (
    *("--text-column", "문장", "--category-column", "여성/가족=2", "--category-column", "지역=1"),
    *("--category-column", "기타 혐오=5", "--category-column", "clean=0", "--keep-column", "개인지칭"),
)
JIGSAW = (("id", "comment_text", "racist", "sexist"), ("a", "One.", 1, 0), ("b", "Two.", 0, 0), ("c", "Three.", 0, 1))
NAMED_JIGSAW = ("--text-column", "comment_text", "--category-column", "racist", "--category-column", "sexist")

A_COLUMN_FOR_EACH_CATEGORY = {
    "UnSmile, unnamed": File(
        table(*UNSMILE, mark="\t"), ("--text-column", "문장"),
        refused=("'여성/가족', '지역', '기타 혐오', 'clean', '개인지칭' hold 0 and 1", "one category each"),
    ),
    "UnSmile, one category a post": File(
        table(*UNSMILE[:3], mark="\t"), NAMED_UNSMILE, {UNSMILE[1][0]: 1, UNSMILE[2][0]: 0}
    ),
    "UnSmile, several where one is asked": File(
        table(*UNSMILE, mark="\t"), NAMED_UNSMILE, refused=("This project takes one category for a post, not several.",)
    ),
    "UnSmile, several": File(
        table(*UNSMILE, mark="\t"), NAMED_UNSMILE, {UNSMILE[1][0]: 1, UNSMILE[2][0]: 0, UNSMILE[3][0]: [1, 5]},
        design=SEVERAL,
    ),
    "two in one row, mapped to one": File(
        table(*UNSMILE, mark="\t"), (*NAMED_UNSMILE, "--map", "1;5=1"),
        {UNSMILE[1][0]: 1, UNSMILE[2][0]: 0, UNSMILE[3][0]: 1},
    ),
    "Jigsaw, unnamed": File(
        table(*JIGSAW), ("--text-column", "comment_text"), refused=("'racist', 'sexist' hold 0 and 1",)
    ),
    "Jigsaw, a row of none": File(
        table(*JIGSAW), NAMED_JIGSAW, refused=("None of the columns of one category each holds a 1",)
    ),
    "Jigsaw, none is harmless": File(
        table(*JIGSAW), (*NAMED_JIGSAW, "--none-is", "NotHate", "--label-is", "gold"),
        {"One.": 1, "Two.": 0, "Three.": 2},
    ),
    "Jigsaw, none is no label": File(
        table(*JIGSAW), (*NAMED_JIGSAW, "--none-is", "skip"), {"One.": 1, "Two.": None, "Three.": 2}
    ),
    "Jigsaw's test part, where -1 is no label": File(
        table(*JIGSAW, ("d", "Four.", -1, -1)), (*NAMED_JIGSAW, "--none-is", "0", "--map=-1=skip"),
        {"One.": 1, "Two.": 0, "Three.": 2, "Four.": None},
    ),
    "shares in place of marks": File(
        table(*JIGSAW[:2], ("d", "Four.", "0.83", "0")), (*NAMED_JIGSAW, "--none-is", "0"),
        refused=("racist is '0.83'. A column of one category, or of one option, holds 1 or 0, or nothing.",),
    ),
    "true and false, and a point": File(
        lines({"id": 1, "text": "One.", "racist": True, "sexist": 0.0}, {"id": 2, "text": "Two.", "sexist": "1.0"}),
        NAMED_JIGSAW[2:], {"One.": 1, "Two.": 2},
    ),
    "a column that is not there": File(
        table(*JIGSAW), (*NAMED_JIGSAW, "--category-column", "rude=5"), refused=("no column 'rude' for the category 5",)
    ),
    "no category of the project": File(
        table(("text", "rude"), ("One.", 1)), ("--category-column", "rude"), refused=("'rude' is no category",)
    ),
    "of annotators, a row each": File(
        table(("id", "text", "who", "racist", "clean"), (1, "One.", "a", 1, 0), (1, "One.", "b", 0, 1)),
        ("--category-column", "racist", "--category-column", "clean=0", "--annotator-column", "who",
         "--label-is", "seat"),
        {"One.": {"a": 1, "b": 0}},
    ),
    "flags about a post": File(
        table(("text", "is_reply", "has_link", "isQuote"), ("One.", 1, 0, 1), ("Two.", 0, 0, 1)), (),
        {"One.": None, "Two.": None},
    ),
    "beside a label column": File(
        table(*JIGSAW), (*NAMED_JIGSAW, "--label-column", "racist"), refused=("Name a label column, or columns of",)
    ),
}  # fmt: skip

COLD = (
    ("", "split", "topic", "label", "fine-grained-label", "TEXT"),
    (0, "test", "region", 1, 2, "巷子里又长杂草了"),
    (1, "test", "race", 0, 3, "今天去吃面"),
    (2, "test", "gender", 1, 1, "新搬来的人太吵"),
)
KOLD = [
    {"guid": "n_0", "title": "동네 소식", "comment": "골목에 또 잡초들이 자라네", "off": True, "TGT": "group",
     "GRP": "others", "OFF_span": "잡초들", "raw_labels": [{"off": True}, {"off": False}, {"off": True, "TGT": None}]},
    {"guid": "n_1", "title": "동네 소식", "comment": "고양이 귀엽다", "off": False, "TGT": None, "GRP": None,
     "OFF_span": None, "raw_labels": [{"off": False}, {"off": False}, {"off": False}]},
]  # fmt: skip
TOXICN = (
    ("", "platform", "topic", "content", "toxic", "toxic_type", "expression", "target"),
    (0, "zhihu", "gender", "巷子里又长杂草了", 1, 2, 1, "[1, 0, 0, 0, 0]"),
    (1, "tieba", "region", "今天去吃面", 0, 0, 0, "[0, 0, 0, 0, 0]"),
)
SWSR = (
    ("index", "comment_text", "gender", "label", "category", "target"),
    (7, "巷子里又长杂草了", "f", 1, "SCB", "G"), (8, "今天去吃面", "m", 0, "", ""),
)  # fmt: skip
BEEP = (
    ("comments", "contain_gender_bias", "bias", "hate"),
    ("골목에 또 잡초들이 자라네", "False", "others", "offensive"), ("고양이 귀엽다", "False", "none", "none"),
    ("새로 온 사람들 때문에 시끄럽다", "True", "gender", "hate"),
)  # fmt: skip
K_MHAS = (("document", "label"), ("골목에 또 잡초들이 자라네", "1,5"), ("고양이 귀엽다", 0), ("새로 온 사람들", 2))
MHS = (
    ("comment_id", "annotator_id", "hatespeech", "text", "hate_speech_score", "target_race"),
    (1, 10, "2.0", "One.", 0.46, "True"), (2, 10, "0.0", "Two.", -2.1, "False"), (1, 11, "1.0", "One.", 0.46, "True"),
)  # fmt: skip
OF_COLD = ("--text-column", "TEXT", "--label-is", "gold")
DATA_SETS = {
    "COLD, its two levels unnamed": File(
        table(*COLD), (*OF_COLD, "--label-column", "label"), refused=("'fine-grained-label' looks like labels",)
    ),
    "COLD, by hateful or not": File(
        table(*COLD), (*OF_COLD, "--label-column", "label", "--keep-column", "fine-grained-label"),
        {COLD[1][5]: 1, COLD[2][5]: 0, COLD[3][5]: 1},
    ),
    "COLD with its mark, by the finer level": File(
        table(*COLD).encode("utf-8-sig"),
        (*OF_COLD, "--label-column", "fine-grained-label", "--keep-column", "label", "--map", "3=0", "--map", "1=5"),
        {COLD[1][5]: 2, COLD[2][5]: 0, COLD[3][5]: 5},
    ),
    "COLD in the encoding of Chinese Windows": File(
        table(*COLD).encode("gb18030"),
        (*OF_COLD, "--encoding", "gb18030", "--label-column", "label", "--keep-column", "fine-grained-label"),
        {COLD[1][5]: 1, COLD[2][5]: 0, COLD[3][5]: 1},
    ),
    "ToxiCN": File(
        table(*TOXICN), ("--text-column", "content", "--label-column", "toxic", "--keep-column", "toxic_type"),
        {TOXICN[1][3]: 1, TOXICN[2][3]: 0},
    ),
    "SWSR": File(
        table(*SWSR),
        ("--text-column", "comment_text", "--id-column", "index", "--label-column", "label", "--map", "1=2",
         "--keep-column", "category"),
        {SWSR[1][1]: 2, SWSR[2][1]: 0},
    ),
    "BEEP!": File(
        table(*BEEP, mark="\t"),
        ("--text-column", "comments", "--label-column", "hate", "--map", "hate=5", "--map", "offensive=5",
         "--map", "none=0", "--keep-column", "bias", "--keep-column", "contain_gender_bias"),
        {BEEP[1][0]: 5, BEEP[2][0]: 0, BEEP[3][0]: 5},
    ),
    "K-MHaS": File(
        table(*K_MHAS, mark="\t"), ("--text-column", "document", "--label-column", "label"),
        {K_MHAS[1][0]: [1, 5], K_MHAS[2][0]: 0, K_MHAS[3][0]: 2}, design=SEVERAL,
    ),
    "K-MHaS where one category is asked": File(
        table(*K_MHAS, mark="\t"), ("--text-column", "document", "--label-column", "label"),
        refused=("This project takes one category for a post, not several.",),
    ),
    "KOLD, three people a post": File(
        json.dumps(KOLD, ensure_ascii=False),
        ("--format", "jsonl", "--text-column", "comment", "--id-column", "guid", "--label-column", "raw_labels.off",
         "--map", "true=1", "--map", "false=0"),
        {KOLD[0]["comment"]: {"source-1": 1, "source-2": 0, "source-3": 1},
         KOLD[1]["comment"]: dict.fromkeys(("source-1", "source-2", "source-3"), 0)},
    ),
    "KOLD, what its authors decided": File(
        json.dumps(KOLD, ensure_ascii=False),
        ("--format", "jsonl", "--text-column", "comment", "--id-column", "guid", "--label-column", "off",
         "--label-is", "gold", "--map", "true=1", "--map", "false=0", "--keep-column", "raw_labels"),
        {KOLD[0]["comment"]: 1, KOLD[1]["comment"]: 0},
    ),
    "MHS": File(
        table(*MHS),
        ("--id-column", "comment_id", "--label-column", "hatespeech", "--annotator-column", "annotator_id",
         "--label-is", "seat", "--map", "2.0=1", "--leave-out", "*"),
        {"One.": {"10": 1, "11": 1}, "Two.": {"10": 0}},
    ),
}  # fmt: skip


FILES = {**DATA_SETS, **A_COLUMN_FOR_EACH_CATEGORY}


@pytest.mark.parametrize("name", FILES)
def test_labels_come_in_by_one_command_or_one_sentence_says_what_to_do(name: str, tmp_path: Path) -> None:
    check_labels(FILES[name], tmp_path)


@pytest.mark.parametrize("name", FILES)
def test_the_page_can_ask_for_all_that_the_command_asks_for(name: str) -> None:
    check_page(FILES[name])


def test_the_report_says_what_each_column_became(tmp_path: Path) -> None:
    make_all_questions(make_project("garden"))
    path = tmp_path / "file"
    path.write_text(table(("text", "racist", "clean", "hate", "x"), ("One.", 1, 0, 5, "a")))
    named = ("--category-column", "racist", "--category-column", "clean=0", "--answer-column", "hate=severity")
    answer, words = command(path, *named, "--label-is", "seat")
    became = {column["name"]: column["became"] for column in answer["columns"]}
    assert became == {"text": "text", "racist": "label: seat", "clean": "label: seat", "hate": "answers", "x": "kept"}
    assert "column racist → label: seat, 1 rows: 1 1" in words


def test_the_page_reads_columns_of_0_and_1_by_one_button(client: Client) -> None:
    project = make_project("garden")
    client.force_login(make_member(project, Role.ADMIN).user)
    content = table(("id", "text", "racist", "nothate"), ("a", "One.", 1, 0), ("b", "Two.", 0, 1)).encode()
    client.post(reverse("annotation:import", args=["garden"]), {"file": SimpleUploadedFile("x.csv", content)})
    row = Import.objects.get()
    page = client.get(reverse("annotation:import-show", args=["garden", row.public_id])).content.decode()
    assert "Each stands for the category that it is called after" in page and "hold 0 and 1" in page
    act = reverse("annotation:import-act", args=["garden", row.public_id])
    client.post(act, {"do": "use_category_columns"})
    client.post(act, {"do": "store"})
    assert stored(project) == {"One.": 1, "Two.": 0}


ANSWERS: dict[str, tuple[str, tuple[str, ...], dict[str, Any]]] = {
    "a level in a further column": (
        table(*COLD),
        ("--text-column", "TEXT", "--label-column", "label", "--answer-column", "fine-grained-label=severity"),
        {COLD[1][5]: {"severity": 2}, COLD[2][5]: {"severity": 3}, COLD[3][5]: {"severity": 1}},
    ),
    "columns of options": (
        table(
            ("text", "label", "t_w", "t_m", "why"), ("One.", 1, 1, 1, "Hm."), ("Two.", 0, 0, 0, ""),
            ("Three.", 1, "", 1.0, ""),
        ),
        ("--label-column", "label", "--answer-column", "t_w=targets.women", "--answer-column", "t_m=targets.migrants",
         "--answer-column", "why"),
        {"One.": {"targets": ["migrants", "women"], "why": "Hm."}, "Two.": {}, "Three.": {"targets": ["migrants"]}},
    ),
    "scales that pandas wrote": (
        table(("text", "label", "hate"), ("One.", 1, "4.0"), ("Two.", 0, "nan"), ("Three.", "", "2.0")),
        ("--label-column", "label", "--answer-column", "hate=severity", "--map", "nan=skip"),
        {"One.": {"severity": 4}, "Two.": {}},
    ),
    "beside columns of categories": (
        table(("text", "racist", "clean", "hate"), ("One.", 1, 0, 5)),
        ("--category-column", "racist", "--category-column", "clean=0", "--answer-column", "hate=severity"),
        {"One.": {"severity": 5}},
    ),
}  # fmt: skip


def import_answers(tmp_path: Path, content: str, *arguments: str) -> dict[str, Any]:
    make_all_questions(make_project("garden"))
    (tmp_path / "file").write_text(content)
    return command(tmp_path / "file", *arguments)[0]


@pytest.mark.parametrize("name", ANSWERS)
def test_further_columns_answer_questions_of_the_project(name: str, tmp_path: Path) -> None:
    content, arguments, expected = ANSWERS[name]
    answer = import_answers(tmp_path, content, *arguments, "--label-is", "seat")
    assert answer["errors"] == []
    rows = Label.objects.order_by("pk").values_list("item__text", "answers")
    assert {text: {code: part["value"] for code, part in said.items()} for text, said in rows} == expected
    check_page(File(content, (*arguments, "--label-is", "seat")))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("x=severity",), "Answers belong to labels of people"),
        (("x=colour", "--label-is", "seat"), "asks no question 'colour'"),
        (("y=severity", "--label-is", "seat"), "no column 'y' for the answer"),
        (("x=targets.women", "--label-is", "seat"), "of one option, holds 1"),
    ],
)
def test_an_answer_that_does_not_fit_is_told(arguments: tuple[str, ...], words: str, tmp_path: Path) -> None:
    content = table(("text", "label", "x"), ("One.", 1, 3))
    answer = import_answers(tmp_path, content, "--label-column", "label", "--answer-column", *arguments)
    (error,) = answer["errors"]
    assert words in error["reason"]
