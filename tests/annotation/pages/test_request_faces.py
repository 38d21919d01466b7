"""What a declaration says of a field holds on the page, in the API and for the command alike."""

from enum import StrEnum
from typing import Annotated, Literal

import pytest
from django.core.management.base import CommandError, CommandParser
from django.utils.datastructures import MultiValueDict
from pydantic import Field

from annotation.api.request_shapes import AskingShape
from annotation.management.request_options import add_options, answers_of
from annotation.pages.request_form import RequestForm
from vocabulary.refusals import Refused
from vocabulary.requests import Asked, Request, places


class Fruit(StrEnum):
    APPLE = "apple"
    PEAR = "pear"


FRUITS = {Fruit.PEAR: "Pears", Fruit.APPLE: "Apples"}


def read_fruits(words: str) -> list[Fruit]:
    if words == "all":
        return list(Fruit)
    if words not in set(Fruit):
        raise Refused("%(word)s is no fruit.", word=words)
    return [Fruit(words)]


class Basket(Request):
    fruits: Annotated[
        tuple[Fruit, ...],
        Field(min_length=1),
        Asked("Fruits", words=FRUITS, option="some of {choices}, or all", read=read_fruits),
    ] = (Fruit.APPLE,)
    best: Annotated[Fruit | None, Asked("Best", words={None: "any"} | FRUITS, option="")] = None
    handles: Annotated[Literal[0, 2], Asked("Handles", words={2: "two", 0: "none"}, option="")] = 2
    count: Annotated[int, Field(ge=1, le=9), Asked("Count", option="", metavar="N")] = 4
    weight: Annotated[float | None, Field(ge=0, le=1), Asked("Weight", option="")] = None
    least: Annotated[int | None, Field(ge=1), Asked("Least", option="", flags=("at-least",))] = None
    language: Annotated[str, Asked("Language", option="", longest=7, line=True)] = "English"
    note: Annotated[str, Asked("Note", option="", longest=5)] = ""
    lid: Annotated[bool, Asked("Without a lid", option="")] = True
    drawn: int = 7


class BasketForm(RequestForm[Basket]):
    asks = Basket


class BasketShape(AskingShape[Basket]):
    asks = Basket


PLACES = {place.name: place for place in places(Basket)}


def page(values):
    filled = MultiValueDict({"fruits": ["apple"], "language": ["English"]})
    for name, value in values.items():
        filled.setlist(PLACES[name].switch, ["on"] if name == "lid" else value if name == "fruits" else [str(value)])
    form = BasketForm(filled)
    if not form.is_valid():
        raise ValueError(*form.errors)
    return form.request()


def body(values):
    shape = BasketShape(data=values)
    if not shape.is_valid():
        raise ValueError(*shape.errors)
    return shape.request()


def command(values):
    parser, words = CommandParser(), []
    add_options(parser, Basket)
    for name, value in values.items():
        option = "--at-least" if name == "least" else f"--{PLACES[name].switch.replace('_', '-')}"
        words += [option] if name == "lid" else [option, value[0] if name == "fruits" else str(value)]
    try:
        return Basket.of(answers_of(Basket, vars(parser.parse_args(words))))
    except (CommandError, SystemExit) as fault:
        raise ValueError(str(fault)) from None


FACES = pytest.mark.parametrize("face", [page, body, command])


@FACES
@pytest.mark.parametrize(
    "values",
    [
        {},
        {"fruits": ["pear"], "best": "apple", "handles": 0, "count": 9},
        {"weight": 0.25, "least": 1, "language": "Korean", "note": "ripe", "lid": False},
    ],
)
def test_what_is_filled_in_means_the_same_on_every_face(face, values):
    assert face(values) == Basket.model_validate(values)


@FACES
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("fruits", ["fig"]),
        ("best", "fig"),
        ("handles", 1),
        ("count", 0),
        ("count", 10),
        ("weight", 1.5),
        ("weight", "nan"),
        ("least", 0),
        ("language", "Cantonese"),
        ("note", "overripe"),
    ],
)
def test_what_is_out_of_bounds_is_refused_on_every_face(face, name, value):
    with pytest.raises(ValueError):
        face({name: value})


def test_a_command_names_its_option_and_the_bounds():
    for values, sentence in (
        ({"count": 10}, "--count is 1 to 9."),
        ({"least": 0}, "--at-least is at least 1."),
        ({"note": "overripe"}, "--note is longer than 5 characters."),
        ({"fruits": ["fig"]}, "--fruits: fig is no fruit."),
    ):
        with pytest.raises(ValueError, match=f"^{sentence}$"):
            command(values)


def test_a_page_asks_again_for_what_cannot_be_empty():
    form = BasketForm({"fruits": [], "language": " "})
    assert set(form.errors) == {"fruits", "language"}
    assert BasketForm({"fruits": ["pear"], "language": "x", "count": ""}).is_valid()
    empty = BasketShape(data={"fruits": [], "language": ""})
    assert not empty.is_valid() and set(empty.errors) == {"fruits", "language"}


def test_a_page_shows_what_holds_at_first():
    form = BasketForm()
    assert [form[name].initial for name in ("fruits", "count", "weight", "language")] == [
        [Fruit.APPLE],
        4,
        None,
        "English",
    ]
    assert [label for _value, label in form.fields["best"].choices] == ["any", "Pears", "Apples"]


def test_programs_alone_ask_for_what_nobody_is_asked():
    assert "drawn" not in BasketForm().fields and "drawn" not in BasketShape().fields
