"""Any item written in our own names is read back the same, from JSON lines and from a table."""

import csv
import io
import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from annotation.domain.csv_cells import neutralized
from annotation.domain.formats.base import Format, Reading, Row, RowError
from annotation.domain.formats.detect import detect, open_reader
from annotation.domain.one_line import one_line
from annotation.domain.text_rules import is_blank

TEXT = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0"), min_size=1, max_size=80).filter(
    lambda text: not is_blank(text)
)
SHORT = TEXT.map(lambda text: one_line(text[:30])).filter(bool)
ID = st.from_regex(r"[A-Za-z0-9_:-]{1,20}", fullmatch=True)
CODE = st.integers(0, 5)
STRANGE = st.sampled_from(
    [
        *("=HYPERLINK(1)", "+1", "-1", "@x", "\tx", "＝1", '"quoted", and, commas', "a\nb\r\nc"),
        *("\u202ex\u2066", "a" + "\u0301" * 50, "👩\u200d👩\u200d👧"),
    ]
)
FLAT = {
    "batch": SHORT,
    "severity": st.integers(0, 3),
    "target_group": SHORT,
    "source": SHORT,
    "licence": SHORT,
    "intended": CODE,
    "text_label": CODE,
    "text_explanation": TEXT,
    "text_model": SHORT,
    "text_prompt_digest": st.text("0123456789abcdef", min_size=64, max_size=64),
    "image_label": CODE,
}
LABEL = st.fixed_dictionaries(
    {"annotator": ID, "category": CODE},
    optional={"note": TEXT, "seconds": st.floats(0, 1e6), "low_quality": st.booleans()},
)
ITEM = st.fixed_dictionaries({"id": ID, "text": st.one_of(TEXT, STRANGE)}, optional=FLAT)
WITH_LABELS = st.fixed_dictionaries(
    {"id": ID, "text": st.one_of(TEXT, STRANGE)},
    optional=FLAT | {"labels": st.lists(LABEL, max_size=3, unique_by=lambda label: label["annotator"])},
)


def read(content: bytes, format: Format = Format.AUTO) -> list[Row]:
    stream = io.BytesIO(content)
    rows = list(open_reader(stream, Reading(detect(stream) if format is Format.AUTO else format)))
    assert not [row for row in rows if isinstance(row, RowError)], rows
    return [row for row in rows if isinstance(row, Row)]


def said(row: Row) -> dict[str, Any]:
    """The row in our own names again, without what is absent."""
    values: dict[str, Any] = {
        "id": row.external_id,
        "text": row.text,
        "severity": row.severity,
        **row.about,
        "intended": None if row.intended is None else int(row.intended),
    }
    for name, prior in (("text", row.text_prior), ("image", row.image_prior)):
        if prior is not None:
            values |= {f"{name}_label": int(prior.category)}
            values |= {f"{name}_{key}": value for key, value in prior.about.items()}
    values["labels"] = [
        {
            "annotator": label.annotator,
            "category": int(label.category or 0),
            **({"note": label.note} if label.note else {}),
            **({"seconds": label.seconds} if label.seconds is not None else {}),
            **({"low_quality": True} if label.low_quality else {}),
        }
        for label in row.labels
    ]
    return {name: value for name, value in values.items() if value not in (None, "", [])}


def wanted(item: dict[str, Any]) -> dict[str, Any]:
    """The item without what means nothing: an explanation without its label, a flag that is not set."""
    kept = {name: value for name, value in item.items() if value != []}
    if "text_label" not in kept:
        kept = {name: value for name, value in kept.items() if not name.startswith("text_")}
    if "labels" in kept:
        kept["labels"] = [
            {name: value for name, value in label.items() if value is not False} for label in kept["labels"]
        ]
    return kept


@given(st.lists(WITH_LABELS, min_size=1, max_size=4))
def test_json_lines_are_read_back_as_they_were_written(items: list[dict[str, Any]]) -> None:
    content = "".join(json.dumps(item, ensure_ascii=False) + "\n" for item in items).encode()
    assert [said(row) for row in read(content)] == [wanted(item) for item in items]


@given(st.lists(ITEM, min_size=1, max_size=4), st.sampled_from([",", "\t"]))
def test_b119_tables_are_read_back_row_for_row(items: list[dict[str, Any]], delimiter: str) -> None:
    columns = ["id", "text", *FLAT]
    out = io.StringIO()
    table = csv.writer(out, delimiter=delimiter, lineterminator="\r\n", quoting=csv.QUOTE_ALL)
    table.writerow(columns)
    table.writerows([item.get(name, "") for name in columns] for item in items)
    assert [said(row) for row in read(out.getvalue().encode())] == [wanted(item) for item in items]


@given(st.lists(ITEM, min_size=1, max_size=4))
def test_b118_a_released_table_is_read_back_without_what_keeps_spreadsheets_safe(items: list[dict[str, Any]]) -> None:
    columns = ["id", "text", *FLAT, "image_sha256_released"]
    out = io.StringIO()
    table = csv.writer(out, lineterminator="\r\n")
    table.writerow(columns)
    for item in items:
        table.writerow([neutralized(str(item.get(name, ""))) for name in columns])
    assert [said(row) for row in read(out.getvalue().encode())] == [wanted(item) for item in items]


def test_a_cell_that_looks_safe_for_spreadsheets_in_anybody_elses_table_stays_as_it_is() -> None:
    assert read(b"id,text\n1,'=1+1\n")[0].text == "'=1+1"
