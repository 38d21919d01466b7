"""A pseudonym must not tell who is behind it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.domain.pseudonyms import SHORTEST, gives_away

PERSON = ("wren.jay", "jay_w@example.org", "Zoë", "")


@pytest.mark.parametrize(
    "pseudonym",
    ["wren.jay", "WREN-JAY", "jay.wren", "Jay", "the wren", "jay_w", "zoe", "ZOË 7", "jayw", "wrenja", "ren", "renj"],
)
def test_names_addresses_and_parts_of_them_give_away(pseudonym):
    assert gives_away(pseudonym, PERSON)


@pytest.mark.parametrize("pseudonym", ["dafi12", "Blue Tit", "example", "no name", "w", "蓝山雀"])
def test_other_words_do_not(pseudonym):
    assert not gives_away(pseudonym, PERSON)


def test_one_or_two_letters_of_a_name_may_stand_in_a_word():
    assert not gives_away("wildflower", ("wi", "lo@example.org"))
    assert gives_away("wi", ("wi",))


@given(st.text(min_size=1).filter(lambda name: sum(mark.isalnum() for mark in name) >= SHORTEST), st.text(), st.text())
def test_a_name_within_a_pseudonym_always_gives_away(name, before, after):
    if "@" not in name:
        assert gives_away(f"{before} {name} {after}", [name]) or not any(mark.isalnum() for mark in name)
