"""What the priors of an item disagree about."""

import pytest

from annotation.domain.priors.informativeness import Informativeness, informativeness


@pytest.mark.parametrize(
    ("views", "expected"),
    [
        ([], Informativeness.ALIKE),
        ([(True, 1)], Informativeness.ALIKE),
        ([(True, 1), (True, 1)], Informativeness.ALIKE),
        ([(False, 0), (False, None)], Informativeness.ALIKE),
        ([(True, None), (True, 3)], Informativeness.ALIKE),
        ([(True, 1), (True, 2)], Informativeness.KIND),
        ([(True, 1), (True, 1), (True, 2)], Informativeness.KIND),
        ([(False, 0), (True, 2)], Informativeness.HATE),
        ([(False, None), (True, None)], Informativeness.HATE),
        ([(True, 1), (True, 2), (False, 0)], Informativeness.HATE),
        ([(None, None), (True, 1)], Informativeness.ALIKE),
    ],
)
def test_disagreement_about_hate_tells_most_then_that_about_the_kind(views, expected):
    assert informativeness(views) is expected


def test_the_stored_numbers_order_posts():
    assert [(each.name, each.value) for each in sorted(Informativeness)] == [("ALIKE", 0), ("KIND", 1), ("HATE", 2)]
