"""Performing runs: take one, ask its method what comes next, ask the models, save every answer, until the end.

A run is a log of turns. kill -9 anywhere and perform it again: no saved turn is asked twice and none is lost. Only
the thread that performs a run touches the database; the threads of the pool only talk to models, and while they do
the database connection is handed back.
"""

import logging
import time

from django.db import DatabaseError, connection, transaction

from runs import calls, leasing, spending, taking
from runs.domain.states import Reason, RunState
from runs.leasing import CancelRequested, LeaseLost
from runs.method import Method, Outcome, method_named
from runs.models import Run
from runs.performing import Models, Performance, Stopped, TimeIsUp, Waiting

log = logging.getLogger(__name__)


def perform(run_id: int, models: Models) -> None:
    """Take the run and carry it to its end; do nothing if it is not due, or another worker has it."""
    run = taking.take(run_id)
    if run is not None:
        carry_on(run, models)


def carry_on(run: Run, models: Models) -> None:
    """Carry a run that this worker has taken to its end, or back into the queue."""
    began = time.monotonic()
    try:
        method = method_named(run.method)
        result = _result(run, method, models)
        seconds = round(time.monotonic() - began, 3)
        if isinstance(result, Waiting):
            leasing.put_back(run, result.seconds, detail=result.detail, waited=result.counted, seconds=seconds)
        else:
            finish(run, method, result, seconds=seconds)
    except Stopped:
        leasing.put_back(run, 0, seconds=round(time.monotonic() - began, 3))
    except LeaseLost:
        log.warning("run %s is in other hands now", run.public_id)
    except DatabaseError:
        # Nothing can be written now: the lease lapses by itself and the sweeper brings the run back.
        log.exception("run %s met a database fault", run.public_id)
        connection.close_if_unusable_or_obsolete()
    except Exception:
        log.exception("run %s met a fault", run.public_id)
        _let_lapse(run)


def finish(run: Run, method: Method, outcome: Outcome, *, seconds: float = 0.0) -> None:
    """End a run that is held, store its outcome, and charge its project for all calls, those without an answer too."""
    with transaction.atomic():
        leasing.end(run, method, outcome, seconds=seconds)
        calls.charge_rest(run.pk)


def _result(run: Run, method: Method, models: Models) -> Outcome | Waiting:
    try:
        case = method.case(run)
        if case is None:
            return Outcome(RunState.CANCELLED, Reason.TARGET_GONE)
        return Performance(run, method, case, models).play()
    except CancelRequested:
        return Outcome(RunState.CANCELLED, Reason.USER)
    except spending.BudgetExceeded as limit:
        return Outcome(RunState.FAILED, Reason.BUDGET_EXCEEDED, str(limit))
    except TimeIsUp:
        return Outcome(RunState.FAILED, Reason.TIMEOUT, f"Not done after {run.seconds_limit} seconds of work.")


def _let_lapse(run: Run) -> None:
    """Give up a run whose method broke. A fault of ours counts like a lost worker, so that it ends some time."""
    Run.objects.filter(pk=run.pk, owner=run.owner, state=RunState.RUNNING).update(
        lease_until=leasing.in_seconds(0), detail="A fault in the program; the worker's log says more."
    )
