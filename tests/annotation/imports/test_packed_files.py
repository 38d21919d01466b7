"""Parquet, tar and ZIP of strangers: read apart from the site, bounded, refused with a reason (B122, B125, B126)."""

import io
import json
import os
import pickle
import resource
import tarfile
import zipfile
from collections.abc import Callable
from datetime import datetime
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import builders
from annotation.domain.choices import Role
from annotation.domain.formats.base import BadValue, Format, Mapped, Reading, Row, RowError, Unreadable
from annotation.domain.formats.columns import KEPT, ColumnTally
from annotation.domain.formats.kept_columns import Keeping
from annotation.imports.files import reader_process
from annotation.imports.files.reader_process import ReaderProcess
from annotation.imports.options import ImportOptions
from annotation.imports.run import import_file
from annotation.models import Item


def parquet(columns: dict[str, Any], **options: Any) -> io.BytesIO:
    out = io.BytesIO()
    pq.write_table(columns if isinstance(columns, pa.Table) else pa.table(columns), out, **options)
    return out


def repeated(length: int, times: int) -> pa.Array:
    """One long text, so many times: a few bytes in the file."""
    return pa.DictionaryArray.from_arrays(pa.array([0] * times, pa.int32()), pa.array(["a" * length]))


def rows_of(
    stream: io.BytesIO, kind: Format = Format.PARQUET, *, keeps: bool = False, **options: Any
) -> list[Row | RowError]:
    columns = ColumnTally(Keeping().keeps if keeps else None)
    return list(ReaderProcess(stream, Reading(kind, Mapped(text="text"), columns=columns), **options))


def refusal(stream: io.BytesIO, kind: Format = Format.PARQUET, **options: Any) -> RowError:
    with pytest.raises(Unreadable) as refused:
        rows_of(stream, kind, **options)
    assert refused.value.error.reason.endswith((".", "?"))
    return refused.value.error


def tar(members: dict[str, bytes], **options: Any) -> io.BytesIO:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", **options) as archive:
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return out


def test_rows_come_as_they_stand_and_pictures_with_them() -> None:
    kept: dict[str, bytes] = {}

    def keep(name: str, content: bytes) -> str:
        if name == "row-2.png":
            raise BadValue("picture_too_large", "The picture is too large.", "image", 5)
        kept[name] = content
        return name

    pictures = [{"bytes": b"\x89PNG" + bytes([number]), "path": None} for number in range(3)]
    stream = parquet({"id": ["a", "b", "c"], "text": ["x", "\u4f60", "z"], "image": pictures, "score": [1, 2, 3]})
    reading = Reading(Format.PARQUET, keep=keep, columns=ColumnTally(Keeping().keeps))
    reader = ReaderProcess(stream, reading)
    first, second, third = reader
    assert isinstance(first, Row) and (first.external_id, first.text, first.picture) == ("a", "x", "row-1.png")
    assert isinstance(second, RowError) and (second.code, second.limit, second.line) == ("picture_too_large", 5, 2)
    assert isinstance(third, Row) and third.picture == "row-3.png"
    assert kept == {"row-1.png": b"\x89PNG\x00", "row-3.png": b"\x89PNG\x02"}
    assert [column.name for column in reading.columns if column.became == KEPT] == ["score"]
    assert [row.extra for row in (first, third)] == [{"score": 1}, {"score": 3}]


@pytest.mark.parametrize(
    ("make", "code"),
    [
        (lambda: parquet({"text": repeated(8_000_000, 200)}), "unpacks_too_large"),
        (lambda: parquet({"text": repeated(1_000_000, 2_000)}), "unpacks_too_large"),
        (lambda: parquet({"text": repeated(4_000_000, 2_000)}, compression="zstd"), "unpacks_too_large"),
        (lambda: parquet({"text": pa.array([None] * 10_000_000, pa.string())}), "too_many_rows"),
        (lambda: parquet({"text": ["a"], **{f"c{number}": [1] for number in range(2_500)}}), "too_many_columns"),
        (lambda: parquet({"text": ["a"] * 10_500}, row_group_size=1), "too_many_row_groups"),
        (lambda: parquet({"text": [["a" * 1_000_000] * 300]}), "too_costly"),
        (lambda: io.BytesIO(b"PAR1" + b"x" * 100 + b"PAR1"), "bad_parquet"),
        (lambda: io.BytesIO(parquet({"text": ["a"]}).getvalue()[:-3]), "bad_parquet"),
        (lambda: parquet({"text": ["a"], "on": pa.array([2**60], pa.timestamp("us"))}), "bad_value"),
    ],
)
def test_b122_parquet_that_unpacks_to_much_is_refused_for_little(make: Callable[[], io.BytesIO], code: str) -> None:
    stream = make()
    memory, begun = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, os.times()
    assert refusal(stream).code == code
    spent = os.times()
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - memory < 50 * 1024  # KiB, of the site's own process
    assert spent.children_user - begun.children_user < 10


def test_a_column_that_stands_twice_is_refused() -> None:
    table = pa.Table.from_arrays([pa.array(["a"]), pa.array(["b"])], names=["text", "text"])
    assert refusal(parquet(table)).code == "duplicate_column"


def test_a_shard_loses_no_member_of_an_item() -> None:
    again = [("1.txt", b"x"), ("1.txt", b"y")]
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name, content in again:
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    assert refusal(out, Format.WEBDATASET).code == "duplicate_member"
    two = tar({"1.txt": b"x", "1.png": b"\x89PNG", "1.jpg": b"\xff\xd8\xff", "2.txt": b"y"})
    reading = Reading(Format.WEBDATASET, keep=lambda name, _content: name)
    first, second = ReaderProcess(two, reading)
    assert isinstance(first, RowError) and first.code == "two_pictures"
    assert isinstance(second, Row) and second.text == "y"


def test_ids_of_a_database_are_read_as_they_are_written() -> None:
    numbers = [Decimal("20260131123456789012"), Decimal(7)]
    rows = rows_of(parquet({"id": numbers, "text": ["a", "b"]}))
    assert [row.external_id for row in rows] == ["20260131123456789012", "7"]
    raw = pa.array([bytes(16), bytes([255]) * 16], pa.binary(16))
    keys = pa.ExtensionArray.from_storage(pa.uuid(), raw)
    first, second = rows_of(parquet({"id": keys, "text": ["a", "b"]}))
    assert first.external_id == "00000000-0000-0000-0000-000000000000"
    assert second.external_id == "ffffffff-ffff-ffff-ffff-ffffffffffff"


def test_a_value_that_is_not_read_names_its_column() -> None:
    missing, whole = rows_of(parquet({"id": [1, 2], "text": ["a", "b"], "severity": [float("nan"), 1.0]}))
    assert isinstance(missing, RowError) and missing.reason.startswith("severity is nan")
    assert isinstance(whole, Row) and whole.severity == 1
    (raw,) = rows_of(parquet({"text": ["a"], "source": [b"a"]}))
    assert isinstance(raw, RowError) and raw.reason.startswith("source holds values of the kind bytes")


def test_b122_a_text_that_is_not_utf_8_is_refused_with_its_row() -> None:
    offsets = pa.py_buffer(b"".join(number.to_bytes(4, "little") for number in (0, 1, 2)))
    broken = pa.StringArray.from_buffers(2, offsets, pa.py_buffer(b"a\xff"))
    assert (refusal(parquet({"text": broken})).code, refusal(parquet({"text": broken})).line) == ("encoding", 2)


@pytest.mark.parametrize(
    "metadata",
    [b"[" * 100_000, b'{"info": {"features": {"text": []}}}', b'{"info": {"features": 3}}', b"\xff", b"null"],
)
def test_b122_odd_metadata_is_passed_over(metadata: bytes) -> None:
    table = pa.table({"text": [["a"]], "id": ["x"]}).replace_schema_metadata({b"huggingface": metadata})
    (row,) = rows_of(parquet(table))
    assert isinstance(row, RowError)
    table = pa.table({"text": ["a"], "id": ["x"]}).replace_schema_metadata({b"huggingface": metadata})
    (row,) = rows_of(parquet(table))
    assert isinstance(row, Row) and row.text == "a"


@pytest.mark.parametrize(
    ("number", "kept"), [(float("nan"), {}), (float("inf"), {"p": "inf"}), (-float("inf"), {"p": "-inf"})]
)
def test_b126_a_number_that_is_none_is_kept_as_missing_and_an_endless_one_as_its_word(
    number: float, kept: dict[str, str]
) -> None:
    first, second = rows_of(
        parquet({"text": ["a", "b"], "id": ["1", "2"], "provenance": [{"p": 1.0}, {"p": number}]}), keeps=True
    )
    assert isinstance(first, Row) and first.extra == {"p": 1.0}
    assert isinstance(second, Row) and second.extra == kept


def test_b122_dates_and_bytes_in_a_kept_column_are_read_or_refused() -> None:
    when = datetime(2026, 1, 2, 3, 4, 5)
    (row,) = rows_of(parquet({"text": ["a"], "id": ["1"], "provenance": [{"on": when}]}), keeps=True)
    assert isinstance(row, Row) and row.extra == {"on": "2026-01-02T03:04:05"}
    (row,) = rows_of(parquet({"text": ["a"], "id": ["1"], "raw": [b"x"]}), keeps=True)
    assert isinstance(row, RowError) and (row.code, row.field) == ("bad_value", "raw")
    assert row.reason == "raw holds values of the kind bytes, which are not kept: leave it out."


def test_a_process_that_dies_or_runs_out_of_memory_costs_its_file() -> None:
    big = parquet({"text": [[os.urandom(500_000).hex()] * 20] * 40})
    assert refusal(big, memory=500 * 2**20).code in ("too_costly", "bad_parquet", "unpacks_too_large")
    assert len(rows_of(parquet({"text": ["a"], "id": ["1"]}))) == 1


def test_what_the_process_sends_is_read_as_rows_alone() -> None:
    class Evil:
        def __reduce__(self) -> Any:
            return os.system, ("true",)

    with pytest.raises(pickle.UnpicklingError):
        reader_process._loaded(pickle.dumps(Evil()))


def test_b125_a_tar_with_an_endless_number_in_its_header_is_refused() -> None:
    whole = tar({"a.txt": b"a"}, format=tarfile.PAX_FORMAT, pax_headers={"comment": "x" * 200_000}).getvalue()
    digits = whole.replace(b"x" * 200_000, b"9" * 200_000)
    place = digits.index(b"comment=") - 7
    broken = digits[:place] + b"9" * 7 + digits[place + 7 :]
    begun = os.times().children_user
    try:
        rows_of(io.BytesIO(broken), Format.WEBDATASET, seconds=3)
    except Unreadable as refused:
        assert refused.error.code in ("bad_archive", "too_costly", "no_rows")
    assert os.times().children_user - begun < 8


def test_a_shard_is_read_with_its_pictures() -> None:
    kept: dict[str, bytes] = {}
    stream = tar({"1.txt": b"a", "1.png": b"\x89PNG", "2.txt": b"b", "2.json": b'{"batch": "x"}'})
    keep = lambda name, content: kept.setdefault(name, content) and name  # noqa: E731
    first, second = ReaderProcess(stream, Reading(Format.WEBDATASET, keep=keep))
    assert isinstance(first, Row) and isinstance(second, Row)
    assert (first.text, first.picture, second.text, second.about["batch"]) == ("a", "1.png", "b", "x")
    assert kept == {"1.png": b"\x89PNG"}


@pytest.mark.django_db
@pytest.mark.parametrize("method", [zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2, zipfile.ZIP_DEFLATED])
def test_b125_a_zip_whose_packing_is_broken_is_refused_with_a_reason(method: int) -> None:
    out = io.BytesIO()
    rows = "".join(json.dumps({"id": str(number), "text": f"Post {number}."}) + "\n" for number in range(500))
    with zipfile.ZipFile(out, "w", method) as archive:
        archive.writestr("posts.jsonl", rows)
    whole = bytearray(out.getvalue())
    project = builders.make_project("garden")
    builders.make_member(project, Role.ADMIN)
    for place in range(45, len(whole) - 120, 97):
        broken = whole.copy()
        broken[place] ^= 0xFF
        report = import_file(project, io.BytesIO(bytes(broken)), ImportOptions(), dry_run=True)
        assert report.errors and report.errors[0].code and report.errors[0].reason
    assert not Item.objects.exists()
