"""Perform runs: claim one, ask its method for the next steps, ask the models, save every answer, until the end.

A run is a log of turns. After `kill -9` at any moment another worker can continue it: no saved turn is asked again and
none is lost. Only the thread that performs a run uses the database; the threads of the pool only talk to models.
"""

import logging
import socket
import time

from django.conf import settings
from django.db import DatabaseError, connection, transaction

from runs import origin, signals
from runs.domain.states import Reason, RunState
from runs.execution import budget
from runs.execution.interruptions import TimeLimitReached, WaitForProvider, WorkerStopping
from runs.execution.perform import ModelOfRole, RunExecution
from runs.methods.method import Method, Outcome, method_named
from runs.methods.prompts import BadPrompt
from runs.models import Run
from runs.queue import call_sql, claim, lease, model_facts
from runs.queue.lease import CancelRequested, LeaseLost
from runs.sql.database_clock import seconds_from_now

log = logging.getLogger(__name__)

_FILE_SECONDS = 30.0
"""Seconds until a run is tried again whose worker could not read a file, such as a picture."""


def claim_and_perform(run_id: int, models: ModelOfRole) -> None:
    """Claim the run and perform it to its end; do nothing if it is not due or another worker has it."""
    run = claim.claim_run(run_id)
    if run is not None:
        perform_claimed(run, models)


def perform_claimed(run: Run, models: ModelOfRole) -> None:
    """Perform a run that this worker has claimed to its end, or return it to the queue."""
    with origin.of_run(str(run.public_id), run.request_id), origin.tracing.run(run):
        _perform(run, models)


def _perform(run: Run, models: ModelOfRole) -> None:
    began = time.monotonic()
    try:
        method = method_named(run.method)
        result = _result(run, method, models)
        seconds = round(time.monotonic() - began, 3)
        if isinstance(result, WaitForProvider):
            worked = max(0.0, seconds - result.unanswered)
            lease.requeue_run(
                run,
                result.seconds,
                detail=result.detail,
                waited=result.counted,
                is_cause=result.is_cause,
                seconds=worked,
            )
        else:
            finish_run(run, method, result, seconds=seconds)
    except WorkerStopping:
        lease.requeue_run(run, 0, seconds=round(time.monotonic() - began, 3))
    except LeaseLost:
        log.warning("another worker has run %s now", run.public_id)
    except DatabaseError:
        # Nothing can be written now: the lease lapses and the sweeper requeues the run.
        log.exception("run %s: database error", run.public_id)
        connection.close_if_unusable_or_obsolete()
    except Exception:
        log.exception("run %s: unexpected error", run.public_id)
        _let_lapse(run)


def finish_run(run: Run, method: Method, outcome: Outcome, *, seconds: float = 0.0) -> None:
    """End a claimed run, store its outcome, and charge its project for all calls, including those without an answer."""
    with transaction.atomic():
        ended = lease.end_run(run, method, outcome, seconds=seconds)
        call_sql.charge_remaining(run.pk)
    signals.run_ended.send_robust(Run, run=run, state=ended.state, seconds=seconds)


def _result(run: Run, method: Method, models: ModelOfRole) -> Outcome | WaitForProvider:
    try:
        model_facts.refresh_facts()
        try:
            case = method.case(run)
        except OSError as fault:
            return _wait_for_file(run, fault)
        if case is None:
            return Outcome(RunState.CANCELLED, Reason.TARGET_GONE)
        return RunExecution(run, method, case, models).run_to_end()
    except CancelRequested:
        return Outcome(RunState.CANCELLED, Reason.USER)
    except budget.BudgetExceeded as limit:
        return Outcome(RunState.FAILED, Reason.BUDGET_EXCEEDED, str(limit))
    except BadPrompt as bad:
        return Outcome(RunState.FAILED, Reason.BAD_REQUEST, str(bad))
    except TimeLimitReached:
        return Outcome(RunState.FAILED, Reason.TIMEOUT, f"Not done after {run.seconds_limit} seconds of work.")


def _wait_for_file(run: Run, fault: OSError) -> WaitForProvider:
    """Give the run back, for a worker that can read the file of its subject. Raises the fault after enough tries."""
    if run.waits + 1 >= settings.RUN_BUSY_ROUNDS:
        raise fault
    host = socket.gethostname()
    log.error("run %s: %s cannot read a file of its subject (%s); others try", run.public_id, host, fault)
    return WaitForProvider(_FILE_SECONDS, f"{host} cannot read a file of the subject: {type(fault).__name__}.")


def _let_lapse(run: Run) -> None:
    """Release a run whose method raised. It counts as a lost worker, so that the run fails after some attempts."""
    Run.objects.filter(pk=run.pk, owner=run.owner, state=RunState.RUNNING).update(
        lease_until=seconds_from_now(-lease.STALL_LEASES * settings.RUN_LEASE_SECONDS),
        detail="A fault in the program; the worker's log says more.",
    )
