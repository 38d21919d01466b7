"""Agreement over the API."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation import agreement
from annotation.api.scope import member
from annotation.domain.words import Role


class Agreement(APIView):
    """How far annotators agree, for admins and reviewers."""

    @extend_schema(responses={200: dict})
    def get(self, request: Request, slug: str) -> Response:
        """Raw, per step and final figures with intervals; undefined ones are null with `why`."""
        mine = member(request, slug, Role.REVIEWER, Role.ADMIN)
        return Response(agreement.as_json(agreement.agreement(mine.project)))
