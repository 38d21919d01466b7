"""Agreement and the influence of priors over the API, with their moment."""

from collections.abc import Callable
from typing import Any, TypeVar

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.analytics import stored_figures
from annotation.analytics.agreement import agreement_json
from annotation.analytics.influence import influence_json
from annotation.analytics.stored_figures import Shown
from annotation.api.access import member
from annotation.api.figures import AgreementJson, FiguresAwaited, InfluenceJson
from annotation.domain.choices import Role
from annotation.models import Membership
from annotation.pages.access import figures_viewer

T = TypeVar("T")

LOOK_AGAIN_SECONDS = 10


class Agreement(APIView):
    """How far annotators agree, for admins and for reviewers who do not annotate."""

    @extend_schema(responses={200: AgreementJson, 202: FiguresAwaited})
    def get(self, request: Request, slug: str) -> Response:
        """Return agreement on all items, after each step and on gold items; `why` says why a figure is null.

        202: a worker computes the figures of this large project for the first time; ask again.
        """
        mine = _viewer(request, slug)
        return _answer(stored_figures.agreement(mine.project), agreement_json.as_json)


class Influence(APIView):
    """How far the priors sway answers, for admins and for reviewers who do not annotate."""

    @extend_schema(responses={200: InfluenceJson, 202: FiguresAwaited})
    def get(self, request: Request, slug: str) -> Response:
        """Return labels by arm, shares, differences and changes by group, as in the manifest of a release.

        202: a worker computes the figures of this large project for the first time; ask again.
        """
        mine = _viewer(request, slug)
        return _answer(stored_figures.influence(mine.project), influence_json.as_json)


def _answer(shown: Shown[T], as_json: Callable[[T], dict[str, Any]]) -> Response:
    moment = {"as_of": shown.as_of and shown.as_of.isoformat(), "being_computed": shown.job is not None}
    if shown.value is None:
        return Response(moment, status=202, headers={"Retry-After": str(LOOK_AGAIN_SECONDS)})
    return Response(as_json(shown.value) | moment)


def _viewer(request: Request, slug: str) -> Membership:
    """Whoever may see the dashboard: nobody who labels, but admins."""
    return figures_viewer(member(request, slug, Role.REVIEWER, Role.ADMIN))
