"""What a file is by its beginning, where its type is missing or wrong."""

import pytest

from providers.pages.types import HTML, PLAIN, is_data, looked_at

DATA = [
    "{}", "[]", "[1, 2]", '{"a": 1}', '\n [ {"a": 1}, 2 ]', '{"a": 1}\n{"a": 2}', '{"text": "cut off and', '["a", "b',
    'callback({"a": [1]})', "<rss><channel/></rss>", '<?xml version="1.0"?>\n<!-- made -->\n<feed xmlns="x">',
    "<urlset></urlset>", '<svg xmlns="x"></svg>', "<rdf:RDF>",
]  # fmt: skip
NONE = [
    "", "[1] Weeds: a note below.", "{so he said} and went", "[sic] they wrote", '["Weeds"] is the title', "<p>{}</p>",
    "<html><p>[1, 2]", '<?xml version="1.0"?><html xmlns="x"><p>', "1, 2", '"quoted"', "null", "f(x) = {x}", "{" * 5000,
]  # fmt: skip


@pytest.mark.parametrize("text", DATA)
def test_data_is_named(text: str) -> None:
    assert is_data(text)


@pytest.mark.parametrize("text", NONE, ids=range(len(NONE)))
def test_a_text_or_page_is_no_data(text: str) -> None:
    assert not is_data(text)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("<!DOCTYPE html><p>x", HTML),
        ("  <p class=a>x", HTML),
        ("<!-- made --><div>x", HTML),
        ("{}", HTML),
        ("< 5 people came", PLAIN[0]),
        ("Weeds grow.", PLAIN[0]),
        ("<pre-school> opens", PLAIN[0]),
    ],
)
def test_a_text_without_a_type_is_looked_at(text: str, kind: str) -> None:
    assert looked_at(text) == kind
