"""Where a person is signed in, and what was tried against their account."""

from datetime import timedelta
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from annotation.members.accounts.open_sessions import end_sessions, open_sessions
from annotation.models import User
from annotation.pages.access import PersonRequest

_TOLD_FOR = timedelta(days=30)


@never_cache
@require_GET
def sign_ins(request: PersonRequest) -> HttpResponse:
    """List the person's open sessions, the one of this request first."""
    here = request.session.session_key
    rows = sorted(open_sessions(request.user), key=lambda row: row.pk != here)
    context = {"sessions": rows, "here": here, "guesses": guesses_told(request.user)}
    return render(request, "annotation/sign_ins.html", context)


@require_POST
def end_one(request: PersonRequest, public_id: UUID) -> HttpResponse:
    """End one session of the person. Ending this one signs out, which its own button says."""
    for row in open_sessions(request.user).filter(public_id=public_id).exclude(pk=request.session.session_key):
        row.session.delete()
        messages.success(request, _("The session has ended."))
    return redirect("annotation:sign-ins")


@require_POST
def end_others(request: PersonRequest) -> HttpResponse:
    """End all sessions of the person but this one."""
    end_sessions(request.user, but=request.session.session_key or "")
    messages.success(request, _("All other sessions have ended."))
    return redirect("annotation:sign-ins")


def guesses_told(user: User) -> list[str]:
    """Return a sentence for each kind of guesses that the account's owner was told of in the last month."""
    lately = timezone.now() - _TOLD_FOR
    told = {
        _("On %(day)s somebody tried many wrong passwords for your account; further tries were slowed down."): (
            user.passwords_guessed_at
        ),
        _("On %(day)s many wrong codes were tried after your password. If it was not you, choose a new password."): (
            user.codes_guessed_at
        ),
    }
    return [sentence % {"day": f"{at:%Y-%m-%d}"} for sentence, at in told.items() if at and at > lately]
