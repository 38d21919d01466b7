"""Whatever a released row says comes back: release, import into an empty project, release again."""

import io
import json
from datetime import date
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from annotation.core.release_paths import folder_of
from annotation.domain.choices import Choose
from annotation.domain.columns.column import TEXT
from annotation.domain.columns.items import ABOUT_ITEMS
from annotation.domain.columns.priors import ABOUT_PRIORS
from annotation.domain.one_line import one_line
from annotation.domain.releases.columns import Scope
from annotation.imports.options import ImportOptions
from annotation.imports.report import ImportReport
from annotation.imports.run import import_file
from annotation.models import Project
from annotation.releases.build import release
from annotation.releases.request import Selection
from builders import make_member, make_project
from release_builders import make_gold, make_picture, rows_of

CODES = ((0, "NotHate", False), (1, "Racist", True), (2, "Sexist", True))
WORDS = st.text(st.characters(categories=("L", "N", "P", "S")), min_size=1, max_size=20).map(one_line).filter(bool)
CODE = st.integers(0, 2)
CHALLENGE = st.fixed_dictionaries({"modality": st.sampled_from(["text", "image"]), "category": CODE})
WHEN = st.dates(min_value=date(2000, 1, 1), max_value=date(2100, 1, 1))
SAID = st.fixed_dictionaries(
    {},
    optional={
        "note": WORDS,
        "seconds": st.integers(0, 9000).map(lambda tenths: tenths / 10),
        "target_group": WORDS,
        "at": WHEN.map(str),
        "challenges": st.lists(CHALLENGE, max_size=2, unique_by=lambda each: each["modality"]),
        "low_quality": st.booleans(),
    },
)
ANSWER = st.one_of(
    st.fixed_dictionaries({"category": CODE}),
    st.fixed_dictionaries({"not_sure": st.just(True)}, optional={"replaced_by": CODE}),
)
LABEL = st.builds(lambda said, answer: said | answer, SAID, ANSWER)
PRIOR = {column.name: WORDS if column.kind == TEXT else CODE for column in ABOUT_PRIORS if column.when}
ABOUT = {
    **dict.fromkeys((*ABOUT_ITEMS, "item_source"), WORDS),
    **{f"{part}_{name}": values for part in ("text", "image") for name, values in PRIOR.items()},
    **{f"{part}_label": CODE | st.sampled_from(["hateful", "not_hateful"]) for part in ("text", "image")},
    "intended": CODE,
    **{f"injection_{name}": WORDS for name in ("strategy", "model")},
    "injected": st.just(True),
}
SIMPLE = {"category", "not_sure", "low_quality", "note", "seconds", "target_group", "at", "replaced_by"}
LABELLED = st.fixed_dictionaries(
    {"text": WORDS, "labels": st.lists(LABEL, min_size=3, max_size=3)}, optional=ABOUT | {"rationale": WORDS}
)
DECIDED = st.fixed_dictionaries(
    {"text": WORDS, "gold": CODE},
    optional=ABOUT | {"rationale": WORDS, "gold_source": st.sampled_from(["consensus", "adjudicated", "imported"])},
)
ROW = LABELLED | DECIDED
SETS = st.lists(st.integers(1, 2), min_size=1, max_size=2, unique=True) | st.just([0])


def imported(project: Project, content: bytes) -> ImportReport:
    report = import_file(project, io.BytesIO(content), ImportOptions())
    assert report.stored, report.errors
    return report


def told(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows without what is a new project's own: pseudonyms, and what was seen here when the label was given."""
    for row in rows:
        row["guideline_version"] = None
        for label in row["labels"]:
            label |= dict.fromkeys(("annotator", "priors_seen", "first_category"))
    return rows


def given_values(row: dict[str, Any]) -> dict[str, Any]:
    """What the release of an imported row has to say: its own values, as far as they describe something."""
    kept = {name: value for name, value in row.items() if name not in ("labels", "gold_source", "rationale")}
    for part in ("text", "image"):
        label = kept.pop(f"{part}_label", None)
        if label is None:  # a model's words without its answer are no prior
            kept = {name: value for name, value in kept.items() if name not in [f"{part}_{of}" for of in PRIOR]}
        elif isinstance(label, str):
            kept[f"{part}_hateful"] = label == "hateful"
        else:
            kept[f"{part}_label"] = label
    if not row.get("injected"):
        kept = {name: value for name, value in kept.items() if not name.startswith("injection_")}
    return kept


def with_sets(row: dict[str, Any], sets: st.DataObject) -> None:
    """Give every answer of a row all its categories instead of one."""
    for part, name in ((row, "gold"), (row, "intended"), *((label, "category") for label in row.get("labels", []))):
        if name in part:
            part[name] = sets.draw(SETS)
    for label in row.get("labels", []):
        if "replaced_by" in label:
            label["replaced_by"] = sets.draw(SETS)


class EveryField(TestCase):
    @settings(max_examples=30, deadline=None)
    @given(st.lists(ROW, min_size=1, max_size=3), st.sampled_from(Choose), st.data())
    def test_every_field_of_a_release_comes_back(
        self, rows: list[dict[str, Any]], choose: Choose, data: st.DataObject
    ) -> None:
        for number, row in enumerate(rows):
            row["id"] = f"w{number}"
            row["labels"] = [label | {"annotator": f"a{place}"} for place, label in enumerate(row.get("labels", []))]
            if choose is Choose.SEVERAL:
                with_sets(row, data)
        first, second = (make_project(categories=CODES, choose=choose) for _ in range(2))
        imported(first, "".join(f"{json.dumps(row)}\n" for row in rows).encode())
        closed = Selection(notes=True, scope=Scope.CLOSED)
        made = release(first, None, closed)
        wanted = rows_of(made)
        if choose is Choose.ONE:
            for row, released in zip(rows, wanted, strict=True):
                said = given_values(row)
                assert {name: released[name] for name in said} == said
                for label, out in zip(row["labels"], released["labels"], strict=True):
                    assert {name: out[name] for name in label.keys() & SIMPLE} == {
                        name: label[name] for name in label.keys() & SIMPLE
                    }
        imported(second, (folder_of(made) / "items.jsonl").read_bytes())
        back = rows_of(release(second, None, closed))
        for row, again in zip(told(wanted), told(back), strict=True):
            assert {name: (row[name], again[name]) for name in row if row[name] != again[name]} == {}


@pytest.mark.parametrize(
    ("chosen", "text", "code"),
    [
        ({"texts": False, "media": False}, "A garden.", "content_left_out"),
        ({"media": False}, "", "content_left_out"),
        ({"texts": False, "media": False}, "", "content_left_out"),
    ],
)
@pytest.mark.django_db
def test_a_row_whose_content_was_left_out_says_which_release_has_it(chosen: Any, text: str, code: str) -> None:
    project = make_project(categories=CODES)
    trio = [make_member(project) for _ in range(3)]
    make_gold(project, trio, text=text, picture=make_picture(project))
    content = (folder_of(release(project, None, Selection(**chosen))) / "items.jsonl").read_bytes()
    report = import_file(make_project(categories=CODES), io.BytesIO(content), ImportOptions())
    assert ([error.code for error in report.errors], report.stored) == ([code], False)
    assert "--no-media" in report.errors[0].reason
