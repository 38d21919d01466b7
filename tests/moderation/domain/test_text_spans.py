"""A text in the stretches that an explanation quoted."""

from hypothesis import given
from hypothesis import strategies as st

from moderation.domain.text_spans import TextPiece, split_by_spans


def test_a_piece_is_not_quoted_unless_it_says_so():
    assert TextPiece("roses").quoted is False


def test_empty_spans_and_those_before_the_text_change_nothing():
    quoted = [TextPiece("We"), TextPiece("eds", quoted=True)]
    assert split_by_spans("Weeds", [[1, 1], [2, 5]]) == split_by_spans("Weeds", [[-4, -2], [2, 9]]) == quoted


def test_what_two_spans_quote_is_quoted_once():
    assert split_by_spans("Weeds in", [[2, 5], [0, 3]]) == [
        TextPiece("Wee", quoted=True),
        TextPiece("ds", quoted=True),
        TextPiece(" in"),
    ]


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
