"""Addresses of the API for counterspeech, under /api/v1/."""

from django.urls import path

from generation.api import counterspeech

app_name = "generation-api"

urlpatterns = [
    path("projects/<slug:slug>/counterspeech/", counterspeech.Counterspeech.as_view(), name="counterspeech"),
    path("projects/<slug:slug>/counterspeech/replies/", counterspeech.ApprovedReplies.as_view(), name="replies"),
]
