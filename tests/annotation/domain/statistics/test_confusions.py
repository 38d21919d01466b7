"""Which categories are taken for one another, counted by items."""

from itertools import permutations

from hypothesis import given
from hypothesis import strategies as st

from annotation.domain.statistics.confusions import confusions, items_with

LABELS = st.lists(st.frozensets(st.integers(0, 3), min_size=1, max_size=2), max_size=4)


def of(*codes):
    return tuple(frozenset(code) if isinstance(code, tuple) else frozenset((code,)) for code in codes)


def test_an_item_counts_once_for_each_pair_that_its_labels_name():
    counted = confusions({of(0, 0, 1): 2, of(1, 2, 3): 1, of(0, 0, 0): 5, of(3): 7})
    assert counted == {(0, 0): 7, (0, 1): 2, (1, 2): 1, (1, 3): 1, (2, 3): 1}


def test_two_categories_of_one_label_are_not_taken_for_one_another():
    assert confusions({of((1, 2), (1, 2)): 3}) == {(1, 1): 3, (2, 2): 3}
    assert confusions({of((1, 2), 1): 3}) == {(1, 1): 3}
    assert confusions({of((1, 2), (1, 3)): 1}) == {(1, 1): 1, (2, 3): 1}


def test_items_with_a_category_are_counted_once_however_many_labels_name_it():
    assert items_with({of(0, 0, 1): 2, of((1, 2), 2): 1, of(): 4}) == {0: 2, 1: 3, 2: 1}


@given(LABELS)
def test_it_does_not_matter_in_which_order_people_answered(labels):
    expected = confusions({tuple(labels): 1})
    for order in permutations(labels):
        assert confusions({order: 1}) == expected
    present = items_with({tuple(labels): 1})
    assert all(present[a] and present[b] for a, b in expected)
