"""Health checks for load balancers and container platforms; without login and without secrets."""

from datetime import timedelta

from django.contrib.auth.decorators import login_not_required
from django.db import DatabaseError, connection
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.templatetags.static import static
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from config import pending_migrations, queue_readers
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
    """Return 200 if the web process reaches a database that has what it needs, else 503: send people to another one."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
        missing = pending_migrations.missing()
    except DatabaseError:
        return JsonResponse({"database": "away"}, status=503)
    if missing:
        return JsonResponse({"database": "ok", "missing_migrations": missing}, status=503)
    return JsonResponse({"database": "ok"})


@login_not_required
@never_cache
@require_safe
def health(request: HttpRequest) -> JsonResponse:
    """Return 200 if web, database, worker and beat work and each queue has a worker, else 503 with what is missing."""
    try:
        worker = Pulse.is_fresh("worker", LATE)
        unread = queue_readers.note_unread_queues()
    except DatabaseError as fault:
        if pending_migrations.says_that_some_are_missing(fault):
            missing = pending_migrations.missing()
            return JsonResponse({"database": "ok", "worker": "unknown", "missing_migrations": missing}, status=503)
        return JsonResponse({"database": "away", "worker": "unknown"}, status=503)
    parts = {
        "database": "ok",
        "worker": "ok" if worker else "late",
        "queues": f"no worker takes from {', '.join(unread)}" if unread else "ok",
    }
    return JsonResponse(parts, status=200 if worker and not unread else 503)


@login_not_required
@require_safe
def icon(request: HttpRequest) -> HttpResponse:
    """Redirect to the site's icon, for pages that name none, such as the site administration."""
    return redirect(static("icon.svg"), permanent=False)
