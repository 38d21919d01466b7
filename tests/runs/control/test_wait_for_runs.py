"""A round gives out each due run once, in order, and remembers few of them."""

from uuid import uuid4

import pytest

from runs.control import wait_for_runs
from runs.domain.states import RunState
from runs.models import Run
from runs.sql.database_clock import seconds_from_now
from scripted_runs import Rounds, queued, register

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("at_once", [1, 2, 3, 200])
def test_each_run_is_given_out_once_a_round(monkeypatch, at_once):
    monkeypatch.setattr(wait_for_runs, "_AT_ONCE", at_once)
    register(Rounds(), monkeypatch)
    project = uuid4()
    keys = [queued(project).pk for _number in range(9)]
    stuck, requeued = keys[1], keys[2]  # nobody takes the one, the other is queued again at once
    due, given = wait_for_runs.DueRunIds(Run.objects.filter(project=project)), []
    while (key := due.next()) is not None:
        given.append(key)
        run = Run.objects.filter(pk=key)
        if key == requeued:
            run.update(not_before=seconds_from_now(1))
            queued(project, not_before=seconds_from_now(1))  # a new one waits for the next round too
        elif key != stuck:
            run.update(state=RunState.SUCCEEDED)
    assert given == keys
    assert len(due.handed) <= 2 + at_once
    assert wait_for_runs.DueRunIds(Run.objects.filter(project=project)).next() == stuck
