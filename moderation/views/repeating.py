"""Agreement among the repeats of a question, over the posts of a project."""

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from annotation.domain.words import Role
from annotation.views.scope import PersonRequest, member_of
from moderation import repeats
from moderation.forms import METHOD_NAMES


@require_GET
def index(request: PersonRequest, slug: str) -> HttpResponse:
    """Every question that was asked twice or more, and how alike the answers were."""
    member = member_of(request, slug, Role.REVIEWER, Role.ADMIN)
    context = {
        "project": member.project,
        "membership": member,
        "rows": repeats.in_project(member.project),
        "methods": METHOD_NAMES,
    }
    return render(request, "moderation/repeats.html", context)
