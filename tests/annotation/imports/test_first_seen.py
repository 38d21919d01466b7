"""Keys of a file are known by the row that had them first, in memory and in the temporary file of a long one."""

from contextlib import ExitStack

import pytest

from annotation.imports import first_seen
from annotation.imports.first_seen import FirstSeen


@pytest.mark.parametrize("in_memory", [0, 1, 2, 3, 100])
def test_each_key_keeps_the_number_of_its_first_row(in_memory, monkeypatch):
    monkeypatch.setattr(first_seen, "IN_MEMORY", in_memory)
    keys = ["a", "b", "A", "a", "é", "e\u0301", "b", "0", "", "0\0", "\ud800", "a"]
    with ExitStack() as stack:
        seen = FirstSeen(stack)
        assert [seen.first(key, number) for number, key in enumerate(keys, 1)] == [1, 2, 3, 1, 5, 6, 2, 8, 9, 10, 11, 1]
