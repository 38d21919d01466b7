"""What may change in a set of categories while people label, and how a change is told."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.domain.categories import BadCategories, read_categories
from annotation.domain.design.changes import ChangeKind, changes, merge, on_page
from annotation.domain.votes import Category

FINE = Category(0, "Fine", False, key="0", place=1)
RUDE = Category(1, "Rude", False, key="1", place=2)
HATE = Category(2, "Hate", True, key="2", place=3)
PRESENT = (FINE, RUDE, HATE)


def kinds(wanted):
    return [(change.kind, change.code) for change in changes(PRESENT, merge(PRESENT, wanted))]


def test_the_same_categories_change_nothing():
    assert kinds(PRESENT) == []


def test_the_old_name_of_a_renamed_category_is_still_read():
    merged = merge(PRESENT, (FINE, replace(RUDE, name="Impolite"), HATE))
    assert merged[1].aliases == ("Rude",)
    told = changes(PRESENT, merged)
    assert [(change.kind, change.before, change.after) for change in told] == [
        (ChangeKind.RENAMED, "Rude", "Impolite"),
        (ChangeKind.ALIASES, "", "Rude"),
    ]


def test_another_writing_of_the_same_name_makes_no_alias():
    assert merge(PRESENT, (FINE, replace(RUDE, name="RUDE"), HATE))[1].aliases == ()


def test_two_categories_may_not_exchange_names_while_the_old_ones_are_read():
    with pytest.raises(BadCategories, match="has a name or alias of"):
        merge(PRESENT, (FINE, replace(RUDE, name="Hate"), replace(HATE, name="Rude")))


def test_what_is_left_out_is_retired_and_comes_back_when_it_is_named():
    merged = merge(PRESENT, (FINE, HATE))
    assert [(category.code, category.retired, category.key) for category in merged] == [
        (0, False, "0"),
        (1, True, ""),
        (2, False, "2"),
    ]
    assert kinds((FINE, HATE)) == [(ChangeKind.RETIRED, 1)]
    restored = merge(merged, PRESENT)
    assert [(change.kind, change.code) for change in changes(merged, restored)] == [(ChangeKind.RESTORED, 1)]


def test_a_code_never_changes_between_hateful_and_not():
    with pytest.raises(BadCategories, match=r"Category 1 \(Rude\) cannot change between hateful and not hateful"):
        merge(PRESENT, (FINE, replace(RUDE, hateful=True), HATE))


def test_a_new_category_takes_no_name_of_a_retired_one():
    retired = merge(PRESENT, (FINE, HATE))
    with pytest.raises(BadCategories, match=r"retired category 1 \(Rude\)"):
        merge(retired, (FINE, HATE, Category(3, "rude", True)))


def test_every_kind_of_change_is_told():
    wanted = (
        replace(HATE, place=1, colour="blue"),
        replace(FINE, place=2, key="a", definition="Attacks nobody."),
        replace(RUDE, place=3),
        Category(7, "Threat", True, key="7", place=4),
    )
    assert kinds(wanted) == [
        (ChangeKind.REDEFINED, 0),
        (ChangeKind.KEY, 0),
        (ChangeKind.MOVED, 0),
        (ChangeKind.MOVED, 1),
        (ChangeKind.COLOUR, 2),
        (ChangeKind.MOVED, 2),
        (ChangeKind.ADDED, 7),
    ]


_ROWS = st.lists(st.integers(0, 6), min_size=2, max_size=6, unique=True)


@given(st.lists(_ROWS, min_size=1, max_size=6))
def test_no_code_is_lost_and_none_changes_its_meaning(steps):
    def rows(codes):
        return read_categories([{"code": code, "name": f"n{code}x", "hateful": code % 2 == 1} for code in codes])

    present = rows(steps[0])
    used = set(steps[0])
    for codes in steps[1:]:
        merged = merge(present, rows(codes))
        used |= set(codes)
        assert {category.code for category in merged} == used
        assert [category.code for category in on_page(merged)] == codes
        assert all(category.hateful == (category.code % 2 == 1) for category in merged)
        told = {change.code for change in changes(present, merged) if change.kind is ChangeKind.RETIRED}
        assert told == {category.code for category in on_page(present)} - set(codes)
        present = merged
