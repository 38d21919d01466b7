"""Addresses of the API for runs, under /api/v1/."""

from django.urls import path

from annotation.pages.view_marks import takes_long_texts
from moderation.api import desk, evidence, runs, scores, set_aside

app_name = "runs-api"

urlpatterns = [
    path("projects/<slug:slug>/runs/", takes_long_texts(runs.Runs.as_view()), name="runs"),
    path("projects/<slug:slug>/runs/<uuid:public_id>/", runs.OneRun.as_view(), name="run"),
    path("projects/<slug:slug>/runs/<uuid:public_id>/cancel/", runs.Cancelled.as_view(), name="run-cancel"),
    path("projects/<slug:slug>/runs/<uuid:public_id>/retry/", runs.Retried.as_view(), name="run-retry"),
    path("projects/<slug:slug>/runs/<uuid:public_id>/judge/", runs.JudgedAgain.as_view(), name="run-judge"),
    path(
        "projects/<slug:slug>/runs/<uuid:public_id>/judge-evidence/",
        evidence.EvidenceJudged.as_view(),
        name="run-judge-evidence",
    ),
    path("projects/<slug:slug>/items/<uuid:public_id>/evidence/", evidence.ItemEvidence.as_view(), name="evidence"),
    path(
        "projects/<slug:slug>/texts/<uuid:public_id>/evidence/",
        takes_long_texts(evidence.TextEvidence.as_view()),
        name="text-evidence",
    ),
    path("projects/<slug:slug>/evidence/<uuid:public_id>/strike/", evidence.Struck.as_view(), name="evidence-strike"),
    path(
        "projects/<slug:slug>/evidence/<uuid:public_id>/restore/", evidence.Restored.as_view(), name="evidence-restore"
    ),
    path("projects/<slug:slug>/disputes/", desk.Disputes.as_view(), name="disputes"),
    path("projects/<slug:slug>/disputes/next/", desk.NextDispute.as_view(), name="dispute-next"),
    path("projects/<slug:slug>/disputes/<uuid:public_id>/", desk.OneDispute.as_view(), name="dispute"),
    path(
        "projects/<slug:slug>/disputes/<uuid:public_id>/decision/",
        takes_long_texts(desk.Decisions.as_view()),
        name="dispute-decide",
    ),
    path(
        "projects/<slug:slug>/disputes/<uuid:public_id>/set-aside/",
        set_aside.DisputeSetAside.as_view(),
        name="dispute-set-aside",
    ),
    path("projects/<slug:slug>/disputes/<uuid:public_id>/category/", desk.Replacements.as_view(), name="dispute-fill"),
    path("projects/<slug:slug>/decisions/", desk.AllDecisions.as_view(), name="decisions"),
    path("projects/<slug:slug>/appeals/", desk.Appeals.as_view(), name="appeals"),
    path("projects/<slug:slug>/items/<uuid:public_id>/appeal/", desk.NewAppeal.as_view(), name="appeal"),
    path(
        "projects/<slug:slug>/items/<uuid:public_id>/statement/",
        takes_long_texts(desk.Statements.as_view()),
        name="statement",
    ),
    path(
        "projects/<slug:slug>/items/<uuid:public_id>/scores/",
        takes_long_texts(scores.ItemScores.as_view()),
        name="item-scores",
    ),
    path("projects/<slug:slug>/group-lists/", takes_long_texts(scores.GroupLists.as_view()), name="group-lists"),
    path("projects/<slug:slug>/group-lists/<slug:name>/", scores.OneGroupList.as_view(), name="group-list"),
    path("projects/<slug:slug>/scores/<uuid:public_id>/", scores.OneScore.as_view(), name="score"),
]
