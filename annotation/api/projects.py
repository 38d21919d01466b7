"""Projects and their items over the API."""

from typing import Any
from uuid import UUID

from django.core.paginator import Paginator
from django.http import Http404
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.api.access import member, number, problem
from annotation.api.serializers import ItemShape, PriorShape, ProblemShape, ProjectShape, WholeItemShape
from annotation.domain.choices import Role
from annotation.items import search
from annotation.models import Membership, Prior, Project

MOST_ITEMS = 200
_FILTERS = [
    OpenApiParameter(
        name, str, many=True, enum=list(one.values) or None, description="Only items of this value, or of one of these."
    )
    for name, one in search.FILTERS.items()
]
_PAGING = [
    OpenApiParameter("order", str, enum=list(search.ORDERS)),
    OpenApiParameter("page", int),
    OpenApiParameter("limit", int, description=f"Items a page, at most {MOST_ITEMS}."),
]


class Projects(APIView):
    """The projects one is a member of."""

    @extend_schema(responses=ProjectShape(many=True))
    def get(self, request: Request) -> Response:
        """List one's projects."""
        mine = Membership.objects.filter(user__id=request.user.pk or 0, active=True)
        memberships = {membership.project_id: membership for membership in mine}
        projects = Project.objects.filter(pk__in=memberships).prefetch_related("categories")
        return Response(ProjectShape(projects, many=True, context={"memberships": memberships}).data)


class OneProject(APIView):
    """One project."""

    @extend_schema(responses=ProjectShape)
    def get(self, request: Request, slug: str) -> Response:
        """Show a project one is a member of."""
        mine = member(request, slug)
        return Response(ProjectShape(mine.project, context={"memberships": {mine.project_id: mine}}).data)


class Items(APIView):
    """A project's items, for reviewers and admins."""

    @extend_schema(parameters=[*_FILTERS, *_PAGING], responses={200: ItemShape(many=True), 400: ProblemShape})
    def get(self, request: Request, slug: str) -> Response:
        """Find items. Keys and values outside the lists are refused with `unknown_filter`."""
        mine = member(request, slug, Role.REVIEWER, Role.ADMIN)
        try:
            found = search.find_items(mine, dict(request.query_params.lists()))
        except search.UnknownFilter as unknown:
            return problem(400, unknown.code, unknown.sentence)
        limit = number(self, request, "limit", 50, MOST_ITEMS)
        page = Paginator(found.select_related("category", "intended"), limit).get_page(
            number(self, request, "page", 1, 10**9)
        )
        answer: dict[str, Any] = {
            "count": page.paginator.count,
            "page": page.number,
            "pages": page.paginator.num_pages,
            "results": ItemShape(list(page.object_list), many=True, context={"membership": mine}).data,
        }
        return Response(answer)


class OneItem(APIView):
    """One item with priors, disputes and decisions, for reviewers and admins."""

    @extend_schema(responses=WholeItemShape)
    def get(self, request: Request, slug: str, public_id: UUID) -> Response:
        """Show an item."""
        mine = member(request, slug, Role.REVIEWER, Role.ADMIN)
        found = (
            search.visible_items(mine)
            .filter(public_id=public_id)
            .select_related("category", "intended")
            .prefetch_related("priors__category", "disputes", "adjudications__category")
            .first()
        )
        if found is None:
            raise Http404
        return Response(WholeItemShape(found, context={"membership": mine}).data)


class Priors(APIView):
    """An item's current priors, for reviewers and admins."""

    @extend_schema(responses=PriorShape(many=True))
    def get(self, request: Request, slug: str, public_id: UUID) -> Response:
        """Show the unimodal priors of an item."""
        mine = member(request, slug, Role.REVIEWER, Role.ADMIN)
        item = search.visible_items(mine).filter(public_id=public_id).first()
        if item is None:
            raise Http404
        current = Prior.objects.filter(item=item, current=True).select_related("category").order_by("-modality")
        return Response(PriorShape(current, many=True).data)
