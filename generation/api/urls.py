"""URLs of the API of counterspeech and sample injection, under /api/v1/."""

from django.urls import path

from annotation.pages.view_marks import takes_long_texts
from generation.api import counterspeech, injection

app_name = "generation-api"

_MADE = "projects/<slug:slug>/injection/"

urlpatterns = [
    path(
        "projects/<slug:slug>/counterspeech/",
        takes_long_texts(counterspeech.Counterspeech.as_view()),
        name="counterspeech",
    ),
    path("projects/<slug:slug>/counterspeech/replies/", counterspeech.ApprovedReplies.as_view(), name="replies"),
    path(_MADE, takes_long_texts(injection.Injection.as_view()), name="injection"),
    path(f"{_MADE}switch/", injection.Switch.as_view(), name="injection-switch"),
    path(f"{_MADE}batches/<uuid:public_id>/", injection.Batch.as_view(), name="injection-batch"),
    path(f"{_MADE}samples/", injection.Samples.as_view(), name="samples"),
    path(f"{_MADE}samples/<uuid:public_id>/", injection.OneSample.as_view(), name="sample"),
    path(f"{_MADE}report/", injection.Report.as_view(), name="injection-report"),
]
