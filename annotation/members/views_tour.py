"""The view that takes a person through the tour of a role."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from annotation.domain.choices import Role
from annotation.pages import tours
from annotation.pages.access import PersonRequest, member_of, page_before


@require_POST
def tour(request: PersonRequest, slug: str) -> HttpResponse:
    """Go to the next step of the tour, leave it, or begin it again (`do`); answer with the note that is due then."""
    member = member_of(request, slug)
    if request.POST.get("do") == "again":
        tours.begin_again(member, request.user)
        messages.success(request, _("The tour begins again."))
        return redirect("annotation:project", slug)
    if (step := _step(request)) is not None:
        role, steps_seen = step
        tours.pass_step(request.user, role, steps_seen if request.POST.get("do") == "next" else len(tours.STEPS[role]))
    if request.headers.get("HX-Request") == "true":
        return render(request, "_tour.html", tours.shown_tour(member, request.user, page_before(request)))
    return redirect(page_before(request))


def _step(request: PersonRequest) -> tuple[Role, int] | None:
    """Return the role of the tour and the number of the step that was shown; None if the form names none."""
    try:
        return Role(request.POST.get("role", "")), int(request.POST.get("step", ""))
    except ValueError:
        return None
