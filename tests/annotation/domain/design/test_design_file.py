"""A design as one JSON object: what is read, what is refused, and that writing and reading agree."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.domain.categories import COLOURS, DEFAULT_CATEGORIES, KEYS
from annotation.domain.design.file import BadDesign, Design, as_json, read_design
from annotation.domain.words import in_language

TWO = [{"code": 0, "name": "Fine", "hateful": False}, {"code": 1, "name": "Hate", "hateful": True}]


def test_a_list_of_categories_is_a_design():
    assert read_design(TWO) == read_design({"categories": TWO})


def test_the_order_of_the_page_is_that_of_the_list():
    design = read_design([TWO[1], TWO[0]])
    assert [category.code for category in design.categories] == [0, 1]
    assert [row["code"] for row in as_json(design)["categories"]] == [1, 0]


def test_a_retired_category_has_no_key_and_counts_for_nothing():
    rows = [*TWO, {"code": 2, "name": "Old", "hateful": True, "retired": True, "key": "2"}]
    assert read_design(rows).categories[2].key == ""
    with pytest.raises(BadDesign, match="2 to 21 categories; this list has 1"):
        read_design([TWO[0], {**TWO[1], "retired": True}])


@pytest.mark.parametrize(
    ("raw", "sentence"),
    [
        (7, "A design is an object"),
        ({}, "A design needs categories"),
        ({"categories": "a"}, "A design needs categories"),
        ({"categories": TWO, "colour": "red"}, "A design has no field 'colour'"),
        ({"categories": TWO, "question": 4}, "The question is a text"),
        ({"categories": TWO, "question": {"ko": 4}}, "The question is a text"),
        ({"categories": TWO, "question": "x" * 81}, "The question: "),
        ([{**TWO[0], "code": "0"}, TWO[1]], "its code is a text. Write it as a number"),
        ([{**TWO[0], "colour": "red"}, TWO[1]], "a colour is one of green"),
        ([{**TWO[0], "retired": "no"}, TWO[1]], "needs retired: true or false"),
    ],
)
def test_what_is_no_design_is_refused_with_one_sentence(raw, sentence):
    with pytest.raises(BadDesign, match=sentence):
        read_design(raw)


def test_the_words_of_a_language_go_before_those_of_every_language():
    words = {"": "It says", "ko": "이 글은"}
    assert in_language(words, "ko") == in_language(words, "ko-kr") == "이 글은"
    assert in_language(words, "zh-hans") == "It says"
    assert in_language({"ko": "이 글은"}, "en") == ""


_CATEGORY = st.fixed_dictionaries(
    {"hateful": st.booleans()},
    optional={
        "definition": st.sampled_from(["Attacks nobody.", "사람을 비하한다."]),
        "colour": st.sampled_from(COLOURS),
        "aliases": st.just(["other"]),
    },
)


@given(st.lists(_CATEGORY, min_size=2, max_size=len(KEYS)), st.randoms(use_true_random=False))
def test_a_design_is_read_as_it_was_written(rows, random):
    numbered = [
        {**row, "code": code, "name": f"name {code} of it"}
        | ({"aliases": [f"other {code}."]} if "aliases" in row else {})
        for code, row in enumerate(rows)
    ]
    random.shuffle(numbered)
    design = read_design({"categories": numbered, "question": {"ko": "이 글은"}})
    again = read_design(as_json(design))
    assert as_json(again) == as_json(design)
    assert [row["code"] for row in as_json(design)["categories"]] == [row["code"] for row in numbered]


def test_the_six_categories_are_a_design():
    assert read_design(as_json(Design(DEFAULT_CATEGORIES))).categories == DEFAULT_CATEGORIES
