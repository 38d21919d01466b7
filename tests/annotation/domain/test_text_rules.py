"""Texts and ids that are refused, with stable codes (threats B11, B12, B21, B22, B29)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.domain.text_rules import BadText, read_id, read_optional_text, read_text


def code_of(read, value, *args):
    with pytest.raises(BadText) as refused:
        read(value, *args)
    return refused.value.code


def test_nul_and_lone_surrogates_are_refused_everywhere():
    for read in (read_text, read_optional_text):
        assert code_of(read, "a\x00b") == "nul_character"
        assert code_of(read, "a\ud800b") == "invalid_unicode"


@pytest.mark.parametrize(
    "blank", ["", "   ", "\t\n", "\u200b", "\u200b\u2060\ufeff", "\u3000", "\u00a0", "\u3164", "\u202e", "\u2800\ufe0f"]
)
def test_a_text_that_shows_nothing_is_blank(blank):
    assert code_of(read_text, blank) == "blank_text"
    assert read_optional_text(blank) == blank


def test_the_limit_names_itself_and_the_actual_length():
    with pytest.raises(BadText) as refused:
        read_text("x" * 1_000_000)
    assert (refused.value.code, refused.value.limit) == ("text_too_long", 20_000)
    assert refused.value.sentence == "The text has 1,000,000 characters; at most 20,000 are allowed."
    assert read_text("x" * 20_000) == "x" * 20_000


@pytest.mark.parametrize(
    "kept", ["a\u202eb", "\u2066a\u2069", "o" + "\u0301" * 10_000, "e\u0301", "é", "👩‍👩‍👧", "a\u2028b\u0085", " a "]
)
def test_what_is_odd_but_visible_is_kept_exactly(kept):
    assert read_text(kept) == kept


@pytest.mark.parametrize(
    "bad", ["", "x" * 129, "   ", "\u200b", "a\n", "a\tb", "a\x00", "\x7f", "a\x85", "a\u2028b", "a\u202eb", "\ud800"]
)
def test_ids_with_control_characters_or_of_129_are_refused(bad):
    assert code_of(read_id, bad) == "bad_id"


@pytest.mark.parametrize(
    "good",
    [
        *("w-17", "1178613994371928065_twitter", "a.b:c", "x" * 128, "0", "a+b=", "q@1", "<m1@x>", "2021-03-04 12:00"),
        *(
            "img/01235.png",
            "../../x",
            "=1+1",
            "한글-1",
            "帖子1",
            "a#b",
            "(1)",
            "1,234",
            "ä",
            "👩‍👩‍👧",
            "'",
            '"',
            "..",
            "%00",
        ),
    ],
)
def test_ids_of_the_world_are_kept(good):
    assert read_id(good) == good


@given(st.text(alphabet=st.characters(codec=None)))
def test_every_string_is_kept_as_it_is_or_refused_with_a_printable_sentence(value):
    for read in (read_text, read_id):
        try:
            assert read(value) == value
            value.encode("utf-8")
        except BadText as refused:
            assert refused.sentence.isprintable()
