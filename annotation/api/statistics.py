"""Agreement and the influence of priors over the API."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.analytics import agreement, agreement_json, influence
from annotation.api.access import member
from annotation.api.figures import AgreementJson, InfluenceJson
from annotation.core.access import figures_viewer
from annotation.core.snapshots import snapshot
from annotation.domain.choices import Role
from annotation.models import Membership


class Agreement(APIView):
    """How far annotators agree, for admins and for reviewers who do not annotate."""

    @extend_schema(responses={200: AgreementJson})
    def get(self, request: Request, slug: str) -> Response:
        """Return agreement on all items, after each step and on gold items; `why` says why a figure is null."""
        mine = _viewer(request, slug)
        return Response(agreement_json.as_json(agreement.read_agreement(mine.project)))


class Influence(APIView):
    """How far the priors sway answers, for admins and for reviewers who do not annotate."""

    @extend_schema(responses={200: InfluenceJson})
    def get(self, request: Request, slug: str) -> Response:
        """Return labels by arm, shares, differences and changes by group, as in the manifest of a release."""
        mine = _viewer(request, slug)
        with snapshot():
            found: dict[str, Any] = influence.as_json(influence.read_influence(mine.project))
        return Response(found)


def _viewer(request: Request, slug: str) -> Membership:
    """Whoever may see the dashboard: nobody who labels, but admins."""
    return figures_viewer(member(request, slug, Role.REVIEWER, Role.ADMIN))
