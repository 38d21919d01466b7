"""The choices of a field that a closed set gives: a new member of the set cannot be forgotten."""

from enum import StrEnum

import pytest

from annotation.pages.form_fields import choices_of


class Fruit(StrEnum):
    APPLE = "apple"
    PEAR = "pear"


def test_choices_are_the_whole_set_in_the_order_of_the_words() -> None:
    assert choices_of(Fruit, {Fruit.PEAR: "a pear", Fruit.APPLE: "an apple"}) == (
        (Fruit.PEAR, "a pear"), (Fruit.APPLE, "an apple"),
    )  # fmt: skip


def test_a_member_without_words_is_refused_by_its_name() -> None:
    with pytest.raises(LookupError, match="Fruit.PEAR.*add the words"):
        choices_of(Fruit, {Fruit.APPLE: "an apple"})
