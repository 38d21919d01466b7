"""Projects and their items over the API."""

from uuid import UUID

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import PermissionDenied
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.api.access import member, problem
from annotation.api.answers import ItemPage
from annotation.api.pages import BY_KEY, page_by_key_of
from annotation.api.problems import Problem
from annotation.api.request_base import BoundedDict, LineField, RequestShape
from annotation.api.serializers import ItemShape, PriorShape, ProjectShape, WholeItemShape
from annotation.core.found import found
from annotation.core.visible_items import visible_items
from annotation.domain.choices import Policy, Role
from annotation.domain.design.file import BadDesign, read_design
from annotation.items import search
from annotation.models import Membership, Prior, Project, User
from annotation.projects import templates
from annotation.projects.create import FEWEST_SEATS, MOST_SEATS, NAME_LIMIT, BadProject, create_project

_FILTERS = [
    OpenApiParameter(
        name,
        str,
        many=True,
        enum=list(rule.values) or None,
        description="Only items of this value, or of one of these.",
    )
    for name, rule in search.FILTERS.items()
]
_ORDER = OpenApiParameter("order", str, enum=list(search.ORDERS), description="What the list is sorted by.")


class NewProjectShape(RequestShape):
    """A new project. Its design is a template by name, or an object as in `docs/design-file.md`."""

    slug = serializers.CharField(max_length=64)
    name = LineField(default="", allow_blank=True, max_length=NAME_LIMIT)
    seats = serializers.IntegerField(default=3, min_value=FEWEST_SEATS, max_value=MOST_SEATS)
    policy = serializers.ChoiceField([str(policy) for policy in Policy], default=Policy.REVIEW.value)
    template = serializers.ChoiceField(list(templates.TITLES), default=templates.HVLI)
    design = BoundedDict(required=False, help_text="Comes before `template`.")


class Projects(APIView):
    """The projects one is a member of."""

    @extend_schema(responses=ProjectShape(many=True))
    def get(self, request: Request) -> Response:
        """List the projects of the caller."""
        mine = Membership.objects.filter(user__id=request.user.pk or 0, active=True)
        memberships = {membership.project_id: membership for membership in mine}
        projects = Project.objects.filter(pk__in=memberships).prefetch_related("categories")
        return Response(ProjectShape(projects, many=True, context={"memberships": memberships}).data)

    @extend_schema(request=NewProjectShape, responses={201: ProjectShape, 409: Problem, 422: Problem})
    def post(self, request: Request) -> Response:
        """Create a project, as staff of the site, and be its admin. 409: there is one at this address already."""
        user, shape = request.user, NewProjectShape(data=request.data)
        if not isinstance(user, User) or not user.is_staff:
            raise PermissionDenied("Only staff of the site create projects.", "not_staff")
        shape.is_valid(raise_exception=True)
        fields = shape.validated_data
        try:
            design = read_design(fields["design"]) if "design" in fields else templates.template(fields["template"])
            project = create_project(
                fields["slug"], name=fields["name"], design=design, seats=fields["seats"], policy=fields["policy"],
                creator=user,
            )  # fmt: skip
        except BadDesign as bad:
            return problem(422, bad.code, bad.sentence, field="design")
        except BadProject as bad:
            return problem(409 if bad.code == "slug_taken" else 422, bad.code, bad.sentence, field=bad.field)
        mine = Membership.objects.get(project=project, user=user)
        return Response(ProjectShape(project, context={"memberships": {project.pk: mine}}).data, status=201)


class OneProject(APIView):
    """One project."""

    @extend_schema(responses=ProjectShape)
    def get(self, request: Request, slug: str) -> Response:
        """Show a project of the caller."""
        mine = member(request, slug)
        return Response(ProjectShape(mine.project, context={"memberships": {mine.project_id: mine}}).data)


class Items(APIView):
    """A project's items, for reviewers and admins."""

    @extend_schema(
        operation_id="projects_items_list", parameters=[*_FILTERS, _ORDER, *BY_KEY], responses={200: ItemPage}
    )
    def get(self, request: Request, slug: str) -> Response:
        """Find items. A filter, value or order that does not exist is refused with `unknown_filter`."""
        mine = member(request, slug, Role.REVIEWER, Role.ADMIN)
        try:
            matches = search.find_items(mine, dict(request.query_params.lists()))
        except search.UnknownFilter as unknown:
            return problem(400, unknown.code, unknown.sentence)
        return page_by_key_of(
            request,
            matches.select_related("category", "intended"),
            visible_items(mine),
            lambda items: ItemShape(items, many=True, context={"membership": mine}).data,
            (*search.FILTERS, "order"),
        )


class OneItem(APIView):
    """One item with priors, disputes and decisions, for reviewers and admins."""

    @extend_schema(responses=WholeItemShape)
    def get(self, request: Request, slug: str, public_id: UUID) -> Response:
        """Show an item with its priors, disputes and decisions."""
        mine = member(request, slug, Role.REVIEWER, Role.ADMIN)
        item = found(
            visible_items(mine)
            .filter(public_id=public_id)
            .select_related("category", "intended")
            .prefetch_related("priors__category", "disputes", "adjudications__category")
            .first()
        )
        return Response(WholeItemShape(item, context={"membership": mine}).data)


class Priors(APIView):
    """An item's current priors, for reviewers and admins."""

    @extend_schema(responses=PriorShape(many=True))
    def get(self, request: Request, slug: str, public_id: UUID) -> Response:
        """Show the unimodal priors of an item."""
        mine = member(request, slug, Role.REVIEWER, Role.ADMIN)
        item = found(visible_items(mine).filter(public_id=public_id).first())
        current = Prior.objects.filter(item=item, current=True).select_related("category").order_by("-modality")
        return Response(PriorShape(current, many=True).data)
