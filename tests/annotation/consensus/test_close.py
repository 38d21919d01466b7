"""Closing items: where each of the cases of design sections 3 and 4 ends in the rows, under both policies."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection

import builders
from annotation.consensus import close
from annotation.consensus.close import close_full_items, close_item, dispute_item
from annotation.domain.choices import Level, Modality, Policy, PriorState, Reason, Source, Stage
from annotation.domain.item_decision import MoreSeats
from annotation.models import Dispute, Event, Item, Membership, Prior, Project, Seat

pytestmark = pytest.mark.django_db


def annotators(project: Project, count: int = 3) -> list[Membership]:
    return [builders.make_member(project) for _ in range(count)]


def closed(project: Project, *codes: int | None, **fields) -> Item:
    """An item whose seats say this, after closing."""
    item = builders.make_labelled_item(project, annotators(project, len(codes)), codes, **fields)
    close_item(item)
    item.refresh_from_db()
    return item


def reasons(item: Item) -> list[str]:
    return list(item.disputes.filter(settled_at__isnull=True).order_by("pk").values_list("reason", flat=True))


def give_priors(item: Item, text: int, image: int) -> None:
    for modality, code in ((Modality.TEXT, text), (Modality.IMAGE, image)):
        Prior.objects.create(item=item, modality=modality, category=builders.category(item.project, code))


# ── The nine cases ────────────────────────────────────────────────────────────


def perfect(project):
    return closed(project, 1, 1, 1)


def strong(project):
    return closed(project, 1, 1, 2)


def weak(project):
    return closed(project, 0, 0, 1)


def none(project):
    return closed(project, 0, 1, 2)


def kind_undecided(project):
    return closed(project, 1, 2, 3)


def not_sure(project):
    return closed(project, 0, 0, None)


def low_quality(project):
    item = builders.make_open_item(project)
    for seat, member, flag in zip(item.seat_rows.all(), annotators(project), (False, True, False), strict=True):
        builders.make_label(seat, member, 0, low_quality=flag)
    close_item(item)
    item.refresh_from_db()
    return item


def misaligned(project):
    return closed(project, 0, 0, 0, intended=builders.category(project, 1))


def challenged(project):
    item = builders.make_open_item(project)
    give_priors(item, 0, 0)
    challenge = [{"modality": "text", "category": 1, "hateful": True}]
    for seat, member, rows in zip(item.seat_rows.all(), annotators(project), (challenge, [], []), strict=True):
        builders.make_label(seat, member, 0, challenges=rows)
    close_item(item)
    item.refresh_from_db()
    return item


GOLD = (Stage.GOLD, [], None)


def to_review(reason):
    return (Stage.DISPUTED, [reason], None)


def out(reason):
    return (Stage.EXCLUDED, [], reason)


@pytest.mark.parametrize(
    ("case", "review", "paper"),
    [
        (perfect, GOLD, GOLD),
        (strong, GOLD, GOLD),
        (weak, GOLD, GOLD),
        (none, to_review(Reason.NO_MAJORITY), out(Reason.NO_MAJORITY)),
        (kind_undecided, to_review(Reason.KIND_UNDECIDED), to_review(Reason.KIND_UNDECIDED)),
        (not_sure, to_review(Reason.NOT_SURE), to_review(Reason.NOT_SURE)),
        (low_quality, to_review(Reason.LOW_QUALITY), out(Reason.LOW_QUALITY)),
        (misaligned, to_review(Reason.MISALIGNED), out(Reason.MISALIGNED)),
        (challenged, to_review(Reason.PRIOR_CHALLENGED), GOLD),
    ],
)
def test_each_case_ends_where_the_policy_says(case, review, paper):
    for policy, expected in ((Policy.REVIEW, review), (Policy.PAPER, paper)):
        item = case(builders.make_project(policy=policy))
        assert (item.stage, reasons(item), item.excluded_for) == expected
        assert item.closed_at is not None


def test_gold_carries_what_the_votes_found():
    project = builders.make_project()
    item = builders.make_labelled_item(project, annotators(project), (1, 1, 2), intended=builders.category(project, 1))
    give_priors(item, 0, 0)
    close_item(item)
    item.refresh_from_db()
    assert (item.level, item.category.code, item.hateful) == (Level.STRONG, 1, True)
    assert (item.category_source, item.aligned) == (Source.CONSENSUS, True)
    assert (item.pattern, item.difficulty) == ("001", "hard")
    assert item.gold_at is not None
    event = Event.objects.get(item=item, verb="closed")
    assert event.actor is None
    assert event.facts == {"stage": "gold", "reasons": [], "level": "strong"}


def test_a_disputed_item_keeps_what_was_found_but_has_no_source():
    item = misaligned(builders.make_project())
    assert (item.level, item.category.code, item.aligned) == (Level.PERFECT, 0, False)
    assert (item.category_source, item.gold_at) == (None, None)


def test_an_undecided_kind_is_hateful_without_a_category():
    item = kind_undecided(builders.make_project())
    assert (item.level, item.category, item.hateful) == (Level.STRONG, None, True)


@pytest.mark.parametrize("state", [PriorState.REFUSED, PriorState.UNREADABLE, PriorState.FAILED])
def test_a_prior_that_says_nothing_leaves_the_pattern_undefined(state):
    project = builders.make_project()
    item = builders.make_labelled_item(project, annotators(project), (0, 0, 0))
    Prior.objects.create(item=item, modality=Modality.TEXT, category=builders.category(project, 0))
    Prior.objects.create(item=item, modality=Modality.IMAGE, state=state)
    close_item(item)
    item.refresh_from_db()
    assert (item.stage, item.pattern, item.difficulty) == (Stage.GOLD, None, None)


def test_a_prior_that_only_knows_hateful_or_not_gives_its_bit():
    project = builders.make_project()
    item = builders.make_labelled_item(project, annotators(project), (0, 0, 0))
    Prior.objects.create(item=item, modality=Modality.TEXT, hateful=True)
    Prior.objects.create(item=item, modality=Modality.IMAGE, category=builders.category(project, 0))
    close_item(item)
    item.refresh_from_db()
    assert (item.pattern, item.difficulty) == ("100", "normal")


def test_a_prior_corrected_by_a_majority_changes_the_pattern_and_stays_as_it_was():
    project = builders.make_project()
    item = builders.make_open_item(project)
    give_priors(item, 0, 0)
    challenge = [{"modality": "text", "category": None, "hateful": True}]
    for seat, member, rows in zip(item.seat_rows.all(), annotators(project), (challenge, challenge, []), strict=True):
        builders.make_label(seat, member, 0, challenges=rows)
    close_item(item)
    item.refresh_from_db()
    assert (item.stage, item.pattern) == (Stage.GOLD, "100")
    assert Prior.objects.get(item=item, modality=Modality.TEXT, current=True).category.code == 0


def test_nothing_happens_while_a_seat_is_open():
    project = builders.make_project()
    item = builders.make_labelled_item(project, annotators(project, 2), (1, 1, 1))
    assert close_item(item) is None
    item.refresh_from_db()
    assert (item.stage, item.version) == (Stage.LABELLING, 1)


def test_closing_twice_changes_nothing_the_second_time():
    item = none(builders.make_project())
    version = item.version
    assert close_item(item) is None
    item.refresh_from_db()
    assert item.version == version
    assert Dispute.objects.filter(item=item).count() == 1


def test_the_binary_intent_is_compared_with_the_binary_outcome():
    item = closed(builders.make_project(), 1, 2, 3, intended_hateful=False)
    assert reasons(item) == [Reason.KIND_UNDECIDED, Reason.MISALIGNED]
    assert item.aligned is False


@pytest.mark.parametrize("seats", [2, 4, 5])
def test_other_numbers_of_seats_close_alike(seats):
    item = closed(builders.make_project(seats=seats), *([4] * seats))
    assert (item.stage, item.level, item.category.code) == (Stage.GOLD, Level.PERFECT, 4)


# ── More seats ────────────────────────────────────────────────────────────────


def test_seats_are_added_once_before_a_reviewer_sees_no_majority():
    project = builders.make_project(extra_seats=2)
    idle = builders.make_member(project, idle_until="2999-01-01T00:00:00Z")
    item = builders.make_labelled_item(project, annotators(project), (0, 1, 2))
    assert close_item(item) == MoreSeats(2)
    item.refresh_from_db()
    idle.refresh_from_db()
    assert (item.stage, item.seats, item.level, item.closed_at) == (Stage.LABELLING, 5, None, None)
    assert list(item.seat_rows.order_by("number").values_list("number", "seats")) == [
        (1, 3),
        (2, 3),
        (3, 3),
        (4, 5),
        (5, 5),
    ]
    assert idle.idle_until is None
    assert list(Item.objects.open()) == [item]

    for seat, code in zip(item.seat_rows.filter(label=None).order_by("number"), (3, 4), strict=True):
        builders.make_label(seat, builders.make_member(project), code)
    close_item(item)
    item.refresh_from_db()
    assert (item.stage, item.level, reasons(item)) == (Stage.DISPUTED, Level.NONE, [Reason.NO_MAJORITY])


def test_a_majority_of_all_seats_settles_what_the_first_ones_could_not():
    project = builders.make_project(extra_seats=2, policy=Policy.PAPER)
    item = builders.make_labelled_item(project, annotators(project), (0, 1, 2))
    close_item(item)
    for seat in item.seat_rows.filter(label=None):
        builders.make_label(seat, builders.make_member(project), 1)
    close_item(item)
    item.refresh_from_db()
    assert (item.stage, item.level, item.category.code) == (Stage.GOLD, Level.WEAK, 1)


# ── From outside the votes ────────────────────────────────────────────────────


def test_gold_is_disputed_by_a_model_only_where_the_project_asks_for_it():
    project = builders.make_project()
    item = perfect(project)
    assert dispute_item(item, Reason.MODEL_CONFLICT) is False
    Project.objects.filter(pk=project.pk).update(dispute_model_conflict=True)
    assert dispute_item(item, Reason.MODEL_CONFLICT) is True
    item.refresh_from_db()
    assert (item.stage, reasons(item)) == (Stage.DISPUTED, [Reason.MODEL_CONFLICT])
    assert (item.category.code, item.category_source) == (1, None)


def test_the_same_dispute_twice_is_one():
    project = builders.make_project(dispute_model_conflict=True)
    item = perfect(project)
    assert dispute_item(item, Reason.MODEL_CONFLICT) and dispute_item(item, Reason.MODEL_CONFLICT)
    assert Dispute.objects.filter(item=item).count() == 1


def test_a_reason_from_the_votes_cannot_be_claimed_from_outside():
    item = perfect(builders.make_project(dispute_model_conflict=True))
    assert dispute_item(item, Reason.MISALIGNED) is False


def test_open_items_are_not_disputed():
    item = builders.make_open_item(builders.make_project(dispute_model_conflict=True))
    assert dispute_item(item, Reason.MODEL_CONFLICT) is False


# ── The backup, and two at once ───────────────────────────────────────────────


def test_the_sweep_closes_what_was_left_full_and_leaves_the_rest():
    project = builders.make_project()
    full = builders.make_labelled_item(project, annotators(project), (1, 1, 1))
    half = builders.make_labelled_item(project, annotators(project, 2), (1, 1, 1))
    bare = builders.make_item(project, stage=Stage.LABELLING)
    assert close_full_items() == 1
    assert close_full_items() == 0
    stages = {item.pk: item.stage for item in Item.objects.all()}
    assert stages == {full.pk: Stage.GOLD, half.pk: Stage.LABELLING, bare.pk: Stage.LABELLING}


@pytest.mark.skipif(connection.vendor != "sqlite", reason="PostgreSQL counts its rows before it chooses an index")
def test_the_sweep_reads_the_seats_of_each_item_and_not_all_empty_ones():
    plan = close._full_items().explain()
    assert plan.count("(item_id=? AND round=?)") == 2 and "label_id=?" not in plan, plan


@pytest.mark.django_db(transaction=True)
def test_of_many_closers_at_once_exactly_one_closes():
    project = builders.make_project()
    item = builders.make_labelled_item(project, annotators(project), (0, 1, 2))

    def close(_: int) -> bool:
        try:
            return close_item(item) is not None
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(close, range(8))) == 1
    item.refresh_from_db()
    assert (item.stage, item.version) == (Stage.DISPUTED, 2)
    assert Dispute.objects.filter(item=item).count() == Event.objects.filter(item=item).count() == 1


def test_closing_asks_the_database_a_fixed_number_of_things(django_assert_num_queries):
    project = builders.make_project()
    quiet = builders.make_labelled_item(project, annotators(project), (1, 1, 1))
    with django_assert_num_queries(5):  # hold, seats, priors, event, move
        close_item(quiet)
    project_of_many = builders.make_project(seats=7)
    loud = builders.make_labelled_item(project_of_many, annotators(project_of_many, 7), (0, 1, 2, 3, 4, 5, 0))
    with django_assert_num_queries(6):  # and one for all the disputes
        close_item(loud)


def test_a_move_the_table_does_not_list_is_a_fault():
    item = builders.make_item(builders.make_project())
    with pytest.raises(ValueError, match="No item goes from imported to disputed"):
        item.move(Stage.IMPORTED, Stage.DISPUTED)
    assert Seat.objects.filter(item=item).count() == 0
