"""Headers as tables of people have them: of two rows, of no names, and with names that nobody wrote down before."""

import io
from typing import Any

import pytest

from annotation.domain.formats.base import LabelUse, Mapped
from annotation.domain.formats.csv import named_apart
from annotation.domain.sources.text_names import is_text_name, text_first
from annotation.imports.options import ImportOptions
from annotation.imports.report import ImportReport
from annotation.imports.run import import_file
from annotation.models import Item, Label, Project
from builders import make_project
from label_files import workbook

NAMES = (
    ("merged cells", "||Ann||Bob|", "id|text|label|sure|label|sure", "id|text|Ann label|Ann sure|Bob label|Bob sure"),
    ("nothing above", "", "id|text|label|label", "id|text|label|label"),
    ("a title above", "Garden|||", "id|text|label|note", "id|text|label|note"),
    ("a title above two of a name", "Garden|||", "id|text|label|label", "id|text|Garden label|Garden label"),
    ("fewer cells above", "|Ann", "label|label", "label|Ann label"),
    ("more cells above", "Ann|Bob|Cy", "label|label", "Ann label|Bob label"),
    ("empty names", "Ann|Bob|Cy", "||x", "||x"),
)


@pytest.mark.parametrize(("above", "names", "expected"), [case[1:] for case in NAMES], ids=[case[0] for case in NAMES])
def test_names_that_stand_twice_begin_with_what_stands_above(above: str, names: str, expected: str) -> None:
    assert named_apart(names.split("|"), above.split("|")) == expected.split("|")


ROWS = [
    ["A study of gardens", "", "", "", ""],
    ["", "", "Ann", "Bob", ""],
    ["id", "text", "label", "label", "note"],
    ["1", "A first post.", "0", "1", "x"],
    ["2", "A second one.", "1", "1", "y"],
]


def read(content: bytes, **said: Any) -> tuple[Project, ImportReport]:
    project = make_project()
    mapped = said.pop("mapped", Mapped())
    return project, import_file(project, io.BytesIO(content), ImportOptions(mapped=mapped, **said))


@pytest.mark.parametrize("kind", ["csv", "workbook"])
def test_a_header_of_two_rows_is_read_with_both(db: None, kind: str) -> None:
    content = workbook(*ROWS) if kind == "workbook" else "\n".join(",".join(row) for row in ROWS).encode()
    _, asked = read(content)
    first = asked.first_rows
    assert (first["header_line"], first["columns"]) == (3, ["id", "text", "Ann label", "Bob label", "note"])
    mapped = Mapped(raters=("Ann label", "Bob label"), label_is=LabelUse.SEAT)
    project, report = read(content, mapped=mapped, header_line=3)
    assert report.stored and report.kept == ["note"]
    labels = Label.objects.filter(item__project=project).order_by("pk")
    given = labels.values_list("item__external_id", "annotator__imported_name", "category__code")
    assert set(given) == {("1", "Ann label", 0), ("1", "Bob label", 1), ("2", "Ann label", 1), ("2", "Bob label", 1)}


def test_names_that_nothing_tells_apart_say_what_to_do(db: None) -> None:
    _, report = read(b"id,text,label,label\n1,A post.,0,1\n")
    (error,) = report.errors
    assert error.reason == "The column 'label' stands twice in the header. Give each column a name of its own."


@pytest.mark.parametrize(
    "texts", [("We met in the garden.", "They came late again."), ("今天的花园里有很多人在", "邻居们昨天晚上一起做饭")]
)
def test_a_text_on_each_line_loses_none(db: None, texts: tuple[str, str]) -> None:
    content = "\n".join(texts).encode()
    _, asked = read(content)
    first = asked.first_rows
    assert (first["header_line"], first["likely"]) == (0, ["column 1"])
    project, report = read(content, mapped=Mapped(text=first["likely"][0]), header_line=first["header_line"])
    assert report.stored
    assert list(Item.objects.filter(project=project).order_by("pk").values_list("text", flat=True)) == list(texts)


@pytest.mark.parametrize(
    "name",
    ["Comment Text", "comment_text", "COMMENT-TEXT", "CommentText", "본문 내용", "댓글내용", "微博正文", " Text "],
)
def test_a_name_of_the_text_is_known_however_it_is_spelt(name: str) -> None:
    assert is_text_name(name) and text_first(["id", "title", name])[0] == name


@pytest.mark.parametrize("name", ["", "id", "text_id", "label", "comments_count", "text " * 20])
def test_other_names_are_none_of_the_text(name: str) -> None:
    assert not is_text_name(name)


PEOPLE = (
    ("rater_1", "rater_2"), ("Annotator A", "Annotator B"), ("coder1", "coder2"), ("평가자1", "평가자2"),
    ("标注员甲", "标注员乙"), ("評価者A", "評価者B"), ("Prüfer 1", "Prüfer 2"), ("혐오등급", "혐오유형"),
    ("仇恨程度", "标签1"),
)  # fmt: skip


@pytest.mark.parametrize("names", PEOPLE)
def test_columns_of_one_person_each_are_asked_about(db: None, names: tuple[str, str]) -> None:
    """Also in a few rows, and where the values are no category of the project and not 0 and 1 alone."""
    _, report = read(f"id,text,{','.join(names)}\n1,A post.,2,nan\n2,Another.,0,1\n".encode())
    assert sorted(error.field for error in report.errors) == sorted(names) and not report.stored


ABOUT_PEOPLE = ("rater", "annotator_count", "judgement", "expertise", "coder_id", "reviewers", "judged", "raters1000")


@pytest.mark.parametrize("name", ABOUT_PEOPLE)
def test_columns_about_people_are_kept(db: None, name: str) -> None:
    _, report = read(f"id,text,{name}\n1,A post.,4\n2,Another.,7\n".encode())
    assert report.errors == [] and report.kept == [name]
