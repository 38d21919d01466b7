"""The page about agreement among the repeats of a question, over the posts of a project."""

from django.http import HttpResponse
from django.views.decorators.http import require_GET

from annotation.domain.choices import Role
from annotation.pages.access import PersonRequest, member_of
from annotation.pages.project_page import project_page
from moderation.debates import repeat_agreement
from moderation.debates.forms import METHOD_NAMES


@require_GET
def repeats(request: PersonRequest, slug: str) -> HttpResponse:
    """Show every question that was asked at least twice, and how well its answers agree."""
    member = member_of(request, slug, Role.REVIEWER, Role.ADMIN)
    context = {
        "rows": repeat_agreement.repeats_in_project(member.project),
        "methods": METHOD_NAMES,
    }
    return project_page(request, member, "moderation/repeats.html", context)
