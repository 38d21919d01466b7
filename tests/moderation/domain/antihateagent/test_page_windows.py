"""Reading pages: windows and copies; and the words of the local index."""

from hypothesis import given
from hypothesis import strategies as st

from moderation.domain.antihateagent import search_index
from moderation.domain.antihateagent.actions import is_confirmed
from moderation.domain.antihateagent.page_windows import WINDOW, is_copy, shingles, windows


@given(st.text(max_size=9000), st.integers(1, 6))
def test_windows_hold_the_page_in_order_and_are_never_too_long(text: str, most: int) -> None:
    found = windows(text, most)
    assert all(len(window.text) <= WINDOW and text.startswith(window.text, window.start) for window in found)
    assert "".join(window.text for window in found) == text[: sum(len(window.text) for window in found)]
    assert len(found) == most or sum(len(window.text) for window in found) == len(text)


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
