"""Items and priors that a program sends or asks for."""

import json
from collections.abc import Mapping
from dataclasses import replace
from io import BytesIO
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.api.access import member, problem
from annotation.api.answers import PriorProgressJson
from annotation.api.problems import Problem, RowsRefused
from annotation.api.request_base import BoundedDict, BoundedList
from annotation.api.request_shapes import AskingShape
from annotation.domain.choices import Role
from annotation.domain.formats.base import Format, RowError
from annotation.imports.options import ImportOptions
from annotation.imports.report_types import ImportCounts
from annotation.imports.run import import_file
from annotation.pages.view_marks import worked
from annotation.priors import requests
from vocabulary.answers import answer

MOST_ROWS = 1_000
_REFUSED = dict.fromkeys((400, 409, 422), RowsRefused | Problem)


class IncomingShape(AskingShape[ImportOptions]):
    """Rows in the keys of Interplay JSONL, at most 1,000; larger sets come as files on the page or by command.

    With `update` they are for items that are here: `fill` fills gaps, `labels` adds labels of more people.
    """

    asks = ImportOptions
    only = ("update", "source_labels", "mask", "ignore", "keep", "twice")
    before = ("rows",)

    rows = BoundedList(child=BoundedDict(), min_length=1, max_length=MOST_ROWS)
    only_new = serializers.BooleanField(default=False, help_text="Pass over rows whose id is there already.")
    dry_run = serializers.BooleanField(default=False)

    def answers(self, attrs: Mapping[str, Any]) -> dict[str, Any]:
        """Return the valid values by the names of their places."""
        return super().answers(attrs) | {"format": Format.INTERPLAY, "skip_existing": attrs["only_new"]}


class NewItems(APIView):
    """Items on their way into a project, for its admins."""

    rate = "import"

    @extend_schema(request=IncomingShape, responses={200: ImportCounts, 201: ImportCounts, **_REFUSED})
    def post(self, request: Request, slug: str) -> Response:
        """Store all rows or none. The answer names every bad row; lines count from the first row."""
        mine = member(request, slug, Role.ADMIN)
        shape = IncomingShape(data=request.data)
        shape.is_valid(raise_exception=True)
        fields = shape.validated_data
        lines = "".join(f"{json.dumps(row)}\n" for row in fields["rows"])
        report = import_file(
            mine.project,
            BytesIO(lines.encode()),
            shape.request(),
            dry_run=fields["dry_run"],
            fetches=False,
            actor=mine,
        )
        report.errors = [_in_keys(error) for error in report.errors]
        if report.errors:
            first = report.errors[0]
            return worked(problem(report.status, first.code, first.reason, **report.answer()))
        return Response(report.answer(), status=201 if report.stored else 200)


def _in_keys(error: RowError) -> RowError:
    """Return the error with what a body can say against it; the import speaks of columns of a file and their names."""
    if error.code == "category_columns":
        reason = "Keys hold 0 and 1, as columns of one category each. Write them as `labels`, `gold` or `intended`, or "
        return replace(error, reason=f"{reason}name them in `keep` or `ignore`.")
    if error.code != "unused_labels":
        return error
    reason = (
        f"The key {error.field[:80]!r} looks like labels and would not be read so. Write it as `labels`, `gold` or "
        f"`intended`, or name it in `keep` or `ignore`."
    )
    return replace(error, reason=reason)


class ProjectPriors(APIView):
    """The unimodal priors of a project, for its admins."""

    rate = "trigger"

    @extend_schema(responses={200: PriorProgressJson})
    def get(self, request: Request, slug: str) -> Response:
        """Return how many priors are there, refused, unreadable, failed and missing."""
        mine = member(request, slug, Role.ADMIN)
        return Response(answer(PriorProgressJson, requests.read_prior_progress(mine.project)))

    @extend_schema(request=None, responses={202: requests.RequestedPriors})
    def post(self, request: Request, slug: str) -> Response:
        """Ask for every prior that is missing."""
        mine = member(request, slug, Role.ADMIN)
        requested = requests.request_missing(mine.project, mine)
        return Response(requested, status=202)
