"""Names are one line without characters that nobody sees; joiners stay where a script needs them."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from annotation.domain.one_line import NotOneLine, check_line, one_line, read_line
from annotation.domain.text_rules import BadText

BREAKS = ("\n", "\r", "\r\n", "\v", "\f", "\x85", "\u2028", "\u2029")
DIRECTIONS = tuple("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
HIDDEN = tuple("\t\x01\x1b\x7f\x9b\u00ad\u034f\u115f\u180e\u200b\u2060\u2064\u206a\u3164\ufeff\uffa0\ufff9\U000e0041")
WRITTEN = {
    "Persian": "نامه\u200cها",
    "Hindi": "क्\u200dष",
    "Malayalam, at the end of a word": "അവന്\u200d",
    "a family": "👩\u200d👩\u200d👧",
    "an astronaut": "👩🏽\u200d🚀",
    "a heart": "❤\ufe0f",
    "a key": "1\ufe0f\u20e3",
    "the flag of England": "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
    "a Japanese name": "葛\U000e0100城",
    "Korean": "한국어",
    "Arabic": "تجربة",
    "Hebrew": "ניסוי",
    "Thai": "ภาษาไทย",
    "Traditional Mongolian": "ᠮᠣᠩᠭᠣᠯ\u180bᠪ",
}


@pytest.mark.parametrize("character", BREAKS, ids=ascii)
def test_a_line_break_is_refused(character):
    with pytest.raises(NotOneLine) as refused:
        read_line(f"Beta{character}Your account is closed")
    number = f"U+{ord(character[0]):04X}"
    assert refused.value.code == "line_break"
    assert str(refused.value) == f"The text has a line break ({number}) after “Beta”: write it on one line."
    assert one_line(f"Beta{character}x") == "Beta x"


@pytest.mark.parametrize("character", DIRECTIONS + HIDDEN, ids=ascii)
def test_what_nobody_sees_is_refused(character):
    with pytest.raises(NotOneLine) as refused:
        check_line(f"{character}Beta")
    assert refused.value.code == "hidden_character"
    assert "at its beginning: remove it" in str(refused.value)
    assert one_line(f"Be{character}ta").replace(" ", "") == "Beta"


@pytest.mark.parametrize("name", WRITTEN.values(), ids=WRITTEN)
def test_a_script_keeps_what_it_needs(name):
    assert read_line(name) == name == one_line(name)


@pytest.mark.parametrize("joiner", ["\u200c", "\u200d"], ids=ascii)
@pytest.mark.parametrize("letters", ["ad", "한국", "中文", "ад"])
def test_a_joiner_that_joins_nothing_is_refused(letters, joiner):
    with pytest.raises(NotOneLine):
        read_line(joiner.join(letters))


def test_blanks_around_a_name_are_left_out_and_letters_are_composed():
    assert read_line("  Beta \n") == "Beta"
    assert read_line("e\u0301te\u0301") == "\u00e9t\u00e9"
    assert read_line(" ") == ""


@pytest.mark.parametrize(("text", "code"), [("a\x00", "nul_character"), ("\ud800", "invalid_unicode")])
def test_what_no_database_stores_keeps_its_own_sentence(text, code):
    with pytest.raises(BadText) as refused:
        check_line(text)
    assert refused.value.code == code


def test_the_length_is_that_of_the_composed_text():
    assert read_line("e\u0301" * 5, 5) == "\u00e9" * 5
    with pytest.raises(BadText, match="at most 5"):
        read_line("a" * 6, 5)


@given(st.text())
@example("0 ")
@example("a\u200b\u200c")
def test_a_name_that_was_made_one_line_is_read_as_it_stands(text):
    line = one_line(text)
    assert read_line(line) == line == one_line(line)
