"""The statements of calls, claims and leases change the same rows as their twins, from random states."""

import random
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db import connection, transaction
from django.utils import timezone
from hypothesis import given, settings
from hypothesis import strategies as st

import sql_twins
from runs.domain.states import Reason, RunState
from runs.methods.method import Outcome
from runs.models import Account, Run, Turn
from runs.queue import call_sql, claim, lease
from runs.queue.call_sql import Booking

pytestmark = pytest.mark.django_db
half_as_often = settings(max_examples=settings.default.max_examples // 2)  # on two databases

PROJECTS = tuple(UUID(int=number) for number in (1, 2, 3))
TIMES = ("not_before", "lease_until", "started_at", "finished_at")


class Undo(Exception):
    """Ends a transaction without its changes."""


def populate(chance: random.Random) -> list[Run]:
    """Create the accounts and runs of three projects, in random states. Return the runs as a worker holds them."""
    for project in PROJECTS:
        Account.objects.create(
            project=project,
            call_limit=chance.choice([None, None, 3, 10]),
            token_limit=chance.choice([None, None, 100, 1000]),
            calls=chance.randrange(5),
            tokens=chance.randrange(200),
        )
    runs = [random_run(chance, number) for number in range(3)]
    for run in chance.sample(runs, 2):
        Turn.objects.create(run=run, key="one", kind="ask", role="speaker")
    return runs


def random_run(chance: random.Random, number: int) -> Run:
    state = chance.choice([RunState.QUEUED, RunState.RUNNING, RunState.RUNNING, RunState.SUCCEEDED])
    run = Run.objects.create(
        method=chance.choice(["arcade", "baseline"]),
        project=chance.choice(PROJECTS),
        subject=uuid4(),
        state=state,
        owner="me" if state == RunState.RUNNING else "",
        cancel_requested=chance.random() < 0.3,
        not_before=timezone.now() + timedelta(minutes=chance.choice([-9, -5, -1, 5]), seconds=number),
        started_at=chance.choice([None, timezone.now()]),
        **dict.fromkeys(("call_limit", "token_limit", "seconds_limit"), 100),
        **{name: chance.randrange(9) for name in ("calls", "tokens", "charged_calls", "charged_tokens", "waits")},
    )
    run.account_id = Account.objects.get(project=run.project).pk
    run.owner = chance.choice(["me", "me", "me", "somebody who lost the run"])
    return run


def rows(before: dict[tuple[int, str], Any]) -> list[dict[str, Any]]:
    """Return all rows. Of a time that changed only that it did; new owners and new turns differ by chance."""
    runs = list(Run.objects.order_by("pk").values())
    for row in runs:
        row |= {name: bool(row[name]) for name in TIMES if row[name] != before[row["id"], name]}
        row["owner"] = row["owner"] if row["owner"] in ("", "me") else "new"
    turns = [row | {"id": 0, "created_at": 0} for row in Turn.objects.order_by("run", "key").values()]
    return [*runs, *Account.objects.order_by("pk").values(), *turns]


def done(module: Any, name: str, values: Any, more: dict[str, Any]) -> tuple[Any, list[dict[str, Any]]]:
    """Return what the function answers and the rows that it leaves; undo it."""
    before = {(row["id"], time): row[time] for row in Run.objects.values("id", *TIMES) for time in TIMES}
    values = [value.copy() if isinstance(value, NewTurn) else value for value in values]
    try:
        with transaction.atomic():
            answer = getattr(module, name)(*values, **more)
            answer, left = (answer.pk if isinstance(answer, Run) else answer), rows(before)
            raise Undo
    except Undo:
        return answer, left


class NewTurn:
    """A turn that is made anew for each call, since saving changes it."""

    def __init__(self, run: Run) -> None:
        self.run = run

    def copy(self) -> Turn:
        reply = {"key": "one", "kind": "ask", "role": "speaker", "reply": "a reply", "value": {"word": "yes"}}
        return Turn(run=self.run, messages=[{"text": "?"}], **reply)


def compare(module: Any, name: str, *values: Any, **more: Any) -> None:
    assert done(module, name, values, more) == done(sql_twins, name, values, more), (name, values, more)


@half_as_often
@given(seed=st.integers(0, 10**9))
def test_the_statements_leave_the_rows_of_their_twins(seed: int) -> None:
    chance = random.Random(seed)
    statements = ["insert_turn_and_book", *["insert_turn_and_begin_call"] * (connection.vendor == "postgresql")]
    try:
        with transaction.atomic():
            for run in populate(chance):
                flags = [chance.random() < 0.5 for _ in range(3)]
                booking = Booking(chance.randrange(2), chance.randrange(50), chance.randrange(2), flags[0], flags[1])
                calls = {"one": {"calls": 1, "tokens": chance.randrange(9)}} if flags[2] else {}
                compare(call_sql, "begin_call", run, 7, calls, charged=flags[0])
                compare(call_sql, "book_on_run", run, booking, calls)
                for name in statements:
                    compare(call_sql, name, NewTurn(run), run, booking, calls)
                compare(call_sql, "charge_account", run.account_id, 2, chance.randrange(99), within_limits=flags[1])
                compare(call_sql, "charge_remaining", run.pk)
                compare(claim, "claim_run", run.pk)
                ended = chance.choice(
                    [Outcome(RunState.SUCCEEDED, value={"n": 1}), Outcome(RunState.FAILED, Reason.TIMEOUT, "x" * 600)]
                )
                compare(lease, "_end_if_held", run, ended, 1.5, unless_cancelled=flags[2])
            for project in (None, *PROJECTS):
                compare(claim, "claim_next_run", project=project)
                compare(claim, "claim_next_run", project=project, method="arcade" if project else "")
            raise Undo
    except Undo:
        pass
