"""An object of JSON is built from the type that describes it."""

from dataclasses import dataclass
from typing import NotRequired, TypedDict
from uuid import UUID

import pytest

from vocabulary.answers import answer, sparse_answer

ID = UUID("11111111-1111-1111-1111-111111111111")


@dataclass
class Shelf:
    public_id: UUID
    code: int = 7

    def __str__(self) -> str:
        return "upper shelf"


@dataclass
class Leaf:
    public_id: UUID
    number: int


@dataclass
class Book:
    public_id: UUID
    shelf: Shelf | None
    title: str
    note: str
    leaves: tuple[Leaf, ...] = ()
    price: float | None = None


class LeafJson(TypedDict):
    id: UUID
    number: int


class BookJson(TypedDict):
    id: UUID
    title: str
    note: str | None
    shelf: UUID | None
    place: str | None
    row: int | None
    price: float | None
    leaves: list[LeafJson]
    first: LeafJson | None
    lent_to: NotRequired[str]


def test_a_key_is_what_was_given_or_an_attribute_in_the_form_that_the_type_wants():
    book = Book(ID, Shelf(ID), "A title", "", (Leaf(ID, 1), Leaf(ID, 2)))
    assert answer(BookJson, book, place=book.shelf, row=book.shelf, first=book.leaves[0]) == {
        "id": ID,
        "title": "A title",
        "note": None,
        "shelf": ID,
        "place": "upper shelf",
        "row": 7,
        "price": None,
        "leaves": [{"id": ID, "number": 1}, {"id": ID, "number": 2}],
        "first": {"id": ID, "number": 1},
    }


def test_an_object_that_was_built_already_stays_and_what_need_not_be_there_is_given():
    book = Book(ID, None, "A title", "torn")
    made = answer(BookJson, book, place="", row=0, first={"id": ID, "number": 3}, lent_to="Wren")
    assert (made["shelf"], made["note"], made["place"], made["row"]) == (None, "torn", "", 0)
    assert (made["first"], made["lent_to"]) == ({"id": ID, "number": 3}, "Wren")


def test_a_key_that_the_type_lacks_and_one_that_is_nowhere_are_faults_of_the_program():
    with pytest.raises(TypeError, match="LeafJson has no colour"):
        answer(LeafJson, Leaf(ID, 1), colour="red")
    with pytest.raises(AttributeError, match="number"):
        answer(LeafJson, Shelf(ID))


class SparseJson(TypedDict):
    title: str
    price: float | None
    note: NotRequired[str]
    leaves: NotRequired[list[LeafJson]]


def test_a_sparse_object_lacks_what_need_not_be_there_and_is_empty():
    bare = Book(ID, None, "", "")
    assert sparse_answer(SparseJson, bare) == {"title": "", "price": None}
    full = Book(ID, None, "A title", "torn", (Leaf(ID, 1),), 2.5)
    assert sparse_answer(SparseJson, full, note="new") == {
        "title": "A title",
        "price": 2.5,
        "note": "new",
        "leaves": [{"id": ID, "number": 1}],
    }
