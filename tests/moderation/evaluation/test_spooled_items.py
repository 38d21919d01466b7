"""Items that wait in a file are the items that were added, and a digest of them is that of the whole list."""

import hashlib
import json

from hypothesis import given
from hypothesis import strategies as st

from moderation.domain.evaluation.answers import Gold
from moderation.evaluation.spooled_items import ChosenItems, EvaluationItem, SpooledItems
from moderation.evaluation.start import digest_of

TEXTS = st.text(st.characters(), max_size=12)  # halves of characters too, as files may hold them
COUNTS = st.integers(0, 9)
GOLDS = st.builds(Gold, TEXTS, st.booleans(), st.none() | COUNTS, TEXTS, TEXTS, st.lists(COUNTS, max_size=3).map(tuple))
ITEMS = st.builds(
    EvaluationItem, TEXTS, GOLDS, TEXTS, TEXTS, TEXTS, st.none() | st.integers(1, 2**62), st.tuples(COUNTS, COUNTS)
)


@given(st.lists(ITEMS, max_size=20), st.lists(ITEMS, max_size=3))
def test_what_is_read_is_what_was_added_also_after_reading(
    items: list[EvaluationItem], later: list[EvaluationItem]
) -> None:
    spooled = SpooledItems(items)
    assert list(spooled) == items
    for item in later:
        spooled.append(item)
    assert list(spooled) == items + later
    assert len(spooled) == len(items + later)
    assert spooled.binary is any(item.gold.label is None for item in items + later)


@given(st.lists(ITEMS, max_size=20))
def test_the_digest_of_a_stream_is_that_of_the_list(items: list[EvaluationItem]) -> None:
    marks = [item.mark for item in items]
    whole = json.dumps(marks, sort_keys=True, default=str).encode()
    assert digest_of(mark for mark in marks) == hashlib.sha256(whole).hexdigest()


def test_two_may_read_at_once_and_long_lists_wait_in_a_file() -> None:
    items = [EvaluationItem("a", Gold(str(n), n % 2 == 0), text="ab" * 60) for n in range(20_000)]
    spooled = SpooledItems(items)
    assert all(one == other for one, other in zip(spooled, spooled, strict=True))
    assert list(spooled) == items


def test_the_chosen_ones_of_all_sources_come_in_their_order() -> None:
    first, second = (SpooledItems(EvaluationItem(name, Gold(str(n), True)) for n in range(9)) for name in "ab")
    chosen = ChosenItems([(first, [0, 4, 8]), (second, range(2))])
    assert [(item.dataset, item.gold.id) for item in chosen] == [
        *(("a", "0"), ("a", "4"), ("a", "8")),
        *(("b", "0"), ("b", "1")),
    ]
    assert len(chosen) == 5
