"""Any JSON value at any place of a row, in every format: the row is read or refused, and nothing breaks."""

import copy
import csv
import io
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from annotation.domain.formats.base import Format, LabelUse, Mapped
from annotation.domain.formats.mapping import NAMES
from annotation.imports.options import ImportOptions
from annotation.imports.report import ImportReport
from annotation.imports.run import import_file
from annotation.models import Project
from builders import make_project

LONG = "9" * 5000
EXAMPLES = Path("annotation/imports/examples")
LABEL = {
    **{"annotator": "a", "category": "Racist", "not_sure": False, "low_quality": False, "note": "n", "seconds": 3.5},
    **{"at": "2024-01-01T00:00:00Z", "target_group": "x", "replaced_by": None, "answers": {"q": 1}},
    **{"answer_versions": {"q": 1}, "challenges": [{"modality": "text", "hateful": True, "category": "Racist"}]},
}
OWN: dict[str, Any] = dict.fromkeys(sorted(NAMES)) | {
    **{"id": "a", "text": "t", "labels": [LABEL], "gold": None, "categories": None, "provenance": {"a": 1}},
    **{"text_label": "Racist", "injected": True, "stage": "gold", "hateful": True, "questions": {}, "split": "train"},
}
PREDICTION = {
    "model_version": "m",
    "result": [
        {"from_name": "text_label", "type": "choices", "value": {"choices": ["hateful"]}},
        {"from_name": "text_explanation", "value": {"text": ["a"]}},
    ],
}


def example(name: str) -> Any:
    """Return the example of a format with its first entry alone."""
    text = (EXAMPLES / name).read_text("utf-8")
    value = json.loads(text.splitlines()[0] if name.endswith("l") else text)
    if name.endswith("l"):
        return value
    return value[:1] if isinstance(value, list) else dict(list(value.items())[:1])


ROWS: Mapping[Format, Any] = {
    Format.INTERPLAY: OWN,
    Format.JSONL: [OWN],
    Format.LABEL_STUDIO: [example("label_studio.json")[0] | {"predictions": [PREDICTION]}],
    Format.HATEXPLAIN: example("hatexplain.json"),
    Format.HVLI: example("hvli.json"),
    Format.MMHS150K: example("mmhs150k.json"),
    Format.DOCCANO: example("doccano.jsonl"),
    Format.PRODIGY: example("prodigy.jsonl"),
    Format.POTATO: example("potato.jsonl"),
    Format.HATEFUL_MEMES: example("hateful_memes.jsonl"),
}
ANSWERED = {"id": "1", "text": "a", "y": "Racist", "answer_q": "1", "answer_q_version": "1", "annotator": "b"}
FLAT = {
    **{"annotation_id": "1", "annotator": "2", "created_at": "2026-01-01T00:00:00Z", "id": "1", "label": "NotHate"},
    **{"lead_time": "1.2", "text": "abc", "updated_at": "", "flags": "", "note": "", "answer_x": "", "text_label": ""},
}

SIMPLE = st.none() | st.booleans() | st.integers(-(10**39), 10**39) | st.floats(allow_nan=False, allow_infinity=False)
WORDS = st.sampled_from(
    ("", "text", "hateful", "Racist", "[", "{}", "[1]", "²", "１２", LONG, "1900-01-01T00:00:00+14:00")
)
KEYS = st.sampled_from(["a", "choices", "text", "rating", "modality", "start", "end", "version", "value", "id"])
VALUES = st.recursive(
    SIMPLE | WORDS | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(KEYS, inner, max_size=2),
    max_leaves=4,
)


def places(value: Any, before: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the way to every value inside a value."""
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in pairs:
        yield (*before, key)
        yield from places(part, (*before, key))


def with_value(whole: Any, place: tuple[Any, ...], value: Any) -> Any:
    changed = copy.deepcopy(whole)
    part = changed
    for key in place[:-1]:
        part = part[key]
    part[place[-1]] = value
    return changed


def checked(project: Project, content: str, **options: Any) -> ImportReport:
    file = io.BytesIO(content.encode("utf-8", "replace"))
    report = import_file(project, file, ImportOptions(**options))
    assert report.items or report.errors or report.dropped
    return report


def table(row: Mapping[str, str]) -> str:
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerows([row.keys(), row.values()])
    return out.getvalue()


class HostileValues(TestCase):
    project: ClassVar[Project]

    @classmethod
    def setUpTestData(cls) -> None:
        cls.project = make_project("garden")

    @settings(max_examples=400, deadline=None)
    @given(st.data())
    def test_any_value_at_any_place_of_a_row_is_read_or_refused(self, data: st.DataObject) -> None:
        format = data.draw(st.sampled_from(list(ROWS)))
        place = data.draw(st.sampled_from(list(places(ROWS[format]))))
        checked(self.project, json.dumps(with_value(ROWS[format], place, data.draw(VALUES))), format=format)

    @settings(max_examples=100, deadline=None)
    @given(st.sampled_from(sorted(ANSWERED)), VALUES, st.sampled_from(LabelUse))
    def test_any_value_beside_a_label_column_is_read_or_refused(self, name: str, value: Any, use: LabelUse) -> None:
        row = json.dumps(ANSWERED | {name: value})
        checked(self.project, row, format=Format.JSONL, mapped=Mapped(label="y", label_is=use))

    @settings(max_examples=200, deadline=None)
    @given(st.sampled_from([ANSWERED, FLAT]), st.data())
    def test_any_cell_of_a_table_is_read_or_refused(self, row: Mapping[str, str], data: st.DataObject) -> None:
        name = data.draw(st.sampled_from(sorted(row)))
        cell = data.draw(WORDS | VALUES.map(json.dumps))
        if row is FLAT:
            checked(self.project, table({**row, name: cell}), format=Format.LABEL_STUDIO)
        else:
            mapped = Mapped(label="y", label_is=data.draw(st.sampled_from(LabelUse)))
            checked(self.project, table({**row, name: cell}), format=Format.CSV, mapped=mapped)


@pytest.fixture
def project(db: None) -> Project:
    return make_project("garden")


@pytest.mark.parametrize("modality", [["text"], {"text": 1}])
def test_a_modality_that_is_no_word_is_refused(project: Project, modality: Any) -> None:
    challenge = {"modality": modality, "hateful": True}
    row = {"id": "a", "text": "t", "labels": [{"annotator": "a", "category": "Racist", "challenges": [challenge]}]}
    assert [error.code for error in checked(project, json.dumps(row)).errors] == ["bad_challenges"]


@pytest.mark.parametrize("choices", [{"a": 1}, 5, True, 1.5, [["a"]]])
def test_choices_of_a_prediction_that_are_no_words_are_refused(project: Project, choices: Any) -> None:
    prediction = {"result": [{"from_name": "text_label", "value": {"choices": choices}}]}
    task = [{"id": 1, "data": {"text": "abc"}, "predictions": [prediction]}]
    report = checked(project, json.dumps(task), format=Format.LABEL_STUDIO)
    assert [(error.code, error.entry) for error in report.errors] == [("bad_labels", 1)]


def test_one_choice_of_a_prediction_may_be_a_word(project: Project) -> None:
    prediction = {"result": [{"from_name": "text_label", "value": {"choices": "Racist"}}]}
    task = [{"id": 1, "data": {"text": "abc"}, "predictions": [prediction]}]
    assert checked(project, json.dumps(task), format=Format.LABEL_STUDIO).priors == 1


def test_numbers_of_too_many_digits_are_refused(project: Project) -> None:
    flat = checked(project, table({**FLAT, "annotation_id": LONG}), format=Format.LABEL_STUDIO)
    mapped = Mapped(label="y", label_is=LabelUse.SEAT)
    answered = checked(project, table({**ANSWERED, "answer_q_version": LONG}), format=Format.CSV, mapped=mapped)
    assert [error.code for error in (*flat.errors, *answered.errors)] == ["number_too_long", "number_too_long"]


@pytest.mark.parametrize("use", LabelUse)
def test_an_empty_list_of_labels_is_no_label(project: Project, use: LabelUse) -> None:
    mapped = Mapped(label="y", label_is=use)
    report = checked(project, '{"id": "1", "text": "a", "y": []}\n', format=Format.JSONL, mapped=mapped)
    assert (report.items, report.labels, report.errors) == (1, 0, [])
