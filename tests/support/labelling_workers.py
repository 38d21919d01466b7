"""Many people who label at the same time, in their own process: `python labelling_workers.py PROJECT SEED MEMBER…`.

They act like real people: most answer, a fifth leave and some of those come back late, a few skip, a few click twice or
answer from two tabs. Each label is written to stdout as soon as it is known to be stored, so a test that kills this
process knows which labels must not be lost.
"""

import random
import sys
import threading
import time
from collections.abc import Callable
from datetime import timedelta
from typing import TypeVar
from uuid import UUID, uuid4

import django

django.setup()

from django.db import OperationalError, connection  # noqa: E402
from django.utils import timezone  # noqa: E402

from annotation.assignment import claim  # noqa: E402
from annotation.assignment.outcomes import (  # noqa: E402
    AlreadyLabelled,
    HeldSeat,
    NothingLeft,
    Replayed,
    SeatLost,
    Stored,
)
from annotation.assignment.release_seats import free_lapsed_seats  # noqa: E402
from annotation.core.transactions import short_transaction  # noqa: E402
from annotation.domain.answer import Answer  # noqa: E402
from annotation.domain.choices import Stage  # noqa: E402
from annotation.labelling import submit  # noqa: E402
from annotation.models import Item, Membership, Seat  # noqa: E402

ABANDONED, SKIPPED, DOUBLED = 0.20, 0.05, 0.05
_printing = threading.Lock()
Outcome = TypeVar("Outcome")


def say(*words: object) -> None:
    with _printing:
        print(*words, flush=True)


class Person(threading.Thread):
    """A person who labels until no item is left in labelling."""

    def __init__(self, member: Membership, seed: str) -> None:
        super().__init__()
        self.member = member
        self.dice = random.Random(f"{seed} {member.pk}")

    def run(self) -> None:
        try:
            while patiently(self.step):
                hang_up()
        except Exception as fault:  # the test reads it and fails
            say("FAULT", repr(fault))
            raise
        finally:
            connection.close()

    def step(self) -> bool:
        match claim.claim(self.member, ahead=self.dice.random() < 0.1):
            case HeldSeat(seat):
                self.meet(seat)
            case NothingLeft():
                if not Item.objects.filter(project=self.member.project_id, stage=Stage.LABELLING).exists():
                    return False
                free_lapsed_seats()
                time.sleep(0.1)
            case other:
                raise AssertionError(other)
        return True

    def meet(self, seat: Seat) -> None:
        fate = self.dice.random()
        if fate < ABANDONED:
            self.walk_away(seat)
        elif fate < ABANDONED + SKIPPED:
            submit.skip_seat(self.member, seat.public_id)
        elif fate < ABANDONED + SKIPPED + DOUBLED:
            self.click_twice(seat)
        else:
            self.answer(seat, uuid4(), self.opinion())

    def opinion(self) -> Answer:
        return Answer(category=self.dice.choice((0, 0, 0, 1, 2)))

    def answer(self, seat: Seat, key: UUID, answer: Answer) -> object:
        outcome = patiently(lambda: submit.submit_label(self.member, seat.public_id, key, answer))
        if isinstance(outcome, Stored):
            say("STORED", outcome.label.public_id)
        return outcome

    def walk_away(self, seat: Seat) -> None:
        """Leave: the seat's time ends, lapsed seats may be freed, and the person may come back with an answer."""
        let_lapse(seat)
        if self.dice.random() < 0.8:
            free_lapsed_seats()
        if self.dice.random() < 0.3:
            outcome = self.answer(seat, uuid4(), self.opinion())
            assert isinstance(outcome, Stored | SeatLost), outcome

    def click_twice(self, seat: Seat) -> None:
        """Send the same answer three times, two of them at once, and another answer from a second tab."""
        key, answer = uuid4(), self.opinion()
        outcomes: list[object] = []

        def press() -> None:
            outcomes.append(self.answer(seat, key, answer))
            connection.close()

        second = threading.Thread(target=press)
        hang_up()
        second.start()
        outcomes.append(self.answer(seat, key, answer))
        hang_up()
        second.join()
        outcomes.append(self.answer(seat, key, answer))
        stored = [outcome for outcome in outcomes if isinstance(outcome, Stored)]
        assert len(stored) == 1 and outcomes.count(Replayed(stored[0].label)) == 2, outcomes
        assert self.answer(seat, uuid4(), Answer(not_sure=True)) == AlreadyLabelled(stored[0].label)


def patiently(act: Callable[[], Outcome]) -> Outcome:
    """Repeat an act that the site would answer with 503: on a busy machine a lock may take too long."""
    for _ in range(20):
        try:
            return act()
        except OperationalError as busy:
            say("BUSY", str(busy).splitlines()[0])
            connection.close()
    return act()


@short_transaction
def let_lapse(seat: Seat) -> None:
    """Let a held seat expire, as it does after twenty minutes."""
    seats = Seat.objects.filter(pk=seat.pk, annotator=seat.annotator_id, label=None)
    seats.update(expires_at=timezone.now() - timedelta(seconds=1))


def hang_up() -> None:
    """Close the connection on PostgreSQL, as the site does after a request: it has fewer connections than people."""
    if connection.vendor == "postgresql":
        connection.close()


def main(project: str, seed: str, *members: str) -> None:
    if connection.vendor == "postgresql":  # a crowded machine gives connections late, and a server has few
        connection.settings_dict["OPTIONS"]["pool"] |= {"min_size": 1, "max_size": 12, "timeout": 60}
    people = [
        Person(member, seed)
        for member in Membership.objects.select_related("project").filter(project__slug=project, pk__in=members)
    ]
    connection.close()
    for person in people:
        person.start()
    for person in people:
        person.join()


if __name__ == "__main__":
    main(*sys.argv[1:])
