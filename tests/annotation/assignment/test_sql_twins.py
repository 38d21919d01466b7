"""The statements that find items and read an annotator's state answer as their twins do, in random projects."""

import random
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection, transaction
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

import builders
import sql_twins
from annotation.assignment import annotator_state, item_query
from annotation.assignment.item_query import ItemSearch, UnwantedContent
from annotation.domain.choices import Modality, Order, Role, Stage
from annotation.models import (
    Adjudication,
    Batch,
    Guideline,
    Item,
    KnownAnswer,
    Membership,
    OptOut,
    Prior,
    Project,
    Replacement,
    Ruling,
    Seat,
    Skip,
    WorkDay,
)
from annotation.workload.workday import newest_day_sql, read_workday

pytestmark = pytest.mark.django_db

NOW = timezone.now()


class Undo(Exception):
    """Ends a transaction without its changes."""


def populate(chance: random.Random) -> Membership:
    """Create a project with items, people and all that keeps one of them from an item. Return an annotator."""
    project = builders.make_project(
        order=chance.choice([Order.DEPTH, Order.BREADTH]), seats=chance.choice([2, 3]), quota=chance.choice([None, 5])
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
        WorkDay.objects.create(
            member=member, day=timezone.localdate(seen_at), last_act_at=seen_at, session_since=seen_at, labels=days
        )
    return Membership.objects.select_related("project").get(pk=member.pk)


def populate_item(
    chance: random.Random, project: Project, member: Membership, other: Membership, queues: list[int]
) -> None:
    item = builders.make_open_item(
        project,
        queue=chance.choice(queues),
        priority=chance.choice([0, 0, 5, 9]),
        place=chance.randrange(item_query.PLACE_RANGE),
        severity=chance.choice([None, 1, 3]),
        target_group=chance.choice(["", "gardeners ", "others"]),
        intended=builders.category(project, chance.randrange(3)),
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
    Item.objects.filter(pk=seat.item_id).update(taken=seat.number)


def compare(name: str, *values: Any, **more: Any) -> None:
    expected = getattr(sql_twins, name)(*values, **more)
    assert getattr(item_query, name)(*values, **more) == expected, (name, values, more)


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
                assert rank(item_query.walk_items(search)) == rank(sql_twins.walk_items(search))
                compare("scan_items", search)
                compare("probe_items", search, place)
                compare("probe_items", search, place, below=True)
                compare("probe_items", search, place, check=True)
            for item in Item.objects.all():
                compare("is_item_wanted", item.pk, unwanted)
            raise Undo
    except Undo:
        pass


def rank(item: int | None) -> tuple[Any, ...]:
    """Return the item's priority and, in the common queue, its place; between queues a tie may go either way."""
    row = Item.objects.filter(pk=item).values_list("priority", "queue", "place").first()
    return row if row is None or row[1] == 0 else row[:1]


def in_any_order(state: annotator_state.AnnotatorState) -> annotator_state.AnnotatorState:
    """The statement names opt-outs and batches in no order; a seat that ties with another may be either."""
    unwanted = replace(
        state.unwanted, categories=sorted(state.unwanted.categories), groups=sorted(state.unwanted.groups)
    )
    return replace(state, queues=sorted(state.queues), unwanted=unwanted)
