"""Batches of samples: begin one from a plan, continue it, cancel it, count it. Each sample has a run of its own.

Picture, trigger text and seed of every sample are drawn when the batch begins. The same plan with the same options and
models is the same batch: finished samples stay, and the unfinished ones are asked for.
"""

import hashlib
import json
import secrets
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID, uuid4

from django.db.models import Count, Exists, Max, OuterRef, QuerySet
from django.utils.translation import gettext as _

from annotation.core.transactions import short_transaction
from annotation.domain.choices import EventVerb
from annotation.models import Category, Membership, Project, record
from generation.domain.event_verbs import GenerationVerb
from generation.domain.injection.draw import Dealt, Drawable, deal
from generation.domain.injection.picture_fit import Misfit
from generation.domain.injection.plan import Entry, read_plan
from generation.domain.injection.schema import MOST_SEED, BatchOptions
from generation.domain.injection.states import AGAIN, SampleState, Tally
from generation.injection import material, settings
from generation.methods.injection.questions import LOOKER, NAME, writer_role
from generation.models import InjectionBatch, InjectionRules, PlanRow, Sample, Trigger
from providers import bindings
from providers.roles import ModelRole
from runs.control import start
from runs.domain.states import ASIDE, OPEN, RunState
from runs.execution import budget
from runs.models import Run

VARIANT = f"{ASIDE}{NAME}"


class NoWriter(ValueError):
    """No model can write what the plan asks for; the message says which setting to change."""

    code = "no_model"


def begin(
    project: Project,
    plan: Any,
    actor: Membership | None = None,
    options: BatchOptions | None = None,
    *,
    seed: int | None = None,
    key: UUID | None = None,
    again: bool = False,
    ring: bool = True,
) -> InjectionBatch:
    """Carry a plan out: begin a new batch, or continue the batch that the same plan began.

    `again` begins another batch of the same plan. `key` comes with a form, so that a form sent twice gives one batch.
    Raises InjectionOff, BadPlan, NoWriter, BudgetExceeded; then nothing is changed.
    """
    settings.require_on(project)
    entries = read_plan(plan, material.stock_of(project))
    chosen = options or BatchOptions()
    writers = writers_for(project, entries)
    wish = [[entry.as_json() for entry in entries], chosen.model_dump(), writers, seed]
    digest = hashlib.sha256(json.dumps(wish, sort_keys=True).encode()).hexdigest()
    return _begin(project, entries, actor, chosen, writers, digest, seed, key, again, ring)


@short_transaction
def _begin(
    project: Project,
    entries: Sequence[Entry],
    actor: Membership | None,
    options: BatchOptions,
    writers: dict[str, str],
    digest: str,
    seed: int | None,
    key: UUID | None,
    again: bool,
    ring: bool,
) -> InjectionBatch:
    InjectionRules.objects.select_for_update().get(project=project)  # the lock lets one batch begin at a time
    batches = InjectionBatch.objects.filter(project=project)
    existing = batches.filter(key=key).first() if key else None
    if existing is None and not again and key is None:
        existing = batches.filter(digest=digest).first()
    if existing is not None:
        existing.project = project
        go_on(existing, actor, ring=ring)
        return existing
    batch = InjectionBatch.objects.create(
        project=project,
        number=(batches.aggregate(last=Max("number"))["last"] or 0) + 1,
        key=key or uuid4(),
        digest=digest,
        plan=[entry.as_json() for entry in entries],
        options=options.model_dump(),
        model_plan=writers,
        seed=secrets.randbelow(MOST_SEED) if seed is None else seed,
        started_by=actor,
    )
    record(GenerationVerb.INJECTION_BEGUN, project=project, actor=actor, row=batch.public_id, number=batch.number,
           samples=sum(entry.count for entry in entries), models=sorted(writers.values()))  # fmt: skip
    _store(batch, entries)
    go_on(batch, actor, ring=ring)
    return batch


@short_transaction
def go_on(batch: InjectionBatch, actor: Membership | None = None, *, ring: bool = True) -> int:
    """Queue runs for the unfinished samples: never begun, cancelled, or failed. Return how many runs were started.

    A failed run keeps the answers that it has. Raises InjectionOff, BudgetExceeded.
    """
    settings.require_on(batch.project)
    project = batch.project
    unfinished = _left(batch)
    failed = Run.objects.filter(method=NAME, state=RunState.FAILED, subject=OuterRef("public_id"))
    retried = 0
    for sample in unfinished.filter(Exists(failed), state=SampleState.FAILED):
        run = Run.objects.filter(method=NAME, state=RunState.FAILED, subject=sample.public_id).latest("id")
        retried += start.retry_run(run.public_id, enqueue=ring)
    budget.set_project_limits(project.public_id, calls=project.call_budget, tokens=project.token_budget)
    requests = [_wanted(batch, sample, actor) for sample in _left(batch)]
    started = start.queue_runs(requests, enqueue=ring) + retried if requests else retried
    if started:
        record(
            EventVerb.RUNS_STARTED,
            project=project,
            actor=actor,
            row=batch.public_id,
            method=NAME,
            runs=started,
        )
    return started


def cancel(batch: InjectionBatch, actor: Membership) -> int:
    """Cancel the open runs of a batch. Return how many were cancelled.

    Written samples stay, and the others can be asked for later.
    """
    subjects = batch.samples.filter(state__in=AGAIN).values("public_id")
    runs = Run.objects.filter(project=batch.project.public_id, method=NAME, subject__in=subjects)
    ended = start.cancel_run_queryset(runs)
    if ended:
        record(EventVerb.RUN_CANCELLED, project=batch.project, actor=actor, row=batch.public_id, runs=ended)
    return ended


def tally(samples: QuerySet[Sample]) -> Tally:
    """Return the number of these samples in each state."""
    rows = samples.order_by().values_list("state").annotate(count=Count("pk"))
    return Tally({SampleState(state): count for state, count in rows})


def misfit_counts(samples: QuerySet[Sample]) -> dict[Misfit, int]:
    """Return how many of these samples have no text because of each reason, without reasons that have none."""
    rows = samples.order_by().filter(state=SampleState.MISFIT).values_list("misfit").annotate(count=Count("pk"))
    counts = {Misfit(reason): count for reason, count in rows}
    return {reason: counts[reason] for reason in Misfit if reason in counts}


def under_way(batch: InjectionBatch) -> int:
    """Return how many samples of the batch have a queued or running run."""
    return batch.samples.filter(state__in=AGAIN).filter(_open_run()).count()


def add_row(member: Membership, value: Any) -> PlanRow:
    """Add an entry to the plan of the page. Raises InjectionOff, BadPlan."""
    return add_rows(member, [value])[0]


@short_transaction
def add_rows(member: Membership, value: Any) -> list[PlanRow]:
    """Add the entries of a plan to the plan of the page, all or none. Raises InjectionOff, BadPlan."""
    project = member.project
    settings.require_on(project)
    entries = read_plan(value, material.stock_of(project))
    planned = [row.entry for row in PlanRow.objects.filter(project=project)]
    read_plan(
        [*planned, *(entry.as_json() for entry in entries)], material.stock_of(project)
    )  # checks that old and new entries together are not too many
    rows = [PlanRow(project=project, entry=entry.as_json(), added_by=member) for entry in entries]
    PlanRow.objects.bulk_create(rows)
    record(GenerationVerb.PLAN_CHANGED, project=project, actor=member, added=len(rows))
    return rows


@short_transaction
def remove_row(member: Membership, public_id: UUID) -> bool:
    """Remove an entry from the plan of the page. Return False if it is no longer there."""
    removed, _kinds = PlanRow.objects.filter(project=member.project, public_id=public_id).delete()
    if removed:
        record(GenerationVerb.PLAN_CHANGED, project=member.project, actor=member, removed=1)
    return bool(removed)


@short_transaction
def begin_page_plan(member: Membership, options: BatchOptions, key: UUID) -> InjectionBatch:
    """Carry out the plan of the page and clear it. The same form sent again returns the batch that it began.

    Raises the errors of `begin`; then the plan of the page is not changed.
    """
    existing = InjectionBatch.objects.filter(project=member.project, key=key).first()
    if existing is not None:
        return existing
    rows = list(PlanRow.objects.filter(project=member.project))
    batch = begin(member.project, [row.entry for row in rows], member, options, key=key)
    PlanRow.objects.filter(pk__in=[row.pk for row in rows]).delete()
    return batch


def writers_for(project: Project, entries: Sequence[Entry]) -> dict[str, str]:
    """Return the model for each role that the plan needs. Raises NoWriter if one cannot write, or none can look."""
    writers = {str(role): _writer(project, role) for role in sorted({writer_role(row.strategy) for row in entries})}
    return writers | {str(LOOKER): _looker(project)}


def writing_problems(project: Project) -> dict[ModelRole, str]:
    """Return the reason why a model cannot write, by role; roles that can write are left out."""
    problems = {}
    for role in (ModelRole.SAMPLE_WRITER, ModelRole.PARAPHRASER, LOOKER):
        try:
            _looker(project) if role is LOOKER else _writer(project, role)
        except NoWriter as fault:
            problems[role] = str(fault)
    return problems


def _looker(project: Project) -> str:
    """Return the model that looks at the pictures: the describer, or else the writer of samples itself."""
    try:
        return _writer(project, LOOKER)
    except NoWriter:
        try:
            return _writer(project, ModelRole.SAMPLE_WRITER)
        except NoWriter:
            pass
        raise


def _writer(project: Project, role: ModelRole) -> str:
    try:
        binding = bindings.bind_role(role, project.model_plan)
    except bindings.NotConfigured as fault:
        raise NoWriter(str(fault)) from None
    if binding.problem:
        raise NoWriter(binding.problem)
    if not binding.is_language_model:
        sentence = (
            _("The built-in baseline describes no picture: set %(setting)s or %(family)s to a language model.")
            if role is LOOKER
            else _("The built-in baseline writes no samples: set %(setting)s or %(family)s to a language model.")
        )
        raise NoWriter(
            sentence % {"setting": role.setting, "family": "MODEL_VISION" if role.is_shown_pictures else "MODEL_TEXT"}
        )
    return binding.name


def _store(batch: InjectionBatch, entries: Sequence[Entry]) -> None:
    categories = {row.code: row for row in Category.objects.filter(project=batch.project)}
    Sample.objects.bulk_create(
        [_sample(batch, entries[draw.entry - 1], draw, categories) for draw in _dealt(batch, entries)],
        batch_size=500,
    )


def _dealt(batch: InjectionBatch, entries: Sequence[Entry]) -> list[Dealt]:
    rows = material.usable(batch.project).order_by("pk")
    columns = rows.values_list("pk", "pool__name", "category__code", "category__hateful")
    pictures = [Drawable(key, pool, code, hateful) for key, pool, code, hateful in columns]
    triggers: dict[str, list[int]] = defaultdict(list)
    for key, group in Trigger.objects.filter(project=batch.project).values_list("pk", "target_group"):
        triggers[group.casefold()].append(key)
    return deal(entries, pictures, triggers, batch.seed)


def _sample(batch: InjectionBatch, entry: Entry, dealt: Dealt, categories: Mapping[int, Category]) -> Sample:
    return Sample(
        project=batch.project,
        batch=batch,
        entry=dealt.entry,
        number=dealt.number,
        pattern=entry.pattern,
        intended=categories[entry.category],
        strategy=entry.strategy,
        target_group=entry.target_group,
        pool_picture_id=dealt.picture,
        trigger_id=dealt.trigger,
        seed=dealt.seed,
    )


def _left(batch: InjectionBatch) -> QuerySet[Sample]:
    """Return the samples of the batch that are not finished and have no open run."""
    return batch.samples.filter(state__in=AGAIN).filter(~_open_run()).order_by("pk")


def _open_run() -> Exists:
    return Exists(Run.objects.filter(method=NAME, subject=OuterRef("public_id"), state__in=OPEN))


def _wanted(batch: InjectionBatch, sample: Sample, actor: Membership | None) -> start.RunRequest:
    roles = (str(writer_role(sample.strategy)), str(LOOKER))
    return start.RunRequest(
        method=NAME,
        project=batch.project.public_id,
        subject=sample.public_id,
        model_plan={role: batch.model_plan[role] for role in roles if role in batch.model_plan},
        variant=VARIANT,
        options=batch.options,
        started_by=actor.public_id if actor else None,
    )
