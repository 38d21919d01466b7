"""Votes for several categories: which sets there are, and what people agree on (all tables worked by hand)."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.domain.alignment import Aligned, IntendedCategory, IntendedHateful, Misaligned
from annotation.domain.categories import DEFAULT_CATEGORIES, UnknownCategory
from annotation.domain.category_sets import (
    BadSet,
    as_stored,
    check_together,
    codes_of,
    further_of,
    mapped,
    parts_of,
    read_set,
)
from annotation.domain.choices import Choose, Level, Reason, Stage
from annotation.domain.consensus import (
    Agreed,
    Binary,
    KindUndecided,
    NoMajority,
    binary_outcome,
    consensus_of_sets,
    strict_majority,
)
from annotation.domain.item_decision import Case, Rules, decide, findings
from annotation.domain.votes import Category, Vote

NONE, RACIST, SEXIST, HOMOPHOBIC = DEFAULT_CATEGORIES[:4]
HATEFUL = [category for category in DEFAULT_CATEGORIES if category.hateful]
one_side = st.one_of(st.just(frozenset({NONE})), st.frozensets(st.sampled_from(HATEFUL), min_size=1).map(frozenset))


def sets_of(*votes: str) -> list[frozenset[Category]]:
    return [frozenset(DEFAULT_CATEGORIES[int(code)] for code in vote) for vote in votes]


@pytest.mark.parametrize(
    ("votes", "level", "final", "binary"),
    [
        (("12", "12", "12"), Level.PERFECT, "12", Binary(True, 3)),
        (("12", "12", "1"), Level.STRONG, "12", Binary(True, 3)),  # 1: 3 of 3, 2: 2 of 3
        (("12", "1", "1"), Level.STRONG, "1", Binary(True, 3)),  # 2: 1 of 3
        (("12", "23", "13"), Level.STRONG, "123", Binary(True, 3)),  # each 2 of 3, and nobody chose all
        (("12", "12", "0"), Level.WEAK, "12", Binary(True, 2)),
        (("12", "13", "0"), Level.WEAK, "1", Binary(True, 2)),
        (("12", "0", "0"), Level.WEAK, "0", Binary(False, 2)),
        (("12", "12"), Level.PERFECT, "12", Binary(True, 2)),
        (("12", "1"), Level.STRONG, "1", Binary(True, 2)),  # 2: 1 of 2 is no strict majority
        (("123", "123", "1", "2"), Level.STRONG, "12", Binary(True, 4)),  # 1: 3, 2: 3, 3: 2 of 4
        (("12", "12", "12", "0", "0"), Level.WEAK, "12", Binary(True, 3)),
    ],
)
def test_the_final_set_has_each_category_that_a_strict_majority_chose(votes, level, final, binary):
    first, *further = (DEFAULT_CATEGORIES[int(code)] for code in final)
    assert consensus_of_sets(sets_of(*votes)) == Agreed(level, first, binary, tuple(further))


@pytest.mark.parametrize("votes", [("12", "34", "5"), ("1", "2"), ("12", "34")])
def test_hateful_votes_that_share_no_category_leave_the_kind_undecided(votes):
    assert consensus_of_sets(sets_of(*votes)) == KindUndecided(Binary(True, len(votes)))


@pytest.mark.parametrize(
    ("votes", "binary"),
    [
        (("12", "34", "0"), Binary(True, 2)),
        (("12", "0"), Binary(None, 1)),
        (("12", "1", "0", "0"), Binary(None, 2)),  # 1: 2 of 4
        (("12", "34", "5", "0", "0"), Binary(True, 3)),
    ],
)
def test_without_a_majority_for_any_category_there_is_the_bit_alone(votes, binary):
    assert consensus_of_sets(sets_of(*votes)) == NoMajority(binary)


def one_category_rule(categories: list[Category]) -> Agreed | KindUndecided | NoMajority:
    """The rule of design section 4 for one category a vote, as it stands there."""
    binary = binary_outcome(category.hateful for category in categories)
    all_hateful = all(category.hateful for category in categories)
    majority = strict_majority(categories)
    if majority is None:
        return KindUndecided(binary) if all_hateful else NoMajority(binary)
    if len(set(categories)) == 1:
        return Agreed(Level.PERFECT, majority, binary)
    return Agreed(Level.STRONG if all_hateful else Level.WEAK, majority, binary)


@given(st.lists(st.sampled_from(DEFAULT_CATEGORIES), min_size=2, max_size=15))
def test_votes_for_one_category_each_are_decided_as_ever(categories):
    assert consensus_of_sets([frozenset({category}) for category in categories]) == one_category_rule(categories)


@given(st.lists(one_side, min_size=2, max_size=9), st.randoms())
def test_a_final_set_has_one_side_that_of_the_binary_majority_in_any_order(votes, random):
    result = consensus_of_sets(votes)
    shuffled = random.sample(votes, len(votes))
    assert consensus_of_sets(shuffled) == result
    if isinstance(result, Agreed):
        final = [result.category, *result.further]
        assert {category.hateful for category in final} == {result.binary.hateful}
        chosen = Counter(category for vote in votes for category in vote)
        assert set(final) == {category for category, times in chosen.items() if times > len(votes) / 2}
        assert final == sorted(final, key=lambda category: category.code)


def vote(codes: str) -> Vote:
    first, *further = (DEFAULT_CATEGORIES[int(code)] for code in codes)
    return Vote(first, further=tuple(further))


def test_an_item_becomes_gold_with_its_set_and_is_compared_with_the_whole_intent():
    votes = (vote("12"), vote("12"), vote("1"))
    case = Case(votes, IntendedCategory(RACIST, (SEXIST,)))
    assert findings(case).further == (SEXIST,)
    assert findings(case).alignment == Aligned()
    assert decide(case, Rules()).stage is Stage.GOLD
    assert findings(Case(votes, IntendedCategory(RACIST))).alignment == Misaligned()
    assert findings(Case(votes, IntendedHateful(True))).alignment == Aligned()
    assert decide(Case((*votes[:2], Vote())), Rules()).reasons == (Reason.NOT_SURE,)


def test_a_hateful_category_never_stands_beside_one_that_is_not():
    check_together([RACIST, SEXIST], Choose.SEVERAL)
    check_together([NONE], Choose.SEVERAL)
    with pytest.raises(BadSet, match=r"^A post is hateful or not: NotHate, Racist cannot be chosen together\.$") as bad:
        check_together([NONE, RACIST], Choose.SEVERAL)
    assert bad.value.code == "mixed_categories"


def test_a_project_with_one_category_a_post_takes_no_set():
    check_together([RACIST], Choose.ONE)
    with pytest.raises(BadSet, match=r"^This project takes one category for a post, not several\.$") as bad:
        check_together([RACIST, SEXIST], Choose.ONE)
    assert bad.value.code == "one_category"
    with pytest.raises(BadSet):
        check_together([RACIST, SEXIST, HOMOPHOBIC], Choose.ONE)


def test_rows_keep_a_set_in_two_columns():
    assert as_stored([3, 1, 3]) == [1, 3]
    assert as_stored([3]) == as_stored([]) == []
    assert codes_of(1, [1, 3]) == (1, 3)
    assert codes_of(1, []) == (1,)
    assert codes_of(None, []) == ()
    assert further_of(RACIST, [1, 3]) == (HOMOPHOBIC,)
    assert further_of(RACIST, [1, 3])[0].hateful


@pytest.mark.parametrize(
    ("cell", "parts"),
    [
        ("1,3", ["1", "3"]),
        ("1;3", ["1", "3"]),
        (" 1 , 3", ["1", "3"]),
        ("1#3", ["1", "3"]),  # doccano's CSV
        ("1|3", ["1", "3"]),
        ("a, b;c", ["a, b", "c"]),
        ("a#b,c", ["a#b", "c"]),
        ("8", ["8"]),
    ],
)
def test_a_cell_names_categories_with_one_of_four_marks_between_them(cell, parts):
    assert parts_of(cell) == parts


def test_a_mapping_of_values_reads_each_part_or_the_whole_cell():
    values = {"1": "Insult", "1,3": "Both"}
    assert mapped("1,2", values) == "Insult;2"
    assert mapped("1,3", values) == "Both"
    assert mapped("2,4", values) == "2,4"


def test_a_cell_is_read_as_one_category_first_and_then_as_a_set_by_code():
    assert read_set("3,1, 1", DEFAULT_CATEGORIES, Choose.SEVERAL) == [RACIST, HOMOPHOBIC]
    assert read_set("Racist", DEFAULT_CATEGORIES, Choose.ONE) == [RACIST]
    comma = Category(8, "Slurs, and the like", True)
    assert read_set("Slurs, and the like", [*DEFAULT_CATEGORIES, comma], Choose.SEVERAL) == [comma]
    with pytest.raises(BadSet):
        read_set("0;1", DEFAULT_CATEGORIES, Choose.SEVERAL)


@pytest.mark.parametrize(
    ("cell", "choose"),
    [
        *[("1,3", Choose.ONE), ("nothing", Choose.SEVERAL), ("1,nothing", Choose.SEVERAL)],
        ("1;", Choose.SEVERAL),  # a mark with nothing behind it
    ],
)
def test_a_cell_that_names_no_category_or_several_where_one_is_chosen_is_unknown(cell, choose):
    with pytest.raises(UnknownCategory):
        read_set(cell, DEFAULT_CATEGORIES, choose)
