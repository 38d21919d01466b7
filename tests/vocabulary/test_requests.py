"""A request is declared once: how it is filled in, what it refuses, and how it is stored."""

from enum import StrEnum
from typing import Annotated

import pytest
from pydantic import Field, ValidationError

from vocabulary.refusals import Refused
from vocabulary.requests import Asked, Limit, Optional, Request, Several, places


class Fruit(StrEnum):
    APPLE = "apple"
    PEAR = "pear"
    PLUM = "plum"


class Ribbon(Request):
    lacks_first = "Say which colour the ribbon has."

    colour: Annotated[str, Asked("Colour", name="ribbon")]
    length: Annotated[int, Field(ge=1, le=9), Asked("Length")] = 3
    knot: Optional = ""


class Basket(Request):
    fruits: Annotated[Several[Fruit], Asked("Fruits")] = (Fruit.APPLE,)
    only: Annotated[Limit[Fruit], Asked("Only these")] = ()
    lid: Annotated[bool, Asked("Without a lid")] = True
    note: Annotated[bool, Asked("With a note")] = False
    ribbon: Ribbon | None = None


def test_the_fields_of_a_request_inside_stand_beside_the_others():
    assert [place.name for place in places(Basket)] == ["fruits", "only", "lid", "note", "ribbon", "length", "knot"]
    assert [(place.kind, place.several) for place in places(Basket)[:3]] == [
        (Fruit, True),
        (Fruit, True),
        (bool, False),
    ]
    length = places(Basket)[5]
    assert (length.part, length.default, length.least, length.most) == ("ribbon", 3, 1, 9)
    assert places(Basket)[6].asked is None


def test_what_is_true_at_first_is_asked_as_its_opposite():
    assert [place.switch for place in places(Basket)[2:5]] == ["no_lid", "note", "ribbon"]


def test_a_request_inside_exists_where_its_first_field_is_filled_in():
    assert Basket.of({"lid": False}) == Basket(lid=False)
    assert Basket.of({"ribbon": None, "length": 3}).ribbon is None
    assert Basket.of({"ribbon": "red", "length": 4}).ribbon == Ribbon(colour="red", length=4)


@pytest.mark.parametrize(
    ("values", "at"),
    [
        ({"length": 4}, ["ribbon"]),
        ({"knot": "bow"}, ["ribbon"]),
        ({"ribbon": "red", "length": 4}, []),
        ({"length": 0, "knot": ""}, []),
        ({"note": True}, []),
    ],
)
def test_other_fields_of_a_request_inside_need_its_first(values, at):
    assert list(Basket.missing(values)) == [(name, "Say which colour the ribbon has.") for name in at]


def test_several_members_of_a_closed_set_stand_in_its_order_each_once():
    assert Basket(fruits=(Fruit.PLUM, Fruit.APPLE, Fruit.PLUM)).fruits == (Fruit.APPLE, Fruit.PLUM)
    assert Basket(only=("pear", "apple")).only == (Fruit.APPLE, Fruit.PEAR)


def test_what_is_stored_is_read_again_and_nothing_chosen_is_null():
    plain = {"fruits": ["apple"], "only": None, "lid": True, "note": False, "ribbon": None}
    assert Basket().model_dump(mode="json") == plain
    chosen = Basket(fruits=(), only=(Fruit.PEAR,), note=True, ribbon=Ribbon(colour="red"))
    stored = chosen.model_dump(mode="json")
    assert stored["ribbon"] == {"colour": "red", "length": 3, "knot": None}
    assert (stored["fruits"], stored["only"]) == ([], ["pear"])
    assert Basket.model_validate(stored) == chosen and Basket.model_validate(plain) == Basket()


def test_a_field_that_an_older_version_did_not_store_has_its_default():
    assert Basket.model_validate({"only": ["pear"], "ribbon": {"colour": "red"}}).ribbon == Ribbon(colour="red")


@pytest.mark.parametrize("values", [{"lidd": False}, {"ribbon": {"colour": "red", "length": 10}}, {"only": ["fig"]}])
def test_what_is_no_such_request_is_refused(values):
    with pytest.raises(ValidationError):
        Basket.model_validate(values)


def test_a_request_does_not_change():
    with pytest.raises(ValidationError):
        Basket().lid = False


def test_a_refusal_is_a_sentence_with_its_values():
    assert str(Refused("They add up to %(sum)s.", sum=90)) == "They add up to 90."
