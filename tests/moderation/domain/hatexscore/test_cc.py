"""CC under both rules, row by row: design section 8."""

import pytest

from moderation.domain.hatexscore.cc import TOLERANCE, Rule, consistency


@pytest.mark.parametrize(("rule", "threshold"), [(Rule.PAPER, 0.3), (Rule.RELEASED, 0.45)])
def test_each_rule_has_the_threshold_that_was_published_with_it(rule: Rule, threshold: float) -> None:
    assert rule.threshold == threshold


@pytest.mark.parametrize(
    ("prediction", "faithful", "tgi", "paper", "released"),
    [
        (True, True, 1, 1, 1),
        (True, True, 0, 0, 0),
        (True, False, 1, 0, 0),
        (True, False, 0, 0, 0),
        (False, True, 1, 1, 0),  # the paper: faithful or no group; the released code: both
        (False, True, 0, 1, 1),
        (False, False, 1, 0, 0),
        (False, False, 0, 1, 0),
        (None, True, 1, 0, 0),
        (None, True, 0, 0, 0),
    ],
)
def test_every_row_of_both_rules(prediction: bool | None, faithful: bool, tgi: int, paper: int, released: int) -> None:
    qf = 0.8 if faithful else 0.2
    assert consistency(prediction, qf, tgi, 0.5, Rule.PAPER) == paper
    assert consistency(prediction, qf, tgi, 0.5, Rule.RELEASED) == released


def test_a_threshold_is_reached_by_equality() -> None:
    assert consistency(True, 0.5, 1, 0.5, Rule.PAPER) == 1
    assert consistency(True, 0.5 - TOLERANCE, 1, 0.5, Rule.PAPER) == 1
    assert consistency(True, 0.5 - 2 * TOLERANCE, 1, 0.5, Rule.PAPER) == 0
