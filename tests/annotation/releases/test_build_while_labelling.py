"""Releases while people go on working: each tells one moment (threats T14, B120)."""

import json
import random
import threading
from collections import Counter

import pytest
from django.db import OperationalError, connection

import builders
from annotation.analytics.agreement.labels import read_agreement
from annotation.consensus.close import close_item
from annotation.core.release_paths import folder_of
from annotation.core.snapshots import snapshot
from annotation.core.transactions import short_transaction
from annotation.domain.choices import Stage
from annotation.models import Item, Label, Seat
from annotation.releases.build import release
from release_builders import problems

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]

# SQLite lets one write at a time: as many as fifty only wait there, and on a slow machine for too long.
WRITERS, EXPORTS = (50 if connection.vendor == "postgresql" else 20), 20


def gold_of(project, trio, codes=(0, 0, 0)):
    item = builders.make_labelled_item(project, trio, codes)
    close_item(item)
    return item


@short_transaction
def relabel(item_pk: int, code: int) -> None:
    """Give all labels of a gold item another category, and the item with them: one change, many rows."""
    item = Item.objects.select_for_update().select_related("project").get(pk=item_pk)
    category = builders.category(item.project, code)
    for seat in Seat.objects.filter(item=item).select_related("label"):
        label = Label.objects.create(
            seat=seat, item=item, annotator=seat.annotator, revision=seat.label.revision + 1, category=category
        )
        Seat.objects.filter(pk=seat.pk).update(label=label)
    Item.objects.filter(pk=item.pk).update(category=category, hateful=category.hateful)


class Writers:
    """Threads that change gold items, add new ones and take others out, until told to stop."""

    def __init__(self, project, trio, items):
        self.project, self.trio, self.items = project, trio, items
        self.stop, self.changes, self.faults = threading.Event(), Counter(), []
        self.threads = [threading.Thread(target=self.work, args=(n,)) for n in range(WRITERS)]

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *exc):
        self.stop.set()
        for thread in self.threads:
            thread.join()

    def work(self, number):
        dice = random.Random(number)
        try:
            while not self.stop.is_set():
                self.change(dice)
                self.stop.wait(dice.uniform(0.05, 0.3))
        except Exception as fault:
            self.faults.append(fault)
        finally:
            connection.close()

    def change(self, dice):
        pk = dice.choice(self.items)
        try:
            match dice.randrange(3):
                case 0:
                    relabel(pk, dice.randrange(6))
                case 1:
                    short_transaction(gold_of)(self.project, self.trio)
                case _:
                    turn = {Stage.GOLD: Stage.EXCLUDED, Stage.EXCLUDED: Stage.GOLD}
                    stage = Item.objects.get(pk=pk).stage
                    Item.objects.filter(pk=pk, stage=stage).update(stage=turn[Stage(stage)])
            self.changes["done"] += 1
        except OperationalError:
            self.changes["refused"] += 1  # a deadlock or a busy database is the writer's to bear, not the release's


def test_fifty_writers_during_twenty_releases_tear_none(settings):
    project = builders.make_project()
    trio = [builders.make_member(project) for _ in range(3)]
    items = [gold_of(project, trio).pk for _ in range(60)]
    made = []
    with Writers(project, trio, items) as writers:
        for _ in range(EXPORTS):
            made.append(release(project, None))
    assert writers.faults == []
    assert writers.changes["done"] > EXPORTS
    assert len({each.items for each in made}) > 1  # something did change in between
    assert [each.number for each in made] == list(range(1, EXPORTS + 1))
    for each in made:
        assert_tells_one_moment(each)


def assert_tells_one_moment(made):
    """Figures that come from different queries agree with one another and with the rows."""
    assert problems(folder_of(made)) == []
    counts, figures = made.manifest["counts"], made.manifest["agreement"]
    rows = [json.loads(line) for line in (folder_of(made) / "items.jsonl").open()]
    assert made.items == counts["items"] == len(rows) == figures["stages"]["gold"]
    assert counts["items"] == sum(figures["patterns"].values()) + figures["undefined"]
    assert figures["final"]["items"] == len(rows)
    assert figures["final"]["levels"]["perfect"] == len(rows)
    for row in rows:
        # Labels and final category are written in one transaction: a torn release shows them apart.
        assert {label["category"] for label in row["labels"]} == {row["gold"]}


def test_a_label_changed_while_exporting_is_told_as_it_was_before():
    project = builders.make_project()
    trio = [builders.make_member(project) for _ in range(3)]
    pk = gold_of(project, trio).pk
    with snapshot():
        before = read_agreement(project).raw.levels
        other = threading.Thread(target=relabel_elsewhere, args=(pk,))
        other.start()
        other.join(timeout=120)
        assert not other.is_alive(), "a reader holds writers up"
        assert Item.objects.get(pk=pk).category.code == 0
        assert read_agreement(project).raw.levels == before
    assert Item.objects.get(pk=pk).category.code == 4


def relabel_elsewhere(pk):
    try:
        relabel(pk, 4)
    finally:
        connection.close()


def test_nothing_can_be_written_inside_a_snapshot_on_postgresql():
    project = builders.make_project()
    if connection.vendor != "postgresql":
        pytest.skip("SQLite has no read-only transactions")
    with pytest.raises(Exception, match="read-only"), snapshot():
        project.save()


def test_a_release_that_fails_leaves_nothing_and_the_next_one_works():
    project = builders.make_project()
    trio = [builders.make_member(project) for _ in range(3)]
    gold_of(project, trio)

    def power_cut(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        release(project, None, progress=power_cut)
    made = release(project, None)
    assert made.number == 1
    assert [path.name for path in folder_of(made).parent.iterdir()] == [f"1-{made.public_id}"]
