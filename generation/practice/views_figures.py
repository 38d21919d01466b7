"""The page of figures: of the collection of replies, and of what became of those that were posted."""

from django.http import HttpResponse
from django.views.decorators.http import require_GET

from annotation.pages.access import PersonRequest
from annotation.pages.project_page import project_page
from generation.counterspeech.access import desk_member
from generation.practice import collection, postings


@require_GET
def figures(request: PersonRequest, slug: str) -> HttpResponse:
    """Show the figures by intent and register."""
    member = desk_member(request, slug)
    context = {
        "collection": collection.figures(member.project),
        "posted": postings.figures(member.project),
        "most": collection.MOST,
    }
    return project_page(request, member, "generation/figures.html", context)
