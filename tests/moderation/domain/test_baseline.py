"""How the prose of the one-call methods is read."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moderation.domain.baseline import read_comment, read_conclusion


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("hate speech: it calls them a plague", (True, "it calls them a plague")),
        ("not hate speech: it is about algae", (False, "it is about algae")),
        ("Not hate speech: it says: no.\n", (False, "it says: no.")),
        ("**Hate speech**: bold", None),
        ("I think hate speech: yes", None),
        ("hate speech:", None),
        ("hate speech", None),
        ("", None),
    ],
)
def test_a_comment_is_read_from_one_of_its_two_forms(text: str, wanted: tuple[bool, str] | None) -> None:
    assert read_comment(text) == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("It says “a plague”.\nConclusion: hateful", True),
        ("It says “algae”.\nConclusion: non-hateful", False),
        ("…\n**Conclusion: not hateful.**", False),
        ("…\nConclusion: hateful\nConclusion: non-hateful", None),
        ("Conclusion: hateful to whom?", None),
        ("No hate here.", None),
    ],
)
def test_a_conclusion_is_a_line_of_its_own_and_two_different_ones_are_none(text: str, wanted: bool | None) -> None:
    assert read_conclusion(text) is wanted


@given(st.text(), st.booleans())
def test_whatever_stands_before_it_a_single_conclusion_is_found(text: str, hateful: bool) -> None:
    before = text.replace("onclusion", "")
    assert read_conclusion(f"{before}\nConclusion: {'hateful' if hateful else 'non-hateful'}") is hateful
