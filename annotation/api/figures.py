"""Agreement and the influence of priors over the API."""

from typing import Any

from django.http import Http404
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation import agreement, influence
from annotation.api.scope import member
from annotation.domain.words import Role
from annotation.models import Membership
from annotation.snapshots import snapshot


class Agreement(APIView):
    """How far annotators agree, for admins and for reviewers who do not annotate."""

    @extend_schema(responses={200: dict})
    def get(self, request: Request, slug: str) -> Response:
        """Raw, per step and final figures with intervals; undefined ones are null with `why`."""
        mine = _viewer(request, slug)
        return Response(agreement.as_json(agreement.agreement(mine.project)))


class Influence(APIView):
    """How far the priors sway answers, for admins and for reviewers who do not annotate."""

    @extend_schema(responses={200: dict})
    def get(self, request: Request, slug: str) -> Response:
        """Labels by arm, shares, differences and changes by group, as in a release's manifest."""
        mine = _viewer(request, slug)
        with snapshot():
            found: dict[str, Any] = influence.as_json(influence.influence(mine.project))
        return Response(found)


def _viewer(request: Request, slug: str) -> Membership:
    """Whoever may see the dashboard: nobody who labels, but admins."""
    mine = member(request, slug, Role.REVIEWER, Role.ADMIN)
    if mine.annotates and not mine.administers:
        raise Http404
    return mine
