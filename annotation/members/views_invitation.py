"""The page behind an invitation's link, for anybody who has it, signed in or not."""

from typing import Any

from allauth.account.adapter import get_adapter
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from annotation.core import extensions
from annotation.members import invitations, join
from annotation.members.forms import NewAccountForm
from annotation.models import Invitation, Membership, User
from annotation.pages.error_messages import sentence_for
from annotation.projects import consent_texts


@never_cache
@login_not_required
@sensitive_post_parameters("password", "again")
@require_http_methods(["GET", "POST"])
def invitation(request: HttpRequest, token: str) -> HttpResponse:
    """Show an invitation and accept it, with the signed-in account or a new one.

    A link that cannot be accepted always gives the same page, with status 404.
    """
    open_invitation = invitations.find(token)
    if open_invitation is None:
        return render(request, "annotation/invitation_closed.html", status=404)
    if isinstance(request.user, User):
        return _signed_in(request, request.user, token, open_invitation)
    return _new_here(request, token, open_invitation)


def _signed_in(request: HttpRequest, user: User, token: str, open_invitation: Invitation) -> HttpResponse:
    status = 200
    context: dict[str, Any] = _said(open_invitation)
    if request.method == "POST":
        match invitations.accept(token, user):
            case invitations.Accepted(member) | invitations.MemberAlready(member):
                return _begin(member)
            case invitations.AccessEnded():
                status, context["ended"] = 409, True
            case invitations.NotOpen():
                return render(request, "annotation/invitation_closed.html", status=404)
    return render(request, "annotation/invitation.html", context, status=status)


def _new_here(request: HttpRequest, token: str, open_invitation: Invitation) -> HttpResponse:
    form = NewAccountForm(request.POST or None)
    if form.is_valid():
        try:
            outcome = invitations.accept_anew(token, form.cleaned_data["username"], form.cleaned_data["password"])
        except join.BadMember as bad:
            form.add_error("username", sentence_for(bad.code, bad.sentence))
        else:
            if isinstance(outcome, invitations.NotOpen):
                return render(request, "annotation/invitation_closed.html", status=404)
            get_adapter().login(request, outcome.member.user)
            return _begin(outcome.member)
    context = {**_said(open_invitation), "form": form}
    return render(request, "annotation/invitation.html", context, status=422 if form.errors else 200)


def _said(invitation: Invitation) -> dict[str, Any]:
    return {
        "invitation": invitation,
        "invited_to": invitation.project,
        "who_can_tell": consent_texts.who_can_tell(),
    }


def _begin(member: Membership) -> HttpResponse:
    """Redirect a new member to their first page."""
    if member.annotates:
        return redirect("annotation:consent", member.project.slug)
    desk = next((place.url_name for place in extensions.navigation() if place.first), "annotation:items")
    return redirect(desk if member.reviews else "annotation:dashboard", member.project.slug)
