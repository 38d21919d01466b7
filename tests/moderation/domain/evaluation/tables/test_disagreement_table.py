"""The figures that hold debates against people: which items count, and what is said where there is none."""

import pytest

from annotation.domain.statistics.figure import Figure, Undefined, Why
from moderation.domain.disagreement import Inner, side_entropy
from moderation.domain.evaluation.outcomes import RunEnd
from moderation.domain.evaluation.tables.disagreement_table import disagreement_figures, disagreement_table
from moderation.domain.evaluation.tables.render import csv_rows, formatted_rows


def end(entropy: Figure) -> RunEnd:
    return RunEnd("succeeded", hateful=True, disagreement={Inner.VOTES: entropy})


SPLITS = [(5, 0), (4, 1), (3, 2)] * 4
PEOPLE = {f"post-{at}": side_entropy(hateful, other) for at, (hateful, other) in enumerate(SPLITS)}


def test_debates_that_differ_where_people_do_have_the_correlation_one() -> None:
    (figure,) = disagreement_figures(PEOPLE, [{item: end(entropy) for item, entropy in PEOPLE.items()}])
    assert (figure["figure"], figure["items"], figure["why"]) == ("vote_entropy", 12, None)
    assert figure["rho"] == pytest.approx(1.0) and figure["interval"] == pytest.approx([1.0, 1.0])


def test_repeats_count_by_their_mean_and_undefined_ones_not_at_all() -> None:
    none = Undefined(Why.TOO_FEW_VOTES)
    first = {item: end(entropy) for item, entropy in PEOPLE.items()}
    second = {item: end(none) for item in PEOPLE}
    assert disagreement_figures(PEOPLE, [first, second]) == disagreement_figures(PEOPLE, [first])
    (figure,) = disagreement_figures(PEOPLE, [first | {"post-0": end(none)}])
    assert figure["items"] == 11


def test_without_votes_of_people_the_reason_is_told() -> None:
    nobody = dict.fromkeys(PEOPLE, side_entropy(0, 0))
    (figure,) = disagreement_figures(nobody, [{item: end(entropy) for item, entropy in PEOPLE.items()}])
    assert figure == {"figure": "vote_entropy", "items": 0, "rho": None, "interval": None, "why": Why.NO_VOTES}
    report = {"datasets": [{"name": "d"}], "results": [{"arm": "a", "dataset": "d", "disagreement": [figure]}]}
    (table,) = disagreement_table(report)
    says = "No item has the votes of two people or more."
    shown = ["a", Inner.VOTES, "0", *["not defined"] * 3, says]
    assert formatted_rows(table) == [shown]
    assert csv_rows(table)[1] == [*shown[:2], 0, *shown[3:]]


def test_methods_without_a_debate_have_no_line() -> None:
    assert disagreement_figures(PEOPLE, [{"post-0": RunEnd("succeeded", hateful=True)}]) == []
