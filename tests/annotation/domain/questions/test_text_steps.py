"""A text in steps: nothing is lost, words of scripts with spaces are one step, others are single characters."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.domain.questions.text_steps import steps


@given(st.text())
def test_the_steps_are_the_text(text):
    found = list(steps(text))
    assert "".join(step.text for step in found) == text
    assert all(text[step.start : step.end] == step.text for step in found)
    assert [step.start for step in found[1:]] == [step.end for step in found[:-1]]


@pytest.mark.parametrize(
    ("text", "stops"),
    [
        ("They don't, all of them!", ["They", "don't", "all", "of", "them"]),
        ("그들은 나가라.", ["그들은", "나가라"]),
        ("滚出去！", ["滚", "出", "去"]),
        ("ไป", ["ไ", "ป"]),
        ("ที่", ["ท", "ี่"]),  # two marks above one letter
        ("カーー", ["カ", "ーー"]),
        ("हिन्दी शब्द", ["हिन्दी", "शब्द"]),
        ("so🙂so", ["so", "🙂", "so"]),
        (" , ", []),
        ("", []),
    ],
)
def test_where_the_keyboard_stops(text, stops):
    assert [step.text for step in steps(text) if step.stops] == stops
