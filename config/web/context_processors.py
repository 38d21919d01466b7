"""Values about the site for every template."""

import json
from typing import Any

from django.conf import settings
from django.http import HttpRequest

from config import pending_migrations
from config.web.security_keys import takes_keys


def site(request: HttpRequest) -> dict[str, Any]:
    """Return what each page may show of the site: demo mode and its logins, the operator's contact, what it takes."""
    on_login_page = request.resolver_match is not None and request.resolver_match.view_name == "account_login"
    missing = pending_migrations.known_missing()
    return {
        "missing_migrations": missing if missing and getattr(request.user, "is_staff", False) else [],
        "demo": settings.DEMO,
        "demo_logins": _demo_logins() if settings.DEMO and on_login_page else [],
        "site_contact": settings.OPERATOR_CONTACT,
        "sends_mail": bool(settings.EMAIL_HOST),
        "site_takes_keys": takes_keys(),
    }


def _demo_logins() -> list[dict[str, str]]:
    try:
        logins: list[dict[str, str]] = json.loads(settings.DEMO_LOGINS.read_text(encoding="utf-8"))
    except (FileNotFoundError, json.JSONDecodeError):
        return []
    return logins
