"""Releases over the API: made, listed, and their files, each verified before it is handed out."""

from collections import Counter
from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.http import FileResponse, Http404
from django.http.response import HttpResponseBase
from django.utils.http import content_disposition_header
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.api.access import member, problem, valid
from annotation.api.answers import SplitListJson, WholeSplitList
from annotation.api.problems import Problem
from annotation.api.request_base import BoundedDict, LineField, RequestShape
from annotation.api.request_shapes import AskingShape
from annotation.api.serializers import ReleaseShape
from annotation.core.found import found
from annotation.domain.choices import Role
from annotation.domain.releases.splits import Part
from annotation.models import Release, SplitList
from annotation.releases.build import CannotRelease, release
from annotation.releases.files import Changed, open_verified
from annotation.releases.folders import release_folder
from annotation.releases.request import Selection
from annotation.releases.split import BadSplitList, checked_parts, find_list, keep_parts
from vocabulary.answers import answer


class SelectionShape(AskingShape[Selection]):
    """Which gold items a release holds, and in which files. No levels, sources or licences mean all of them."""

    asks = Selection

    split_list = serializers.UUIDField(
        default=None, allow_null=True, help_text="The id of a fixed list. It needs `splits`."
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Return the fields. A list has to be the project's."""
        attrs = super().validate(attrs)
        if attrs["split_list"] and find_list(self.context["project"], str(attrs["split_list"])) is None:
            raise serializers.ValidationError({"split_list": "The project has no split list with this id."})
        return attrs

    def answers(self, attrs: Mapping[str, Any]) -> dict[str, Any]:
        """Return the valid values by the names of their places."""
        return super().answers(attrs) | {"frozen": str(attrs["split_list"] or "")}


class Releases(APIView):
    """A project's releases, for its admins."""

    rate = "export"

    @extend_schema(responses=ReleaseShape(many=True))
    def get(self, request: Request, slug: str) -> Response:
        """List the releases, newest first."""
        mine = member(request, slug, Role.ADMIN)
        return Response(ReleaseShape(Release.objects.filter(project=mine.project), many=True).data)

    @extend_schema(request=SelectionShape, responses={201: ReleaseShape, 409: Problem})
    def post(self, request: Request, slug: str) -> Response:
        """Make the next release of the project's gold items."""
        mine = member(request, slug, Role.ADMIN)
        shape = valid(SelectionShape(data=request.data, context={"project": mine.project}))
        try:
            new_release = release(mine.project, mine, shape.request())
        except CannotRelease as fault:
            return problem(409, fault.code, fault.sentence)
        return Response(ReleaseShape(new_release).data, status=201)


class PartsShape(RequestShape):
    """A list of parts: id → train, dev or test. `validation` means dev."""

    name = LineField(max_length=120)
    parts = BoundedDict(child=serializers.CharField(max_length=20), allow_empty=False)

    def validate_parts(self, parts: dict[str, str]) -> dict[str, str]:
        """Return the parts under the names that releases use."""
        try:
            return checked_parts(parts)
        except BadSplitList as bad:
            raise serializers.ValidationError(bad.sentence) from None


class SplitLists(APIView):
    """Lists of parts that are fixed: releases that name one keep them."""

    rate = "import"

    @extend_schema(operation_id="projects_split_lists_list", responses={200: list[SplitListJson]})
    def get(self, request: Request, slug: str) -> Response:
        """List the fixed lists, newest first."""
        mine = member(request, slug, Role.ADMIN)
        return Response(
            [_list(split_list) for split_list in SplitList.objects.filter(project=mine.project).order_by("-pk")]
        )

    @extend_schema(request=PartsShape, responses={200: SplitListJson, 201: SplitListJson})
    def post(self, request: Request, slug: str) -> Response:
        """Store a fixed list. 200: a list with the same parts is there already, and is the answer."""
        mine = member(request, slug, Role.ADMIN)
        shape = valid(PartsShape(data=request.data))
        before = SplitList.objects.filter(project=mine.project).count()
        split_list = keep_parts(mine.project, mine, shape.validated_data["name"], shape.validated_data["parts"])
        new = SplitList.objects.filter(project=mine.project).count() > before
        return Response(_list(split_list), status=201 if new else 200)


class OneSplitList(APIView):
    """One fixed list."""

    @extend_schema(responses={200: WholeSplitList})
    def get(self, request: Request, slug: str, public_id: UUID) -> Response:
        """Show a fixed list with its parts."""
        mine = member(request, slug, Role.ADMIN)
        split_list = found(find_list(mine.project, str(public_id)))
        return Response(_list(split_list) | {"parts": split_list.parts})


def _list(split_list: SplitList) -> SplitListJson:
    sizes = Counter(split_list.parts.values())
    return answer(SplitListJson, split_list, items=len(split_list.parts), sizes={part: sizes[part] for part in Part})


class OneRelease(APIView):
    """One release with its manifest, for admins."""

    @extend_schema(responses=ReleaseShape)
    def get(self, request: Request, slug: str, number: int) -> Response:
        """Show a release with its manifest."""
        return Response(ReleaseShape(_release(request, slug, number)).data)


class ReleasedFile(APIView):
    """A file of a release, for admins."""

    @extend_schema(responses={(200, "application/octet-stream"): bytes, 409: Problem})
    def get(self, request: Request, slug: str, number: int, path: str) -> HttpResponseBase:
        """Return a file that the manifest names. 409: it is no longer the file that was released."""
        released = _release(request, slug, number)
        listed = {file["path"]: file for file in released.manifest.get("files", ())}
        if path not in listed:
            raise Http404
        try:
            content = open_verified(release_folder(released), listed[path])
        except Changed as fault:
            return problem(409, "release_changed", fault.sentence)
        download = FileResponse(content, content_type="application/octet-stream")
        name = f"{slug}-{number}-{path.rpartition('/')[2]}"
        download["Content-Disposition"] = content_disposition_header(True, name) or "attachment"
        return download


def _release(request: Request, slug: str, number: int) -> Release:
    mine = member(request, slug, Role.ADMIN)
    return found(Release.objects.filter(project=mine.project, number=number).first())
