"""What reasons speak for, tried on cases as the guides of practitioners describe them."""

import pytest

from generation.domain.counterspeech.first_step import CHOICE_WORDS, REASONS, FirstChoice, StepReason, advised

CASES = [
    ("a neighbour is to be beaten up, with place and time", ["threat"], "report"),
    ("a call to burn a home, shared by thousands", ["call_to_violence", "wide_reach"], "report"),
    ("address and number of a woman who spoke up", ["private_data", "person_attacked"], "report"),
    ("denies a genocide under the article of a paper", ["illegal", "falsehood", "readers_in_doubt"], "report"),
    ("insults one pupil by name", ["person_attacked"], "support"),
    ("mocks a group in its own forum", ["target_reads"], "support"),
    ("the author hunts whoever contradicts", ["writer_in_danger", "wide_reach"], "support"),
    ("a false number under a local newspaper's post", ["falsehood", "wide_reach"], "answer"),
    ("a doubtful question in a parents' group", ["readers_in_doubt"], "answer"),
    ("a popular clip, others answer badly, many ask", ["wide_reach", "readers_in_doubt", "wants_attention"], "answer"),
    ("no reader and no like in a year", ["nobody_reads"], "leave"),
    ("a known provoker waits for replies", ["wants_attention"], "leave"),
    ("twenty good answers stand there already", ["answered", "falsehood"], "leave"),
    ("three hate accounts talk with each other", ["nobody_reads", "wants_attention"], "leave"),
]


@pytest.mark.parametrize(("described", "reasons", "choice"), CASES)
def test_a_described_case_gets_the_answer_of_the_guides(described: str, reasons: list[str], choice: str) -> None:
    assert described and advised([StepReason(reason) for reason in reasons]) == choice


def test_without_a_reason_nothing_is_advised() -> None:
    assert advised([]) is None


def test_every_reason_speaks_for_exactly_one_choice_and_every_choice_has_words() -> None:
    assert sorted(reason for reasons in REASONS.values() for reason in reasons) == sorted(StepReason)
    assert list(REASONS) == list(FirstChoice) == list(CHOICE_WORDS)
    for choice, reasons in REASONS.items():
        for reason in reasons:
            assert advised([reason]) == choice
