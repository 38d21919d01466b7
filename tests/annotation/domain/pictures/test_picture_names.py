"""A picture's name in a table finds the one file that it can mean."""

import unicodedata

import pytest

from annotation.domain.pictures.names import PictureNames

FILES = (
    "img/a.png",
    "img/B.JPG",
    "img/c d.png",
    "img/e#f.png",
    "img/정원.png",
    "img/100%.png",
    "two/x.png",
    "two /x.png",
)
ALIKE = {
    "img\\a.png": "img/a.png",
    "IMG/A.PNG": "img/a.png",
    "img/b.jpg": "img/B.JPG",
    "img/c%20d.png": "img/c d.png",
    "img/e%23f.png": "img/e#f.png",
    "/img/a.png": "img/a.png",
    "./img//a.png": "img/a.png",
    "img/ a.png ": "img/a.png",
    "img/%EC%A0%95%EC%9B%90.png": "img/정원.png",
    unicodedata.normalize("NFD", "IMG/정원.png"): "img/정원.png",
    "img/100%25.png": "img/100%.png",
    "TWO/x.png": None,  # may be either
    "img/z.png": None,
    "../img/a.png": None,
    "%2e%2e/img/a.png": None,
    "": None,
}


@pytest.mark.parametrize(("asked", "found"), ALIKE.items())
def test_the_only_file_that_is_alike_is_found(asked: str, found: str | None) -> None:
    names = PictureNames(FILES)
    assert names.exact(asked) is None
    assert names.alike(asked) == found


def test_a_file_of_exactly_this_name_comes_first() -> None:
    names = PictureNames(("a%20b.png", "a b.png"))
    assert (names.exact("a%20b.png"), names.exact("a b.png")) == ("a%20b.png", "a b.png")
    assert names.alike("A b.png") is None
    assert PictureNames(["정원.png"]).exact(unicodedata.normalize("NFD", "정원.png")) == "정원.png"
