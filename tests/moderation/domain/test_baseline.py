"""How the prose of the one-call methods is read."""

import pytest

from moderation.domain.baseline import read_comment


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
