"""A project's settings over the API, for its admins: those of the page, with its sentences."""

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.analytics.influence.figures import set_withheld_share
from annotation.api.access import cleaned, member, problem, valid
from annotation.api.answers_campaign import ProjectOpen
from annotation.api.figures import CareJson, WithheldJson
from annotation.api.problems import Problem
from annotation.api.request_base import RequestShape, WrittenField
from annotation.batches import open_items
from annotation.domain.choices import Role
from annotation.models import Project
from annotation.projects import named_settings
from annotation.projects.settings import OwnSecondFactorMissing
from annotation.wellbeing import preferences
from annotation.wellbeing.forms import CareSettingsForm
from annotation.wellbeing.statistics import care_figures
from vocabulary.answers import answer


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
        shape = valid(SettingsShape(project, data=request.data, partial=True))
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


class CareShape(RequestShape):
    """Limits of what is shown to people; what is left out stays, and null is no limit. Bounds are those of the page."""

    severe_from = serializers.IntegerField(required=False)
    severe_in_row = serializers.IntegerField(required=False)
    severe_a_session = serializers.IntegerField(required=False, allow_null=True)
    severe_a_day = serializers.IntegerField(required=False, allow_null=True)
    minutes_a_day = serializers.IntegerField(required=False, allow_null=True)
    break_after_minutes = serializers.IntegerField(required=False)
    support_text = WrittenField(required=False, allow_blank=True)


class Care(APIView):
    """How people are cared for: limits of severe posts and of time, and figures about many people."""

    @extend_schema(responses={200: CareJson})
    def get(self, request: Request, slug: str) -> Response:
        """Show the limits, and how the project's people fare; a figure behind which fewer than five stand is null."""
        return Response(_care(member(request, slug, Role.ADMIN).project))

    @extend_schema(request=CareShape, responses={200: CareJson})
    def patch(self, request: Request, slug: str) -> Response:
        """Change the limits that the body names, all or none."""
        mine = member(request, slug, Role.ADMIN)
        shape = valid(CareShape(data=request.data))
        project = Project.objects.get(pk=mine.project_id)
        now = {name: getattr(project, name) for name in CareSettingsForm.base_fields}
        form = CareSettingsForm({**now, **shape.validated_data}, instance=project)
        cleaned(form)
        changed = [name for name in form.changed_data if form.cleaned_data[name] != now[name]]
        preferences.change_care_settings(mine, form.save(commit=False), changed)
        return Response(_care(Project.objects.get(pk=project.pk)))


def _care(project: Project) -> CareJson:
    return answer(CareJson, project, figures=care_figures(project, timezone.localdate()))


class WithheldShape(RequestShape):
    """The share of cases without priors."""

    percent = serializers.IntegerField()


class Withheld(APIView):
    """The share of (annotator, post) that is shown without the models' views."""

    @extend_schema(responses={200: WithheldJson})
    def get(self, request: Request, slug: str) -> Response:
        """Show the share in percent."""
        return Response(WithheldJson(percent=member(request, slug, Role.ADMIN).project.withheld_percent))

    @extend_schema(request=WithheldShape, responses={200: WithheldJson})
    def put(self, request: Request, slug: str) -> Response:
        """Set the share, from 0 to 90. It holds for what is handed out from now on."""
        mine = member(request, slug, Role.ADMIN)
        shape = valid(WithheldShape(data=request.data))
        try:
            set_withheld_share(mine, shape.validated_data["percent"])
        except ValueError as fault:
            raise serializers.ValidationError({"percent": str(fault)}) from None
        return Response(WithheldJson(percent=shape.validated_data["percent"]))


class OpenProject(APIView):
    """Whether a project hands items out."""

    @extend_schema(request=OpenShape, responses={200: ProjectOpen})
    def put(self, request: Request, slug: str) -> Response:
        """Open the project for labelling, or close it. Answers that are under way are still stored."""
        mine = member(request, slug, Role.ADMIN)
        shape = valid(OpenShape(data=request.data))
        open_items.set_project_open(mine.project, mine, is_open=shape.validated_data["open"])
        return Response(ProjectOpen(open=shape.validated_data["open"]))
