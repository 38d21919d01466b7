"""Start an evaluation: plan its arms and items, store them as rows, and enqueue its runs.

An evaluation is stored as rows: the request, the cases, and runs outside the campaign (`runs.domain.states.ASIDE`).
After an interruption no stored answer is asked for again. Each repeat is a run of its own. `continuation.py` does what
follows.
"""

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from itertools import islice
from typing import Any

from django.db import transaction
from django.db.models import F

from annotation.domain.categories import DEFAULT_CATEGORIES
from annotation.models import Item, Membership, Project, record
from moderation.debates.start import ANSWERED, NobodyDescribes
from moderation.domain.evaluation.sampling import sample_places
from moderation.domain.event_verbs import ModerationVerb
from moderation.domain.task import Task
from moderation.evaluation import scoring
from moderation.evaluation.arms import Arm, answers_only_binary, arms_of, arms_of_study, stored_arms
from moderation.evaluation.collect_answers import BadSource, GoldSource
from moderation.evaluation.request import Wish
from moderation.evaluation.spooled_items import ChosenItems, EvaluationItem, SpooledItems
from moderation.models import Evaluation, EvaluationCase, EvaluationState
from runs.control import start
from runs.domain.states import OPEN
from runs.execution import budget
from runs.sql.planner_statistics import refresh_statistics

_BATCH = 500


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
    digests = digest_of([stored_wish, [arm.as_json() for arm in arms]]), digest_of(case.mark for case in cases)
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
        categories=[asdict(category) for category in _offered(project)],
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
) -> tuple[Task, Sequence[Arm], ChosenItems]:
    """Return the task, the arms and the items of the request.

    Raises BadChoice.
    Raises BadSource.
    """
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


def _any_picture(cases: ChosenItems) -> bool:
    """Return whether a case has a picture; if none has, no model has to describe pictures."""
    if any(case.picture_path for case in cases):
        return True
    keys = (case.item for case in cases if case.item is not None)
    parts = iter(lambda: list(islice(keys, _BATCH)), [])
    return any(Item.objects.filter(pk__in=part, picture__isnull=False).exists() for part in parts)


def _task(wish: Wish, sources: Sequence[GoldSource]) -> Task:
    binary = next((source for source in sources if source.rows.binary), None)
    if wish.task is None:
        plain = any(answers_only_binary(method, grid.options) for grid in wish.grids for method in grid.methods)
        return Task.BINARY if binary or plain else Task.SIX
    if wish.task is Task.SIX and binary:
        raise BadSource(f"{binary.name} knows only hateful or not of some items: choose the binary task.")
    return wish.task


def _chosen(sources: Sequence[GoldSource], wish: Wish) -> ChosenItems:
    names = [source.name for source in sources]
    if len(set(names)) < len(names):
        raise BadSource("Two of the sources have the same name: rename one of the files.")
    return ChosenItems([(source.rows, _places(source.rows, wish)) for source in sources])


def _places(items: SpooledItems, wish: Wish) -> Sequence[int]:
    return sample_places((item.gold for item in items), len(items), wish.sample, wish.limit, wish.seed)


def _offered(project: Project | None) -> Sequence[Any]:
    return project.offered_categories() if project else DEFAULT_CATEGORIES


def digest_of(values: Iterable[Any]) -> str:
    """Return the digest of a list as JSON, which is never held as a whole."""
    digest = hashlib.sha256(b"[")
    for number, value in enumerate(values):
        digest.update(b", " if number else b"")
        digest.update(json.dumps(value, sort_keys=True, default=str).encode())
    digest.update(b"]")
    return digest.hexdigest()


def _earlier(project: Project | None, wish_digest: str, cases_digest: str) -> Evaluation | None:
    same = Evaluation.objects.filter(project=project, wish_digest=wish_digest)
    ended = same.filter(state__in=(EvaluationState.DONE, EvaluationState.FAILED), cases_digest=cases_digest)
    return same.filter(state=EvaluationState.RUNNING).first() or ended.first()


@transaction.atomic
def _store(evaluation: Evaluation, cases: ChosenItems, ring: bool) -> None:
    evaluation.save()
    rows = (_row(evaluation, case) for case in cases)
    while batch := list(islice(rows, _BATCH)):
        EvaluationCase.objects.bulk_create(batch)
    refresh_statistics(len(cases), EvaluationCase)
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
    queue_missing_runs(evaluation, ring)


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
        gold_labels=list(case.gold.labels),
        gold_hateful=case.gold.hateful,
        votes_hateful=case.votes[0],
        votes_other=case.votes[1],
        pattern=case.gold.pattern,
        subset=case.gold.subset,
    )


def queue_missing_runs(evaluation: Evaluation, ring: bool) -> int:
    """Enqueue the runs of every arm that holds its own debate, for cases without an open or answered run."""
    queued = 0
    cases = EvaluationCase.objects.filter(evaluation=evaluation)
    actor = evaluation.started_by
    for arm in stored_arms(evaluation):
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
            existing = evaluation.runs().filter(
                method=arm.method, variant=arm.variant, repeat=repeat, state__in=(*OPEN, *ANSWERED)
            )
            missing = cases.exclude(public_id__in=existing.values("subject"))
            queued += start.queue_run_per_subject(missing.values(subject=F("public_id")), like, enqueue=ring)
    return queued
