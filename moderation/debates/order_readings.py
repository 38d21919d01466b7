"""Readings of orders: the bound reader is asked once about each post that models read, and its answer is looked up."""

from collections.abc import Iterable, Set
from uuid import UUID

from django.db.models import F, Q, QuerySet

from annotation.core.extensions import pasted_text
from annotation.models import Item, Project
from moderation.domain.order_reading import OrderReading
from moderation.methods.order_reading import NAME
from providers import bindings
from providers.roles import ModelRole
from runs.control import start as run_start
from runs.domain.states import RunState
from runs.models import Run

_ASKED_AGAIN = (RunState.FAILED, RunState.CANCELLED)


def ask_about_items(project: Project, items: QuerySet[Item], *, ring: bool = True) -> int:
    """Have the reader asked about these items, each once. Return how many questions are new; 0 if nobody reads."""
    reader = _reader(project)
    if not reader:
        return 0
    open_ones = items.exclude(text="").exclude(public_id__in=_asked(project).values("subject"))
    like = _request(project, project.public_id, reader)
    return run_start.queue_run_per_subject(open_ones.values(subject=F("public_id")), like, enqueue=ring)


def ask_about_texts(project: Project, posts: Iterable[UUID], *, ring: bool = True) -> int:
    """Have the reader asked about these pasted texts, each once. Return how many questions are new."""
    reader, named = _reader(project), list(posts)
    if not reader:
        return 0
    known = set(_asked(project).filter(subject__in=named).values_list("subject", flat=True))
    requests = [_request(project, post, reader) for post in named if post not in known]
    return run_start.queue_runs(requests, enqueue=ring)


def reading_of(project: UUID, post: UUID) -> OrderReading | None:
    """Return what the reader read in a post. Returns None if nobody was asked, or there is no answer yet."""
    run = _answered(project).filter(subject=post).order_by("id").last()
    return None if run is None else read_in(run)


def read_in(run: Run) -> OrderReading:
    """Return what the reader answered in a run."""
    read = run.outcome or {}
    return OrderReading(bool(read.get("order")), read.get("addressed") or "", run.model_plan[ModelRole.READER])


def _answered(project: UUID) -> QuerySet[Run]:
    return Run.objects.filter(project=project, method=NAME, state=RunState.SUCCEEDED)


class OrderReadings:
    """What apps learn that let models read posts themselves (`extensions.OrderReadings`)."""

    def ask(self, project: Project, post: UUID) -> None:
        """Have the reader asked about a post, once."""
        if pasted_text(project.public_id, post) is None:
            ask_about_items(project, Item.objects.filter(project=project, public_id=post))
        else:
            ask_about_texts(project, [post])

    def with_orders(self, project: UUID, posts: Iterable[UUID]) -> Set[UUID]:
        """Return those of these posts in which the reader reads an order, by its newest answer about each."""
        newest = {
            run.subject: read_in(run) for run in _answered(project).filter(subject__in=list(posts)).order_by("id")
        }
        return {post for post, reading in newest.items() if reading.order}


def _reader(project: Project) -> str:
    """Return the model of the reader; empty if none is named, or it cannot be used."""
    chosen = project.model_plan.get(ModelRole.READER, "")
    try:
        binding = bindings.bind_role(ModelRole.READER, {ModelRole.READER: chosen} if chosen else None)
    except bindings.NotConfigured:
        return ""
    return "" if binding.problem else binding.name


def _asked(project: Project) -> QuerySet[Run]:
    return Run.objects.filter(Q(project=project.public_id, method=NAME) & ~Q(state__in=_ASKED_AGAIN))


def _request(project: Project, post: UUID, reader: str) -> run_start.RunRequest:
    return run_start.RunRequest(
        method=NAME, project=project.public_id, subject=post, model_plan={str(ModelRole.READER): reader}
    )
