"""Workbooks: cells of every kind as a table has them, and hostile files that end in one sentence."""

import io
import time
import zipfile
from datetime import date, datetime
from datetime import time as clock
from typing import Any

import openpyxl
import pytest
from openpyxl.styles import Font

from annotation.domain.formats import xlsx
from annotation.domain.formats.base import Format, Mapped, Reading, Row, RowError, Unreadable
from annotation.imports.files.reader_process import ReaderProcess
from annotation.imports.options import ImportOptions
from annotation.imports.run import import_file
from annotation.models import Item
from builders import make_project


def saved(book: openpyxl.Workbook) -> bytes:
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def workbook(*rows: tuple[Any, ...]) -> bytes:
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    return saved(book)


def changed(content: bytes, **parts: Any) -> bytes:
    """Return a workbook with parts replaced: by bytes, or by a function of the old bytes; None leaves a part out."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            part = parts.get(name.rpartition("/")[2].removesuffix(".xml"), old.read(name))
            if part is not None:
                new.writestr(name, part(old.read(name)) if callable(part) else part)
    return out.getvalue()


def read(content: bytes, **options: Any) -> list[Row | RowError]:
    return list(ReaderProcess(io.BytesIO(content), Reading(Format.XLSX, **options)))


def refusal(content: bytes, **options: Any) -> RowError:
    with pytest.raises(Unreadable) as refused:
        read(content, **options)
    return refused.value.error


def only(rows: list[Row | RowError]) -> Row:
    (row,) = rows
    assert isinstance(row, Row), row
    return row


CELLS = {
    "a whole number": (1.0, "1"),
    "a fraction": (0.5, "0.5"),
    "a day": (date(2026, 1, 2), "2026-01-02"),
    "a moment": (datetime(2026, 1, 2, 3, 4, 5), "2026-01-02T03:04:05"),
    "an hour": (clock(3, 4), "03:04:00"),
    "truth": (True, "true"),
    "words with line ends and other scripts": ("One,\n\u201etwo\u201c 정원", "One,\n\u201etwo\u201c 정원"),
}


def test_the_rows_between_header_and_answers_of_qualtrics_are_no_posts() -> None:
    ids = ('{"ImportId":"_recordId"}', '{"ImportId":"QID2_TEXT"}')
    survey = workbook(("id", "text"), ("Response ID", "Why?"), ids, ("R_1", "It names a group."))
    assert only(read(survey)).external_id == "R_1"


def test_a_merged_title_above_the_header_is_told_and_passed_over() -> None:
    titled = workbook(("Posts of May", None, None), ("id", "text", "source"), ("a", "One.", "x"))
    assert refusal(titled).reason.endswith("Line 2 looks like the header: say that it stands there (header line 2).")
    row = only(read(titled, header_line=2))
    assert (row.external_id, row.text, row.line) == ("a", "One.", 3)


@pytest.mark.parametrize("kind", CELLS)
def test_a_cell_is_read_as_a_table_would_have_it(kind: str) -> None:
    cell, written = CELLS[kind]
    row = only(read(workbook(("id", "text"), ("a", cell))))
    assert row.text == written


def test_lines_are_the_numbers_of_rows_and_empty_ones_are_passed_over() -> None:
    content = workbook((), ("id", "text"), (), ("a", "One."), (None, None), ("b", None))
    first, second = read(content)
    assert isinstance(first, Row) and first.line == 4
    assert isinstance(second, RowError) and (second.line, second.code) == (6, "no_content")


def test_merged_cells_have_their_value_in_the_first_row() -> None:
    book = openpyxl.Workbook()
    for row in (("id", "text", "source"), ("a", "One.", "news"), ("b", "Two.", None)):
        book.active.append(row)
    book.active.merge_cells("C2:C3")
    book.active["B2"].font = Font(bold=True)
    assert [row.about.get("source", "") for row in read(saved(book)) if isinstance(row, Row)] == ["news", ""]


def test_the_first_sheet_with_rows_is_read_and_a_hidden_one_last() -> None:
    book = openpyxl.Workbook()
    book.active.sheet_state = "hidden"
    book.active.append(("id", "text"))
    book.active.append(("h", "Hidden."))
    book.create_sheet("Empty")
    for name in ("Posts", "More"):
        sheet = book.create_sheet(name)
        sheet.append(("id", "text"))
        sheet.append(("a", f"{name}."))
    reading = Reading(Format.XLSX)
    (row,) = ReaderProcess(io.BytesIO(saved(book)), reading)
    assert isinstance(row, Row) and row.text == "Posts."
    assert (reading.columns.sheet, reading.columns.other_sheets) == ("Posts", ["Sheet", "Empty", "More"])
    assert only(read(saved(book), sheet="More")).text == "More."
    assert refusal(saved(book), sheet="Gone").reason == "There is no sheet 'Gone'. Found: Sheet, Empty, Posts, More."


def stored_result(xml: bytes) -> bytes:
    """Return the sheet as a spreadsheet program saves it: the formula with its result."""
    return xml.replace(b"<f>1+1</f><v></v>", b"<f>1+1</f><v>2</v>").replace(b"<f>1+1</f><v/>", b"<f>1+1</f><v>2</v>")


def test_a_formula_counts_by_its_stored_result_and_is_an_error_without_one() -> None:
    content = workbook(("id", "text", "source", "more"), ("a", "One.", "=1+1", "=1+1"))
    assert only(read(changed(content, sheet1=stored_result))).about["source"] == "2"
    without = changed(
        content, sheet1=lambda xml: xml.replace(b"<v></v>", b"").replace(b"<v/>", b"").replace(b"<v />", b"")
    )
    (error,) = read(without)
    assert read(content) == [error]  # as openpyxl writes it
    assert isinstance(error, RowError) and (error.code, error.field, error.line) == ("cell_without_value", "source", 2)


@pytest.mark.parametrize(
    ("cells", "column"),
    [
        (("a", "=1+1", "web"), "text"),  # without its text the row would be refused for having none
        (("=1+1", "One.", "web"), "id"),
        ((None, "=1+1", None), "text"),  # a row that seems to be empty
        (("a", "One.", "#REF!"), "source"),
    ],
)
def test_a_formula_without_its_result_is_told_before_what_it_leaves_out(cells: tuple[Any, ...], column: str) -> None:
    good, error, last = read(workbook(("id", "text", "source"), ("x", "Zero.", ""), cells, ("z", "Two.", "")))
    assert isinstance(good, Row) and isinstance(last, Row)
    assert isinstance(error, RowError) and (error.code, error.field, error.line) == ("cell_without_value", column, 3)


def test_a_cell_with_an_error_is_one_only_in_a_column_that_is_read() -> None:
    content = workbook(("id", "text", "mood", "source"), ("a", "One.", "#N/A", None), ("b", "Two.", None, "#REF!"))
    first, second = read(content)
    assert isinstance(first, Row)
    assert isinstance(second, RowError) and second.field == "source"


def test_an_id_that_the_program_has_rounded_is_refused() -> None:
    first, second = read(workbook(("id", "text"), (1234567890123456789, "One."), ("1234567890123456789", "Two.")))
    assert isinstance(first, RowError) and first.code == "rounded_id" and first.reason.count(".") == 2
    assert isinstance(second, Row) and second.external_id == "1234567890123456789"


GOOD = workbook(("id", "text"), *((f"i{number}", f"Post {number}.") for number in range(50)))
WIDE = workbook(("id", "text", *(f"c{number}" for number in range(2_500))), ("a", "One."))
FAR = changed(workbook(("id", "text"), ("a", "One.")), sheet1=lambda xml: xml.replace(b"A1:B2", b"A1:XFD1048576"))
FAR_AND_LYING = changed(
    workbook(("id", "text"), ("a", "One.")), sheet1=lambda xml: xml.replace(b'r="B2"', b'r="XFD1048576"')
)
ENTITY = changed(
    workbook(("id", "text"), ("a", "One.")),
    sheet1=lambda xml: (
        b'<!DOCTYPE w [<!ENTITY x SYSTEM "file:///etc/hostname"><!ENTITY a "AAAA">'
        + b"".join(b'<!ENTITY b%d "%s">' % (level, b"&a;" * 9) for level in range(9))
        + b"]>"
        + xml.replace(b"<t>One.</t>", b"<t>&x;&b8;</t>")
    ),
    sharedStrings=lambda xml: xml.replace(b"<t>One.</t>", b"<t>&x;</t>"),
)


def bomb() -> bytes:
    """Return a small file that unpacks to 360 MB. It takes a second to make, so only the test that needs it does."""
    return changed(GOOD, sheet1=b"<worksheet><sheetData>" + b"<row/>" * (60 << 20))


HOSTILE = {
    "cut off": (GOOD[: len(GOOD) // 2], "bad_archive"),
    "a damaged sheet": (changed(GOOD, sheet1=b"<worksheet><sheetData><row r='1'><c"), None),
    "no sheet": (changed(GOOD, sheet1=None), None),
    "a bomb": (bomb, "unpacks_too_large"),
    "2,500 columns": (WIDE, "too_many_columns"),
    "a cell far away": (FAR, "too_many_cells"),
    "an old workbook": (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "old_workbook"),
    "an old workbook renamed": (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"EncryptedPackage" * 50, "old_workbook"),
}


@pytest.mark.django_db
@pytest.mark.once  # refused before a row is stored
@pytest.mark.parametrize("kind", HOSTILE)
def test_a_hostile_workbook_ends_in_one_sentence(kind: str) -> None:
    content, code = HOSTILE[kind]
    began = time.monotonic()
    file = io.BytesIO(content() if callable(content) else content)
    report = import_file(make_project("garden"), file, ImportOptions())
    assert report.fatal is not None and report.fatal.reason.endswith((".", "?"))
    assert code is None or report.fatal.code == code
    assert not Item.objects.exists()
    assert time.monotonic() - began < 60


def test_a_cell_far_away_that_the_sheet_does_not_declare_costs_the_child_alone() -> None:
    assert refusal(FAR_AND_LYING).code in ("too_costly", "too_many_cells", "bad_workbook")


def test_entities_are_never_looked_up() -> None:
    try:
        rows = read(ENTITY)
    except Unreadable as fault:
        assert fault.error.code in ("bad_workbook", "no_rows")
        return
    assert all("AAAA" not in row.text for row in rows if isinstance(row, Row))
    with open("/etc/hostname") as file:
        name = file.read().strip()
    assert all(name not in row.text for row in rows if isinstance(row, Row))


def test_the_size_of_the_parts_is_checked_before_they_are_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(xlsx, "UNPACKED", 10)
    with pytest.raises(Unreadable) as refused:
        list(xlsx.Workbook(io.BytesIO(GOOD), Reading(Format.XLSX, Mapped())))
    assert refused.value.error.code == "unpacks_too_large"


@pytest.mark.django_db
def test_a_workbook_in_a_zip_with_its_pictures() -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("posts.xlsx", workbook(("id", "text", "image"), ("a", "One.", "p/none.png")))
    report = import_file(make_project("garden"), io.BytesIO(out.getvalue()), ImportOptions())
    assert report.format is Format.XLSX and report.sheet == "Sheet"
    assert [error.code for error in report.errors] == ["missing_picture"]
