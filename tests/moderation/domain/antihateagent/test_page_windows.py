"""Reading pages: windows and copies; and the words of the local index."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moderation.domain.antihateagent import search_index
from moderation.domain.antihateagent.actions import is_confirmed
from moderation.domain.antihateagent.page_windows import WINDOW, is_copy, page_number, shingles, windows


@given(st.text(max_size=9000), st.integers(1, 6))
def test_windows_hold_the_page_in_order_and_are_never_too_long(text: str, most: int) -> None:
    found = windows(text, most)
    assert all(len(window.text) <= WINDOW and text.startswith(window.text, window.start) for window in found)
    assert "".join(window.text for window in found) == text[: sum(len(window.text) for window in found)]
    assert len(found) == most or sum(len(window.text) for window in found) == len(text)


def texts_of(text: str, most: int = 9, size: int = 30) -> list[str]:
    return [window.text for window in windows(text, most, size)]


@pytest.mark.parametrize("mark", ["\n\n", "\n", ". ", "。", " "])
def test_a_window_ends_after_a_mark_in_its_last_third(mark: str) -> None:
    for before in ("", "x" * 30):  # alone, and after another window
        found, too_early = (texts_of(f"{before}{'a' * place}{mark}{'b' * 60}") for place in (20, 20 - len(mark)))
        assert found[bool(before)] == "a" * 20 + mark
        assert len(too_early[bool(before)]) == 30


def test_paragraphs_go_before_sentences_and_the_end_of_the_text_before_both() -> None:
    assert texts_of(f"{'a' * 21}\n\nbb. {'c' * 40}")[0] == "a" * 21 + "\n\n"
    assert texts_of(f"{'a' * 25} bbbb") == [f"{'a' * 25} bbbb"]


def test_there_are_as_many_windows_as_are_asked_for_and_none_is_empty() -> None:
    assert texts_of("a" * 100, 2) == ["a" * 30] * 2
    assert texts_of("a" * 60) == ["a" * 30] * 2
    assert [len(window.text) for window in windows("a" * 4001, 9)] == [4000, 1]


def test_shingles_are_six_words_or_twelve_characters_where_words_are_long() -> None:
    assert shingles("A b c d e f g") == {"a b c d e f", "b c d e f g"}
    assert shingles("a, b") == {"a b"}
    assert shingles("abcdefg abcdefg") == {"abcdefg abcdefg"}
    assert shingles("abcdefg abcdefgh") == {"abcdefgabcde", "bcdefgabcdef", "cdefgabcdefg", "defgabcdefgh"}
    assert shingles("잡초라는말이다요") == {"잡초라는말이다요"}
    assert shingles("abcdefghijklm") == {"abcdefghijkl", "bcdefghijklm"}


def test_long_texts_are_compared_by_their_beginnings() -> None:
    assert "a a a a a 123456" in shingles("a " * 19_997 + "1234567")
    assert len(shingles("".join(chr(0x4E00 + place) for place in range(20_500)))) == 20_000 - 11


def test_seven_of_ten_shingles_of_the_shorter_text_make_a_copy() -> None:
    short, long = frozenset(map(str, range(10))), frozenset(map(str, range(3, 90)))
    assert is_copy(short, long) and is_copy(long, short)
    assert not is_copy(short, long - {"9"})
    assert not is_copy(short, frozenset()) and not is_copy(frozenset(), long)


def test_a_place_is_on_a_page_where_the_text_has_pages() -> None:
    assert [page_number("a\fb\fc", place) for place in (0, 1, 2, 4)] == [1, 1, 2, 3]
    assert page_number("\fa", 1) == 2
    assert page_number("no pages", 3) == 0


def test_copies_are_told_from_texts_about_the_same() -> None:
    one = "the word weeds is used for newcomers on several boards since the spring of last year"
    other = "newcomers are called weeds, says a report on the boards, and not since last year only"
    assert is_copy(shingles(one), shingles(f"Reprint. {one} All rights reserved."))
    assert not is_copy(shingles(one), shingles(other))
    unparted = "잡초라는말은새로온사람들을가리키는말이다"
    assert is_copy(shingles(unparted), shingles(f"{unparted} 끝"))


def test_the_post_is_confirmed_but_for_case_spacing_and_a_stray_character() -> None:
    assert is_confirmed("weeds in the WHITE roses,  again", "Weeds in the white roses again.")
    assert not is_confirmed("Roses in the white house are red.", "Weeds in the white roses again.")


def test_words_of_scripts_without_spaces_are_found_inside_of_runs() -> None:
    assert search_index.index_words("Weeds 2024, 잡초들은 白玫瑰!") == [
        "weeds",
        "2024",
        "잡초",
        "초들",
        "들은",
        "白玫",
        "玫瑰",
    ]
    asked = search_index.parse_query('"white roses" 잡초 -lawn site:x.example OR 玫瑰')
    assert asked.some == (("white", "roses"), ("잡초",), ("玫瑰",))
    assert asked.none == (("lawn",),)
    assert search_index.sqlite_match(asked) == '("white roses" OR "잡초" OR "玫瑰") NOT ("lawn")'
    assert search_index.postgresql_query(asked) == "(('white' <-> 'roses') | ('잡초') | ('玫瑰')) & !(('lawn'))"


@given(st.text(max_size=400))
def test_no_query_breaks_out_of_its_quotes(query: str) -> None:
    asked = search_index.parse_query(query)
    assert all(word.isalnum() for run in (*asked.some, *asked.none) for word in run)
