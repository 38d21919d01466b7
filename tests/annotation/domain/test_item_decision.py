"""Where a closed item goes, under both policies: the table of design section 3, row by row."""

from dataclasses import FrozenInstanceError

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.domain.alignment import Aligned, IntendedCategory, IntendedHateful, Misaligned, NotApplicable
from annotation.domain.categories import DEFAULT_CATEGORIES
from annotation.domain.choices import Level, Modality, Policy, Reason, Stage
from annotation.domain.item_decision import Case, Disputed, Excluded, Findings, MoreSeats, Rules, Settled, decide
from annotation.domain.patterns import Pattern, Prior
from annotation.domain.votes import Challenge, Vote

NOT_HATE, RACIST, SEXIST, HOMOPHOBIC = DEFAULT_CATEGORIES[:4]
REVIEW, PAPER = Rules(Policy.REVIEW), Rules(Policy.PAPER)
NOT_SURE = Vote()
PRIORS = {Modality.TEXT: Prior.of(NOT_HATE), Modality.IMAGE: Prior.of(NOT_HATE)}


def case(*votes, intent=None, priors=None):
    said = tuple(vote if isinstance(vote, Vote) else Vote(DEFAULT_CATEGORIES[vote]) for vote in votes)
    return Case(said, intent, PRIORS if priors is None else priors)


def flagged(code):
    return Vote(DEFAULT_CATEGORIES[code], low_quality=True)


def challenging(code):
    return Vote(DEFAULT_CATEGORIES[code], challenges=(Challenge(Modality.TEXT, hateful=True),))


PERFECT = case(1, 1, 1)
STRONG = case(1, 1, 2)
WEAK = case(0, 0, 1)
NO_MAJORITY = case(0, 1, 2)
KIND_UNDECIDED = case(1, 2, 3)
NOT_SURE_ITEM = case(0, 0, NOT_SURE)
LOW_QUALITY = case(0, 0, flagged(0))
MISALIGNED = case(0, 0, 0, intent=IntendedCategory(RACIST))
CHALLENGED = case(0, 0, challenging(0))


@pytest.mark.parametrize(
    ("item", "review", "paper"),
    [
        (PERFECT, (Stage.GOLD,), (Stage.GOLD,)),
        (STRONG, (Stage.GOLD,), (Stage.GOLD,)),
        (WEAK, (Stage.GOLD,), (Stage.GOLD,)),
        (NO_MAJORITY, (Stage.DISPUTED, Reason.NO_MAJORITY), (Stage.EXCLUDED, Reason.NO_MAJORITY)),
        (KIND_UNDECIDED, (Stage.DISPUTED, Reason.KIND_UNDECIDED), (Stage.DISPUTED, Reason.KIND_UNDECIDED)),
        (NOT_SURE_ITEM, (Stage.DISPUTED, Reason.NOT_SURE), (Stage.DISPUTED, Reason.NOT_SURE)),
        (LOW_QUALITY, (Stage.DISPUTED, Reason.LOW_QUALITY), (Stage.EXCLUDED, Reason.LOW_QUALITY)),
        (MISALIGNED, (Stage.DISPUTED, Reason.MISALIGNED), (Stage.EXCLUDED, Reason.MISALIGNED)),
        (CHALLENGED, (Stage.DISPUTED, Reason.PRIOR_CHALLENGED), (Stage.GOLD,)),
    ],
)
def test_each_row_of_the_table(item, review, paper):
    for rules, expected in ((REVIEW, review), (PAPER, paper)):
        decision = decide(item, rules)
        assert (decision.stage, *decision.reasons) == expected


def test_perfect_votes_give_level_category_alignment_and_pattern():
    found = decide(case(1, 1, 1, intent=IntendedCategory(RACIST)), REVIEW).findings
    assert (found.level, found.category, found.hateful) == (Level.PERFECT, RACIST, True)
    assert found.alignment == Aligned()
    assert found.pattern == Pattern(False, False, True)


def test_review_keeps_every_reason_in_the_order_of_the_checks():
    item = case(0, flagged(1), challenging(2), intent=IntendedHateful(False))
    assert decide(item, REVIEW) == Disputed(
        (Reason.LOW_QUALITY, Reason.NO_MAJORITY, Reason.MISALIGNED, Reason.PRIOR_CHALLENGED),
        Findings(Level.NONE, None, decide(item, REVIEW).findings.binary, Misaligned(), None),
    )


def test_paper_keeps_the_first_reason_only():
    item = case(0, flagged(1), challenging(2), intent=IntendedHateful(False))
    assert decide(item, PAPER).reasons == (Reason.LOW_QUALITY,)


def test_not_sure_comes_before_low_quality_and_nothing_is_found_yet():
    item = case(flagged(0), 0, NOT_SURE)
    assert decide(item, REVIEW) == Disputed((Reason.NOT_SURE, Reason.LOW_QUALITY), Findings())
    assert decide(item, PAPER) == Disputed((Reason.NOT_SURE,), Findings())


def test_a_flag_without_a_category_is_a_seat_without_a_category():
    assert decide(case(0, 0, Vote(low_quality=True)), REVIEW).reasons == (Reason.NOT_SURE, Reason.LOW_QUALITY)


def test_below_the_threshold_a_flag_does_nothing():
    two = Rules(Policy.REVIEW, low_quality_threshold=2)
    assert isinstance(decide(case(0, 0, flagged(0)), two), Settled)
    assert decide(case(0, flagged(0), flagged(0)), two).reasons == (Reason.LOW_QUALITY,)


def test_a_challenge_by_a_majority_changes_the_pattern_and_disputes_nothing():
    decision = decide(case(0, challenging(0), challenging(0)), REVIEW)
    assert isinstance(decision, Settled)
    assert decision.findings.pattern == Pattern(True, False, False)


def test_without_priors_there_is_gold_without_a_pattern():
    decision = decide(case(0, 0, 0, priors={}), REVIEW)
    assert isinstance(decision, Settled)
    assert decision.findings.pattern is None


def test_an_undecided_kind_has_a_pattern_because_hateful_is_settled():
    found = decide(KIND_UNDECIDED, REVIEW).findings
    assert (found.level, found.category, found.hateful) == (Level.STRONG, None, True)
    assert found.pattern == Pattern(False, False, True)
    assert found.alignment == NotApplicable()


@pytest.mark.parametrize("policy", Policy)
def test_a_project_may_ask_more_people_before_no_majority_reaches_a_reviewer(policy):
    assert decide(NO_MAJORITY, Rules(policy, extra_seats=2)) == MoreSeats(2)


def test_more_seats_do_not_help_what_has_an_earlier_reason_or_a_majority():
    rules = Rules(extra_seats=2)
    assert not isinstance(decide(case(0, 1, flagged(2)), rules), MoreSeats)
    assert not isinstance(decide(case(0, 1, NOT_SURE), rules), MoreSeats)
    assert not isinstance(decide(KIND_UNDECIDED, rules), MoreSeats)
    assert not isinstance(decide(WEAK, rules), MoreSeats)


votes = st.builds(
    Vote,
    st.none() | st.sampled_from(DEFAULT_CATEGORIES),
    st.booleans(),
    st.lists(st.builds(Challenge, st.sampled_from(Modality), st.booleans()), max_size=2).map(tuple),
)
intents = (
    st.none()
    | st.builds(IntendedCategory, st.sampled_from(DEFAULT_CATEGORIES))
    | st.builds(IntendedHateful, st.booleans())
)
priors = st.dictionaries(st.sampled_from(Modality), st.builds(Prior.of, st.sampled_from(DEFAULT_CATEGORIES)))
cases = st.builds(Case, st.lists(votes, min_size=2, max_size=7).map(tuple), intents, priors)


@given(cases)
def test_paper_and_review_agree_on_what_is_gold_but_for_challenges(item):
    review, paper = decide(item, REVIEW), decide(item, PAPER)
    assert review.findings == paper.findings
    if isinstance(review, Settled):
        assert isinstance(paper, Settled)
    if isinstance(paper, Settled) and not isinstance(review, Settled):
        assert review.reasons == (Reason.PRIOR_CHALLENGED,)
    if not isinstance(paper, Settled):
        assert paper.reasons == review.reasons[:1]


@given(cases)
def test_gold_always_has_a_category_that_more_than_half_chose(item):
    decision = decide(item, REVIEW)
    if isinstance(decision, Settled):
        said = [vote.category for vote in item.votes]
        assert 2 * said.count(decision.findings.category) > len(said)
        assert not isinstance(decision.findings.alignment, Misaligned)


@given(cases, st.randoms())
def test_the_order_of_the_seats_never_matters(item, random):
    shuffled = list(item.votes)
    random.shuffle(shuffled)
    assert decide(Case(tuple(shuffled), item.intent, item.priors), REVIEW) == decide(item, REVIEW)


@given(cases)
def test_excluded_has_one_reason_and_only_the_paper_excludes(item):
    assert not isinstance(decide(item, REVIEW), Excluded)
    decision = decide(item, PAPER)
    if isinstance(decision, Excluded):
        assert len(decision.reasons) == 1


def test_a_project_that_sets_nothing_reviews_one_flag_and_asks_for_no_more_seats():
    assert Rules() == Rules(Policy.REVIEW, low_quality_threshold=1, extra_seats=0)


@pytest.mark.parametrize("value", [REVIEW, PERFECT, Findings(), decide(PERFECT, REVIEW), MoreSeats(2)])
def test_rules_items_and_decisions_cannot_be_changed(value):
    with pytest.raises(FrozenInstanceError):
        value.stage = Stage.GOLD


@pytest.mark.parametrize("decision", [decide(NO_MAJORITY, REVIEW), decide(NO_MAJORITY, PAPER)])
def test_a_dispute_and_an_exclusion_cannot_be_changed(decision):
    with pytest.raises(FrozenInstanceError):
        decision.stage = Stage.GOLD


def test_more_people_are_asked_although_a_later_check_fails_too():
    # 0, 1, 2: no category has a majority, two of three say hateful, and not hateful was intended.
    item = case(0, 1, 2, intent=IntendedHateful(False))
    assert decide(item, Rules(extra_seats=1)) == MoreSeats(1)


def test_without_votes_to_read_nothing_is_known_to_be_hateful():
    assert decide(NOT_SURE_ITEM, REVIEW).findings.hateful is None


def test_without_a_category_the_binary_majority_says_whether_it_is_hateful():
    assert decide(case(0, 1, 2), REVIEW).findings.hateful is True


def test_a_tie_between_hateful_and_not_leaves_the_pattern_undefined():
    found = decide(case(0, 1), REVIEW).findings
    assert (found.hateful, found.pattern) == (None, None)


def test_no_majority_leaves_the_pattern_undefined_although_most_say_hateful():
    assert decide(NO_MAJORITY, REVIEW).findings.pattern is None
