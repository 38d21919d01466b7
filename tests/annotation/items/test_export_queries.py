"""An export streams one key after the other: at most ten queries for ten thousand items."""

import json

import pytest
from django.utils import timezone

import builders
from annotation.core.bulk_insert import Rows, Sender
from annotation.domain.choices import Role, Stage
from annotation.items import export
from annotation.items.export import as_csv, as_jsonl
from annotation.models import Item, Label, Seat

pytestmark = pytest.mark.django_db


@pytest.fixture
def project():
    return builders.make_project()


@pytest.fixture
def admin(project):
    return builders.make_member(project, Role.ADMIN)


def fill(project, items):
    """Add gold items with one label each, in two rounds by turns."""
    person, category = builders.make_member(project), builders.category(project, 1)
    rows, now = Rows(Item), timezone.now()
    for number in range(items):
        rows.add(
            project_id=project.pk, external_id=f"x-{number}", text=f"Post {number}", stage=Stage.GOLD,
            category_id=category.pk, category_source="adjudicated", round=1 + number % 2, closed_at=now,
        )  # fmt: skip
    with Sender() as sender:
        sender.send([rows.take()])
        sender.wait()
        keys = list(Item.objects.filter(project=project).order_by("pk").values_list("pk", "round"))
        seats = Rows(Seat)
        for item, round_ in keys:
            seats.add(item_id=item, round=round_, number=1, seats=1, annotator_id=person.pk)
        sender.send([seats.take()])
        sender.wait()
        labels = Rows(Label)
        for seat, item in Seat.objects.filter(item__project=project).values_list("pk", "item_id"):
            labels.add(seat_id=seat, item_id=item, annotator_id=person.pk, category_id=category.pk)
        sender.send([labels.take()])
    for label, seat in Label.objects.filter(item__project=project).values_list("pk", "seat_id")[:50]:
        Seat.objects.filter(pk=seat).update(label=label)


@pytest.mark.parametrize("write", [as_csv, as_jsonl])
def test_ten_thousand_items_take_ten_queries(write, project, admin, django_assert_max_num_queries):
    list(write(admin, {}))
    fill(project, 10_000)
    with django_assert_max_num_queries(10 + 7):  # ten for the rows; members, columns and terms once
        size = sum(map(len, write(admin, {})))
    assert size > 10_000 * 50


def test_every_item_is_written_once_in_the_order_of_import(project, admin, monkeypatch):
    fill(project, 23)
    monkeypatch.setattr(export, "AT_ONCE", 5)
    lines = [json.loads(line) for line in as_jsonl(admin, {})]
    assert [line["id"] for line in lines] == [f"x-{number}" for number in range(23)]
    assert all(len(line["labels"]) == 1 for line in lines)
    assert [line["id"] for line in map(json.loads, as_jsonl(admin, {"text": ["Post 1"]}))] == [
        f"x-{number}" for number in (1, *range(10, 20))
    ]


def test_an_item_that_leaves_the_search_meanwhile_is_left_out_and_none_comes_twice(project, admin, monkeypatch):
    fill(project, 12)
    monkeypatch.setattr(export, "AT_ONCE", 4)
    lines = as_jsonl(admin, {"stage": ["gold"]})
    seen = [json.loads(next(lines))["id"]]
    Item.objects.filter(external_id__in=["x-2", "x-9"]).update(stage=Stage.DISPUTED)
    seen += [json.loads(line)["id"] for line in lines]
    assert seen == [f"x-{number}" for number in range(12) if number != 9]
