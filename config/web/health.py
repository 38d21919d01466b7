"""Health checks for load balancers and container platforms; without login and without secrets."""

from datetime import timedelta

from django.contrib.auth.decorators import login_not_required
from django.db import DatabaseError, connection
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.templatetags.static import static
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from config.models import Pulse

LATE = timedelta(seconds=90)
"""Celery beat asks the worker every 30 s; after three missing answers, worker or beat counts as stopped."""


@login_not_required
@never_cache
@require_safe
def live(request: HttpRequest) -> JsonResponse:
    """Return 200: this process answers, with or without its database.

    A platform that gets no answer should start it again.
    """
    return JsonResponse({"web": "ok"})


@login_not_required
@never_cache
@require_safe
def ready(request: HttpRequest) -> JsonResponse:
    """Return 200 if the web process reaches its database, else 503: then send people to another one."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError:
        return JsonResponse({"database": "away"}, status=503)
    return JsonResponse({"database": "ok"})


@login_not_required
@never_cache
@require_safe
def health(request: HttpRequest) -> JsonResponse:
    """Return 200 if web, database, worker and beat work, else 503 with the missing part."""
    try:
        worker = Pulse.is_fresh("worker", LATE)
    except DatabaseError:
        return JsonResponse({"database": "away", "worker": "unknown"}, status=503)
    return JsonResponse({"database": "ok", "worker": "ok" if worker else "late"}, status=200 if worker else 503)


@login_not_required
@require_safe
def icon(request: HttpRequest) -> HttpResponse:
    """Redirect to the site's icon, for pages that name none, such as the site administration."""
    return redirect(static("icon.svg"), permanent=False)
