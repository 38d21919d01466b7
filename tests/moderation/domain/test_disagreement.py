"""The disagreement inside a debate: each figure worked by hand, and what an outcome stores of it."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.domain.statistics.figure import Figure, Measured, Undefined, Why
from moderation.domain.arcade_rounds import hearing_of
from moderation.domain.disagreement import Inner, court_disagreement, panel_disagreement, side_entropy, stored_figures


def measured(figure: Figure) -> float:
    assert isinstance(figure, Measured)
    return figure.value


@pytest.mark.parametrize(
    ("hateful", "other", "bits"),
    [
        (5, 0, 0.0),
        (4, 1, 0.721928),  # 0.8·log2(1.25) + 0.2·log2(5) = 0.257542 + 0.464386
        (3, 2, 0.970951),  # 0.6·log2(5/3) + 0.4·log2(2.5) = 0.442179 + 0.528771
        (2, 2, 1.0),
        (1, 3, 0.811278),  # 0.25·2 + 0.75·log2(4/3) = 0.5 + 0.311278
    ],
)
def test_the_entropy_of_votes_is_in_bits(hateful: int, other: int, bits: float) -> None:
    assert measured(side_entropy(hateful, other)) == pytest.approx(bits, abs=1e-6)


@pytest.mark.parametrize("votes", [(0, 0), (1, 0), (0, 1)])
def test_fewer_than_two_votes_disagree_in_no_measure(votes: tuple[int, int]) -> None:
    assert side_entropy(*votes) == Undefined(Why.TOO_FEW_VOTES)


@given(st.integers(1, 400), st.integers(0, 400))
def test_the_entropy_is_that_of_scipy_the_same_from_both_sides_and_at_most_one(hateful: int, other: int) -> None:
    from scipy import stats  # noqa: PLC0415 (takes a second)

    figure = side_entropy(hateful, other)
    if hateful + other > 1:
        assert measured(figure) == pytest.approx(float(stats.entropy([hateful, other], base=2)), abs=1e-12)
        assert 0 <= measured(figure) <= 1 + 1e-12 and figure == side_entropy(other, hateful)


def figures(stored: dict[str, Any]) -> dict[Inner, Figure]:
    return dict(stored_figures(stored))


def test_a_panel_keeps_its_entropy_and_the_responses_that_agreed() -> None:
    assert figures(panel_disagreement(2, 2, 1, rounds=2)) == {Inner.VOTES: Measured(1.0), Inner.CHANGES: Measured(1)}
    assert figures(panel_disagreement(1, 0, 0, rounds=1)) == {
        Inner.VOTES: Undefined(Why.TOO_FEW_VOTES),
        Inner.CHANGES: Undefined(Why.ONE_ROUND),
    }


def cues(*names: str, withdrawn: tuple[str, ...] = ()) -> dict[str, Any]:
    return {"cues": [{"id": name, "claim": name} for name in names], "withdrawn": list(withdrawn)}


def answers(*names: str, conceded: tuple[str, ...] | None = None) -> dict[str, Any]:
    given = {"rebuttals": [{"id": name, "evidence": "e", "rebuttal": "r"} for name in names]}
    return given if conceded is None else given | {"conceded": list(conceded)}


def court(*rounds: tuple[dict[str, Any], dict[str, Any] | None]) -> dict[Inner, Figure]:
    said: dict[str, Any] = {}
    for number, (statement, answer) in enumerate(rounds, start=1):
        said |= {f"prosecutor.{number}": statement} | ({f"defender.{number}": answer} if answer else {})
    return figures(court_disagreement(hearing_of(said).rounds))


def test_without_a_cue_nothing_can_be_conceded() -> None:
    assert court((cues(), None)) == {
        Inner.CONCEDED: Undefined(Why.NO_CUES),
        Inner.CHANGES: Undefined(Why.ONE_ROUND),
    }


def test_a_cue_that_the_first_answer_leaves_out_is_conceded_and_no_change_of_stance() -> None:
    assert court((cues("c1", "c2", "c3"), answers("c1"))) == {
        Inner.CONCEDED: Measured(pytest.approx(2 / 3)),
        Inner.CHANGES: Undefined(Why.ONE_ROUND),
    }


def test_what_is_given_up_after_a_rebuttal_or_withdrawn_is_a_change_of_stance() -> None:
    # c1 is rebutted, then conceded; c2 is withdrawn; c3 is new in round 2 and conceded at once: two of three conceded.
    found = court(
        (cues("c1", "c2"), answers("c1", "c2")), (cues("c1", "c3", withdrawn=("c2",)), answers(conceded=("c1", "c3")))
    )
    assert found == {Inner.CONCEDED: Measured(pytest.approx(2 / 3)), Inner.CHANGES: Measured(2)}


def test_a_concession_that_is_repeated_counts_once() -> None:
    found = court(
        (cues("c1", "c2"), answers("c1", "c2")),
        (cues("c1", "c2"), answers("c2", conceded=("c1",))),
        (cues("c1", "c2"), answers(conceded=("c1", "c2"))),
    )
    assert found == {Inner.CONCEDED: Measured(1.0), Inner.CHANGES: Measured(2)}


@pytest.mark.parametrize("outcome", [None, {}, {"hateful": True}])
def test_methods_without_a_debate_have_no_such_figures(outcome: dict[str, Any] | None) -> None:
    assert figures(outcome or {}) == {}
