"""What the import page answers to files that cannot be taken (threats B01-B39, B52-B81): status, code, and 0 rows."""

import gzip
import io
import json
import struct
import zipfile
import zlib
from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from PIL import Image

import builders
from annotation.domain.choices import Role
from annotation.imports.options import ImportOptions
from annotation.imports.run import import_file
from annotation.models import Import, Item, Label, Membership, Picture, Project

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    return builders.make_project("garden")


@pytest.fixture
def admin(project: Project, client: Client) -> Client:
    member = builders.make_member(project, Role.ADMIN)
    assert member.user is not None
    client.force_login(member.user)
    return client


def post(admin: Client, content: bytes | str, name: str = "file", **fields: Any) -> tuple[int, dict[str, Any]]:
    """Upload a file as a program would, which answers JSON."""
    data = content.encode() if isinstance(content, str) else content
    answer = admin.post(
        reverse("annotation:import", args=["garden"]),
        {"file": SimpleUploadedFile(name, data), **fields},
        headers={"Accept": "application/json"},
    )
    return answer.status_code, answer.json()


def errors_of(admin: Client, content: bytes | str, **fields: Any) -> list[tuple[int, str]]:
    _, answer = post(admin, content, **fields)
    return [(error["line"], error["code"]) for error in answer["outcome"]["errors"]]


def png(width: int = 32, height: int = 24, colour: str = "green", **save: Any) -> bytes:
    out = io.BytesIO()
    Image.new("RGB", (width, height), colour).save(out, save.pop("format", "PNG"), **save)
    return out.getvalue()


def zipped(members: dict[str, bytes | str], **how: Any) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, **how) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return out.getvalue()


def line(**values: Any) -> str:
    return json.dumps({"id": "a", "text": "Weeds again", **values}) + "\n"


TABLES: dict[str, tuple[bytes | str, int, str, int]] = {
    # name: file, status, code, line
    "B01 nothing at all": (b"", 400, "empty_file", 0),
    "B02 a header only": ("id,text\n", 400, "no_rows", 1),
    "B02 blank lines only": ("\n  \n", 400, "no_rows", 0),
    "B02 a header and rows of empty cells": ("id,text\n,\n,\n", 400, "no_rows", 1),
    "B03 neither text nor image": ("id,remark\n1,a\n", 400, "missing_column", 1),
    "B04 a column twice": ("id,text,text\n1,a,b\n", 400, "duplicate_column", 1),
    "B06 UTF-16 with a mark": ("id,text\n1,a\n".encode("utf-16"), 400, "encoding", 1),
    "B06 UTF-16 without": ("id,text\n1,a\n".encode("utf-16-be"), 400, "encoding", 1),
    "B07 Latin-1 in line 7": (b"id,text\n" + b"1,a\n" * 5 + b"2,\xe9\n", 400, "encoding", 7),
    "B08 a quote never closed": ('id,text\n1,"oops\n2,b\n3,c\n', 400, "unterminated_quote", 2),
    "B08 a quote closed rows later": ('id,text\n1,"oops\n2,"b"\n3,c\n', 400, "bad_quote", 2),
    "B09 a field of 200 KB": (f"id,text\n1,{'a' * 200_000}\n", 400, "field_too_long", 2),
    "B11 NUL in CSV": ("id,text\n1,a\0b\n", 400, "nul_character", 2),
    "B11 NUL in JSON": ('{"id":"a","text":"a\\u0000b"}\n', 400, "nul_character", 1),
    "B11 NUL in a part that is not stored": ('{"id":"a","text":"a","x":{"y":["\\u0000"]}}\n', 400, "nul_character", 1),
    "B12 half a surrogate pair": ('{"id":"a","text":"a\\ud800b"}\n', 400, "invalid_unicode", 1),
    "B13 NaN": ('{"id":"a","text":"a","severity":NaN}\n', 400, "not_finite", 1),
    "B13 Infinity": ('{"id":"a","text":"a","severity":-Infinity}\n', 400, "not_finite", 1),
    "B13 1e999": ('{"id":"a","text":"a","severity":1e999}\n', 400, "not_finite", 1),
    "B14 100,000 brackets": ('{"id":"a","x":' + "[" * 100_000 + "\n", 400, "too_deep", 1),
    "B14 5,000 objects": ('{"a":' * 5_000 + "\n", 400, "too_deep", 1),
    "B14 33 levels": ('{"id":"a","text":"t","x":' + "[" * 32 + "]" * 32 + "}\n", 400, "too_deep", 1),
    "B15 5,000 digits": ('{"id":' + "1" * 5_000 + ',"text":"a"}\n', 400, "number_too_long", 1),
    "B16 a key twice": ('{"id":1,"id":2,"text":"a"}\n', 400, "duplicate_key", 1),
    "B18 the last line cut": (line(id="a") + '{"id":"b","te', 400, "cut_line", 2),
    "B19 an array of no objects": ('["a", "b"]', 400, "json_array", 1),
    "B19 an array on a later line": (line() + "[1]\n", 400, "json_array", 2),
    "B20 CR only": ("id,text\r1,a\r2,b\r", 400, "cr_only", 1),
    "B21 spaces": ("id,text\n1,   \n", 400, "blank_text", 2),
    "B21 zero-width space": ("id,text\n1,\u200b\n", 400, "blank_text", 2),
    "B22 a million characters in JSON": (line(text="a" * 10**6), 400, "text_too_long", 1),
    "B27 an id twice": (line(id="a") + line(id="b") + line(id="a"), 400, "duplicate_id", 3),
    "B29 a control character in an id": (line(id="a\tb"), 400, "bad_id", 1),
    "B29 300 characters": (line(id="x" * 300), 400, "bad_id", 1),
    "B29 a line break in an id": ('id,text\n"a\nb",a\n', 400, "bad_id", 2),
    "B30 no such category": (line(intended="super_hate"), 400, "unknown_label", 1),
    "B36 gzip": (b"\x1f\x8b\x08\0" + b"\0" * 50, 400, "bad_archive", 0),
    "B36 gzip that unpacks to too much": (gzip.compress(bytes(2**21)), 400, "ratio", 0),
    "B39 neither text nor picture": (line(text=""), 400, "no_content", 1),
    "a picture's address": (line(image="ftp://example.org/a.png"), 400, "picture_url", 1),
    "a path that leads out": (line(image="../a.png"), 400, "unsafe_path", 1),
    "a JSON object of no data set": ('{\n"a": 1\n}', 400, "unknown_format", 1),
}


@pytest.mark.once  # refused before a row is stored
@pytest.mark.parametrize(("content", "status", "code", "where"), TABLES.values(), ids=TABLES.keys())
def test_a_table_that_cannot_be_read_is_refused_with_its_line(
    admin: Client, content: bytes | str, status: int, code: str, where: int
) -> None:
    answered, answer = post(admin, content)
    assert (answered, answer["code"], answer.get("line", 0)) == (status, code, where)
    assert answer["detail"].endswith((".", "?", ")"))
    assert not Item.objects.exists()


def test_b05_a_byte_order_mark_is_no_part_of_the_first_column(admin: Client) -> None:
    assert post(admin, b"\xef\xbb\xbfid,text\nw-1,Weeds\n")[0] == 201


def test_b07_says_which_byte_is_wrong(admin: Client) -> None:
    # 8 bytes of header, 5 rows of 4 bytes, "2," - the bad byte is the 31st, at offset 30.
    _, answer = post(admin, b"id,text\n" + b"1,a\n" * 5 + b"2,\xe9\n")
    assert "Byte 30" in answer["detail"]


def test_b10_names_rows_with_too_many_and_too_few_columns(admin: Client) -> None:
    assert errors_of(admin, "id,text\n1,a,b,c\n2\n") == [(2, "column_count"), (3, "column_count")]


def test_b17_and_b23_keep_strange_characters_exactly(admin: Client, project: Project) -> None:
    texts = ["one\u2028line\u0085still", "\u202eright\u2066to\u2069left\u202c", "q" + "\u0301" * 10_000, "👩‍👩‍👧 𝄞"]
    rows = [{"id": f"w-{n}", "text": text} for n, text in enumerate(texts)]
    content = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    status, answer = post(admin, content)
    admin.post(reverse("annotation:import-act", args=["garden", answer["import"]]), {"do": "store"})
    stored = dict(Item.objects.values_list("external_id", "text"))
    assert (status, [stored[f"w-{n}"] for n in range(4)]) == (201, texts)


@pytest.mark.parametrize("empty", [",,", ";;", '"","",""', "\t\t"])
def test_rows_of_empty_cells_are_passed_over_as_in_a_workbook(admin: Client, project: Project, empty: str) -> None:
    mark = "," if '"' in empty else empty[0]
    lines = [empty, "id,text,source", empty, "1,One.,a", empty, empty, "2,Two.,", "3,,x", empty]
    content = "\n".join(line if line == empty else line.replace(",", mark) for line in lines)
    assert errors_of(admin, content) == [(8, "no_content")]
    _, answer = post(admin, content.replace(f"3{mark}{mark}x\n", ""))
    admin.post(reverse("annotation:import-act", args=["garden", answer["import"]]), {"do": "store"})
    assert list(project.items.order_by("pk").values_list("text", flat=True)) == ["One.", "Two."]


def test_b20_cr_lf_ends_a_line(admin: Client) -> None:
    assert post(admin, b"id,text\r\n1,Weeds\r\n2,Roses\r\n")[1]["outcome"]["items"] == 2


def test_b22_says_the_limit_and_the_length(admin: Client) -> None:
    for content in (line(text="a" * 10**6), f"id,text\n1,{'a' * 10**6}\n"):
        _, answer = post(admin, content)
        assert answer["limit"] == 20_000
        assert "1,000,000" in answer["detail"]


def test_b25_keeps_two_compositions_of_a_text_and_says_so(admin: Client) -> None:
    status, answer = post(admin, "id,text\n1,caf\u00e9\n2,cafe\u0301\n")
    assert (status, answer["outcome"]["items"], answer["outcome"]["duplicates"]) == (201, 2, 1)
    assert answer["outcome"]["twins"] == [{"line": 3, "external_id": "2", "what": "text", "entry": 0}]


def test_b27_names_both_lines(admin: Client) -> None:
    _, answer = post(admin, line(id="a") + line(id="b") + line(id="a"))
    assert "line 1" in answer["detail"]
    assert "line 3" in answer["detail"]


def test_b28_an_id_that_is_here_is_refused_or_passed_over_and_never_overwritten(
    admin: Client, project: Project
) -> None:
    builders.make_item(project, "The first text", external_id="a")
    content = line(id="a", text="Another text") + line(id="b", text="New")
    status, answer = post(admin, content)
    assert (status, answer["code"], answer["line"]) == (409, "id_exists", 1)
    status, answer = post(admin, content, skip_existing="on")
    assert (status, answer["outcome"]["items"], answer["outcome"]["existing"]) == (201, 1, 1)
    admin.post(reverse("annotation:import-act", args=["garden", answer["import"]]), {"do": "store"})
    assert dict(Item.objects.values_list("external_id", "text")) == {"a": "The first text", "b": "New"}


@pytest.mark.parametrize("written", ["Racist ", "Racist\u00a0", "Racst"])
def test_b31_a_slip_is_refused_with_a_suggestion(admin: Client, written: str) -> None:
    _, answer = post(admin, line(intended=written))
    assert answer["code"] == "unknown_label"
    assert "Did you mean 'Racist'?" in answer["detail"]


def test_b32_an_upload_beyond_the_limit_is_refused_before_it_is_read(admin: Client, settings: Any) -> None:
    settings.UPLOAD_MAX_BYTES = 1_000
    answer = admin.post(reverse("annotation:import", args=["garden"]), {"file": SimpleUploadedFile("f", b"a" * 2_000)})
    assert answer.status_code == 413
    assert not Import.objects.exists()


def test_b33_a_form_with_100_000_fields_is_refused(admin: Client) -> None:
    fields = {f"f{n}": "1" for n in range(100_000)}
    answer = admin.post(reverse("annotation:import", args=["garden"]), fields)
    assert answer.status_code == 400


def test_b36_a_packed_body_is_refused(admin: Client) -> None:
    answer = admin.post(
        reverse("annotation:import", args=["garden"]),
        b"\x1f\x8b",
        content_type="multipart/form-data; boundary=x",
        headers={"Content-Encoding": "gzip"},
    )
    assert answer.status_code == 415


def test_b48_a_hostile_file_name_is_shown_and_never_used(admin: Client) -> None:
    name = '"><img onerror=alert(1)>.csv'
    _, answer = post(admin, "id,text\n1,\n", name=name)
    row = Import.objects.get(public_id=answer["import"])
    page = admin.get(reverse("annotation:import-show", args=["garden", row.public_id])).content.decode()
    assert "<img onerror" not in page
    assert "&quot;&gt;&lt;img onerror=alert(1)&gt;.csv" in page
    assert "onerror" not in row.file.name


# ── Pictures ──────────────────────────────────────────────────────────────────


def png_header(width: int, height: int) -> bytes:
    """A PNG that says how large it is and holds nothing."""

    def chunk(kind: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    header = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + header + chunk(b"IDAT", zlib.compress(b"\0" * 100)) + chunk(b"IEND", b"")


def bilevel(width: int, height: int) -> bytes:
    out = io.BytesIO()
    Image.new("1", (width, height)).save(out, "PNG")
    return out.getvalue()


def many_frames() -> bytes:
    frames = [Image.new("1", (4000, 4000), number % 2) for number in range(3)]
    out = io.BytesIO()
    frames[0].save(out, "GIF", save_all=True, append_images=frames[1:])
    return out.getvalue()


Content = bytes | Callable[[], bytes]
"""What is expensive to make is a function: every process collects this file, and one runs it."""


def made(content: Content) -> bytes:
    return content() if callable(content) else content


PICTURES: dict[str, tuple[Content, int, str]] = {
    "B52 SVG": (b"<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>", 415, "image_type"),
    "B53 HTML": (b"<!doctype html><script>alert(1)</script>", 415, "image_type"),
    "B53 PDF": (b"%PDF-1.7\n", 415, "image_type"),
    "B55 a header of 20,000 square": (png_header(20_000, 20_000), 400, "too_many_pixels"),
    "B55 one pixel wide, 2**31 - 1 high": (png_header(1, 2**31 - 1), 400, "too_many_pixels"),
    "B56 12,000 by 9,000": (lambda: bilevel(12_000, 9_000), 400, "too_many_pixels"),
    "B57 13,000 square": (lambda: bilevel(13_000, 13_000), 400, "too_many_pixels"),
    "B58 frames count": (many_frames, 400, "too_many_pixels"),
    "B59 a JPEG cut short": (png(600, 400, format="JPEG")[:1500], 400, "corrupt_image"),
    "B60 ICO": (png(format="ICO"), 415, "image_type"),
    "B60 EPS": (b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 10 10\n", 415, "image_type"),
    "B60 FITS": (b"SIMPLE  =                    T" + b" " * 2850, 415, "image_type"),
    "B60 PSD": (b"8BPS\0\1" + b"\0" * 60, 415, "image_type"),
    "B64 one pixel": (png(1, 1), 400, "picture_too_small"),
    "B64 very long": (png(20, 2_000), 400, "aspect"),
    "B66 nothing": (b"", 400, "empty_picture"),
}


@pytest.mark.once  # refused before a row is stored
@pytest.mark.parametrize(("content", "status", "code"), PICTURES.values(), ids=PICTURES.keys())
def test_a_picture_that_cannot_be_taken_refuses_its_row(
    admin: Client, content: Content, status: int, code: str
) -> None:
    archive = zipped({"posts.jsonl": line(image="p/1.png"), "p/1.png": made(content)})
    answered, answer = post(admin, archive)
    assert (answered, answer["code"], answer["line"], answer["field"]) == (status, code, 1, "image")
    assert not Item.objects.exists()
    assert not Picture.objects.exists()


def test_b80_a_picture_with_much_behind_it_is_too_large(admin: Client, settings: Any) -> None:
    settings.PICTURE_MAX_BYTES = 50_000
    content = png(format="JPEG") + bytes(range(256)) * 300
    status, answer = post(admin, zipped({"posts.jsonl": line(image="1.jpg"), "1.jpg": content}))
    assert (status, answer["code"]) == (413, "picture_too_large")


# ── Archives ──────────────────────────────────────────────────────────────────

GOOD = {"posts.jsonl": line(image="p/1.png"), "p/1.png": png()}


def archive_with(name: str, content: bytes | str = b"x", mode: int = 0) -> bytes:
    """A good archive with one more member."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for member, inside in GOOD.items():
            archive.writestr(member, inside)
        info = zipfile.ZipInfo(name)
        info.external_attr = mode << 16
        archive.writestr(info, content)
    return out.getvalue()


def lying_about_size() -> bytes:
    """A picture's entry in the directory says 40 bytes less than there are."""
    content = bytearray(zipped(GOOD))
    place = content.rindex(b"PK\x01\x02")
    (size,) = struct.unpack_from("<I", content, place + 24)
    struct.pack_into("<I", content, place + 24, size - 40)
    return bytes(content)


def overlapping() -> bytes:
    """Two entries of the directory point to the same place."""
    content = bytearray(zipped(GOOD | {"p/2.png": png(colour="red")}))
    first = content.index(b"PK\x01\x02")
    last = content.rindex(b"PK\x01\x02")
    struct.pack_into("<I", content, last + 42, struct.unpack_from("<I", content, first + 42)[0])
    return bytes(content)


def encrypted() -> bytes:
    content = bytearray(zipped(GOOD))
    place = content.index(b"PK\x01\x02")
    struct.pack_into("<H", content, place + 8, struct.unpack_from("<H", content, place + 8)[0] | 1)
    return bytes(content)


ARCHIVES: dict[str, tuple[Content, int, str]] = {
    "B67 dots": (archive_with("../../evil.txt"), 400, "unsafe_member"),
    "B67 a leading slash": (archive_with("/etc/evil.txt"), 400, "unsafe_member"),
    "B67 backslashes": (archive_with("a\\..\\..\\x"), 400, "unsafe_member"),
    "B67 a drive": (archive_with("C:/x.txt"), 400, "unsafe_member"),
    "B68 a link": (archive_with("link", "/etc/passwd", 0o120777), 400, "unsafe_member"),
    "B69 zeros": (lambda: zipped(GOOD | {"z.bin": b"\0" * 200 * 2**20}), 400, "ratio"),
    "B70 a size that lies": (lying_about_size(), 400, "bad_archive"),
    "B71 a ZIP inside": (archive_with("more.zip", zipped({"a": "b"})), 400, "nested_archive"),
    "B71 a ZIP by another name": (archive_with("notes.txt", zipped({"a": "b"})), 400, "nested_archive"),
    "B72 names that differ in case": (archive_with("P/1.PNG", png()), 400, "duplicate_member"),
    "B74 encrypted": (encrypted(), 400, "encrypted"),
    "B74 overlapping": (overlapping(), 400, "overlapping_members"),
    "B74 not a ZIP": (b"PK\x03\x04 and then nothing of the kind", 400, "bad_archive"),
    "B75 a picture that is not there": (zipped({"posts.jsonl": line(image="p/2.png")}), 400, "missing_picture"),
    "B78 cut at half": (zipped(GOOD)[: len(zipped(GOOD)) // 2], 400, "bad_archive"),
    "no table": (zipped({"p/1.pdf": b"%PDF"}), 400, "no_table"),
    "two tables": (zipped(GOOD | {"other.csv": "id,text\n1,a\n"}), 400, "several_tables"),
}


@pytest.mark.once  # refused before a row is stored
@pytest.mark.parametrize(("content", "status", "code"), ARCHIVES.values(), ids=ARCHIVES.keys())
def test_an_archive_that_cannot_be_trusted_is_refused(admin: Client, content: Content, status: int, code: str) -> None:
    answered, answer = post(admin, made(content), name="garden.zip")
    assert (answered, answer["code"]) == (status, code)
    assert not Item.objects.exists()


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_b72_a_member_twice_is_refused(admin: Client) -> None:
    assert post(admin, archive_with("p/1.png", png()))[1]["code"] == "duplicate_member"


def test_b69_and_b73_too_much_in_all_is_refused(admin: Client, settings: Any) -> None:
    settings.ARCHIVE_MAX_BYTES = 1_000
    noisy = bytes(range(256)) * 8
    assert post(admin, archive_with("noise.bin", noisy))[0] == 413
    settings.ARCHIVE_MAX_BYTES, settings.ARCHIVE_MAX_MEMBERS = 10**6, 2
    assert post(admin, archive_with("noise.bin"))[1]["code"] == "too_many_members"


def test_b75_and_b76_extra_pictures_are_listed_and_litter_is_not(admin: Client) -> None:
    extra = {"p/9.png": png(colour="blue"), "__MACOSX/p/._1.png": b"x", ".DS_Store": b"x"}
    status, answer = post(admin, zipped(GOOD | extra))
    assert (status, answer["outcome"]["extra_names"]) == (201, ["p/9.png"])


def test_b75_a_table_alone_makes_an_item_whose_picture_is_missing(admin: Client) -> None:
    status, answer = post(admin, line(image="p/1.png"))
    assert (status, answer["outcome"]["items"], answer["outcome"]["missing_images"]) == (201, 1, 1)


def test_b77_names_are_matched_by_their_bytes(admin: Client) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("posts.jsonl", line(image="p/꽃🌷.png"))
        archive.writestr("p/꽃🌷.png", png())
    unflagged = bytearray(out.getvalue())
    for mark, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):  # as if written without the UTF-8 flag
        start = -1
        while (start := unflagged.find(mark, start + 1)) >= 0:
            (flags,) = struct.unpack_from("<H", unflagged, start + place)
            struct.pack_into("<H", unflagged, start + place, flags & ~0x800)
    assert post(admin, bytes(unflagged))[0] == 201


def test_b79_a_picture_that_is_here_is_kept_once_and_mentioned(admin: Client, project: Project) -> None:
    rows = line(id="a", image="1.png") + line(id="b", text="Roses", image="2.png")
    archive = zipped({"posts.jsonl": rows, "1.png": png(), "2.png": png()})
    status, answer = post(admin, archive)
    assert (status, answer["outcome"]["pictures"], answer["outcome"]["duplicates"]) == (201, 1, 1)
    admin.post(reverse("annotation:import-act", args=["garden", answer["import"]]), {"do": "store"})
    assert Picture.objects.count() == 1
    assert {item.picture_id for item in Item.objects.all()} == {Picture.objects.get().pk}
    again = zipped({"posts.jsonl": line(id="c", text="More roses", image="3.png"), "3.png": png()})
    assert post(admin, again)[1]["outcome"]["duplicates"] == 1


def test_all_or_nothing(admin: Client) -> None:
    status, answer = post(admin, line(id="a") + line(id="b", intended="nonsense") + line(id="c"))
    assert status == 400
    admin.post(reverse("annotation:import-act", args=["garden", answer["import"]]), {"do": "store"})
    assert not Item.objects.exists()
    assert not Label.objects.exists()
    assert not Membership.objects.filter(user=None).exists()


def test_t6_what_is_stored_and_served_of_a_picture_is_nothing_but_a_picture(admin: Client, project: Project) -> None:
    out = io.BytesIO()
    Image.new("P", (40, 30)).save(out, "GIF")
    script = b"<script>alert(1)</script>"
    archive = zipped({"posts.jsonl": line(image="p/1.gif"), "p/1.gif": out.getvalue() + script})
    _, answer = post(admin, archive)
    admin.post(reverse("annotation:import-act", args=["garden", answer["import"]]), {"do": "store"})
    picture = Picture.objects.get()
    for stored in (picture.file, picture.blurred):
        assert script not in stored.read()
        assert ".gif" not in stored.name and "p/1" not in stored.name.removeprefix("pictures/")
    address = reverse("annotation:media", args=[picture.public_id])
    served = admin.get(address)
    assert (served.status_code, served["Content-Type"], served["X-Content-Type-Options"]) == (
        200,
        "image/png",
        "nosniff",
    )
    assert "sandbox" in served["Content-Security-Policy"]
    stranger = Client()
    assert stranger.get(address).status_code == 302
    elsewhere = builders.make_member(builders.make_project("orchard"), Role.ADMIN)
    assert elsewhere.user is not None
    stranger.force_login(elsewhere.user)
    assert stranger.get(address).status_code == 404


EMPTY_ZIP = b"PK\x05\x06" + bytes(18)


@pytest.mark.parametrize("encoding", ["", "cp949", "utf-16"])
def test_an_empty_zip_is_called_so(admin: Client, encoding: str) -> None:
    _, answer = post(admin, EMPTY_ZIP, "posts.zip", encoding=encoding)
    (error,) = answer["outcome"]["errors"]
    assert (error["code"], error["reason"]) == (
        "no_table",
        "The ZIP archive is empty. Pack the table into it, with its pictures if there are any.",
    )


@pytest.mark.parametrize(
    ("first", "codes"),
    [
        ('{"id": "a", "text": "x"}', [(2, "json_array")]),
        ('{"id": "a", "text": "x",}', [(1, "invalid_json"), (2, "json_array")]),
        ('{"id": "a", "text": "x"', [(1, "invalid_json"), (2, "json_array")]),
        ('{"image": {"path": "a.png"}, "text": ["x"]}', [(1, "not_text"), (2, "json_array")]),
    ],
)
def test_an_array_among_json_lines_is_named_by_its_line(
    admin: Client, first: str, codes: list[tuple[int, str]]
) -> None:
    assert errors_of(admin, f'{first}\n["b", "y"]\n') == codes


def parquet(columns: dict[str, Any]) -> bytes:
    out = io.BytesIO()
    pq.write_table(pa.table(columns), out)
    return out.getvalue()


@pytest.mark.once  # what is read of a file does not depend on what stores it
def test_whole_numbers_that_a_program_stored_as_fractions_are_read_as_whole_ones(admin: Client) -> None:
    ids = pa.array([1.0, None, 3.0], pa.float64())
    severity = pa.array([2.0, None, None], pa.float64())
    file = parquet({"id": ids, "text": ["One.", "Two.", "Three."], "severity": severity})
    assert errors_of(admin, file) == [(2, "missing_id")]
    options = ImportOptions(leave_out=True)
    assert import_file(Project.objects.get(), io.BytesIO(file), options).stored
    assert dict(Item.objects.values_list("external_id", "severity")) == {"1": 2, "3": None}


@pytest.mark.once  # as above
@pytest.mark.parametrize(
    ("number", "code", "sentence"),
    [
        (1.5, "bad_id", "The id is 1.5. An id is a text or a whole number."),
        (1.25e18, "rounded_id", "The id is a number of more than 15 digits that a program has rounded."),
    ],
)
def test_fractions_and_rounded_numbers_are_no_ids(admin: Client, number: float, code: str, sentence: str) -> None:
    for content in (parquet({"id": [number], "text": ["One."]}), json.dumps({"id": number, "text": "One."})):
        _, answer = post(admin, content)
        (error,) = answer["outcome"]["errors"]
        assert error["code"] == code and error["reason"].startswith(sentence)
