"""Access to the pages of sample injection, and the context that all of them share."""

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect

from annotation.core.found import one
from annotation.domain.choices import Role
from annotation.models import Membership
from annotation.pages.access import PersonRequest, member_of
from generation.domain.injection.states import SampleState
from generation.injection import settings
from generation.injection.presenters import may_look_at, visible_samples
from generation.models import InjectionBatch, PicturePool, Sample

P = ParamSpec("P")


def maker(request: PersonRequest, slug: str) -> Membership:
    """Return the viewer as an admin of the project. Raises Http404 for anybody else."""
    return member_of(request, slug, Role.ADMIN)


def looker(request: PersonRequest, slug: str) -> Membership:
    """Return the viewer as a reviewer or admin of the project. Raises Http404 for anybody else."""
    return member_of(request, slug, Role.REVIEWER, Role.ADMIN)


def batch_for(member: Membership, public_id: UUID) -> InjectionBatch:
    """Return a batch of the project. Raises Http404 if there is none."""
    batch = one(InjectionBatch.objects, member.project, public_id)
    batch.project = member.project
    return batch


def pool_for(member: Membership, public_id: UUID) -> PicturePool:
    """Return a pool of the project. Raises Http404 if there is none."""
    pool = one(PicturePool.objects, member.project, public_id)
    pool.project = member.project
    return pool


def sample_for(member: Membership, public_id: UUID) -> Sample:
    """Return a sample that the viewer may look at. Raises Http404 if there is none."""
    sample = visible_samples(member).filter(public_id=public_id).first()
    if sample is None or not may_look_at(sample, member):
        raise Http404
    sample.project = member.project
    return sample


def shown(member: Membership, **more: Any) -> dict[str, Any]:
    """Return the context that every page of injection needs."""
    waiting = Sample.objects.filter(project=member.project_id, state=SampleState.WAITING).count()
    return {
        "is_on": settings.is_on(member.project),
        "waiting": waiting,
        **more,
    }


def while_on(view: Callable[Concatenate[PersonRequest, str, P], HttpResponse]) -> Callable[..., HttpResponse]:
    """Decorate a view: if injection is off, nothing is changed and the viewer is sent to the page that says so."""

    @wraps(view)
    def guarded(request: PersonRequest, slug: str, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        try:
            return view(request, slug, *args, **kwargs)
        except settings.InjectionOff as off:
            messages.warning(request, str(off))
            return redirect("generation:injection", slug)

    return guarded
