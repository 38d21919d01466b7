"""The person's own data on the site: to read, to download, to erase."""

from django.contrib import messages
from django.contrib.auth import logout
from django.http import HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_GET, require_POST

from annotation.members import erasure, personal_data
from annotation.members.forms import EraseMeForm
from annotation.members.views import refusal
from annotation.models import Membership
from annotation.pages.access import PersonRequest
from annotation.projects import consent_texts


@never_cache
@require_GET
def own_data(request: PersonRequest) -> HttpResponse:
    """Show the counts of stored data, the person's consents, and the form for erasure."""
    return _page(request, EraseMeForm(request.user))


@never_cache
@require_GET
def own_file(request: PersonRequest) -> HttpResponse:
    """Send everything that the site stores about the person as JSON."""
    answer = JsonResponse(personal_data.data_of(request.user), json_dumps_params={"ensure_ascii": False, "indent": 1})
    answer["Content-Disposition"] = 'attachment; filename="interplay-my-data.json"'
    return answer


@sensitive_post_parameters("proof")
@require_POST
def erase_me(request: PersonRequest) -> HttpResponse:
    """Empty the person's own account, if the password was typed again."""
    form = EraseMeForm(request.user, request.POST)
    if form.is_valid():
        try:
            erasure.erase(request.user)
        except erasure.CannotErase as cannot:
            form.add_error(None, refusal(cannot))
        else:
            logout(request)
            messages.success(request, _("Your account is erased. Thank you for your work."))
            return redirect("account_login")
    return _page(request, form)


def _page(request: PersonRequest, form: EraseMeForm) -> HttpResponse:
    members = list(Membership.objects.filter(user=request.user).select_related("project").order_by("project__name"))
    consents = personal_data.consents_of(members)
    rows = [
        {
            "member": member,
            "consents": [
                {**version, "leaving": consent_texts.sentence(version.get("on_withdrawal", ""))}
                for version in consents.get(member.pk, [])
            ],
        }
        for member in members
    ]
    context = {"form": form, "rows": rows, "counts": personal_data.counts_of(request.user)}
    return render(request, "annotation/own_data.html", context, status=422 if form.errors else 200)
