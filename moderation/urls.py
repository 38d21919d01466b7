"""Addresses of the pages about runs: debates on items, for reviewers and admins."""

from django.urls import path

from moderation.views import debates, starting

app_name = "moderation"

urlpatterns = [
    path("p/<slug:slug>/debates/", debates.runs, name="runs"),
    path("p/<slug:slug>/debates/start/", starting.start, name="start"),
    path("p/<slug:slug>/debates/compare/", debates.compare, name="compare"),
    path("p/<slug:slug>/debates/<uuid:public_id>/", debates.run, name="run"),
    path("p/<slug:slug>/debates/<uuid:public_id>/progress/", debates.progress, name="run-progress"),
    path("p/<slug:slug>/debates/<uuid:public_id>/cancel/", starting.cancel, name="run-cancel"),
    path("p/<slug:slug>/debates/<uuid:public_id>/judge/", starting.judge, name="run-judge"),
    path("p/<slug:slug>/items/<uuid:public_id>/debates/", debates.item_runs, name="item-runs"),
    path("p/<slug:slug>/items/<uuid:public_id>/debates/start/", starting.start_on_item, name="item-start"),
]
