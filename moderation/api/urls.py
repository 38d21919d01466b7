"""Addresses of the API for runs, under /api/v1/."""

from django.urls import path

from moderation.api import runs

app_name = "runs-api"

urlpatterns = [
    path("projects/<slug:slug>/runs/", runs.Runs.as_view(), name="runs"),
    path("projects/<slug:slug>/runs/<uuid:public_id>/", runs.OneRun.as_view(), name="run"),
    path("projects/<slug:slug>/runs/<uuid:public_id>/cancel/", runs.Cancelled.as_view(), name="run-cancel"),
    path("projects/<slug:slug>/runs/<uuid:public_id>/judge/", runs.JudgedAgain.as_view(), name="run-judge"),
]
