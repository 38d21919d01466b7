"""Categories, challenges and votes as values: design section 2."""

from dataclasses import FrozenInstanceError

import pytest

from annotation.domain.choices import Modality
from annotation.domain.votes import Category, Challenge, Vote

RACIST = Category(1, "Racist", hateful=True)


@pytest.mark.parametrize("value", [RACIST, Challenge(Modality.TEXT, hateful=True), Vote(RACIST)])
def test_what_people_say_cannot_be_changed_afterwards(value):
    with pytest.raises(FrozenInstanceError):
        value.hateful = False


@pytest.mark.parametrize(
    "other",
    [
        Category(1, "Race", hateful=True),
        Category(1, "Racist", hateful=False),
        Category(1, "Racist", hateful=True, aliases=("race",)),
        Category(1, "Racist", hateful=True, definition="Against a race."),
        Category(1, "Racist", hateful=True, key="r"),
        Category(1, "Racist", hateful=True, place=3),
        Category(1, "Racist", hateful=True, colour="teal"),
        Category(1, "Racist", hateful=True, retired=True),
    ],
)
def test_two_categories_are_the_same_when_their_codes_are(other):
    assert other == RACIST
    assert hash(other) == hash(RACIST)
    assert Category(2, "Racist", hateful=True) != RACIST


def test_a_category_is_open_and_stands_by_its_code_unless_it_says_otherwise():
    assert (RACIST.place, RACIST.retired) == (0, False)


def test_what_was_chosen_is_the_category_with_the_further_ones():
    sexist = Category(2, "Sexist", hateful=True)
    assert Vote(RACIST, further=(sexist,)).chosen == {RACIST, sexist}
    assert Vote(None, further=(sexist,)).chosen == set()


def test_a_vote_flags_no_low_quality_unless_it_says_so():
    assert Vote(RACIST).low_quality is False


def test_the_last_challenge_of_a_modality_counts():
    first = Challenge(Modality.TEXT, hateful=True)
    image = Challenge(Modality.IMAGE, hateful=True)
    last = Challenge(Modality.TEXT, hateful=False)
    vote = Vote(RACIST, challenges=(first, image, last))
    assert vote.challenge_of(Modality.TEXT) == last
    assert vote.challenge_of(Modality.IMAGE) == image


@pytest.mark.parametrize(("challenged", "other"), [tuple(Modality), tuple(reversed(Modality))])
def test_a_challenge_of_one_modality_says_nothing_about_the_other(challenged, other):
    assert Vote(RACIST, challenges=(Challenge(challenged, hateful=True),)).challenge_of(other) is None
