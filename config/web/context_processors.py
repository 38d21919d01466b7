"""Values about the site for every template."""

import json
from typing import Any

from django.conf import settings
from django.http import HttpRequest


def site(request: HttpRequest) -> dict[str, Any]:
    """Return demo mode, its logins (on the login page only), the operator's contact, whether the site sends e-mail."""
    on_login_page = request.resolver_match is not None and request.resolver_match.view_name == "account_login"
    return {
        "demo": settings.DEMO,
        "demo_logins": _demo_logins() if settings.DEMO and on_login_page else [],
        "site_contact": settings.OPERATOR_CONTACT,
        "sends_mail": bool(settings.EMAIL_HOST),
    }


def _demo_logins() -> list[dict[str, str]]:
    try:
        logins: list[dict[str, str]] = json.loads(settings.DEMO_LOGINS.read_text(encoding="utf-8"))
    except (FileNotFoundError, json.JSONDecodeError):
        return []
    return logins
