"""A text in the stretches that an explanation quoted."""

from hypothesis import given
from hypothesis import strategies as st

from moderation.domain.text_spans import TextPiece, split_by_spans


def test_what_was_quoted_is_marked_and_the_rest_is_not():
    assert split_by_spans("Weeds in the roses", [[13, 18], [0, 5]]) == [
        TextPiece("Weeds", quoted=True),
        TextPiece(" in the "),
        TextPiece("roses", quoted=True),
    ]
    assert split_by_spans("Weeds", []) == [TextPiece("Weeds")]
    assert split_by_spans("", [[0, 3]]) == []


@given(st.text(max_size=40), st.lists(st.tuples(st.integers(-5, 50), st.integers(-5, 50)), max_size=6))
def test_joined_the_stretches_are_the_text_again(text, spans):
    found = split_by_spans(text, spans)
    assert "".join(each.text for each in found) == text
    assert all(each.text for each in found)
