"""Keys of a file are known by the row that had them first, in memory and in the temporary file of a long one."""

from contextlib import ExitStack

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.imports import first_seen
from annotation.imports.first_seen import FirstSeen


@pytest.mark.parametrize("in_memory", [0, 1, 2, 3, 100])
def test_each_key_keeps_the_number_of_its_first_row(in_memory, monkeypatch):
    monkeypatch.setattr(first_seen, "IN_MEMORY", in_memory)
    keys = ["a", "b", "A", "a", "é", "e\u0301", "b", "0", "", "0\0", "\ud800", "a"]
    with ExitStack() as stack:
        seen = FirstSeen(stack)
        assert [seen.first(key, number) for number, key in enumerate(keys, 1)] == [1, 2, 3, 1, 5, 6, 2, 8, 9, 10, 11, 1]


@given(st.lists(st.text("ab\ud800", max_size=3), max_size=60), st.integers(1, 9))
def test_rows_of_a_key_stand_together_in_the_order_in_which_keys_first_came(keys: list[str], in_memory: int) -> None:
    held: dict[str, list[int]] = {}
    with ExitStack() as stack, pytest.MonkeyPatch.context() as patched:
        patched.setattr(first_seen, "IN_MEMORY", in_memory)
        rows = first_seen.RowsByKey(stack)
        for number, key in enumerate(keys):
            held.setdefault(key, []).append(7 * number)
            rows.add(key, 7 * number)
        assert list(rows) == list(rows) == list(held.values())
