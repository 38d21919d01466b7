"""The glossary's entries about the post on the annotator's page."""

from uuid import UUID

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_POST

from annotation.assignment.prior_display import first_answer_is_due
from annotation.glossary import entries
from annotation.labelling.views_post import annotator, own_seat
from annotation.labelling.workspace import Workspace, show_workspace, typed_again
from annotation.pages.access import PersonRequest


@require_POST
def glossary_of_post(request: PersonRequest, slug: str, seat: UUID) -> HttpResponse:
    """Show an annotator what the glossary says about their post, where the project allows it."""
    member = annotator(request, slug)
    seat_held = own_seat(member, public_id=seat)
    if not member.project.glossary_for_annotators or first_answer_is_due(member.project, seat_held):
        raise Http404
    bench = Workspace(member, seat_held, revealed="shown" in request.POST, correcting=seat_held.label)
    bench.found = entries.open_beside(seat_held)
    if request.headers.get("HX-Request") == "true":
        answer = render(request, "annotation/_workspace_glossary.html", {"bench": bench})
        answer["Cache-Control"] = "no-store"
        return answer
    # Without scripts the page comes again, with what was typed so far.
    return show_workspace(request, bench, typed_again(request, bench))
