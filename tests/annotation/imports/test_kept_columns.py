"""Columns that the site does not know are kept as they were written, left out by wish, masked, filled, and told."""

import io
import json
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from django.core.management import call_command
from hypothesis import given
from hypothesis import strategies as st

from annotation.domain.formats.base import BadValue, Mapped
from annotation.domain.formats.kept_columns import (
    LONGEST_NAME,
    MOST_BYTES,
    MOST_COLUMNS,
    Keeping,
    in_order,
    kept_columns,
)
from annotation.domain.masking.mask import Mask
from annotation.imports.options import ImportOptions, Update
from annotation.imports.report import ImportReport
from annotation.imports.run import import_file
from annotation.models import Item, KeptColumn, Project
from builders import make_project


@pytest.fixture
def project(db: None) -> Project:
    return make_project("garden")


def read(project: Project, content: Any, *, dry_run: bool = False, **options: Any) -> ImportReport:
    if isinstance(content, list):
        content = "".join(json.dumps(row) + "\n" for row in content)
    raw = content if isinstance(content, bytes) else content.encode()
    return import_file(project, io.BytesIO(raw), ImportOptions(**options), dry_run=dry_run)


def parquet(**columns: Any) -> bytes:
    out = io.BytesIO()
    pq.write_table(pa.table(columns), out)
    return out.getvalue()


def studio(**data: Any) -> str:
    return json.dumps([{"id": 1, "data": {"text": "Weeds.", **data}, "annotations": []}])


POST = {"id": "a", "text": "Weeds."}
BIG = 2**60 + 1
FILES: dict[str, tuple[Any, dict[str, Any]]] = {
    "JSON lines": (
        [POST | {"platform": "reddit", "likes": 3, "ratio": 0.5, "bot": False, "tags": ["a", 1], "by": {"x": None}}],
        {"platform": "reddit", "likes": 3, "ratio": 0.5, "bot": False, "tags": ["a", 1], "by": {"x": None}},
    ),
    "numbers beyond 2^53": ([POST | {"number": BIG, "far": 10**30}], {"number": BIG, "far": 10**30}),
    "CSV": ('id,text,date,amount\na,Weeds.,2020-01-02,0.10\n', {"date": "2020-01-02", "amount": "0.10"}),
    "cells with signs of a formula": ("id,text,sum\na,Weeds.,=1+1\n", {"sum": "=1+1"}),
    "names in other scripts": ("id,text,플랫폼,日付\na,Weeds.,네이트,昨日\n", {"플랫폼": "네이트", "日付": "昨日"}),
    "a column without a name": ("id,text,\na,Weeds.,x\n", {"column 3": "x"}),
    "names that only our releases mean": ("id,text,split,round\na,Weeds.,test,2\n", {"split": "test", "round": "2"}),
    "an object of extra": ([POST | {"extra": {"b": 1, "a": [2]}}], {"b": 1, "a": [2]}),
    "an object of provenance": ([POST | {"provenance": {"platform": "x"}}], {"platform": "x"}),
    "both": ([POST | {"provenance": {"p": 1}, "q": 2}], {"p": 1, "q": 2}),
    "extra that is no object": ("id,text,extra\na,Weeds.,two\n", {"extra": "two"}),
    "a table of a release": ("id,text,extra_platform\na,Weeds.,reddit\n", {"platform": "reddit"}),
    "Parquet": (parquet(id=["a"], text=["Weeds."], year=[2020], when=[None], on=pa.array([0], pa.date32())),
                {"year": 2020, "on": "1970-01-01"}),
    "Label Studio": (studio(meta={"page": 3}, thread="t1"), {"meta": {"page": 3}, "thread": "t1"}),
    "doccano": ([{"id": 7, "text": "Weeds.", "label": [], "meta": {"u": 1}}], {"meta": {"u": 1}}),
    "HateXplain": (
        [{"post_id": "p", "post_tokens": ["a"], "annotators": [], "rationales": [[1]], "lang": "en"}],
        {"rationales": [[1]], "lang": "en"},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FILES)
def test_every_unknown_column_is_kept_as_it_was_written(project: Project, name: str) -> None:
    content, extra = FILES[name]
    report = read(project, content)
    assert (report.errors, report.stored) == ([], True)
    assert Item.objects.get().extra == extra
    assert set(KeptColumn.objects.values_list("name", flat=True)) == set(extra)


def test_the_dry_run_tells_what_would_be_kept_and_stores_nothing(project: Project) -> None:
    report = read(project, "id,text,platform,note\na,Weeds.,reddit,\n", dry_run=True)
    told = {column["name"]: column["became"] for column in report.answer()["columns"]}
    assert told == {"id": "id", "text": "text", "platform": "kept", "note": "kept"}
    assert (report.answer()["kept"], report.answer()["posts"]) == (["platform"], 1)
    assert not KeptColumn.objects.exists() and not Item.objects.exists()


@pytest.mark.parametrize(
    ("options", "extra"),
    [
        ({}, {"a": "1", "b": "2", "rationale2": "3"}),
        ({"ignore": frozenset({"a"})}, {"b": "2", "rationale2": "3"}),
        ({"ignore": frozenset({"*"})}, {}),
        ({"ignore": frozenset({"*"}), "keep": frozenset({"b"})}, {"b": "2"}),
        ({"ignore": frozenset({"a", "b"}), "keep": frozenset({"b"})}, {"rationale2": "3"}),
    ],
)
def test_columns_are_left_out_one_by_one_or_all_but_some(
    project: Project, options: dict[str, Any], extra: dict[str, str]
) -> None:
    read(project, "id,text,a,b,rationale2\nx,Weeds.,1,2,3\n", **options)
    assert Item.objects.get().extra == extra


def test_a_column_that_looks_like_labels_asks_and_may_be_kept_as_it_is(project: Project) -> None:
    content = "id,text,toxicity\na,Weeds.,0.7\n"
    assert [error.code for error in read(project, content).errors] == ["unused_labels"]
    read(project, content, keep=frozenset({"toxicity"}))
    assert Item.objects.get().extra == {"toxicity": "0.7"}
    assert [e.code for e in read(project, "id,text,hateful\nb,Weeds.,1\n").errors] == ["unused_labels"]


def test_the_command_leaves_out_and_keeps(project: Project, tmp_path: Any, capsys: Any) -> None:
    file = tmp_path / "posts.csv"
    file.write_text("id,text,label,a,b\na,Weeds.,x,1,2\n")
    options = ("--keep-column", "label", "--leave-out", "a", "--dry-run", "--json")
    call_command("import_items", "garden", str(file), *options)
    assert json.loads(capsys.readouterr().out)["kept"] == ["label", "b"]


def test_kept_columns_are_masked_like_the_text(project: Project) -> None:
    rows = [POST | {"by": "@weed_fan", "thread": {"mail": ["ann@example.org", 3]}, "n": 1}]
    report = read(project, rows, masks=frozenset({Mask.HANDLES, Mask.EMAILS}))
    assert Item.objects.get().extra == {"by": "<user>", "thread": {"mail": ["<email>", 3]}, "n": 1}
    assert report.masked == {"emails": 1, "handles": 1}
    assert set(report.mask_examples) == {"emails", "handles"}


def test_an_update_fills_columns_that_the_item_lacks_and_changes_none(project: Project) -> None:
    read(project, [POST | {"platform": "reddit"}])
    report = read(project, [{"id": "a", "platform": "x", "year": 2020}], update=Update.FILL)
    assert (report.items, report.changed) == (1, 1)
    assert Item.objects.get().extra == {"platform": "reddit", "year": 2020}
    again = read(project, [{"id": "a", "year": 2020}], update=Update.FILL)
    assert (again.items, again.changed) == (0, 0)


@pytest.mark.parametrize(
    ("row", "code", "words"),
    [
        ({f"c{n}": 1 for n in range(MOST_COLUMNS + 1)}, "too_many_kept", "41 columns that the site does not know; at"),
        ({"long": "x" * MOST_BYTES}, "too_much_kept", "The longest is 'long': leave it out, or shorten it."),
        ({"n" * (LONGEST_NAME + 1): 1}, "bad_column_name", "is no name for a kept column"),
        ({"a\u202eb": 1}, "bad_column_name", "is no name for a kept column"),
        ({"platform": 1, "extra": {"platform": 2}}, "kept_twice", "Two columns are kept under the name 'platform'."),
    ],
)
def test_what_cannot_be_kept_is_refused_with_what_to_do(
    project: Project, row: dict[str, Any], code: str, words: str
) -> None:
    report = read(project, [POST | row, POST | row | {"id": "b"}])
    assert {error.code for error in report.errors} == {code}
    assert words in report.errors[0].reason and not Item.objects.exists()


def test_too_many_columns_are_one_error_of_the_file(project: Project) -> None:
    row = {f"c{n}": 1 for n in range(MOST_COLUMNS + 1)}
    assert len(read(project, [POST | row, POST | row | {"id": "b"}]).errors) == 1
    assert read(project, [POST | row], ignore=frozenset({"*"}), keep=frozenset({"c7"})).stored
    assert Item.objects.get().extra == {"c7": 1}


def test_rows_of_earlier_versions_still_say_that_a_model_made_them(project: Project) -> None:
    read(project, [POST | {"provenance": {"injected": {"strategy": "irony"}, "pool": "p"}}])
    item = Item.objects.get()
    assert (item.provenance, item.extra) == ({"injected": {"strategy": "irony"}}, {"pool": "p"})


def test_a_mapped_column_is_not_kept_beside_what_it_became(project: Project) -> None:
    read(project, "words,who\nWeeds.,x\n", mapped=Mapped(text="words"))
    assert Item.objects.get().extra == {"who": "x"}


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("abc", max_size=3), inner, max_size=3),
    max_leaves=6,
)  # fmt: skip


@given(st.dictionaries(st.text("abcdef", min_size=1, max_size=6), JSON, max_size=5))
def test_what_is_kept_is_equal_to_what_was_written_and_has_one_order(values: dict[str, Any]) -> None:
    try:
        kept = kept_columns(values)
    except BadValue as fault:
        assert fault.code == "too_much_kept"
        return
    assert kept == {name: value for name, value in values.items() if value not in (None, "", [], {})}
    turned = dict(reversed(list(kept.items())))
    assert json.dumps(in_order(kept)) == json.dumps(in_order(turned))


@pytest.mark.parametrize("name", ["", "*"])
def test_a_column_needs_a_name(name: str) -> None:
    assert Keeping().keeps(name) == bool(name)
