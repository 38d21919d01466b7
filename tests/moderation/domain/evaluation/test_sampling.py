"""Which items are asked about: the same seed chooses the same, quotas are equal."""

import random
from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from moderation.domain.evaluation.answers import Gold
from moderation.domain.evaluation.sampling import SEED, Sample, sample_places


def rows(patterns: str) -> list[Gold]:
    return [Gold(str(at), hateful=code == "1", pattern=f"00{code}") for at, code in enumerate(patterns)]


def sampled(golds: list[Gold], how: Sample, limit: int | None, seed: int = SEED) -> list[Gold]:
    return [golds[at] for at in sample_places(iter(golds), len(golds), how, limit, seed)]


def chosen(patterns: str, how: Sample, limit: int | None, seed: int = 2024) -> list[str]:
    return [each.id for each in sampled(rows(patterns), how, limit, seed)]


def test_the_first_ones() -> None:
    assert chosen("0101", Sample.FIRST, 2) == ["0", "1"]
    assert chosen("0101", Sample.FIRST, None) == ["0", "1", "2", "3"]


def test_a_balanced_sample_without_a_limit_has_as_many_of_each_as_the_rarest() -> None:
    found = sampled(rows("0" * 50 + "1" * 7), Sample.BALANCED, None)
    assert Counter(each.pattern for each in found) == {"000": 7, "001": 7}


def test_a_balanced_sample_with_a_limit_fills_what_the_quota_leaves() -> None:
    found = sampled(rows("0" * 50 + "1" * 3), Sample.BALANCED, 20)
    assert Counter(each.pattern for each in found) == {"000": 17, "001": 3}


@given(st.text("01", min_size=1, max_size=60), st.integers(1, 70), st.sampled_from(Sample), st.integers(0, 5))
def test_a_sample_keeps_the_order_and_has_no_item_twice(patterns: str, limit: int, how: Sample, seed: int) -> None:
    found = chosen(patterns, how, limit, seed)
    assert len(found) == min(limit, len(patterns)) == len(set(found))
    assert found == sorted(found, key=int)
    assert found == chosen(patterns, how, limit, seed)


def test_a_random_sample_without_a_limit_is_everything_and_the_seed_decides_which_items_a_limit_leaves() -> None:
    assert chosen("010101", Sample.RANDOM, None) == list("012345")
    assert len({tuple(chosen("0" * 30, Sample.RANDOM, 5, seed)) for seed in range(5)}) > 1
    assert len({tuple(chosen("0" * 30 + "1", Sample.BALANCED, None, seed)) for seed in range(5)}) > 1
    usual = sampled(rows("0" * 99), Sample.RANDOM, 9)
    assert [row.id for row in usual] == chosen("0" * 99, Sample.RANDOM, 9, seed=2024)


def test_every_pattern_is_a_kind_of_its_own_and_without_patterns_hateful_is() -> None:
    three = [
        Gold(str(at), hateful=pattern != "000", pattern=pattern) for at, pattern in enumerate(["000", "011", "101"] * 4)
    ]
    assert len(sampled(three[:-1], Sample.BALANCED, None)) == 9
    plain = [Gold(str(at), hateful=at < 2) for at in range(9)]
    found = sampled(plain, Sample.BALANCED, None)
    assert Counter(row.hateful for row in found) == {True: 2, False: 2}


def held(golds: list[Gold], how: Sample, limit: int | None, seed: int) -> list[int]:
    """Return the places as they were chosen while all items were held in a list."""
    if how is Sample.FIRST or (limit is not None and limit >= len(golds)):
        return list(range(len(golds)))[:limit]
    generator = random.Random(seed)
    if how is Sample.RANDOM:
        return sorted(generator.sample(range(len(golds)), len(golds) if limit is None else limit))
    places: dict[object, list[int]] = {}
    for at, gold in enumerate(golds):
        places.setdefault(gold.pattern or gold.hateful, []).append(at)
    for kind in places.values():
        generator.shuffle(kind)
    quota = min(map(len, places.values())) if limit is None else limit // len(places)
    found = [at for kind in places.values() for at in kind[:quota]]
    if limit is not None:
        undrawn = [at for kind in places.values() for at in kind[quota:]]
        found += generator.sample(undrawn, min(len(undrawn), limit - len(found)))
    return sorted(found)


@given(
    st.text("01", min_size=1, max_size=60),
    st.none() | st.integers(1, 70),
    st.sampled_from(Sample),
    st.integers(0, 5),
)
def test_a_seed_chooses_what_it_chose_while_all_items_were_held(
    patterns: str, limit: int | None, how: Sample, seed: int
) -> None:
    golds = rows(patterns)
    assert list(sample_places(iter(golds), len(golds), how, limit, seed)) == held(golds, how, limit, seed)
