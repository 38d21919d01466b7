"""Another expert replaces a not sure, blind; then all checks run again (design section 4)."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import IntegrityError, connection, transaction

import builders
from annotation.consensus.close import close_item, dispute_item
from annotation.domain.choices import Level, Policy, Reason, Role, Source, Stage
from annotation.domain.item_decision import MoreSeats
from annotation.models import Dispute, Event, Item, Membership, Project, Replacement
from annotation.review.expert_replacement import (
    NotAnExpert,
    NothingToReplace,
    look_at_votes,
    may_replace,
    replace_not_sure,
    waiting_for_expert,
)

pytestmark = pytest.mark.django_db


def unsure_item(project: Project, *codes: int | None, **fields) -> Item:
    members = [builders.make_member(project) for _ in codes]
    item = builders.make_labelled_item(project, members, codes, **fields)
    close_item(item)
    item.refresh_from_db()
    return item


def expert_of(project: Project) -> Membership:
    return builders.make_member(project, Role.REVIEWER)


def open_reasons(item: Item) -> list[str]:
    return list(item.disputes.filter(settled_at__isnull=True).order_by("pk").values_list("reason", flat=True))


@pytest.mark.parametrize(
    ("codes", "given", "stage", "level", "category", "reasons"),
    [
        ((0, 0, None), 0, Stage.GOLD, Level.PERFECT, 0, []),
        ((1, 1, None), 2, Stage.GOLD, Level.STRONG, 1, []),
        ((0, 1, None), 1, Stage.GOLD, Level.WEAK, 1, []),
        ((0, 1, None), 2, Stage.DISPUTED, Level.NONE, None, [Reason.NO_MAJORITY]),
        ((1, 2, None), 3, Stage.DISPUTED, Level.STRONG, None, [Reason.KIND_UNDECIDED]),
    ],
)
def test_after_a_replacement_the_whole_pipeline_runs_again(codes, given, stage, level, category, reasons):
    project = builders.make_project()
    item = unsure_item(project, *codes)
    assert open_reasons(item) == [Reason.NOT_SURE]
    replace_not_sure(item, expert_of(project), builders.category(project, given))
    item.refresh_from_db()
    assert (item.stage, item.level, item.category and item.category.code) == (stage, level, category)
    assert open_reasons(item) == reasons
    if stage is Stage.GOLD:
        assert item.category_source == Source.CONSENSUS


def test_the_paper_excludes_what_has_no_majority_after_a_replacement():
    project = builders.make_project(policy=Policy.PAPER)
    item = unsure_item(project, 0, 1, None)
    replace_not_sure(item, expert_of(project), builders.category(project, 2))
    item.refresh_from_db()
    assert (item.stage, item.excluded_for, open_reasons(item)) == (Stage.EXCLUDED, Reason.NO_MAJORITY, [])


def test_the_original_label_stays_and_the_event_names_the_reviewer():
    project = builders.make_project()
    item, expert = unsure_item(project, 0, 0, None), expert_of(project)
    replacement = replace_not_sure(item, expert, builders.category(project, 0), "It is a seed catalogue.")
    label = item.labels.get(not_sure=True)
    assert (label.category, replacement.label) == (None, label)
    event = Event.objects.get(item=item, verb="replace")
    assert (event.actor, event.row, event.facts) == (expert, label.public_id, {"category": 0})


def test_a_flag_without_a_category_is_replaced_and_its_flag_still_counts():
    project = builders.make_project()
    item = builders.make_open_item(project)
    for seat, code in zip(item.seat_rows.order_by("number"), (0, 0, None), strict=True):
        builders.make_label(seat, builders.make_member(project), code, low_quality=code is None)
    close_item(item)
    assert open_reasons(item) == [Reason.NOT_SURE, Reason.LOW_QUALITY]
    replace_not_sure(item, expert_of(project), builders.category(project, 0))
    item.refresh_from_db()
    assert (item.stage, open_reasons(item), item.level) == (Stage.DISPUTED, [Reason.LOW_QUALITY], Level.PERFECT)
    assert Dispute.objects.get(item=item, reason=Reason.NOT_SURE).settled_at is not None


def test_two_not_sures_need_two_experts():
    project = builders.make_project()
    item, first, second = unsure_item(project, 0, None, None), expert_of(project), expert_of(project)
    replace_not_sure(item, first, builders.category(project, 0))
    item.refresh_from_db()
    assert open_reasons(item) == [Reason.NOT_SURE]
    with pytest.raises(NotAnExpert):
        replace_not_sure(item, first, builders.category(project, 1))
    assert list(waiting_for_expert(first)) == []
    assert list(waiting_for_expert(second)) == [item]
    replace_not_sure(item, second, builders.category(project, 0))
    item.refresh_from_db()
    assert (item.stage, item.level) == (Stage.GOLD, Level.PERFECT)


def test_the_same_replacement_sent_twice_is_stored_once():
    project = builders.make_project()
    item, expert = unsure_item(project, 0, 0, None), expert_of(project)
    assert replace_not_sure(item, expert, builders.category(project, 0)) == replace_not_sure(
        item, expert, builders.category(project, 0)
    )
    assert Replacement.objects.count() == 1


def test_who_labelled_the_item_gives_no_replacement():
    project = builders.make_project()
    both = builders.make_member(project, Role.ANNOTATOR, Role.REVIEWER)
    item = builders.make_labelled_item(project, [both, *(builders.make_member(project) for _ in "ab")], (0, 0, None))
    close_item(item)
    assert not may_replace(item, both)
    assert list(waiting_for_expert(both)) == []
    with pytest.raises(NotAnExpert):
        replace_not_sure(item, both, builders.category(project, 0))


@pytest.mark.parametrize("role", [Role.ANNOTATOR, Role.ADMIN])
def test_only_reviewers_give_replacements(role):
    project = builders.make_project()
    item = unsure_item(project, 0, 0, None)
    with pytest.raises(NotAnExpert):
        replace_not_sure(item, builders.make_member(project, role), builders.category(project, 0))


def test_who_looked_at_the_votes_gives_no_replacement():
    project = builders.make_project()
    item, curious, other = unsure_item(project, 0, 0, None), expert_of(project), expert_of(project)
    look_at_votes(item, curious)
    look_at_votes(item, curious)
    assert Event.objects.filter(item=item, actor=curious).count() == 1
    assert list(waiting_for_expert(curious)) == []
    assert list(waiting_for_expert(other)) == [item]
    with pytest.raises(NotAnExpert):
        replace_not_sure(item, curious, builders.category(project, 0))


def test_there_is_nothing_to_replace_where_everyone_was_sure():
    project = builders.make_project()
    disputed, gold = unsure_item(project, 0, 1, 2), unsure_item(project, 1, 1, 1)
    for item in (disputed, gold):
        with pytest.raises(NothingToReplace):
            replace_not_sure(item, expert_of(project), builders.category(project, 0))
    assert list(waiting_for_expert(expert_of(project))) == []


def test_other_projects_have_their_own_queue():
    item = unsure_item(builders.make_project(), 0, 0, None)
    stranger = expert_of(builders.make_project())
    assert list(waiting_for_expert(stranger)) == []
    assert list(waiting_for_expert(expert_of(item.project))) == [item]


def test_a_replacement_that_leaves_no_majority_may_still_bring_more_seats():
    project = builders.make_project(extra_seats=2)
    item = unsure_item(project, 0, 1, None)
    replace_not_sure(item, expert_of(project), builders.category(project, 2))
    item.refresh_from_db()
    assert (item.stage, item.seats, open_reasons(item)) == (Stage.LABELLING, 5, [])
    assert close_item(item) is None
    assert MoreSeats(2) != MoreSeats(1)


def test_a_model_conflict_outlives_a_replacement():
    project = builders.make_project(dispute_model_conflict=True)
    item = unsure_item(project, 0, 0, None)
    dispute_item(item, Reason.MODEL_CONFLICT)
    replace_not_sure(item, expert_of(project), builders.category(project, 0))
    item.refresh_from_db()
    assert (item.stage, open_reasons(item)) == (Stage.DISPUTED, [Reason.MODEL_CONFLICT])
    assert (item.level, item.category_source, item.gold_at) == (Level.PERFECT, None, None)


def test_the_database_holds_one_replacement_a_label_and_a_person():
    project = builders.make_project()
    item, expert = unsure_item(project, 0, None, None), expert_of(project)
    labels = list(item.labels.filter(not_sure=True))
    fields = {"item": item, "category": builders.category(project, 0)}
    Replacement.objects.create(label=labels[0], reviewer=expert, **fields)
    for label, reviewer in ((labels[0], expert_of(project)), (labels[1], expert)):
        with pytest.raises(IntegrityError), transaction.atomic():
            Replacement.objects.create(label=label, reviewer=reviewer, **fields)


@pytest.mark.django_db(transaction=True)
def test_of_two_experts_at_once_one_replaces_and_the_other_finds_nothing_left():
    project = builders.make_project()
    item = unsure_item(project, 0, 0, None)
    experts = [expert_of(project) for _ in range(5)]
    category = builders.category(project, 0)

    def give(expert: Membership) -> bool:
        try:
            replace_not_sure(item, expert, category)
        except NothingToReplace:
            return False
        finally:
            connection.close()
        return True

    with ThreadPoolExecutor(5) as pool:
        assert sum(pool.map(give, experts)) == 1
    item.refresh_from_db()
    assert item.stage == Stage.GOLD
    assert Replacement.objects.count() == 1
