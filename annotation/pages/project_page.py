"""A page of a project, as every view of one renders it."""

from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from annotation.models import Membership


def project_page(
    request: HttpRequest, member: Membership, template: str, context: Mapping[str, Any] | None = None, status: int = 200
) -> HttpResponse:
    """Render a page of the member's project: beside the context, it knows the `project` and the `membership`."""
    own = {"project": member.project, "membership": member}
    return render(request, template, own | dict(context or {}), status=status)
