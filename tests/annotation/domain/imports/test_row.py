"""A row is read once into one value: the same by a reader with practice, and the same after the temporary file."""

import pickle
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.domain.choices import Choose, Modality, SourceLabels, Stage
from annotation.domain.formats.base import BadValue, Row, RowChallenge, RowLabel, RowPrior
from annotation.domain.imports.read_row import ReadRow, Terms
from annotation.domain.imports.row import RowReader
from annotation.domain.masking.mask import Mask
from annotation.domain.masking.regions import chosen
from annotation.domain.text_rules import text_digest
from annotation.domain.votes import Category

CATEGORIES = (Category(0, "NotHate", False), Category(1, "Racist", True), Category(2, "Sexist", True))
WORDS = ("0", "1", "Sexist", "1;2", "2.0", "hateful", "not_hateful", "0;1", "nothing of it")
words = st.sampled_from(WORDS)
maybe = st.none() | words
priors = st.none() | st.builds(RowPrior, words, st.fixed_dictionaries({"severity": st.none() | st.integers(1, 5)}))
challenges = st.builds(RowChallenge, st.sampled_from(Modality), words, st.none() | st.booleans())
labels = st.builds(
    RowLabel, st.just("a"), category=words, low_quality=st.booleans(), challenges=st.tuples() | st.tuples(challenges)
) | st.builds(RowLabel, st.just("a"), not_sure=st.just(True), replaced_by=maybe)
rows = st.builds(
    Row,
    line=st.just(1),
    external_id=st.just("w-1"),
    text=st.sampled_from(("", "Weeds", "Ask me@example.org")),
    intended=maybe,
    intended_hateful=st.none() | st.booleans(),
    text_prior=priors,
    image_prior=priors,
    labels=st.lists(labels, max_size=4).map(tuple),
    gold=maybe,
    gold_source=st.sampled_from(("", "adjudicated")),
    rationale=st.sampled_from(("", "Seen twice.")),
    known_category=st.none() | words,
)
terms = st.builds(
    Terms,
    categories=st.just(CATEGORIES),
    seats=st.just(3),
    choose=st.sampled_from(Choose),
    source_labels=st.sampled_from(SourceLabels),
    masks=st.sampled_from((frozenset(), frozenset({Mask.EMAILS}))),
    awaited=st.frozensets(st.sampled_from(Modality)),
)


def read(reader: RowReader, row: Row) -> ReadRow | tuple[Any, ...] | None:
    try:
        return reader.read(row)
    except BadValue as fault:
        assert fault.field and fault.reason.endswith((".", "?")), "the column, and one sentence"
        return (fault.code, fault.reason, fault.field, fault.limit)


@given(terms, st.lists(rows, min_size=1, max_size=5))
def test_a_reader_that_has_read_other_rows_says_the_same(project: Terms, some: list[Row]) -> None:
    practised = RowReader(project)
    first = [read(practised, row) for row in some]
    assert [read(practised, row) for row in some] == first
    assert [read(RowReader(project), row) for row in some] == first
    assert pickle.loads(pickle.dumps(first)) == first


@pytest.mark.parametrize(
    ("given_row", "outcome"),
    [
        ({"labels": "110"}, (Stage.GOLD, 1)),
        ({"labels": "11"}, (Stage.LABELLING, None)),
        ({"gold": "Sexist"}, (Stage.GOLD, 2)),
        ({"known_category": "2"}, (Stage.KNOWN, None)),
        ({}, (Stage.IMPORTED, None)),
    ],
)
def test_what_a_row_makes_of_its_item(given_row: dict[str, Any], outcome: tuple[Stage, int | None]) -> None:
    given_labels = tuple(RowLabel(f"a{place}", code) for place, code in enumerate(given_row.get("labels", "")))
    row = replace(Row(1, "w-1", text="Weeds"), **given_row | {"labels": given_labels})
    item = RowReader(Terms(CATEGORIES, 3, awaited=frozenset({Modality.TEXT}))).read(row)
    assert item is not None and (item.outcome.stage, item.outcome.category) == outcome


def test_labels_are_added_to_a_text_that_was_masked_for_the_campaigns_countries() -> None:
    reader = RowReader(
        Terms(CATEGORIES, 3, masks=frozenset({Mask.PHONES}), regions=chosen(["FR"]), awaited=frozenset({Modality.TEXT}))
    )
    row = Row(1, "w-1", text="06 39 98 12 34 ce soir", labels=(RowLabel("a", "1"),))
    item = reader.read(row)
    assert item is not None and item.text == "<phone> ce soir"
    assert len(reader.labels_for(row, item.text, text_digest(item.text))[0]) == 1
