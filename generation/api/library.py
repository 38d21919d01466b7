"""The library of replies over the API. For reviewers and admins."""

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.api.access import member, problem, valid
from annotation.api.request_base import RequestShape
from annotation.domain.choices import Role
from generation.practice import library
from generation.practice.forms import LibraryForm
from generation.practice.library import LibraryEntry
from providers.messages import ProviderError
from vocabulary.refusals import Refused


class LibraryCheck(RequestShape):
    """The row that was checked, by its id."""

    entry = serializers.CharField(max_length=128)


class Library(APIView):
    """Approved and imported replies."""

    rate = "trigger"

    @extend_schema(
        operation_id="projects_counterspeech_library",
        parameters=[
            *(OpenApiParameter(name, str, description=said) for name, said in (
                ("text", "A post, a claim or a sentence of a reply: the nearest by meaning come first."),
                ("group", "A part of the target group's name."),
                ("theme", "A part of the theme."),
                ("language", "Two letters: en, ko, zh …"),
            )),
            OpenApiParameter("unused", bool, description="Only those that were not used in the last 30 days."),
        ],
        responses={200: list[LibraryEntry]},
    )  # fmt: skip
    def get(self, request: Request, slug: str) -> Response:
        """List up to 50 replies that fit: the nearest by meaning first, or without a text the newest."""
        mine, form = member(request, slug, Role.REVIEWER, Role.ADMIN), LibraryForm(request.query_params)
        if not form.is_valid():
            name, errors = next(iter(form.errors.items()))
            return problem(400, "bad_choice", f"{name}: {errors[0]}")
        try:
            return Response([library.as_json(entry) for entry in library.find(mine.project, form.wish)])
        except (ProviderError, Refused) as failed:
            return problem(400, "bad_choice", str(failed))

    @extend_schema(
        operation_id="projects_counterspeech_library_check", request=LibraryCheck, responses={200: list[LibraryEntry]}
    )
    def post(self, request: Request, slug: str) -> Response:
        """Write down that a reply was checked now, and return its row."""
        mine, shape = member(request, slug, Role.REVIEWER, Role.ADMIN), valid(LibraryCheck(data=request.data))
        row = library.row_of(mine.project, shape.validated_data["entry"])
        if row is None:
            return problem(400, "unknown_item", "There is no such reply in the library.")
        library.check(row, mine)
        return Response([library.as_json(library.entry_of(mine.project, row.external_id))])
