"""Categories by code, name or alias; unknown ones are refused (threats B30, B31)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.domain.categories import (
    DEFAULT_CATEGORIES,
    KEYS,
    BadCategories,
    UnknownCategory,
    read_categories,
    read_category,
)
from annotation.domain.votes import Category

BINARY = (Category(0, "Fine", False), Category(1, "Hate", True, ("hateful",)))


@pytest.mark.parametrize(
    ("written", "code"),
    [(0, 0), ("0", 0), (3, 3), ("Racist", 1), ("racist", 1), ("Homophobe", 3), ("Religious Hate", 4), ("NOTHATE", 0)],
)
def test_a_category_is_read_by_code_name_or_alias(written, code):
    assert read_category(written, DEFAULT_CATEGORIES).code == code


@pytest.mark.parametrize("written", ["Hate ", "hate\u00a0", "Hate\u200b", " hate", "ＨＡＴＥ", "hates", "Hatefull"])
def test_a_near_miss_is_refused_with_a_suggestion(written):
    with pytest.raises(UnknownCategory) as refused:
        read_category(written, BINARY)
    assert refused.value.suggestion == "Hate"
    assert "Did you mean 'Hate'?" in refused.value.sentence


def test_an_unknown_label_is_refused_with_the_allowed_list():
    with pytest.raises(UnknownCategory) as refused:
        read_category("super_hate", DEFAULT_CATEGORIES)
    assert refused.value.code == "unknown_label"
    assert refused.value.sentence.endswith(
        "Allowed: 0 NotHate, 1 Racist, 2 Sexist, 3 Homophobic, 4 Religion, 5 OtherHate."
    )


@pytest.mark.parametrize("written", [6, -1, True, 1.0, None, "", "１", "01", "1.0", [], {"code": 1}, "\ud800"])
def test_what_only_resembles_a_code_is_refused(written):
    with pytest.raises(UnknownCategory):
        read_category(written, DEFAULT_CATEGORIES)


def test_a_code_written_as_a_fraction_gets_a_suggestion():
    for written in ("1.0", 1.0):
        with pytest.raises(UnknownCategory) as refused:
            read_category(written, DEFAULT_CATEGORIES)
        assert refused.value.suggestion == "Racist"


@given(st.text() | st.integers() | st.floats() | st.none())
def test_anything_is_either_read_or_refused_with_a_sentence_that_can_be_printed(written):
    try:
        assert read_category(written, DEFAULT_CATEGORIES) in DEFAULT_CATEGORIES
    except UnknownCategory as refused:
        assert refused.sentence.isprintable()


def test_the_default_six_pass_their_own_check():
    rows = [
        {"code": each.code, "name": each.name, "hateful": each.hateful, "aliases": list(each.aliases), "key": each.key}
        for each in DEFAULT_CATEGORIES
    ]
    assert [each.name for each in read_categories(rows)] == [each.name for each in DEFAULT_CATEGORIES]


def test_keys_are_given_where_none_are_wished():
    rows = [
        {"code": 12, "name": "later", "hateful": True},
        {"code": 0, "name": "normal", "hateful": False},
        {"code": 1, "name": "offensive", "hateful": True, "key": "h"},
    ]
    assert [(each.code, each.key) for each in read_categories(rows)] == [(0, "0"), (1, "h"), (12, "1")]


def test_a_full_set_gets_a_key_each():
    rows = [{"code": code * 7, "name": f"kind {code}", "hateful": code > 0} for code in range(len(KEYS))]
    assert sorted(each.key for each in read_categories(rows)) == sorted(KEYS)


GOOD = {"code": 0, "name": "normal", "hateful": False}


@pytest.mark.parametrize(
    ("other", "sentence"),
    [
        ({"code": 0, "name": "hate", "hateful": True}, "share the code '0'"),
        ({"code": 1, "name": "Normal", "hateful": True}, "share the name or alias 'normal'"),
        ({"code": 1, "name": "hate", "hateful": True, "aliases": ["normal"]}, "share the name or alias"),
        ({"code": True, "name": "hate", "hateful": True}, "needs a code"),
        ({"code": "1", "name": "hate", "hateful": True}, "Write it as a number"),
        ({"code": 1, "name": "hate", "hateful": 1}, "needs hateful"),
        ({"code": 1, "name": "\u200b", "hateful": True}, "needs a name"),
        ({"code": 1, "name": "hate ", "hateful": True}, "remove the spaces"),
        ({"code": 1, "name": "x" * 61, "hateful": True}, "at most 60"),
        ({"code": 1, "name": "0", "hateful": True}, "is a number"),
        ({"code": 1, "name": "hate", "hateful": True, "hue": "red"}, "unknown field"),
        ({"code": 1, "name": "hate", "hateful": True, "aliases": "x"}, "a list of words"),
        ({"code": 1, "name": "hate", "hateful": True, "key": "q"}, "a key is one of"),
        ({"code": 1, "name": "hate", "hateful": True, "key": ""}, None),
        ("hate", "must be an object"),
    ],
)
def test_a_set_that_would_make_files_ambiguous_is_refused(other, sentence):
    if sentence is None:
        assert len(read_categories([GOOD, other])) == 2
        return
    with pytest.raises(BadCategories, match=sentence):
        read_categories([GOOD, other])


@pytest.mark.parametrize("count", [0, 1, len(KEYS) + 1])
def test_a_project_has_at_least_two_categories_and_as_many_as_there_are_keys(count):
    with pytest.raises(BadCategories, match="2 to"):
        read_categories([{"code": code, "name": f"kind {code}", "hateful": True} for code in range(count)])


@pytest.mark.parametrize("written", ["-1", "-2.0", "0.050", "0.5", "nan", "inf", -1, 0.25])
def test_a_number_that_is_no_code_gets_no_suggestion(written):
    with pytest.raises(UnknownCategory) as refused:
        read_category(written, DEFAULT_CATEGORIES)
    assert refused.value.suggestion is None
