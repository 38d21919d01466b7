"""A shelf says of a new text what comparing all texts would say."""

from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.domain.imports import known_texts
from annotation.domain.imports.known_texts import Shelf
from annotation.domain.imports.near_duplicates import near_texts

WORDS = st.sampled_from(["rain", "falls", "on", "my", "garden", "wall", "today", "again"])
TEXTS = st.lists(WORDS, max_size=9).map(" ".join)


@given(st.lists(TEXTS, max_size=12), TEXTS)
@settings(max_examples=150)
def test_a_text_is_near_the_shelf_as_it_would_be_near_some_text_of_the_list(known: list[str], new: str) -> None:
    shelf = Shelf()
    shelf.add(known[:5])
    shelf.add(known[5:])
    found = shelf.near(new)
    alone = {place for place, text in enumerate(known) if list(near_texts([text, new]))}
    assert len(shelf) == len(known)
    assert (found is not None) == bool(alone) and (found is None or found in alone)


def test_what_was_sorted_in_is_found_as_what_came_last(monkeypatch) -> None:
    monkeypatch.setattr(known_texts, "_SORTED_FROM", 40)
    shelf = Shelf()
    for number in range(30):
        shelf.add([f"The gate number {number} stands open since the storm of last winter."])
    assert shelf.near("the GATE number 7 stands open since the storm of last winter") == 7
    assert shelf.near("Gate number 29 stands open since the storm of last winter.") == 29
    assert shelf.near("Something else happens in the town every single week now.") is None
    assert shelf.near("") is None
