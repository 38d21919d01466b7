"""The site's addresses, and a bare view with the same number of queries as the annotator's page.

The bare view shows a form with its token only, as a whole page or as a part of one. `BARE_GET` and `BARE_POST` say how
many rows it reads, updates and inserts: "5,2,1".
"""

import os

from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.template import engines
from django.urls import include, path

from annotation.models import Category, Event, Membership
from config import urls

handler400, handler403, handler404, handler500 = urls.handler400, urls.handler403, urls.handler404, urls.handler500

FORM = '<form method="post">{% csrf_token %}</form>'
PART = engines["django"].from_string(FORM)
PAGE = engines["django"].from_string(f'{{% extends "base.html" %}}{{% block content %}}{FORM}{{% endblock %}}')


def bare(request: HttpRequest) -> HttpResponse:
    """Read, update and insert single rows by their keys in one transaction, then show an empty form."""
    reads, updates, inserts = map(int, os.environ.get(f"BARE_{request.method}", "0,0,0").split(","))
    mine, project = int(request.GET["member"]), int(request.GET["project"])
    category = int(request.GET["category"])
    with transaction.atomic():
        for _ in range(reads):
            Category.objects.get(pk=category)
        for _ in range(updates):
            Membership.objects.filter(pk=mine).update(idle_until=None)
        for _ in range(inserts):
            Event.objects.create(project_id=project, actor_id=mine, verb="bench")
    return HttpResponse((PART if request.method == "POST" else PAGE).render({}, request))


urlpatterns = [path("bare/", bare), path("", include(urls))]
