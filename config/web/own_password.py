"""Whose password was shown to somebody else, by an admin's page or a command, chooses an own one first."""

from typing import Any
from urllib.parse import urlsplit

from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.deprecation import MiddlewareMixin
from django.utils.translation import gettext as _
from django_htmx.http import HttpResponseClientRedirect

from annotation.pages.access import page_before
from config.web.error_pages import failure, speaks_json

NEEDED = "password_change_needed"
_STAYS_OPEN = {
    "account_change_password",
    "account_set_password",
    "account_logout",
    "annotation:look",  # language and theme, also of the page that asks for the password
    "favicon",
    "healthz",
    "livez",
    "metrics",
    "readyz",
}


class OwnPassword(MiddlewareMixin):
    """Leads every page to that of the password until it is changed, and then back."""

    def process_view(self, request: HttpRequest, *_view: Any) -> HttpResponse | None:
        match = request.resolver_match
        if match is None or match.view_name in _STAYS_OPEN or not getattr(request.user, "must_change_password", False):
            return None
        if speaks_json(request):
            return failure(request, 403, NEEDED, needed_sentence())
        is_page = request.method in ("GET", "HEAD") and "HX-Request" not in request.headers
        page = request.get_full_path() if is_page else page_before(request)
        here = reverse("account_change_password")
        if urlsplit(page).path == here:
            return HttpResponse(status=204)  # a part of that page asks for something; what is typed there stays
        lead = redirect_to_login(page, here)
        return HttpResponseClientRedirect(lead.url) if "HX-Request" in request.headers else lead


def needed_sentence() -> str:
    """Return what a program is told."""
    return _("Sign in on the site and choose a password of your own first: yours was shown to somebody else.")
