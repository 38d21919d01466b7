"""Who opens which page of sample injection, and what all of them show."""

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect

from annotation.core.access import PersonRequest, member_of
from annotation.domain.choices import Role
from annotation.models import Membership
from generation.domain.injection.states import SampleState
from generation.injection import settings
from generation.injection.presenters import may_look_at, visible_samples
from generation.models import InjectionBatch, PicturePool, Sample

P = ParamSpec("P")


def maker(request: PersonRequest, slug: str) -> Membership:
    """The viewer, an admin of the project, or 404."""
    return member_of(request, slug, Role.ADMIN)


def looker(request: PersonRequest, slug: str) -> Membership:
    """The viewer, a reviewer or admin of the project, or 404."""
    return member_of(request, slug, Role.REVIEWER, Role.ADMIN)


def batch_for(member: Membership, public_id: UUID) -> InjectionBatch:
    """A batch of the project, or 404."""
    batch = InjectionBatch.objects.filter(project=member.project_id, public_id=public_id).first()
    if batch is None:
        raise Http404
    batch.project = member.project
    return batch


def pool_for(member: Membership, public_id: UUID) -> PicturePool:
    """A pool of the project, or 404."""
    pool = PicturePool.objects.filter(project=member.project_id, public_id=public_id).first()
    if pool is None:
        raise Http404
    pool.project = member.project
    return pool


def sample_for(member: Membership, public_id: UUID) -> Sample:
    """A sample that the viewer may look at, or 404."""
    sample = visible_samples(member).filter(public_id=public_id).first()
    if sample is None or not may_look_at(sample, member):
        raise Http404
    sample.project = member.project
    return sample


def shown(member: Membership, **more: Any) -> dict[str, Any]:
    """What every page of injection is drawn with."""
    waiting = Sample.objects.filter(project=member.project_id, state=SampleState.WAITING).count()
    return {
        "project": member.project,
        "membership": member,
        "is_on": settings.is_on(member.project),
        "waiting": waiting,
        **more,
    }


def while_on(view: Callable[Concatenate[PersonRequest, str, P], HttpResponse]) -> Callable[..., HttpResponse]:
    """A form that finds injection switched off leads to the page that says so; nothing was changed."""

    @wraps(view)
    def guarded(request: PersonRequest, slug: str, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        try:
            return view(request, slug, *args, **kwargs)
        except settings.InjectionOff as off:
            messages.warning(request, str(off))
            return redirect("generation:injection", slug)

    return guarded
