"""A text in the stretches that an explanation quoted."""

from hypothesis import given
from hypothesis import strategies as st

from moderation.domain.stretches import Stretch, stretches


def test_what_was_quoted_is_marked_and_the_rest_is_not():
    assert stretches("Weeds in the roses", [[13, 18], [0, 5]]) == [
        Stretch("Weeds", quoted=True),
        Stretch(" in the "),
        Stretch("roses", quoted=True),
    ]
    assert stretches("Weeds", []) == [Stretch("Weeds")]
    assert stretches("", [[0, 3]]) == []


@given(st.text(max_size=40), st.lists(st.tuples(st.integers(-5, 50), st.integers(-5, 50)), max_size=6))
def test_joined_the_stretches_are_the_text_again(text, spans):
    found = stretches(text, spans)
    assert "".join(each.text for each in found) == text
    assert all(each.text for each in found)
