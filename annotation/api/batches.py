"""Batches over the API: how far each is, for admins."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.api.access import member
from annotation.api.figures import BatchOverviewJson
from annotation.batches.progress import as_json, read_batch_overview
from annotation.core.snapshots import snapshot
from annotation.domain.choices import Role


class Batches(APIView):
    """A project's batches, for admins."""

    @extend_schema(responses={200: BatchOverviewJson})
    def get(self, request: Request, slug: str) -> Response:
        """Return state, stages, seats, people, pace, estimate and who is needed of every batch, and of all together."""
        mine = member(request, slug, Role.ADMIN)
        with snapshot():
            found = read_batch_overview(mine.project)
        return Response(as_json(found))
