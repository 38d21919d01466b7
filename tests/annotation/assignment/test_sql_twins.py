"""The statements that find items and read an annotator's state answer as their twins do, in random projects."""

import random
from dataclasses import replace
from datetime import date, timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection, transaction
from django.utils import timezone
from hypothesis import given, settings
from hypothesis import strategies as st

import builders
import sql_twins
from annotation.assignment import annotator_state, item_query, seat_lookup, take_seat
from annotation.assignment.item_query import ItemSearch, UnwantedContent
from annotation.assignment.release_seats import free_seat, holder_key
from annotation.domain.choices import EventVerb, Modality, Order, PriorArm, Role, Stage
from annotation.domain.priors.informativeness import Informativeness
from annotation.domain.wellbeing.breaks import Workday
from annotation.models import (
    Adjudication,
    Batch,
    Guideline,
    Item,
    KnownAnswer,
    Label,
    Membership,
    OptOut,
    PostponedSeat,
    Prior,
    Project,
    Replacement,
    Ruling,
    Seat,
    Skip,
    WorkDay,
)
from annotation.workload import workday
from annotation.workload.workday import newest_day_sql, read_workday

pytestmark = pytest.mark.django_db
half_as_often = settings(max_examples=settings.default.max_examples // 2)  # on two databases

NOW = timezone.now()


class Undo(Exception):
    """Ends a transaction without its changes."""


def populate(chance: random.Random) -> Membership:
    """Create a project with items, people and all that keeps one of them from an item. Return an annotator."""
    project = builders.make_project(
        order=chance.choice(list(Order)),
        seats=chance.choice([2, 3]),
        quota=chance.choice([None, 5]),
        check_percent=chance.choice([0, 10]),
    )
    member, other = (
        builders.make_member(project, Role.ANNOTATOR, Role.REVIEWER, guideline_read=chance.randrange(3))
        for _ in range(2)
    )
    batches = [Batch.objects.create(project=project, name=f"batch {number}", limited=True) for number in range(2)]
    batches[0].members.add(member)
    Guideline.objects.create(project=project, number=2, text="Newer.", asks_reading=chance.random() < 0.5)
    for _ in range(chance.randrange(2, 8)):
        populate_item(chance, project, member, other, [0, 0, *(batch.pk for batch in batches)])
    opted_out = {"category": builders.category(project, 1)}, {"target_group": "Gardeners"}, {"severity": 3}
    for fields in chance.sample(opted_out, chance.randrange(3)):
        OptOut.objects.create(member=member, ended_at=chance.choice([None, None, NOW]), **fields)
    for days in chance.sample(range(4), chance.randrange(3)):
        seen_at = NOW - timedelta(days=days, minutes=chance.randrange(90))
        seen = {"last_act_at": seen_at, "session_since": seen_at, "labels": days}
        # Just after midnight two of these moments may lie on one day.
        WorkDay.objects.get_or_create(member=member, day=timezone.localdate(seen_at), defaults=seen)
    return Membership.objects.select_related("project").get(pk=member.pk)


def populate_item(
    chance: random.Random, project: Project, member: Membership, other: Membership, queues: list[int]
) -> None:
    item = builders.make_open_item(
        project,
        queue=chance.choice(queues),
        priority=chance.choice([0, 0, 5, 9]),
        informativeness=chance.choice(list(Informativeness)),
        place=chance.randrange(item_query.PLACE_RANGE),
        severity=chance.choice([None, 1, 3]),
        target_group=chance.choice(["", "gardeners ", "others"]),
        intended=builders.category(project, chance.randrange(3)),
        intended_categories=chance.choice([[], [], [0, 1], [1, 2]]),
        picture_missing=chance.random() < 0.1,
    )
    for seat, annotator in zip(item.seat_rows.order_by("number"), chance.sample([member, other], 2), strict=False):
        if chance.random() < 0.4:
            hold(chance, seat, annotator)
    if chance.random() < 0.2:
        Skip.objects.create(item=item, annotator=chance.choice([member, other]))
    if chance.random() < 0.2:
        Adjudication.objects.create(
            item=item,
            round=1,
            reviewer=chance.choice([member, other]),
            ruling=Ruling.EXCLUDE,
            rationale="so",
            item_version=1,
        )
    if chance.random() < 0.4:
        said = builders.category(project, chance.randrange(3))
        Prior.objects.create(item=item, modality=Modality.TEXT, category=said, current=chance.random() < 0.7)
    stage = chance.choice([Stage.LABELLING] * 6 + [Stage.KNOWN, Stage.GOLD])
    if stage == Stage.KNOWN:
        KnownAnswer.objects.create(
            item=item, category=said_of(project), training=chance.random() < 0.3, active=chance.random() < 0.8
        )
    Item.objects.filter(pk=item.pk).update(stage=stage, round=chance.choice([1, 1, 1, 2]))


def said_of(project: Project) -> Any:
    return builders.category(project, 0)


def hold(chance: random.Random, seat: Seat, annotator: Membership) -> None:
    """Let the annotator hold the seat, or fill it with a label; at times another reviewer replaces that label."""
    if chance.random() < 0.5:
        label = builders.make_label(seat, annotator, chance.choice([None, 1]))
        if chance.random() < 0.3:
            reviewer = builders.make_member(seat.item.project, Role.REVIEWER)
            Replacement.objects.create(
                item=seat.item, label=label, reviewer=reviewer, category=builders.category(seat.item.project, 1)
            )
        return
    shown_at = chance.choice([None, NOW - timedelta(minutes=chance.randrange(9))])
    held = {"held_at": NOW, "expires_at": NOW + timedelta(hours=1), "shown_at": shown_at}
    Seat.objects.filter(pk=seat.pk).update(annotator=annotator, **held)
    if chance.random() < 0.3:
        PostponedSeat.objects.create(seat=chance.choice([seat, None]), member=annotator)
    Item.objects.filter(pk=seat.item_id).update(taken=seat.number)


def compare(name: str, *values: Any, **more: Any) -> None:
    expected = getattr(sql_twins, name)(*values, **more)
    assert getattr(item_query, name)(*values, **more) == expected, (name, values, more)


@half_as_often
@given(seed=st.integers(0, 10**9))
def test_items_are_found_and_states_read_as_by_their_twins(seed: int) -> None:
    chance = random.Random(seed)
    try:
        with transaction.atomic():
            member = populate(chance)
            state = annotator_state.read_annotator_state(member, NOW)
            expected = sql_twins.read_annotator_state(member, NOW)
            assert in_any_order(state) == in_any_order(expected)
            with connection.cursor() as cursor:
                cursor.execute(newest_day_sql("%s"), [member.pk])
                newest = cursor.fetchone()
            assert read_workday(newest and newest[0], NOW) == sql_twins.read_workday(member, NOW)
            unwanted = chance.choice([UnwantedContent(), expected.unwanted, expected.unwanted.and_severity(3)])
            for queues in ([0], expected.queues):
                search, place = ItemSearch(member, queues, unwanted), chance.randrange(item_query.PLACE_RANGE)
                assert_same_rank(item_query.walk_items(search), sql_twins.walk_items(search))
                compare("scan_items", search)
                compare("probe_items", search, place)
                compare("probe_items", search, place, below=True)
                compare("probe_with_check", search, place)
                for hardest in Informativeness:
                    compare("probe_items", search, place, hardest=hardest, below=chance.random() < 0.3)
            for item in Item.objects.all():
                compare("is_item_wanted", item.pk, unwanted)
            raise Undo
    except Undo:
        pass


@half_as_often
@given(seed=st.integers(0, 10**9))
def test_a_seat_is_locked_with_all_that_its_answer_needs_as_by_its_twin(seed: int) -> None:
    chance = random.Random(seed)
    try:
        with transaction.atomic():
            member = populate(chance)
            lose_and_repeat(chance, member)
            keys = [uuid4(), *Label.objects.filter(annotator=member).values_list("client_key", flat=True)]
            for seat in Seat.objects.select_related("item"):
                key, code = chance.choice(keys), chance.choice([None, 0, 1, 2, 99])
                found = seat_lookup.lock_seat(member, seat.public_id, NOW, key=key, category=code)
                assert found == sql_twins.lock_seat(member, seat.public_id, NOW, key=key, category=code)
                for row in found.seats if found else ():
                    assert seat_lookup.guideline_seen(row) == sql_twins.guideline_seen(row, NOW)
                    assert seat_lookup.next_revision(row) == sql_twins.next_revision(row, member)
                for free in take_seat._FREE_SEAT_OF.rows(item=seat.item.pk, holder=holder_key(member)):
                    assert vars(free)["arm_before"] == sql_twins.arm_before(free, member)
            raise Undo
    except Undo:
        pass


def lose_and_repeat(chance: random.Random, member: Membership) -> None:
    """Let seats lapse or be emptied for different people, retire a category, and correct labels."""
    for seat in Seat.objects.filter(annotator__isnull=False).select_related("item__project", "annotator", "label"):
        if seat.label is not None and chance.random() < 0.5:
            fields = {"annotator": seat.annotator, "revision": 2, "not_sure": True}
            newest = Label.objects.create(seat=seat, item=seat.item, **fields)
            Seat.objects.filter(pk=seat.pk).update(label=newest)
        elif seat.label is None and chance.random() < 0.6:
            verb = chance.choice([EventVerb.SEAT_LAPSED, EventVerb.SEAT_EMPTIED])
            seat.prior_arm = chance.choice(["", PriorArm.SHOWN, PriorArm.WITHHELD])
            free_seat(seat, seat.item, verb, chance.choice([None, member]))
    if chance.random() < 0.5:
        member.project.categories.filter(code=1).update(retired_at=NOW)


@given(
    paces=st.lists(
        st.builds(
            Workday,
            day=st.dates(date(2026, 3, 1), date(2026, 3, 3)),
            labels=st.integers(0, 99),
            session_seconds=st.integers(0, 9000),
            session_since=st.none() | st.just(NOW),
            break_offered_at=st.none() | st.just(NOW),
        ),
        max_size=6,
    )
)
def test_workdays_are_stored_as_by_the_twin(paces: list[Workday]) -> None:
    try:
        with transaction.atomic():
            member, other = (builders.make_member(builders.make_project()) for _ in range(2))
            for pace in paces:
                workday.store_workday(member, pace)
                sql_twins.store_workday(other, pace)
            columns = [field.attname for field in WorkDay._meta.fields if field.name not in ("id", "member")]
            stored, expected = (
                list(WorkDay.objects.filter(member=row).order_by("day").values(*columns)) for row in (member, other)
            )
            assert stored == expected
            raise Undo
    except Undo:
        pass


def assert_same_rank(one: int | None, other: int | None) -> None:
    """Two items of the common queue have one place; between queues a tie of priorities may go either way."""
    fields = ("priority", "queue", "informativeness", "place")
    rows = [Item.objects.filter(pk=item).values_list(*fields).first() for item in (one, other)]
    compared = 4 if all(row and row[1] == 0 for row in rows) else 1
    assert len({row and row[:compared] for row in rows}) == 1, rows


def in_any_order(state: annotator_state.AnnotatorState) -> annotator_state.AnnotatorState:
    """The statement names opt-outs and batches in no order; a seat that ties with another may be either."""
    unwanted = replace(
        state.unwanted, categories=sorted(state.unwanted.categories), groups=sorted(state.unwanted.groups)
    )
    return replace(state, queues=sorted(state.queues), unwanted=unwanted)
