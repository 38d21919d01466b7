"""A project's settings over the API, for its admins: those of the page, with its sentences."""

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.api.access import cleaned, member, problem
from annotation.api.answers_campaign import ProjectOpen
from annotation.api.problems import Problem
from annotation.api.request_base import RequestShape
from annotation.batches import open_items
from annotation.domain.choices import Role
from annotation.models import Project
from annotation.projects import named_settings
from annotation.projects.settings import OwnSecondFactorMissing


class SettingsShape(serializers.ModelSerializer[Project]):
    """The settings of a project. `order` hard: items on which models disagree are handed out first."""

    class Meta:
        model = Project
        fields = named_settings.NAMES


class OpenShape(RequestShape):
    """Whether annotators get items."""

    open = serializers.BooleanField()


class ProjectSettings(APIView):
    """The settings of a project."""

    @extend_schema(responses={200: SettingsShape})
    def get(self, request: Request, slug: str) -> Response:
        """Show all settings."""
        return Response(named_settings.settings_of(member(request, slug, Role.ADMIN).project))

    @extend_schema(request=SettingsShape, responses={200: SettingsShape, 409: Problem})
    def patch(self, request: Request, slug: str) -> Response:
        """Change the settings that the body names, all or none. 409: set up your own two-step sign-in first."""
        mine = member(request, slug, Role.ADMIN)
        project = Project.objects.get(pk=mine.project_id)
        shape = SettingsShape(project, data=request.data, partial=True)
        shape.is_valid(raise_exception=True)
        try:
            form = named_settings.form_for(project, {name: shape.validated_data.get(name) for name in request.data})
        except named_settings.UnknownSetting as unknown:
            return problem(400, "unknown_setting", unknown.sentence)
        cleaned(form)
        try:
            named_settings.store_settings(mine, form)
        except OwnSecondFactorMissing:
            sentence = "Set up two-step sign-in for your own account first: you would shut yourself out."
            return problem(409, "own_second_factor", sentence, field="second_factor")
        return Response(named_settings.settings_of(Project.objects.get(pk=project.pk)))


class OpenProject(APIView):
    """Whether a project hands items out."""

    @extend_schema(request=OpenShape, responses={200: ProjectOpen})
    def put(self, request: Request, slug: str) -> Response:
        """Open the project for labelling, or close it. Answers that are under way are still stored."""
        mine = member(request, slug, Role.ADMIN)
        shape = OpenShape(data=request.data)
        shape.is_valid(raise_exception=True)
        open_items.set_project_open(mine.project, mine, is_open=shape.validated_data["open"])
        return Response({"open": shape.validated_data["open"]})
