"""Evaluations on their way: begun, carried on by whoever comes by, finished or cancelled.

An evaluation is rows: what was asked for, the cases, and runs that stand aside (`runs.domain.states.ASIDE`). So it is
as durable as runs are: cut off anywhere, nothing that was answered is asked again. Repeats are runs of their own.
"""

import hashlib
import json
import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Count, F, Max, Min, QuerySet
from django.db.models.functions import Now
from django.utils import timezone

from annotation.core.transactions import short_transaction
from annotation.domain.categories import DEFAULT_CATEGORIES
from annotation.models import Item, Membership, Project, record
from moderation.debates.start import MOST_REPEATS, NobodyDescribes
from moderation.domain.evaluation.sampling import SEED, Sample, sample_items
from moderation.domain.event_verbs import ModerationVerb
from moderation.domain.hatexscore.estimators import SCORING
from moderation.domain.verdicts import Task
from moderation.evaluation import scoring
from moderation.evaluation.arms import Arm, ArmGrid, answers_only_binary, arms_of
from moderation.evaluation.collect_answers import BadSource, EvaluationItem, GoldSource
from moderation.evaluation.report import report_of
from moderation.evaluation.scoring import ScoringRequest
from moderation.methods.debate_method import BadChoice
from moderation.methods.registry import METHODS
from moderation.models import Evaluation, EvaluationCase, EvaluationState
from runs.control import fork, start
from runs.domain.states import ASIDE, OPEN, RunState
from runs.execution import budget
from runs.models import Run
from runs.sql.database_clock import seconds_from_now

log = logging.getLogger(__name__)

ANSWERED = (RunState.SUCCEEDED, RunState.REFUSED, RunState.UNREADABLE)
_BATCH = 500
_WINDOW = 120


@dataclass(frozen=True)
class Wish:
    """What is to be found out. Without a task: six categories where everything allows it, else hateful or not."""

    grid: ArmGrid
    task: Task | None = None
    repeats: int = 1
    sample: Sample = Sample.FIRST
    limit: int | None = None
    seed: int = SEED
    scores: ScoringRequest | None = None
    """How explanations are scored (HateXScore); None: they are not."""

    def as_json(self) -> dict[str, Any]:
        kept = asdict(self)
        return kept if self.scores else {name: value for name, value in kept.items() if name != "scores"}


@dataclass(frozen=True)
class Progress:
    """How far the runs are. `per_minute` ended lately; `seconds_left` is None while nothing is known."""

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


# ── Beginning ─────────────────────────────────────────────────────────────────


def begin(
    project: Project | None,
    sources: Sequence[GoldSource],
    wish: Wish,
    actor: Membership | None = None,
    *,
    again: bool = False,
    ring: bool = True,
) -> tuple[Evaluation, bool]:
    """The evaluation that this wish asks for, and whether it is new.

    One that is under way for the same wish is gone on with, whatever its sources hold by now; a finished one over the
    very same items is given back, unless it is wanted `again`. Raises BadChoice and BadSource.
    """
    task, arms, cases = _planned(project, sources, wish)
    names = [source.name for source in sources]
    asked = wish.as_json() | {"sources": names, "project": project.slug if project else None, "task": task.value}
    digests = _digest([asked, [arm.as_json() for arm in arms]]), _digest([case.mark for case in cases])
    if not again and (found := _earlier(project, *digests)):
        return found, False
    evaluation = Evaluation(
        project=project,
        started_by=actor,
        name=f"{', '.join(wish.grid.methods)} · {', '.join(names)}"[:200],
        task=task,
        wish=asked,
        wish_digest=digests[0],
        cases_digest=digests[1],
        arms=[arm.as_json() for arm in arms],
        repeats=wish.repeats,
        categories=[asdict(each) for each in _categories(project)],
        left_out={source.name: dict(source.left_out) for source in sources if source.left_out},
    )
    _store(evaluation, cases, ring)
    return evaluation, True


def size(project: Project | None, sources: Sequence[GoldSource], wish: Wish) -> tuple[int, int]:
    """How many runs the wish comes to, and on how many items. Raises BadChoice and BadSource."""
    _task_of, arms, cases = _planned(project, sources, wish)
    lines = len(arms) + sum(bool(arm.scored_by) for arm in arms)  # every score is a run of its own
    return lines * len(cases) * wish.repeats, len(cases)


def _planned(
    project: Project | None, sources: Sequence[GoldSource], wish: Wish
) -> tuple[Task, Sequence[Arm], Sequence[EvaluationItem]]:
    _check(wish)
    task, cases = _task(wish, sources), _chosen(sources, wish)
    arms: Sequence[Arm]
    try:
        arms = arms_of(project, wish.grid, task)
    except NobodyDescribes:
        if _any_picture(cases):
            raise
        arms = arms_of(project, wish.grid, task, describes=False)
    if wish.scores:
        arms = scoring.add_estimators(project, arms, wish.scores)
    return task, arms, cases


def _any_picture(cases: Sequence[EvaluationItem]) -> bool:
    """Whether any of the cases has a picture: without one nobody needs to describe it."""
    if any(case.picture_path for case in cases):
        return True
    keys = [case.item for case in cases if case.item is not None]
    parts = (keys[begin : begin + _BATCH] for begin in range(0, len(keys), _BATCH))
    return any(Item.objects.filter(pk__in=part, picture__isnull=False).exists() for part in parts)


def arms(evaluation: Evaluation) -> list[Arm]:
    """The arms as values."""
    return [Arm(**each) for each in evaluation.arms]


def runs_of(evaluation: Evaluation) -> QuerySet[Run]:
    """All runs of the evaluation."""
    subjects = EvaluationCase.objects.filter(evaluation=evaluation).values("public_id")
    return Run.objects.filter(project=evaluation.account, variant__startswith=ASIDE, subject__in=subjects)


def retry_failed(evaluation: Evaluation, *, ring: bool = True) -> int:
    """Ask again where a run failed or was cancelled; answers how many runs are new. What was answered stays."""
    with transaction.atomic():
        reopened = Evaluation.objects.filter(pk=evaluation.pk).exclude(state=EvaluationState.RUNNING)
        reopened.update(state=EvaluationState.RUNNING, report=None, finished_at=None)
        queued = _queue(evaluation, ring)
        queued += scoring.start_scoring(evaluation, arms(evaluation), runs_of(evaluation), ring=ring, again=True)
    evaluation.refresh_from_db()
    return queued


def _check(wish: Wish) -> None:
    if not 1 <= wish.repeats <= MOST_REPEATS:
        raise BadChoice(f"Repeats: from 1 to {MOST_REPEATS}.")
    if wish.limit is not None and wish.limit < 1:
        raise BadChoice("The limit is at least 1.")


def _task(wish: Wish, sources: Sequence[GoldSource]) -> Task:
    binary = next((source for source in sources if any(row.gold.label is None for row in source.rows)), None)
    if wish.task is None:
        plain = any(answers_only_binary(method, wish.grid.options) for method in wish.grid.methods)
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
        for row in sample_items(source.rows, lambda each: each.gold, wish.sample, wish.limit, wish.seed)
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
            methods=evaluation.wish["grid"]["methods"],
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
    """Queue the runs of every arm that holds its own debate, where none is under way or answered."""
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
            done = runs_of(evaluation).filter(
                method=arm.method, variant=arm.variant, repeat=repeat, state__in=(*OPEN, *ANSWERED)
            )
            wanted = cases.exclude(public_id__in=done.values("subject"))
            queued += start.queue_run_per_subject(wanted.values(subject=F("public_id")), like, enqueue=ring)
    return queued


# ── Going on ──────────────────────────────────────────────────────────────────


def carry_on(evaluation: Evaluation, *, ring: bool = True) -> bool:
    """Let further judges hear the debates that are over and have explanations scored; True once the report is written.

    Harmless at any time, and twice at once.
    """
    if evaluation.state != EvaluationState.RUNNING:
        return False
    _judge(evaluation, ring=ring)
    _score(evaluation, ring=ring)
    if runs_of(evaluation).filter(state__in=OPEN).exists():
        return False
    report = report_of(evaluation, arms(evaluation), runs_of(evaluation))
    done = Evaluation.objects.filter(pk=evaluation.pk, state=EvaluationState.RUNNING).update(
        state=EvaluationState.DONE, report=report, finished_at=timezone.now()
    )
    evaluation.refresh_from_db()
    return bool(done)


def carry_all_on() -> int:
    """Carry every evaluation on that is under way; how many were finished. The sweeper's step."""
    running = Evaluation.objects.filter(state=EvaluationState.RUNNING).select_related("project", "started_by")
    return sum(carry_on(evaluation) for evaluation in running)


def cancel(evaluation: Evaluation, actor: Membership | None = None) -> bool:
    """End it; what was answered stays, and is not reported. False if it had ended."""
    going = Evaluation.objects.filter(pk=evaluation.pk, state=EvaluationState.RUNNING)
    if not going.update(state=EvaluationState.CANCELLED, finished_at=timezone.now()):
        return False
    start.cancel_run_queryset(runs_of(evaluation))
    if evaluation.project:
        record(ModerationVerb.EVALUATION_CANCELLED, project=evaluation.project, actor=actor, row=evaluation.public_id)
    evaluation.refresh_from_db()
    return True


def progress(evaluation: Evaluation) -> Progress:
    """How far it is, and how fast it goes."""
    runs = runs_of(evaluation)
    counts = dict(runs.order_by().values_list("state").annotate(number=Count("pk")))
    a_line = evaluation.cases.count() * evaluation.repeats
    expected = a_line * len(evaluation.arms)
    if scored := [arm.variant for arm in arms(evaluation) if arm.scored_by]:  # what is not answered yet may be scored
        answered = runs.filter(variant__in=scored).exclude(state__in=OPEN).count()
        expected += runs.filter(method=SCORING).count() + max(0, a_line * len(scored) - answered)
    lately = runs.filter(finished_at__gte=seconds_from_now(-_WINDOW)).exclude(state=RunState.CANCELLED)
    figures = lately.aggregate(number=Count("pk"), first=Min("started_at"), now=Max(Now()))
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
    """Have what is explained scored, once: whoever comes second waits, and finds the runs that were begun meanwhile."""
    held = Evaluation.objects.select_for_update(of=("self",), no_key=True).get(pk=evaluation.pk)
    if held.state == EvaluationState.RUNNING:
        scoring.start_scoring(evaluation, arms(evaluation), runs_of(evaluation), ring=ring)


def _unheard(evaluation: Evaluation, arm: Arm) -> Iterator[int]:
    """Debates that are over and that this arm's judge has not had before them."""
    runs = runs_of(evaluation).filter(method=arm.method)
    heard = set(runs.filter(variant=arm.variant).values_list("subject", "repeat"))
    held = runs.filter(variant=arm.debate, state__in=ANSWERED).order_by("id")
    for run_id, subject, repeat in list(held.values_list("pk", "subject", "repeat")):
        if (subject, repeat) not in heard:
            yield run_id


@short_transaction
def _fork(run_id: int, arm: Arm, judge: str, ring: bool) -> None:
    """Let the arm's judge hear this debate, once: whoever comes second waits for the row and finds it done."""
    held = Run.objects.select_for_update().get(pk=run_id)
    there = Run.objects.filter(method=arm.method, subject=held.subject, variant=arm.variant, repeat=held.repeat)
    if not there.exists():
        fork.fork_run(held, {judge: arm.plan[judge]}, variant=arm.variant, started_by=_starter(held), enqueue=ring)


def _starter(run: Run) -> UUID | None:
    return run.started_by
