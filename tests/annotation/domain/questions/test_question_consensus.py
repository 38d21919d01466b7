"""Consensus of the answers to one question about one item: worked cases of each kind, and properties."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.domain.questions.consensus import QuestionConsensus, question_consensus
from annotation.domain.questions.kinds.many import majority_options
from annotation.domain.questions.kinds.scale import median_point
from annotation.domain.questions.kinds.span import majority_spans, span_overlap
from annotation.domain.questions.question import QuestionKind

ONE, MANY, SCALE, TEXT, SPAN = map(QuestionKind, ("one", "many", "scale", "text", "span"))


@pytest.mark.parametrize(
    ("kind", "answers", "value"),
    [
        (ONE, ["a", "a", "b"], "a"),
        (ONE, ["a", "b"], None),  # a tie is not broken
        (ONE, ["a", "b", "c", "a"], None),  # two of four are no strict majority
        (MANY, [["a", "b"], ["a"], ["c"]], ("a",)),
        (MANY, [["a", "b"], ["a", "b"], ["a", "c"]], ("a", "b")),
        (MANY, [["a"], ["b"], ["c"]], ()),
        (MANY, [["a"], ["b"]], ()),
        (SCALE, [1, 5, 2], 2.0),
        (SCALE, [5, 2, 1, 3], 2.5),  # the mean of the two in the middle
        (SCALE, [1, 1, 5, 5], 3.0),
        (TEXT, ["one", "one"], None),
        (SPAN, [[[0, 5]], [[3, 8]], [[4, 6], [7, 8]]], ((3, 6), (7, 8))),
        (SPAN, [[[0, 5]], [[5, 8]]], ()),
        (SPAN, [[[0, 4]], [[0, 4]]], ((0, 4),)),
    ],
)
def test_what_people_answered_together(kind, answers, value):
    found = question_consensus(kind, answers)
    assert (found.answers, found.value) == (len(answers), value)


@pytest.mark.parametrize(("kind", "answer"), [(ONE, "a"), (MANY, ["a"]), (SCALE, 3), (TEXT, "x"), (SPAN, [[0, 2]])])
def test_one_answer_is_no_consensus(kind, answer):
    assert question_consensus(kind, []) == QuestionConsensus(0)
    assert question_consensus(kind, [answer]).value is None


def test_overlap_is_the_mean_share_of_common_characters_of_every_two():
    # 0-4 and 2-6: 2 of 6; 0-4 and 0-4: all; 2-6 and 0-4: 2 of 6. Mean (1/3 + 1 + 1/3) / 3.
    answers = [[[0, 4]], [[2, 6]], [[0, 4]]]
    assert span_overlap(answers) == pytest.approx(5 / 9)
    assert question_consensus(SPAN, answers).overlap == pytest.approx(5 / 9)
    assert span_overlap([[[0, 2]], [[2, 4]]]) == 0
    assert question_consensus(ONE, ["a", "a"]).overlap is None


spans = (
    st.lists(st.integers(0, 30), max_size=6, unique=True)
    .map(sorted)
    .map(lambda places: list(zip(places[::2], places[1::2], strict=False)))
)


@given(st.lists(spans, min_size=1, max_size=5))
def test_majority_spans_are_the_characters_that_more_than_half_marked(answers):
    marked = [sum(any(start <= place < end for start, end in own) for own in answers) for place in range(31)]
    expected = [2 * n > len(answers) for n in marked]
    found = majority_spans(answers)
    assert [any(start <= place < end for start, end in found) for place in range(31)] == expected
    assert all(first[1] < second[0] for first, second in zip(found, found[1:], strict=False))  # touching ones are one


@given(st.lists(st.lists(st.sampled_from("abcd"), unique=True), min_size=1, max_size=6))
def test_each_option_is_decided_alone(answers):
    found = majority_options(answers)
    assert found == tuple(sorted(o for o in "abcd" if sum(o in own for own in answers) > len(answers) / 2))


@given(st.lists(st.integers(1, 9), min_size=1, max_size=8))
def test_half_of_the_points_lie_on_either_side_of_the_median(points):
    median = median_point(points)
    assert 2 * median == int(2 * median)
    assert 2 * sum(point <= median for point in points) >= len(points)
    assert 2 * sum(point >= median for point in points) >= len(points)
