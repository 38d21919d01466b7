"""A person's own keys: which letters may be chosen, and that one letter presses one thing."""

import pytest

from annotation.domain.accounts.own_keys import LETTERS, BadOwnKey, read_own_keys
from annotation.domain.categories import KEYS

ACTIONS = {"s": "Skip", "n": "Note", "t": "Text"}


@pytest.mark.parametrize(
    ("chosen", "own"),
    [
        ({}, {}),
        ({"s": "", "n": " "}, {}),
        ({"s": "s"}, {}),
        ({"s": "K"}, {"s": "k"}),
        ({"s": "ｋ"}, {"s": "k"}),
        ({"s": "n", "n": "s"}, {"s": "n", "n": "s"}),
        ({"s": "n", "n": "x"}, {"s": "n", "n": "x"}),
        ({"t": "k", "unknown": "j"}, {"t": "k"}),
    ],
)
def test_own_letters_are_kept_where_they_differ(chosen: dict[str, str], own: dict[str, str]) -> None:
    assert read_own_keys(ACTIONS, chosen) == own


@pytest.mark.parametrize("letter", ["a", "1", "ab", "ㅅ", "?", "é"])
def test_a_letter_that_projects_may_need_or_no_letter_is_refused(letter: str) -> None:
    with pytest.raises(BadOwnKey, match="Choose one of these letters: B C G") as refused:
        read_own_keys(ACTIONS, {"n": letter})
    assert refused.value.usual == "n"


@pytest.mark.parametrize("chosen", [{"n": "s"}, {"s": "k", "n": "k"}])
def test_two_actions_on_one_key_are_refused_with_one_sentence(chosen: dict[str, str]) -> None:
    with pytest.raises(BadOwnKey, match="already presses “Skip”") as refused:
        read_own_keys(ACTIONS, chosen)
    assert refused.value.usual == "n"


def test_no_category_or_question_can_have_a_letter_that_people_choose() -> None:
    assert not set(LETTERS) & set(KEYS)
