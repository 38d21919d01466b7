"""Continue, retry, finish or cancel an evaluation that was started, and say how far it is."""

import logging
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from uuid import UUID

from django.db import DatabaseError, transaction
from django.db.models import Count, Exists, Max, Min, OuterRef
from django.db.models.functions import Now
from django.utils import timezone

from annotation.core.transactions import short_transaction
from annotation.models import Membership, record
from moderation.debates.start import ANSWERED
from moderation.domain.event_verbs import ModerationVerb
from moderation.domain.hatexscore.estimators import SCORING
from moderation.evaluation import scoring
from moderation.evaluation.arms import Arm, stored_arms
from moderation.evaluation.collect_answers import BadSource
from moderation.evaluation.report import report_of
from moderation.evaluation.start import queue_missing_runs
from moderation.methods.debate_method import BadChoice
from moderation.methods.registry import METHODS
from moderation.models import Evaluation, EvaluationState
from runs.control import fork, start
from runs.domain.states import OPEN, RunState
from runs.models import Run
from runs.sql.database_clock import seconds_from_now

log = logging.getLogger(__name__)
_WINDOW = 120
_FOR_A_WHILE = (DatabaseError, OSError)
"""Errors that may be gone at the next try: they end no evaluation."""


@dataclass(frozen=True)
class Progress:
    """How many runs have ended. `per_minute` is the recent speed; `seconds_left` is None if no run ended recently."""

    expected: int
    counts: Mapping[str, int]
    per_minute: float
    seconds_left: float | None

    @property
    def ended(self) -> int:
        return sum(count for state, count in self.counts.items() if state not in OPEN)

    @property
    def open(self) -> int:
        return sum(self.counts.get(state, 0) for state in OPEN)


def retry_failed(evaluation: Evaluation, *, refused: bool = False, ring: bool = True) -> int:
    """Ask again where a run failed, was cancelled or ended unreadable, with `refused` also where a model refused.

    Each goes on from where it stopped, and all answers are kept. Return the number of runs that go on or are new.
    """
    states = {*start.RESUMABLE, RunState.UNREADABLE, *((RunState.REFUSED,) if refused else ())}
    try:
        with transaction.atomic():
            reopened = Evaluation.objects.filter(pk=evaluation.pk).exclude(state=EvaluationState.RUNNING)
            reopened.update(state=EvaluationState.RUNNING, report=None, finished_at=None, fault="")
            queued = sum(_go_on(evaluation, arm, states, ring) for arm in stored_arms(evaluation))
            queued += queue_missing_runs(evaluation, ring)
            arms, runs = stored_arms(evaluation), evaluation.runs()
            queued += scoring.start_scoring(evaluation, arms, runs, ring=ring, again=True)
    except _FOR_A_WHILE:
        raise
    except Exception as fault:
        if evaluation.state != EvaluationState.FAILED:
            raise
        log.exception("Evaluation %s still cannot be continued", evaluation.public_id)
        Evaluation.objects.filter(pk=evaluation.pk).update(fault=_cause(fault))
        queued = 0
    evaluation.refresh_from_db()
    return queued


def carry_on(evaluation: Evaluation, *, ring: bool = True) -> bool:
    """Start the runs that are due: further judges, scores of explanations. Write the report when all runs have ended.

    Returns True if this call finished the evaluation. One that cannot be continued ends as failed, with the cause.
    Calling it at any time, also twice at once, is safe.
    """
    if evaluation.state != EvaluationState.RUNNING:
        return False
    try:
        return _carry_on(evaluation, ring=ring)
    except _FOR_A_WHILE:
        raise
    except Exception as fault:
        log.exception("Evaluation %s cannot be continued", evaluation.public_id)
        _fail(evaluation, _cause(fault))
        return False


def _carry_on(evaluation: Evaluation, *, ring: bool) -> bool:
    _judge(evaluation, ring=ring)
    _score(evaluation, ring=ring)
    if evaluation.runs().filter(state__in=OPEN).exists():
        return False
    report = report_of(evaluation, stored_arms(evaluation), evaluation.runs())
    updated = Evaluation.objects.filter(pk=evaluation.pk, state=EvaluationState.RUNNING).update(
        state=EvaluationState.DONE, report=report, finished_at=timezone.now()
    )
    evaluation.refresh_from_db()
    return bool(updated)


def carry_all_on() -> int:
    """Continue every running evaluation. Return how many were finished. The sweeper calls this.

    One that cannot be continued just now, as the database does not answer, is logged and tried again later; it does not
    stop the others.
    """
    finished = 0
    for evaluation in Evaluation.objects.filter(state=EvaluationState.RUNNING).select_related("project", "started_by"):
        try:
            finished += carry_on(evaluation)
        except Exception:
            log.exception("Continuing evaluation %s failed", evaluation.public_id)
    return finished


def _fail(evaluation: Evaluation, cause: str) -> None:
    """End the evaluation as failed; its answers are kept. Its runs are cancelled: nobody would count them."""
    running = Evaluation.objects.filter(pk=evaluation.pk, state=EvaluationState.RUNNING)
    if running.update(state=EvaluationState.FAILED, fault=cause, finished_at=timezone.now()):
        start.cancel_run_queryset(evaluation.runs())
    evaluation.refresh_from_db()


def _cause(fault: Exception) -> str:
    """Return what went wrong, in the words of the refusal, or with the kind of error where it has no sentence."""
    told = str(fault) if isinstance(fault, BadChoice | BadSource) else f"{type(fault).__name__}: {fault}"
    return told[:500]


def cancel(evaluation: Evaluation, actor: Membership | None = None) -> bool:
    """Cancel the evaluation; its answers are kept, but there is no report.

    Returns False if it had ended already.
    """
    running = Evaluation.objects.filter(pk=evaluation.pk, state=EvaluationState.RUNNING)
    if not running.update(state=EvaluationState.CANCELLED, finished_at=timezone.now()):
        return False
    start.cancel_run_queryset(evaluation.runs())
    if evaluation.project:
        record(ModerationVerb.EVALUATION_CANCELLED, project=evaluation.project, actor=actor, row=evaluation.public_id)
    evaluation.refresh_from_db()
    return True


def progress(evaluation: Evaluation) -> Progress:
    """Return how many runs have ended, and how fast they end."""
    runs = evaluation.runs()
    names = ("method", "subject", "variant", "repeat")
    later = Run.objects.filter(pk__gt=OuterRef("pk"), **{name: OuterRef(name) for name in names})
    runs = runs.filter(~Exists(later))  # one that was asked again counts once
    counts = dict(runs.order_by().values_list("state").annotate(number=Count("pk")))
    runs_per_arm = evaluation.cases.count() * evaluation.repeats
    expected = runs_per_arm * len(evaluation.arms)
    scored = [arm["variant"] for arm in evaluation.arms if arm.get("scored_by")]
    if scored:  # open runs may still have an explanation to score
        answered = runs.filter(variant__in=scored).exclude(state__in=OPEN).count()
        expected += runs.filter(method=SCORING).count() + max(0, runs_per_arm * len(scored) - answered)
    recent = runs.filter(finished_at__gte=seconds_from_now(-_WINDOW)).exclude(state=RunState.CANCELLED)
    figures = recent.aggregate(number=Count("pk"), first=Min("started_at"), now=Max(Now()))
    if not figures["number"] or figures["first"] is None:
        return Progress(expected, counts, 0.0, None)
    seconds = min(float(_WINDOW), max(1.0, (figures["now"] - figures["first"]).total_seconds()))
    rate = figures["number"] / seconds
    ended = sum(count for state, count in counts.items() if state not in OPEN)
    return Progress(expected, counts, 60 * rate, max(0, expected - ended) / rate)


def _go_on(evaluation: Evaluation, arm: Arm, states: Collection[RunState], ring: bool) -> int:
    """Ask again where the arm's runs stopped in one of these states. Return how many go on.

    A run that only judges another arm's debate goes on by itself only if it came to its judge; else it waits for the
    debate (`_unheard`).
    """
    judge, count = METHODS[arm.method].judge, 0
    for run in _last_runs(evaluation, arm).values():
        if run.state not in states or (arm.debate and not run.turns.filter(role=judge).exists()):
            continue
        if run.state in start.RESUMABLE:
            count += start.retry_run(run.public_id, enqueue=ring)
        else:
            with suppress(fork.CannotFork):
                count += fork.continue_run(run, started_by=_starter(run), enqueue=ring) is not None
    return count


def _last_runs(evaluation: Evaluation, arm: Arm) -> dict[tuple[UUID, int], Run]:
    """Return the arm's last run on each case in each repeat."""
    rows = evaluation.runs().filter(method=arm.method, variant=arm.variant).order_by("id")
    return {(run.subject, run.repeat): run for run in rows}


def _judge(evaluation: Evaluation, *, ring: bool) -> None:
    for arm in stored_arms(evaluation):
        judge = METHODS[arm.method].judge
        if arm.debate and judge is not None:
            for run_id in _unheard(evaluation, arm):
                _fork(run_id, arm, str(judge), ring)


@short_transaction
def _score(evaluation: Evaluation, *, ring: bool) -> None:
    """Enqueue the scoring of explanations. The lock keeps two calls at once from queueing the same scoring twice."""
    locked = Evaluation.objects.select_for_update(of=("self",), no_key=True).get(pk=evaluation.pk)
    if locked.state == EvaluationState.RUNNING:
        scoring.start_scoring(evaluation, stored_arms(evaluation), evaluation.runs(), ring=ring)


def _unheard(evaluation: Evaluation, arm: Arm) -> Iterator[int]:
    """Yield the finished debates that this arm's judge has not judged yet: the last one of each case and repeat.

    A debate that was asked again where it stopped is judged once more if the judge had nothing before.
    """
    judged = _last_runs(evaluation, arm)
    debates = evaluation.runs().filter(method=arm.method, variant=arm.debate, state__in=ANSWERED).order_by("id")
    last = {(subject, repeat): key for key, subject, repeat in debates.values_list("pk", "subject", "repeat")}
    for place, debate in last.items():
        if _is_due(debate, judged.get(place)):
            yield debate


def _is_due(debate: int, judgment: Run | None) -> bool:
    """Return whether the debate waits for this judge, whose last run on it is `judgment`."""
    if judgment is None:
        return True
    came_to_judge = judgment.turns.filter(role=METHODS[judgment.method].judge).exists()
    return debate > judgment.pk and judgment.state in fork.STOPPED and not came_to_judge


@short_transaction
def _fork(run_id: int, arm: Arm, judge: str, ring: bool) -> None:
    """Let the arm's judge judge this debate once. The lock keeps two calls at once from forking it twice."""
    debate = Run.objects.select_for_update().get(pk=run_id)
    existing = Run.objects.filter(method=arm.method, subject=debate.subject, variant=arm.variant, repeat=debate.repeat)
    if _is_due(debate.pk, existing.order_by("id").last()):
        fork.fork_run(debate, {judge: arm.plan[judge]}, variant=arm.variant, started_by=_starter(debate), enqueue=ring)


def _starter(run: Run) -> UUID | None:
    return run.started_by
