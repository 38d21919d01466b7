"""A frozen dataclass is what the API answers and what describes it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import pytest
from drf_spectacular.plumbing import ComponentRegistry

from config.api.renderers import AnswerRenderer
from config.api.schema import TruthfulSchema


class Colour(StrEnum):
    """A colour."""

    RED = "red"


@dataclass(frozen=True)
class Wheel:
    """A wheel."""

    spokes: int


@dataclass(frozen=True)
class Cart:
    """A cart."""

    colour: Colour
    wheels: tuple[Wheel, ...]
    spare: Wheel | None
    load: Mapping[Colour, float]
    names: Sequence[str] = ()

    @property
    def is_empty(self) -> bool:
        return not self.load


def test_it_is_written_with_each_field_under_its_name_and_nothing_else():
    written = AnswerRenderer().render({"cart": Cart(Colour.RED, (Wheel(6), Wheel(8)), None, {Colour.RED: 0.5})})
    assert written == (
        b'{"cart":{"colour":"red","wheels":[{"spokes":6},{"spokes":8}],"spare":null,"load":{"red":0.5},"names":[]}}'
    )


def described() -> TruthfulSchema:
    schema = TruthfulSchema()
    schema.registry = ComponentRegistry()
    return schema


def test_its_description_has_the_types_of_its_fields_and_its_words():
    schema = described()
    assert schema._schema(Cart) == {"$ref": "#/components/schemas/Cart"}
    made = schema.registry.build({})["schemas"]
    assert made["Wheel"] == {
        "type": "object",
        "description": "A wheel.",
        "properties": {"spokes": {"type": "integer"}},
        "required": ["spokes"],
    }
    cart, wheel = made["Cart"], {"$ref": "#/components/schemas/Wheel"}
    assert list(cart["properties"]) == ["colour", "wheels", "spare", "load", "names"]
    assert cart["required"] == sorted(cart["properties"])
    assert cart["properties"]["wheels"] == {"type": "array", "items": wheel}
    assert cart["properties"]["spare"] == {"anyOf": [wheel, {"type": "null"}]}
    assert cart["properties"]["names"] == {"type": "array", "items": {"type": "string"}}


def test_two_types_of_one_name_are_a_fault_of_the_program():
    schema, first = described(), Wheel

    @dataclass(frozen=True)
    class Other:
        """Another wheel."""

    Other.__name__ = first.__name__
    schema._schema(first)
    schema._schema(first)
    with pytest.raises(TypeError, match="Two types of answers have the name Wheel"):
        schema._schema(Other)
