"""Reviewers settle disputes; races, stale versions, own labels (threats T22, B115, B116)."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection

import builders
from annotation.consensus.close import close_item, dispute_item
from annotation.consensus.exclude import report_item
from annotation.domain.choices import Level, Modality, Policy, Reason, Role, Source, Stage
from annotation.domain.patterns import Prior as PriorValue
from annotation.models import Adjudication, Dispute, Event, Item, Label, Membership, Prior, Project, Ruling, Seat
from annotation.review.adjudicate import (
    NotAllowed,
    OwnItem,
    StaleVersion,
    decide_item,
    exclude_item,
    reopen_closed_item,
    request_new_round,
)

pytestmark = pytest.mark.django_db


def closed(project: Project, *codes: int | None, **fields) -> Item:
    members = [builders.make_member(project) for _ in codes]
    item = builders.make_labelled_item(project, members, codes, **fields)
    close_item(item)
    item.refresh_from_db()
    return item


def reviewer_of(project: Project) -> Membership:
    return builders.make_member(project, Role.REVIEWER)


def admin_of(project: Project) -> Membership:
    return builders.make_member(project, Role.ADMIN)


def test_a_decision_makes_gold_and_leaves_level_and_votes_alone():
    project = builders.make_project()
    item = closed(project, 0, 1, 2, intended=builders.category(project, 2))
    votes = list(Label.objects.filter(item=item).values_list("category__code", flat=True))
    ruling = decide_item(
        item, reviewer_of(project), item.version, "The symbol decides it.", builders.category(project, 1)
    )
    item.refresh_from_db()
    assert (item.stage, item.category.code, item.category_source) == (Stage.GOLD, 1, Source.ADJUDICATED)
    assert (item.level, item.hateful, item.aligned) == (Level.NONE, True, False)  # recorded, not disputed again
    assert item.gold_at is not None
    assert list(Label.objects.filter(item=item).values_list("category__code", flat=True)) == votes
    assert Dispute.objects.get(item=item).settled_at is not None
    assert (ruling.ruling, ruling.rationale, ruling.round) == (Ruling.DECIDE, "The symbol decides it.", 1)
    event = Event.objects.get(item=item, verb="decide")
    assert (event.actor, event.row) == (ruling.reviewer, ruling.public_id)
    assert event.facts == {"stage": "disputed", "level": "none", "reasons": ["no_majority"], "category": 1}


@pytest.mark.parametrize("codes", [(0, 1, 2), (1, 2, 3), (0, 0, None)])
def test_any_dispute_can_be_settled(codes):
    project = builders.make_project()
    item = closed(project, *codes)
    decide_item(item, reviewer_of(project), item.version, "Plain.", builders.category(project, 0))
    item.refresh_from_db()
    assert (item.stage, item.category.code) == (Stage.GOLD, 0)


def test_a_model_conflict_can_be_settled():
    project = builders.make_project(dispute_model_conflict=True)
    item = closed(project, 0, 0, 0)
    dispute_item(item, Reason.MODEL_CONFLICT)
    item.refresh_from_db()
    decide_item(item, reviewer_of(project), item.version, "The model missed the joke.", builders.category(project, 0))
    item.refresh_from_db()
    assert (item.stage, item.level, item.category_source) == (Stage.GOLD, Level.PERFECT, Source.ADJUDICATED)


def test_an_upheld_challenge_counts_for_the_pattern():
    project = builders.make_project()
    members = [builders.make_member(project) for _ in range(3)]
    for upheld, pattern in (({}, "000"), ({Modality.TEXT: PriorValue(True)}, "100")):
        item = builders.make_open_item(project)
        for modality in Modality:
            Prior.objects.create(item=item, modality=modality, category=builders.category(project, 0))
        for seat, member in zip(item.seat_rows.all(), members, strict=True):
            rows = [{"modality": "text", "category": None, "hateful": True}] if member == members[0] else []
            builders.make_label(seat, member, 0, challenges=rows)
        close_item(item)
        item.refresh_from_db()
        assert list(item.disputes.values_list("reason", flat=True)) == [Reason.PRIOR_CHALLENGED]
        ruling = decide_item(
            item, reviewer_of(project), item.version, "Looked up.", builders.category(project, 0), upheld
        )
        item.refresh_from_db()
        assert item.pattern == pattern
        assert ruling.corrections == ([{"modality": "text", "hateful": True, "category": None}] if upheld else [])


def test_an_excluded_item_carries_the_reason_that_was_disputed_first():
    project = builders.make_project()
    item = closed(project, 0, 1, 2, intended_hateful=False)
    exclude_item(item, reviewer_of(project), item.version, "Not readable enough for anyone.")
    item.refresh_from_db()
    assert (item.stage, item.excluded_for, item.level) == (Stage.EXCLUDED, Reason.NO_MAJORITY, Level.NONE)
    assert not item.disputes.filter(settled_at__isnull=True).exists()


def test_labelling_again_opens_a_new_round_and_keeps_the_old_votes():
    project = builders.make_project()
    item = closed(project, 0, 1, 2)
    closed_at = item.closed_at
    request_new_round(item, reviewer_of(project), item.version, "The guideline changed.")
    item.refresh_from_db()
    assert (item.stage, item.round, item.taken, item.seats) == (Stage.LABELLING, 2, 0, 3)
    assert (item.level, item.category, item.hateful, item.closed_at) == (None, None, None, closed_at)
    assert item.seat_rows.filter(round=2, annotator=None, label=None).count() == 3
    assert Label.objects.filter(item=item).count() == 3

    for seat in item.seat_rows.filter(round=2):
        builders.make_label(seat, builders.make_member(project), 4)
    close_item(item)
    item.refresh_from_db()
    assert (item.stage, item.level, item.category.code) == (Stage.GOLD, Level.PERFECT, 4)


def test_a_new_round_has_as_many_seats_as_the_first_began_with():
    project = builders.make_project(extra_seats=1)
    item = closed(project, 0, 1, 2)
    builders.make_label(item.seat_rows.get(number=4), builders.make_member(project), 3)
    close_item(item)
    item.refresh_from_db()
    assert (item.stage, item.seats) == (Stage.DISPUTED, 4)
    request_new_round(item, reviewer_of(project), item.version, "Again.")
    item.refresh_from_db()
    assert (item.round, item.seats, item.seat_rows.filter(round=2).count()) == (2, 3, 3)


# ── Who may, and who was first ────────────────────────────────────────────────


def test_a_decision_on_an_old_version_learns_who_was_first_and_what_they_did():
    project = builders.make_project()
    item = closed(project, 0, 1, 2)
    first, second = reviewer_of(project), reviewer_of(project)
    decide_item(item, first, item.version, "One.", builders.category(project, 1))
    with pytest.raises(StaleVersion) as refused:
        decide_item(item, second, item.version, "Two.", builders.category(project, 2))
    assert refused.value.last.actor == first
    assert (refused.value.last.verb, refused.value.last.facts["category"]) == ("decide", 1)
    item.refresh_from_db()
    assert item.category.code == 1
    assert Adjudication.objects.filter(item=item).count() == 1


def test_the_same_decision_sent_twice_is_stored_once():
    project = builders.make_project()
    item, reviewer = closed(project, 0, 1, 2), reviewer_of(project)
    rulings = {decide_item(item, reviewer, item.version, "Plain.", builders.category(project, 1)).pk for _ in range(2)}
    assert len(rulings) == 1
    assert Adjudication.objects.filter(item=item).count() == 1


def test_the_same_reviewer_with_another_decision_is_stale():
    project = builders.make_project()
    item, reviewer = closed(project, 0, 1, 2), reviewer_of(project)
    decide_item(item, reviewer, item.version, "Plain.", builders.category(project, 1))
    with pytest.raises(StaleVersion):
        decide_item(item, reviewer, item.version, "Plain.", builders.category(project, 2))


def test_a_reviewer_does_not_settle_what_they_labelled_unless_the_project_allows_it():
    project = builders.make_project()
    both = builders.make_member(project, Role.ANNOTATOR, Role.REVIEWER)
    members = [both, *(builders.make_member(project) for _ in range(2))]
    item = builders.make_labelled_item(project, members, (0, 1, 2))
    close_item(item)
    item.refresh_from_db()
    with pytest.raises(OwnItem):
        decide_item(item, both, item.version, "Mine.", builders.category(project, 0))
    with pytest.raises(OwnItem):
        exclude_item(item, both, item.version, "Mine.")
    Project.objects.filter(pk=project.pk).update(adjudicate_own=True)
    both.refresh_from_db()
    decide_item(item, both, item.version, "Mine.", builders.category(project, 0))
    item.refresh_from_db()
    assert item.stage == Stage.GOLD


@pytest.mark.parametrize("role", [Role.ANNOTATOR, Role.ADMIN])
def test_settling_is_for_reviewers(role):
    project = builders.make_project()
    item = closed(project, 0, 1, 2)
    for settle in (exclude_item, request_new_round):
        with pytest.raises(NotAllowed):
            settle(item, builders.make_member(project, role), item.version, "Not my place.")


def test_an_inactive_reviewer_settles_nothing():
    project = builders.make_project()
    item = closed(project, 0, 1, 2)
    with pytest.raises(NotAllowed):
        exclude_item(item, builders.make_member(project, Role.REVIEWER, active=False), item.version, "Late.")


def test_gold_is_not_decided_again_and_open_items_not_at_all():
    project = builders.make_project()
    gold, open_item = closed(project, 1, 1, 1), builders.make_open_item(project)
    for item in (gold, open_item):
        with pytest.raises(NotAllowed):
            decide_item(item, reviewer_of(project), item.version, "Again.", builders.category(project, 0))


def test_only_admins_reopen_and_only_what_is_settled():
    project = builders.make_project()
    gold, disputed = closed(project, 1, 1, 1), closed(project, 0, 1, 2)
    with pytest.raises(NotAllowed):
        reopen_closed_item(gold, reviewer_of(project), gold.version, "A doubt.")
    with pytest.raises(NotAllowed):
        reopen_closed_item(disputed, admin_of(project), disputed.version, "A doubt.")
    reopen_closed_item(gold, admin_of(project), gold.version, "A doubt.")
    gold.refresh_from_db()
    assert (gold.stage, gold.round, gold.category, gold.gold_at) == (Stage.LABELLING, 2, None, None)
    assert Adjudication.objects.get(item=gold).ruling == Ruling.REOPEN


def test_an_item_excluded_by_the_paper_policy_can_be_reopened():
    project = builders.make_project(policy=Policy.PAPER)
    item = closed(project, 0, 1, 2)
    assert item.stage == Stage.EXCLUDED
    reopen_closed_item(item, admin_of(project), item.version, "New guideline.")
    item.refresh_from_db()
    assert (item.stage, item.round, item.excluded_for) == (Stage.LABELLING, 2, None)


def test_a_round_stopped_by_a_report_goes_on_where_it_stopped():
    project = builders.make_project()
    reporter = builders.make_member(project)
    item = builders.make_labelled_item(project, [reporter], (1, 1, 1))
    held = item.seat_rows.get(number=2)
    Seat.objects.filter(pk=held.pk).update(annotator=builders.make_member(project))
    report_item(item, reporter)
    item.refresh_from_db()
    assert (item.stage, item.excluded_for) == (Stage.EXCLUDED, Reason.REPORTED)
    reopen_closed_item(item, admin_of(project), item.version, "Looked at with the operator: legal.")
    item.refresh_from_db()
    assert (item.stage, item.round, item.taken, item.excluded_for) == (Stage.LABELLING, 1, 1, None)
    assert item.seat_rows.filter(annotator=None).count() == 2


def test_imported_gold_that_is_reopened_gets_its_first_seats():
    project = builders.make_project()
    item = builders.make_item(
        project, stage=Stage.GOLD, category=builders.category(project, 1), category_source=Source.IMPORTED
    )
    reopen_closed_item(item, admin_of(project), item.version, "The source is doubtful.")
    item.refresh_from_db()
    assert (item.round, item.seat_rows.filter(round=1).count(), item.category_source) == (1, 3, None)


@pytest.mark.django_db(transaction=True)
def test_of_two_reviewers_at_once_one_decides_and_the_other_learns_of_it():
    project = builders.make_project()
    item = closed(project, 0, 1, 2)
    reviewers = [reviewer_of(project) for _ in range(6)]
    categories = [builders.category(project, code) for code in range(6)]

    def settle(number: int) -> str:
        try:
            decide_item(item, reviewers[number], item.version, f"Reason {number}", categories[number])
        except StaleVersion as stale:
            return stale.last.actor.pseudonym
        finally:
            connection.close()
        return "decided"

    with ThreadPoolExecutor(6) as pool:
        outcomes = list(pool.map(settle, range(6)))
    winner = outcomes.index("decided")
    assert outcomes.count("decided") == 1
    assert set(outcomes) == {"decided", reviewers[winner].pseudonym}
    item.refresh_from_db()
    assert item.category.code == winner
    assert Adjudication.objects.filter(item=item).count() == 1
    assert Event.objects.filter(item=item, verb="decide").count() == 1
