"""Audit of a project's runs: turns and priors that are lost, doubled or without their run."""

from collections import Counter
from collections.abc import Iterator
from uuid import UUID

from django.db.models import Count, F, Q, Sum
from django.db.models.functions import Coalesce

from annotation.core.runs_on_items import other_subjects, runs_on_items
from annotation.models import Item, Prior, Project
from annotation.priors.method import NAME
from runs.domain.states import OPEN, RunState
from runs.models import Run

_ANSWERED = (RunState.SUCCEEDED, RunState.REFUSED, RunState.UNREADABLE)


def run_problems(project: Project) -> Iterator[str]:
    """Yield runs, turns and priors whose related rows are missing."""
    runs = Run.objects.filter(project=project.public_id)
    yield from _ends(project)
    items = Item.objects.filter(project=project).values("public_id")
    for run in runs_on_items(project).exclude(subject__in=items).values_list("public_id", flat=True):
        yield f"Run {run}: its item is not in this project."
    for method, subjects in other_subjects().items():
        astray = runs.filter(method=method).exclude(subject__in=subjects(project))
        for run in astray.values_list("public_id", flat=True):
            yield f"Run {run}: what it is about is not in this project."
    yield from _priors(project)
    yield from _doubled(project)


def _ends(project: Project) -> Iterator[str]:
    counted = Run.objects.filter(project=project.public_id).annotate(
        n=Count("turns"), asked=Coalesce(Sum("turns__calls"), 0)
    )
    for run in counted.filter(state=RunState.SUCCEEDED, n=0).values_list("public_id", flat=True):
        yield f"Run {run}: it succeeded without a turn."
    for run in counted.filter(asked__gt=F("calls")).values_list("public_id", flat=True):
        yield f"Run {run}: its turns took more calls than it made."
    done = counted.exclude(state__in=OPEN)
    for run in done.filter(Q(finished_at=None) | ~Q(owner="")).values_list("public_id", flat=True):
        yield f"Run {run}: it has ended, but it is still held or has no time of its end."


def _priors(project: Project) -> Iterator[str]:
    """Check that a run with an answer left one prior, of its item and modality, and that a prior's run exists."""
    runs = Run.objects.filter(project=project.public_id, method=NAME)
    ended = {
        run: (state, subject, variant)
        for run, state, subject, variant in runs.values_list("public_id", "state", "subject", "variant")
    }
    prior_counts = Counter[UUID]()
    rows = Prior.objects.filter(item__project=project, run_id__isnull=False)
    for pk, run, item, modality in rows.values_list("pk", "run_id", "item__public_id", "modality"):
        assert run is not None
        prior_counts[run] += 1
        if run not in ended:
            yield f"Prior {pk}: its run {run} is lost."
        elif ended[run][1:] != (item, modality):
            yield f"Prior {pk}: its run {run} is about something else."
    for run, (state, *_about) in ended.items():
        if prior_counts[run] > 1 or (state in _ANSWERED and prior_counts[run] == 0):
            yield f"Run {run}: it ended {state} and left {prior_counts[run]} priors instead of one."


def _doubled(project: Project) -> Iterator[str]:
    """Check that each item and modality with priors has exactly one current prior."""
    rows = Prior.objects.filter(item__project=project).values("item__public_id", "modality")
    for row in rows.annotate(now=Count("pk", filter=Q(current=True))).exclude(now=1).order_by():
        yield f"Item {row['item__public_id']}: {row['now']} of its priors for the {row['modality']} are current."
