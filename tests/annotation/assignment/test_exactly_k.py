"""Exactly k distinct annotators on every item, none lost: fifty people, 2,000 items (500 on SQLite), killed processes.

Design section 13; the people are in `tests/support/labelling_workers.py`.
"""

import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connection

import builders
from annotation.batches import open_items
from annotation.domain.choices import Order, Stage
from annotation.models import Event, Item, Label, Membership, Project, Seat, Skip
from annotation.operations.audit import audit

# SQLite lets one of them write at a time: fewer items show there what they show. The other order differs in the search.
FEW = 500
MANY = 2_000 if connection.vendor == "postgresql" else FEW
SEATS, PROCESSES, PEOPLE = 3, 2, 25
SUPPORT = Path(__file__).resolve().parents[2] / "support"

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow, pytest.mark.faults]


@pytest.fixture(params=[(Order.BREADTH, MANY), (Order.HARD, FEW)], ids=["breadth", "hard"])
def project(request: pytest.FixtureRequest) -> Project:
    order, items = request.param
    project = builders.make_project("exact", seats=SEATS, order=order)
    Item.objects.bulk_create(
        Item(
            project=project,
            external_id=f"e-{number}",
            text="A post.",
            seats=SEATS,
            stage=Stage.READY,
            informativeness=number % 3,
        )
        for number in range(items)
    )
    assert open_items.open_items(project).opened == items
    return project


class Crew:
    """Worker processes and what they said they stored."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.running: list[tuple[subprocess.Popen[bytes], list[int]]] = []
        self.journals: list[Path] = []

    def start(self, members: list[int]) -> None:
        journal = self.folder / f"{len(self.journals)}.txt"
        self.journals.append(journal)
        command = [sys.executable, str(SUPPORT / "labelling_workers.py"), "exact", str(len(self.journals))]
        with journal.open("wb") as out:
            process = subprocess.Popen(
                [*command, *map(str, members)], stdout=out, stderr=subprocess.STDOUT, env=environment(self.folder)
            )
        self.running.append((process, members))

    def kill_one_and_start_another(self) -> None:
        process, members = self.running.pop(0)
        process.kill()
        process.wait()
        self.start(members)

    def alive(self) -> bool:
        return all(process.poll() is None for process, _ in self.running)

    def wait(self, seconds: float) -> None:
        until = time.monotonic() + seconds
        for process, _ in self.running:
            assert process.wait(max(1, until - time.monotonic())) == 0, self.said()[-2_000:]

    def said(self) -> str:
        return "".join(journal.read_text() for journal in self.journals)

    def stored(self) -> list[str]:
        return [line.split()[1] for line in self.said().splitlines() if line.startswith("STORED ") and len(line) == 43]


@pytest.fixture
def crew(tmp_path: Path) -> Iterator[Crew]:
    crew = Crew(tmp_path)
    yield crew
    for process, _ in crew.running:
        process.kill()
        process.wait()


def environment(folder: Path) -> dict[str, str]:
    return {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "config.settings_for_tests",
        "DATABASE_URL": database_url(),
        "VAR_DIR": str(folder),
        "SECRET_KEY": settings.SECRET_KEY,
        "PYTHONPATH": f"{settings.BASE_DIR}{os.pathsep}{SUPPORT}",
    }


def database_url() -> str:
    """The address of this test's own database."""
    row = connection.settings_dict
    if connection.vendor == "sqlite":
        return f"sqlite:///{row['NAME']}"
    return f"postgres://{row['USER']}:{row['PASSWORD']}@{row['HOST']}:{row['PORT'] or 5432}/{row['NAME']}"


def test_fifty_people_label_every_item_exactly_three_times(project: Project, crew: Crew) -> None:  # T12
    items = Item.objects.count()
    members = [builders.make_member(project).pk for _ in range(PROCESSES * PEOPLE)]
    for first in range(0, len(members), PEOPLE):
        crew.start(members[first : first + PEOPLE])
    for share in (0.2, 0.5):
        while Label.objects.count() < share * items * SEATS:
            assert crew.alive(), crew.said()[-2_000:]
            time.sleep(0.2)
        crew.kill_one_and_start_another()
    crew.wait(900)

    assert "FAULT" not in crew.said()
    labels = list(Label.objects.values_list("item_id", "annotator_id", "public_id", "revision"))
    assert len(labels) == items * SEATS
    assert {revision for *_, revision in labels} == {1}
    per_item = Counter(item for item, *_ in labels)
    assert len(per_item) == items and set(per_item.values()) == {SEATS}
    assert len({(item, annotator) for item, annotator, *_ in labels}) == items * SEATS

    stored = crew.stored()
    assert set(stored) <= {str(public_id) for _, _, public_id, _ in labels}
    assert len(stored) == len(set(stored)) >= items * SEATS - 2 * PEOPLE

    assert not Item.objects.filter(stage=Stage.LABELLING).exists()
    assert set(Item.objects.values_list("taken", flat=True)) == {SEATS}
    assert Seat.objects.filter(label__isnull=False, annotator__isnull=False, expires_at=None).count() == items * SEATS
    skipped = set(Skip.objects.values_list("item_id", "annotator_id"))
    assert skipped and not skipped & {(item, annotator) for item, annotator, *_ in labels}
    verbs = Counter(Event.objects.values_list("verb", flat=True))
    assert verbs["labelled"] == items * SEATS and verbs["closed"] == items
    assert verbs["seat_lapsed"] > 100 and verbs["skipped"] == len(skipped)
    assert Membership.objects.count() == PROCESSES * PEOPLE
    assert audit(project) == []
