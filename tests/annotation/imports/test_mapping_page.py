"""A file whose columns are not known shows its first rows, and one answer reads it: on the page and by the command."""

import io
import json
import shlex
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.urls import reverse

from annotation.domain.choices import Role
from annotation.models import Import, ImportState, Item
from builders import make_member, make_project

pytestmark = pytest.mark.django_db


def parquet(**columns: list[Any]) -> bytes:
    out = io.BytesIO()
    pq.write_table(pa.table(columns), out)
    return out.getvalue()


def workbook(rows: list[list[Any]]) -> bytes:
    out, book = io.BytesIO(), openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    book.save(out)
    return out.getvalue()


@dataclass
class File:
    """A file that asks, what it shows, and the texts that come in once what is offered is confirmed."""

    content: bytes
    columns: list[str]
    first: list[str]
    texts: list[str]
    uses: dict[str, str] = field(default_factory=dict)
    """Columns that somebody chooses otherwise than offered."""
    encoding: str = "utf-8"
    header_line: int = 1
    runs: bool = True
    """Whether the command line that is printed reads the file as it stands."""


TWO_HEADERS = b"StartDate,ResponseId,Q1\nStart Date,Response ID,What is it?\n2026-01-02,R_1,A garden.\n"
FILES = {
    "korean names": File(
        "번호,문장\n1,정원에 꽃\n2,길\n".encode(), ["번호", "문장"], ["1", "정원에 꽃"], ["정원에 꽃", "길"]
    ),
    "chinese names": File("编号,文本\n1,花园\n".encode(), ["编号", "文本"], ["1", "花园"], ["花园"]),
    "document": File(b"document,site\none,a\n", ["document", "site"], ["one", "a"], ["one"]),
    "comment before content": File(b"content,comment\none,two\n", ["content", "comment"], ["one", "two"], ["two"]),
    "semicolons in cp1252": File(
        "no;comment\n1;Gärten für alle\n2;Straße\n".encode("cp1252"),
        ["no", "comment"],
        ["1", "Gärten für alle"],
        ["Gärten für alle", "Straße"],
        encoding="cp1252",
    ),
    "cp949": File(
        "번호,댓글\n1,정원에 새 꽃이 피었습니다\n".encode("cp949"),
        ["번호", "댓글"],
        ["1", "정원에 새 꽃이 피었습니다"],
        ["정원에 새 꽃이 피었습니다"],
        encoding="cp949",
    ),
    "utf-16 with its mark": File(
        "id,text\n1,garden\n".encode("utf-16"), ["id", "text"], ["1", "garden"], ["garden"], encoding="utf-16"
    ),
    "vertical bars": File(b"nr|comment\n1|one\n", ["nr", "comment"], ["1", "one"], ["one"]),
    "an array with other names": File(
        b'[{"nr": 1, "sentence": "one", "tags": ["x"]}]', ["nr", "sentence", "tags"], ["1", "one", '["x"]'], ["one"]
    ),
    "lines with other names": File(b'{"nr": 1, "body": "one"}\n', ["nr", "body"], ["1", "one"], ["one"]),
    "a title above the header": File(
        b"Export of 2024-01-01,,\nid,comment,site\n1,one,a\n",
        ["id", "comment", "site"],
        ["1", "one", "a"],
        ["one"],
        header_line=2,
    ),
    "a second header": File(
        TWO_HEADERS,
        ["Start Date", "Response ID", "What is it?"],
        ["2026-01-02", "R_1", "A garden."],
        ["A garden."],
        {"What is it?": "text"},
        header_line=2,
        runs=False,
    ),
    "no header": File(
        b"1,a long post about gardens\n2,another\n",
        ["column 1", "column 2"],
        ["1", "a long post about gardens"],
        ["a long post about gardens", "another"],
        {"column 2": "text"},
        header_line=0,
        runs=False,
    ),
    "no usual name": File(
        b"nr,what people say\n1,one\n",
        ["nr", "what people say"],
        ["1", "one"],
        ["one"],
        {"what people say": "text"},
        runs=False,
    ),
    "a workbook": File(workbook([["nr", "댓글"], [1, "하나"]]), ["nr", "댓글"], ["1", "하나"], ["하나"]),
    "a workbook with a title": File(
        workbook([["Export", ""], ["id", "comment"], [1, "one"]]),
        ["id", "comment"],
        ["1", "one"],
        ["one"],
        header_line=2,
    ),
    "parquet": File(parquet(nr=[1], content=["one"]), ["nr", "content"], ["1", "one"], ["one"]),
}


@pytest.mark.once
@pytest.mark.parametrize("file", FILES.values(), ids=FILES)
def test_one_answer_reads_the_file(file: File, client: Any) -> None:
    project = make_project(slug="garden")
    client.force_login(make_member(project, Role.ADMIN).user)
    row, page = uploaded(client, file.content)
    first = row.outcome["first_rows"]
    assert (first["columns"], first["rows"][0]) == (file.columns, file.first)
    assert (first["encoding"], first["header_line"]) == (file.encoding, file.header_line)
    assert "What does each column hold?" in page
    form = {"do": "map", "encoding": first["encoding"], "header_line": first["header_line"], "label_is": "intended"}
    uses = offered(page, len(file.columns))
    uses |= {f"use_{file.columns.index(name)}": use for name, use in file.uses.items()}
    client.post(act(row), form | uses)
    row.refresh_from_db()
    assert (row.state, row.outcome["fatal"]) == (ImportState.CHECKED, None)
    client.post(act(row), {"do": "store"})
    assert list(Item.objects.filter(project=project).order_by("pk").values_list("text", flat=True)) == file.texts


@pytest.mark.once
@pytest.mark.parametrize("file", FILES.values(), ids=FILES)
def test_the_command_prints_the_rows_and_a_line_that_reads_them(file: File, tmp_path: Any, capsys: Any) -> None:
    make_project(slug="garden")
    path = tmp_path / "a file"
    path.write_bytes(file.content)
    with suppress(SystemExit, CommandError):
        call_command("import_items", "garden", str(path), dry_run=True)
    printed = capsys.readouterr().out
    assert all(cell[:20] in printed for cell in (*file.columns, *file.first))
    [line] = [line for line in printed.splitlines() if "for example: " in line]
    words = shlex.split(line.partition("for example: ")[2])
    assert words[:2] == ["manage.py", "import_items"] and words[3] == str(path)
    if not file.runs:
        assert "COLUMN" in words
        return
    call_command(*words[1:], "--json")
    told = json.loads(capsys.readouterr().out)
    assert (told["items"], told["errors"]) == (len(file.texts), [])


def test_cells_and_names_of_strangers_are_only_text(client: Any) -> None:
    make_project_with_admin(client)
    row, page = uploaded(client, "<b>n</b>,komm\u202eentar\n<script>x</script>,\u202eabc\n".encode())
    assert "<script>x" not in page and "<b>n</b>" not in page
    assert "&lt;script&gt;x" in page
    assert row.outcome["first_rows"]["likely"] == []


def test_what_no_database_takes_is_shown_by_a_sign(client: Any) -> None:
    make_project_with_admin(client)
    row, _page = uploaded(client, b"nr,say\0ing\n1,x\n")
    assert (row.outcome["fatal"]["code"], row.outcome["first_rows"]) == ("nul_character", {})
    row, _page = uploaded(client, b"nr,saying\n1,a\0b\n")
    assert row.outcome["first_rows"]["rows"] == [["1", "a\ufffdb"]]
    row, _page = uploaded(client, b'[{"nr": "\\ud800", "saying": "x"}, {"nr": "1", "saying": "y"}]')
    assert row.outcome["first_rows"]["rows"] == [["1", "y"]]


def test_two_texts_or_none_are_refused_with_a_sentence(client: Any) -> None:
    make_project_with_admin(client)
    row, _page = uploaded(client, b"a,b\n1,2\n")
    form = {"do": "map", "encoding": "utf-8", "header_line": 1}
    for uses, sentence in (
        ({"use_0": "text", "use_1": "text"}, "Only one column can be the text."),
        ({"use_0": "id"}, "Say which column holds the text or the picture."),
        ({"use_0": "elsewhere"}, "Select a valid choice"),
    ):
        answer = client.post(act(row), form | uses)
        assert answer.status_code == 422 and sentence in answer.content.decode()


def test_several_labels_are_of_one_annotator_each_and_a_column_is_left_out(client: Any) -> None:
    make_project_with_admin(client)
    row, _page = uploaded(client, b"comment,ann,bob,junk\none,0,1,x\n")
    uses = {"use_0": "text", "use_1": "label", "use_2": "label", "use_3": "leave_out"}
    client.post(act(row), {"do": "map", "encoding": "utf-8", "header_line": 1, "label_is": "seat"} | uses)
    row.refresh_from_db()
    assert (row.outcome["labels"], row.outcome["annotators"], row.outcome["kept"]) == (2, 2, [])


@pytest.mark.parametrize(
    "content",
    [b"Export,,\nid,text,label\n1,one,0\n", b"a,b,c\nid,text,label\n1,one,0\n"],
)
def test_a_header_below_never_becomes_a_post(content: bytes, tmp_path: Any, capsys: Any) -> None:
    project = make_project(slug="garden")
    (tmp_path / "t.csv").write_bytes(content)
    column = "column 2" if content.startswith(b"E") else "b"
    with pytest.raises(SystemExit):
        call_command("import_items", "garden", str(tmp_path / "t.csv"), text_column=column)
    assert "Line 2 looks like the header" in capsys.readouterr().out
    assert not Item.objects.filter(project=project).exists()


def test_a_second_header_is_no_post(client: Any, tmp_path: Any, capsys: Any) -> None:
    make_project_with_admin(client)
    (tmp_path / "t.csv").write_bytes(TWO_HEADERS)
    with pytest.raises(SystemExit):
        call_command("import_items", "garden", str(tmp_path / "t.csv"), text_column="Q1")
    assert "Line 2 looks like a second header" in capsys.readouterr().out
    row, _page = uploaded(client, TWO_HEADERS)
    client.post(act(row), {"do": "map", "encoding": "utf-8", "header_line": 2, "use_1": "id", "use_2": "text"})
    row.refresh_from_db()
    assert [(post["line"], post["external_id"], post["text"]) for post in row.outcome["preview"]] == [
        (3, "R_1", "A garden.")
    ]


def make_project_with_admin(client: Any) -> None:
    client.force_login(make_member(make_project(slug="garden"), Role.ADMIN).user)


def uploaded(client: Any, content: bytes) -> tuple[Import, str]:
    answer = client.post(reverse("annotation:import", args=["garden"]), {"file": SimpleUploadedFile("f", content)})
    row = Import.objects.latest("id")
    assert row.state == ImportState.REFUSED
    return row, answer.content.decode()


def act(row: Import) -> str:
    return reverse("annotation:import-act", args=["garden", row.public_id])


def offered(page: str, columns: int) -> dict[str, str]:
    """Return the uses that are selected on the page."""
    uses = {}
    for place in range(columns):
        select = page.partition(f'name="use_{place}"')[2].partition("</select>")[0]
        uses[f"use_{place}"] = select.partition(" selected")[0].rpartition('value="')[2].partition('"')[0]
    return uses
