"""The file of durations after a run: what is quick, what stays, what goes."""

import pytest

import durations

FILE = "tests/a.py"


@pytest.mark.parametrize(
    ("before", "seconds", "after"),
    [
        (None, 0.04, None),
        (None, 0.041, 0.04),
        (None, 3.4, 3.0),
        (3.0, 5.9, 3.0),
        (3.0, 6.2, 6.0),
        (3.0, 1.5, 3.0),
        (3.0, 1.4, 1.0),
        (0.1, 0.06, 0.1),
        (0.1, 0.04, None),
    ],
)
def test_a_number_changes_where_it_is_more_than_double_or_less_than_half(before, seconds, after):
    old = {} if before is None else {FILE: {"test_x": before}}
    new = durations.merged(old, {f"{FILE}::test_x": seconds})
    assert new == ({} if after is None else {FILE: {"test_x": after}})


def test_the_longest_case_counts_and_what_was_not_run_stays():
    old = {FILE: {"test_other": 2.0}, "tests/b.py": {"test_x": 40.0}}
    new = durations.merged(old, {f"{FILE}::Class::test_x[1]": 0.02, f"{FILE}::Class::test_x[2-:]": 0.7})
    assert new == {FILE: {"test_other": 2.0, "Class::test_x": 0.7}, "tests/b.py": {"test_x": 40.0}}
    assert old == {FILE: {"test_other": 2.0}, "tests/b.py": {"test_x": 40.0}}


def test_a_test_that_is_no_longer_there_leaves_the_file():
    here = "tests/docs/test_durations.py"
    there = "test_a_test_that_is_no_longer_there_leaves_the_file"
    gone = "_".join(("test", "gone"))
    assert durations.present({here: {there: 1.0, gone: 1.0}, "tests/gone.py": {"test_x": 1.0}}) == {here: {there: 1.0}}
