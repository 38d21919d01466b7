"""Versions of the guidelines over the API: written by admins, read by everybody whom they concern."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import PermissionDenied, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.api.access import cleaned, member, problem, valid
from annotation.api.answers_campaign import GuidelineJson, GuidelineVersionJson
from annotation.api.problems import Problem
from annotation.api.request_base import BoundedList, LineField, RequestShape
from annotation.core.found import found
from annotation.domain.choices import Role
from annotation.guidelines import versions
from annotation.guidelines.forms import EXAMPLE_LIMIT, EXAMPLES, GuidelineForm
from annotation.models import Guideline, Project
from annotation.projects.forms_settings import GUIDELINE_LIMIT
from vocabulary.answers import answer


class ExampleShape(RequestShape):
    """A worked example; `category` is a code."""

    text = serializers.CharField(max_length=EXAMPLE_LIMIT)
    category = serializers.IntegerField(min_value=0, max_value=32767)
    why = serializers.CharField(default="", allow_blank=True, max_length=EXAMPLE_LIMIT)


class NewGuidelineShape(RequestShape):
    """A new version. `begun_at` is the number of the version that the writer began with; 0: none."""

    text = serializers.CharField(max_length=GUIDELINE_LIMIT, trim_whitespace=False)
    begun_at = serializers.IntegerField(min_value=0, max_value=2**31 - 1)
    summary = LineField(default="", allow_blank=True, max_length=300)
    asks_reading = serializers.BooleanField(default=True)
    examples = BoundedList(child=ExampleShape(), default=list, max_length=EXAMPLES)


class Guidelines(APIView):
    """The versions of a project's guidelines."""

    @extend_schema(responses={200: list[GuidelineVersionJson]}, operation_id="projects_guidelines_list")
    def get(self, request: Request, slug: str) -> Response:
        """List the versions, newest first, with how many annotators were asked to read each and did."""
        mine = member(request, slug, Role.ADMIN, Role.REVIEWER)
        return Response([_version(version) for version in versions.guideline_versions(mine.project)])

    @extend_schema(request=NewGuidelineShape, responses={200: GuidelineJson, 201: GuidelineJson, 409: Problem})
    def post(self, request: Request, slug: str) -> Response:
        """Publish a version, as an admin. 200: nothing changed. 409: somebody stored another one since `begun_at`."""
        mine = member(request, slug, Role.ADMIN, Role.REVIEWER)
        if not mine.has(Role.ADMIN):
            raise PermissionDenied("Only admins of the project publish guidelines.", "not_an_admin")
        fields = valid(NewGuidelineShape(data=request.data)).validated_data
        examples = _examples(mine.project, fields.pop("examples"))
        try:
            guideline = versions.write_guidelines(mine, examples=examples, **cleaned(GuidelineForm(fields)))
        except versions.ChangedMeanwhile as meanwhile:
            sentence = f"Version {meanwhile.number} is in force by now: read it, and begin with it."
            return problem(409, "changed_meanwhile", sentence, field="begun_at")
        return Response(_json(guideline or _version_of(mine.project, None)), status=201 if guideline else 200)


class NewestGuideline(APIView):
    """The guidelines in force."""

    @extend_schema(responses={200: GuidelineJson})
    def get(self, request: Request, slug: str) -> Response:
        """Show the version in force, to every member."""
        return Response(_json(_version_of(member(request, slug).project, None)))


class OneGuideline(APIView):
    """One version of the guidelines."""

    @extend_schema(responses={200: GuidelineJson})
    def get(self, request: Request, slug: str, number: int) -> Response:
        """Show a version."""
        return Response(_json(_version_of(member(request, slug, Role.ADMIN, Role.REVIEWER).project, number)))


class GuidelineRead(APIView):
    """The word of an annotator that they read a version."""

    @extend_schema(request=None, responses={204: None})
    def post(self, request: Request, slug: str, number: int) -> Response:
        """Record that the caller has read this version; an older one than they read changes nothing."""
        mine = member(request, slug, Role.ANNOTATOR)
        _version_of(mine.project, number)
        versions.mark_guidelines_read(mine, number)
        return Response(status=204)


def _examples(project: Project, rows: list[dict[str, Any]]) -> list[versions.Example]:
    offered = {category.code: category for category in project.categories.offered()}
    if unknown := {row["category"] for row in rows} - offered.keys():
        raise ValidationError({"examples": f"This project offers no category {min(unknown)}."})
    return [versions.Example(row["text"], offered[row["category"]], row["why"]) for row in rows]


def _version_of(project: Project, number: int | None) -> Guideline:
    """Return the version of this number, the newest for None. Raises Http404."""
    rows = project.guidelines.order_by("-number")
    return found(rows.first() if number is None else rows.filter(number=number).first())


def _json(guideline: Guideline) -> GuidelineJson:
    return answer(GuidelineJson, guideline, examples=versions.examples_of(guideline))


def _version(reading: versions.VersionReading) -> GuidelineVersionJson:
    return answer(GuidelineVersionJson, reading.guideline, asked=reading.annotators_asked, read=reading.read)
