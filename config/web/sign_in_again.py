"""Where people come back to who sign in because their session had ended."""

from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode, urlsplit

from django.contrib.auth.middleware import LoginRequiredMiddleware
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponseRedirect
from django.shortcuts import resolve_url

from annotation.pages.access import page_before

AGAIN = {"signed_in": "again"}
"""The parameter of a page whose form was sent without a session: the page says so, and is filled in again."""


class SignInAgain(LoginRequiredMiddleware):
    """Asks strangers to sign in; what was no page (a form, a part of a page) leads back to the page it came from."""

    def handle_no_permission(self, request: HttpRequest, view_func: Callable[..., Any]) -> HttpResponseRedirect:
        is_form = request.method not in ("GET", "HEAD")
        if not is_form and "HX-Request" not in request.headers:
            return super().handle_no_permission(request, view_func)
        page = page_before(request)
        if is_form and urlencode(AGAIN) not in urlsplit(page).query:
            page += ("&" if urlsplit(page).query else "?") + urlencode(AGAIN)
        return redirect_to_login(page, resolve_url(self.get_login_url(view_func)))
