"""A person's tokens for the API: created and ended here, shown once, stored as hashes."""

from allauth.account.decorators import reauthentication_required
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST
from knox.models import AuthToken

from annotation.members.accounts.api_tokens import make_token
from annotation.pages.access import PersonRequest


@never_cache
@reauthentication_required(allow_get=True)  # type: ignore[untyped-decorator]  # the library has no types
@require_http_methods(["GET", "POST"])
def tokens(request: PersonRequest) -> HttpResponse:
    """List the person's tokens; POST creates one, which is shown in this response only.

    Creating one requires the password, so that an open session is not enough to get a token for ninety days.
    """
    active = AuthToken.objects.filter(user=request.user, expiry__gt=timezone.now())
    own_tokens = active.select_related("use").order_by("created")
    token = ""
    if request.method == "POST" and not (token := make_token(request.user) or ""):
        messages.error(request, _("You have as many tokens as one person may have; end one first."))
    return render(request, "annotation/tokens.html", {"tokens": own_tokens.all(), "made": token})


@require_POST
def token_end(request: PersonRequest, key: str) -> HttpResponse:
    """End the token that begins with `key`."""
    if AuthToken.objects.filter(user=request.user, token_key=key).delete()[0]:
        messages.success(request, _("The token has ended."))
    return redirect("annotation:tokens")
