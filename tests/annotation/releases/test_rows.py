"""The rows of a release hold what belongs to their items, and nothing of the items between them."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db.models import Q
from django.utils import timezone

from annotation.domain.choices import Modality, PriorState
from annotation.models import Item, Label, Prior, Project, Seat
from annotation.releases import rows as release_rows
from annotation.releases.request import Selection
from annotation.releases.rows import Rows
from builders import category, make_labelled_item, make_member, make_project

pytestmark = pytest.mark.django_db


def rows_of(project: Project, items: Sequence[int]) -> list[dict[str, Any]]:
    rows = Rows(project, Selection(notes=True), "")
    values = list(Item.objects.filter(pk__in=items).order_by("pk").values(*rows.fields))
    return [released.row for released in rows.of(values)]


def test_items_in_between_add_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    project, other = make_project(), make_project()
    members = {each: [make_member(each) for _ in range(3)] for each in (project, other)}
    items: list[Item] = []
    for number in range(12):
        owner = other if number % 3 == 1 else project
        item = make_labelled_item(owner, members[owner], [number % 2, 1, None])
        said = {"state": PriorState.OK, "category": category(owner, 1), "explanation": f"Explanation {number}."}
        Prior.objects.create(item=item, modality=Modality.TEXT, model="a model", **said)
        if number % 4 == 0:  # numbers 0 and 8 of this project: the first round decides nothing any more
            Item.objects.filter(pk=item.pk).update(round=2)
            Seat.objects.create(item=item, round=2, number=1, seats=1)
        items.append(item)
    mine = [item.pk for item in items if item.project_id == project.pk]
    chosen = {"all": mine, "few": mine[::5], "one": mine[:1]}
    found = {name: rows_of(project, keys) for name, keys in chosen.items()}
    assert [len(row["labels"]) for row in found["all"]] == [0, 3, 3, 3, 3, 0, 3, 3]
    assert [row["text_explanation"] for row in found["few"]] == ["Explanation 0.", "Explanation 8."]
    monkeypatch.setattr(release_rows, "_among", lambda keys: Q(item_id__in=keys))
    assert {name: rows_of(project, keys) for name, keys in chosen.items()} == found


def make_prior(item: Item, **fields: Any) -> None:
    values = {"state": PriorState.OK, "hateful": fields.get("state", PriorState.OK) == PriorState.OK or None}
    Prior.objects.create(**{"item": item, "modality": Modality.TEXT, "model": "scripted:one"} | values | fields)


def replace_label(label: Label, **fields: Any) -> None:
    """Put a correction in the label's place: labels are append-only."""
    copied = {"seat": label.seat, "item": label.item, "annotator": label.annotator, "category": label.category}
    copy = Label.objects.create(**copied, revision=2, **fields)
    Seat.objects.filter(pk=label.seat_id).update(label=copy)


@pytest.mark.parametrize(
    ("fields", "seen"),
    [
        (None, False),  # the post never had a prior
        ({}, True),
        ({"seconds": 0.5}, True),  # the clocks of two machines differ
        ({"seconds": 3600}, False),  # it came after the label
        ({"current": False}, True),  # another one has taken its place since
        ({"state": "refused"}, False),
        ({"model": "keyword:cues-1"}, False),  # people are not shown those of the built-in baseline
    ],
)
def test_a_prior_was_seen_only_if_it_stood_there(fields: dict[str, Any] | None, seen: bool) -> None:
    project = make_project()
    item = make_labelled_item(project, [make_member(project) for _ in range(3)], [0, 1, 1])
    shown = timezone.now()
    for label in list(Label.objects.filter(item=item).order_by("pk"))[1:]:  # the first one's author was shown none
        replace_label(label, created_at=shown, priors_shown_at=shown)
    if fields is not None:
        moment = shown + timedelta(seconds=fields.get("seconds", -60))
        make_prior(item, **{"created_at": moment} | {name: fields[name] for name in fields if name != "seconds"})
    (row,) = rows_of(project, [item.pk])
    assert [label["priors_seen"] for label in row["labels"]] == [False, seen, seen]


def test_the_day_of_a_label_is_that_of_utc() -> None:
    project = make_project()
    item = make_labelled_item(project, [make_member(project) for _ in range(3)], [0, 1, 1])
    late = datetime(2026, 2, 28, 23, 59, 59, 999_999, tzinfo=UTC)
    make_prior(item, created_at=late)
    labels = list(Label.objects.filter(item=item).order_by("pk"))
    expected = []
    for label, moment in zip(labels, (late, late.replace(hour=0), datetime(2026, 3, 1, tzinfo=UTC)), strict=True):
        replace_label(label, created_at=moment, priors_shown_at=moment if moment == late else None)
        expected.append((moment.date().isoformat(), moment == late))
    with timezone.override("Asia/Seoul"):
        (row,) = rows_of(project, [item.pk])
    assert [(label["at"], label["priors_seen"]) for label in row["labels"]] == expected
