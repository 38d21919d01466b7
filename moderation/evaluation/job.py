"""Evaluations from start to end: started, continued, finished or cancelled.

An evaluation is stored as rows: the request, the cases, and runs outside the campaign (`runs.domain.states.ASIDE`).
After an interruption no stored answer is asked for again. Each repeat is a run of its own.
"""

import hashlib
import json
import logging
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from itertools import islice
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Count, Exists, F, Max, Min, OuterRef, QuerySet
from django.db.models.functions import Now
from django.utils import timezone

from annotation.core.transactions import short_transaction
from annotation.domain.categories import DEFAULT_CATEGORIES
from annotation.models import Item, Membership, Project, record
from moderation.debates.start import ANSWERED, MOST_REPEATS, NobodyDescribes
from moderation.domain.evaluation.sampling import sample_items
from moderation.domain.event_verbs import ModerationVerb
from moderation.domain.hatexscore.estimators import SCORING
from moderation.domain.verdicts import Task
from moderation.evaluation import scoring
from moderation.evaluation.arms import Arm, answers_only_binary, arms_of, arms_of_study
from moderation.evaluation.collect_answers import BadSource, EvaluationItem, GoldSource
from moderation.evaluation.report import report_of
from moderation.evaluation.request import Wish
from moderation.methods.debate_method import BadChoice
from moderation.methods.registry import METHODS
from moderation.models import Evaluation, EvaluationCase, EvaluationState
from runs.control import fork, start
from runs.domain.states import ASIDE, OPEN, RunState
from runs.execution import budget
from runs.models import Run
from runs.sql.database_clock import seconds_from_now

log = logging.getLogger(__name__)

_BATCH = 500
_WINDOW = 120


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


# ── Start ─────────────────────────────────────────────────────────────────────


def begin(
    project: Project | None,
    sources: Sequence[GoldSource],
    wish: Wish,
    actor: Membership | None = None,
    *,
    again: bool = False,
    ring: bool = True,
) -> tuple[Evaluation, bool]:
    """Return the evaluation of this request, and whether it is new.

    A running evaluation of the same request continues, even if its sources have changed. A finished one of the same
    items is returned unless `again`.

    Raises BadChoice.
    Raises BadSource.
    """
    task, arms, cases = planned(project, sources, wish)
    names = [source.name for source in sources]
    stored_wish = wish.as_json() | {"sources": names, "project": project.slug if project else None, "task": task.value}
    digests = _digest([stored_wish, [arm.as_json() for arm in arms]]), _digest([case.mark for case in cases])
    if not again and (earlier := _earlier(project, *digests)):
        return earlier, False
    evaluation = Evaluation(
        project=project,
        started_by=actor,
        name=f"{wish.study or ', '.join(wish.grid.methods)} · {', '.join(names)}"[:200],
        task=task,
        wish=stored_wish,
        wish_digest=digests[0],
        cases_digest=digests[1],
        arms=[arm.as_json() for arm in arms],
        repeats=wish.repeats,
        categories=[asdict(category) for category in _categories(project)],
        left_out={source.name: dict(source.left_out) for source in sources if source.left_out},
    )
    _store(evaluation, cases, ring)
    return evaluation, True


def size(project: Project | None, sources: Sequence[GoldSource], wish: Wish) -> tuple[int, int]:
    """Return the number of runs and items of the request.

    Raises BadChoice.
    Raises BadSource.
    """
    _task_of, arms, cases = planned(project, sources, wish)
    lines = len(arms) + sum(bool(arm.scored_by) for arm in arms)  # every score takes another run
    return lines * len(cases) * wish.repeats, len(cases)


def planned(
    project: Project | None, sources: Sequence[GoldSource], wish: Wish
) -> tuple[Task, Sequence[Arm], Sequence[EvaluationItem]]:
    """Return the task, the arms and the items of the request.

    Raises BadChoice.
    Raises BadSource.
    """
    _check(wish)
    task, cases = _task(wish, sources), _chosen(sources, wish)
    arms: Sequence[Arm]
    try:
        arms = _arms(project, wish, task)
    except NobodyDescribes:
        if _any_picture(cases):
            raise
        arms = _arms(project, wish, task, describes=False)
    if wish.scores:
        arms = scoring.add_estimators(project, arms, wish.scores)
    return task, arms, cases


def _arms(project: Project | None, wish: Wish, task: Task, *, describes: bool = True) -> Sequence[Arm]:
    if wish.study:
        return arms_of_study(project, wish.grids, task, describes=describes)
    return arms_of(project, wish.grid, task, describes=describes)


def _any_picture(cases: Sequence[EvaluationItem]) -> bool:
    """Return whether a case has a picture; if none has, no model has to describe pictures."""
    if any(case.picture_path for case in cases):
        return True
    keys = [case.item for case in cases if case.item is not None]
    parts = (keys[start_at : start_at + _BATCH] for start_at in range(0, len(keys), _BATCH))
    return any(Item.objects.filter(pk__in=part, picture__isnull=False).exists() for part in parts)


def arms(evaluation: Evaluation) -> list[Arm]:
    """Return the arms as values."""
    return [Arm(**arm) for arm in evaluation.arms]


def without_examples(evaluation: Evaluation) -> list[tuple[str, list[str]]]:
    """Return the name of each arm, with its perspectives that see no examples though they should."""
    return [(arm.name, METHODS[arm.method].without_examples(arm.options)) for arm in arms(evaluation)]


def runs_of(evaluation: Evaluation) -> QuerySet[Run]:
    """Return all runs of the evaluation."""
    subjects = EvaluationCase.objects.filter(evaluation=evaluation).values("public_id")
    return Run.objects.filter(project=evaluation.account, variant__startswith=ASIDE, subject__in=subjects)


def retry_failed(evaluation: Evaluation, *, refused: bool = False, ring: bool = True) -> int:
    """Ask again where a run failed, was cancelled or ended unreadable, with `refused` also where a model refused.

    Each goes on from where it stopped, and all answers are kept. Return the number of runs that go on or are new.
    """
    states = {RunState.FAILED, RunState.UNREADABLE, *((RunState.REFUSED,) if refused else ())}
    with transaction.atomic():
        reopened = Evaluation.objects.filter(pk=evaluation.pk).exclude(state=EvaluationState.RUNNING)
        reopened.update(state=EvaluationState.RUNNING, report=None, finished_at=None)
        queued = sum(_go_on(evaluation, arm, states, ring) for arm in arms(evaluation))
        queued += _queue(evaluation, ring)
        queued += scoring.start_scoring(evaluation, arms(evaluation), runs_of(evaluation), ring=ring, again=True)
    evaluation.refresh_from_db()
    return queued


def _go_on(evaluation: Evaluation, arm: Arm, states: Collection[RunState], ring: bool) -> int:
    """Ask again where the arm's runs stopped in one of these states. Return how many go on.

    A run that only judges another arm's debate goes on by itself only if it came to its judge; else it waits for the
    debate (`_unheard`).
    """
    judge, count = METHODS[arm.method].judge, 0
    for run in _last_runs(evaluation, arm).values():
        if run.state not in states or (arm.debate and not run.turns.filter(role=judge).exists()):
            continue
        if run.state == RunState.FAILED:
            count += start.retry_run(run.public_id, enqueue=ring)
        else:
            with suppress(fork.CannotFork):
                count += fork.continue_run(run, started_by=_starter(run), enqueue=ring) is not None
    return count


def _last_runs(evaluation: Evaluation, arm: Arm) -> dict[tuple[UUID, int], Run]:
    """Return the arm's last run on each case in each repeat."""
    rows = runs_of(evaluation).filter(method=arm.method, variant=arm.variant).order_by("id")
    return {(run.subject, run.repeat): run for run in rows}


def _check(wish: Wish) -> None:
    if not 1 <= wish.repeats <= MOST_REPEATS:
        raise BadChoice(f"Repeats: from 1 to {MOST_REPEATS}.")
    if wish.limit is not None and wish.limit < 1:
        raise BadChoice("The limit is at least 1.")


def _task(wish: Wish, sources: Sequence[GoldSource]) -> Task:
    binary = next((source for source in sources if any(row.gold.label is None for row in source.rows)), None)
    if wish.task is None:
        plain = any(answers_only_binary(method, grid.options) for grid in wish.grids for method in grid.methods)
        return Task.BINARY if binary or plain else Task.SIX
    if wish.task is Task.SIX and binary:
        raise BadSource(f"{binary.name} knows only hateful or not of some items: choose the binary task.")
    return wish.task


def _chosen(sources: Sequence[GoldSource], wish: Wish) -> list[EvaluationItem]:
    names = [source.name for source in sources]
    if len(set(names)) < len(names):
        raise BadSource("Two of the sources have the same name: rename one of the files.")
    return [
        row
        for source in sources
        for row in sample_items(source.rows, lambda row: row.gold, wish.sample, wish.limit, wish.seed)
    ]


def _categories(project: Project | None) -> Sequence[Any]:
    return project.category_values() if project else DEFAULT_CATEGORIES


def _digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True, default=str).encode()).hexdigest()


def _earlier(project: Project | None, wish_digest: str, cases_digest: str) -> Evaluation | None:
    same = Evaluation.objects.filter(project=project, wish_digest=wish_digest)
    running = same.filter(state=EvaluationState.RUNNING).first()
    return running or same.filter(state=EvaluationState.DONE, cases_digest=cases_digest).first()


@transaction.atomic
def _store(evaluation: Evaluation, cases: Sequence[EvaluationItem], ring: bool) -> None:
    evaluation.save()
    rows = (_row(evaluation, case) for case in cases)
    while batch := list(islice(rows, _BATCH)):
        EvaluationCase.objects.bulk_create(batch)
    if evaluation.project:
        project = evaluation.project
        budget.set_project_limits(project.public_id, calls=project.call_budget, tokens=project.token_budget)
        record(
            ModerationVerb.EVALUATION_STARTED,
            project=project,
            actor=evaluation.started_by,
            row=evaluation.public_id,
            methods=list(dict.fromkeys(arm["method"] for arm in evaluation.arms)),
            items=len(cases),
        )
    _queue(evaluation, ring)


def _row(evaluation: Evaluation, case: EvaluationItem) -> EvaluationCase:
    return EvaluationCase(
        evaluation=evaluation,
        dataset=case.dataset,
        external_id=case.gold.id,
        item_id=case.item,
        text="" if case.item else case.text,
        picture_path=case.picture_path,
        picture_sha256=case.picture_sha256,
        gold_label=case.gold.label,
        gold_hateful=case.gold.hateful,
        pattern=case.gold.pattern,
        subset=case.gold.subset,
    )


def _queue(evaluation: Evaluation, ring: bool) -> int:
    """Enqueue the runs of every arm that holds its own debate, for cases without an open or answered run."""
    queued = 0
    cases = EvaluationCase.objects.filter(evaluation=evaluation)
    actor = evaluation.started_by
    for arm in arms(evaluation):
        for repeat in range(evaluation.repeats) if not arm.debate else ():
            like = start.RunRequest(
                method=arm.method,
                project=evaluation.account,
                subject=evaluation.public_id,
                model_plan=arm.plan,
                variant=arm.variant,
                repeat=repeat,
                options=arm.options,
                started_by=actor.public_id if actor else None,
            )
            existing = runs_of(evaluation).filter(
                method=arm.method, variant=arm.variant, repeat=repeat, state__in=(*OPEN, *ANSWERED)
            )
            missing = cases.exclude(public_id__in=existing.values("subject"))
            queued += start.queue_run_per_subject(missing.values(subject=F("public_id")), like, enqueue=ring)
    return queued


# ── Continuation ──────────────────────────────────────────────────────────────


def carry_on(evaluation: Evaluation, *, ring: bool = True) -> bool:
    """Start the runs that are due: further judges, scores of explanations. Write the report when all runs have ended.

    Returns True if this call finished the evaluation.
    Calling it at any time, also twice at once, is safe.
    """
    if evaluation.state != EvaluationState.RUNNING:
        return False
    _judge(evaluation, ring=ring)
    _score(evaluation, ring=ring)
    if runs_of(evaluation).filter(state__in=OPEN).exists():
        return False
    report = report_of(evaluation, arms(evaluation), runs_of(evaluation))
    updated = Evaluation.objects.filter(pk=evaluation.pk, state=EvaluationState.RUNNING).update(
        state=EvaluationState.DONE, report=report, finished_at=timezone.now()
    )
    evaluation.refresh_from_db()
    return bool(updated)


def carry_all_on() -> int:
    """Continue every running evaluation. Return how many were finished. The sweeper calls this."""
    running = Evaluation.objects.filter(state=EvaluationState.RUNNING).select_related("project", "started_by")
    return sum(carry_on(evaluation) for evaluation in running)


def cancel(evaluation: Evaluation, actor: Membership | None = None) -> bool:
    """Cancel the evaluation; its answers are kept, but there is no report.

    Returns False if it had ended already.
    """
    running = Evaluation.objects.filter(pk=evaluation.pk, state=EvaluationState.RUNNING)
    if not running.update(state=EvaluationState.CANCELLED, finished_at=timezone.now()):
        return False
    start.cancel_run_queryset(runs_of(evaluation))
    if evaluation.project:
        record(ModerationVerb.EVALUATION_CANCELLED, project=evaluation.project, actor=actor, row=evaluation.public_id)
    evaluation.refresh_from_db()
    return True


def progress(evaluation: Evaluation) -> Progress:
    """Return how many runs have ended, and how fast they end."""
    runs = runs_of(evaluation)
    names = ("method", "subject", "variant", "repeat")
    later = Run.objects.filter(pk__gt=OuterRef("pk"), **{name: OuterRef(name) for name in names})
    runs = runs.filter(~Exists(later))  # one that was asked again counts once
    counts = dict(runs.order_by().values_list("state").annotate(number=Count("pk")))
    runs_per_arm = evaluation.cases.count() * evaluation.repeats
    expected = runs_per_arm * len(evaluation.arms)
    if scored := [
        arm.variant for arm in arms(evaluation) if arm.scored_by
    ]:  # open runs may still have an explanation to score
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


def _judge(evaluation: Evaluation, *, ring: bool) -> None:
    for arm in arms(evaluation):
        judge = METHODS[arm.method].judge
        if arm.debate and judge is not None:
            for run_id in _unheard(evaluation, arm):
                _fork(run_id, arm, str(judge), ring)


@short_transaction
def _score(evaluation: Evaluation, *, ring: bool) -> None:
    """Enqueue the scoring of explanations. The lock keeps two calls at once from queueing the same scoring twice."""
    locked = Evaluation.objects.select_for_update(of=("self",), no_key=True).get(pk=evaluation.pk)
    if locked.state == EvaluationState.RUNNING:
        scoring.start_scoring(evaluation, arms(evaluation), runs_of(evaluation), ring=ring)


def _unheard(evaluation: Evaluation, arm: Arm) -> Iterator[int]:
    """Yield the finished debates that this arm's judge has not judged yet: the last one of each case and repeat.

    A debate that was asked again where it stopped is judged once more if the judge had nothing before.
    """
    judged = _last_runs(evaluation, arm)
    debates = runs_of(evaluation).filter(method=arm.method, variant=arm.debate, state__in=ANSWERED).order_by("id")
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
