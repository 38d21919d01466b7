"""A page of a project, as every view of one renders it."""

from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from annotation.models import Membership


def project_page(
    request: HttpRequest,
    member: Membership,
    template: str,
    context: Mapping[str, Any] | None = None,
    status: int = 200,
    **more: Any,
) -> HttpResponse:
    """Render a page of the member's project: beside `context` and `more`, it knows the `project` and `membership`."""
    own = {"project": member.project, "membership": member}
    return render(request, template, own | dict(context or {}) | more, status=status)
