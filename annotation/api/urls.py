"""Addresses of the API, under /api/v1/."""

from collections.abc import Callable

from django.urls import URLPattern, path
from drf_spectacular.views import SpectacularJSONAPIView
from rest_framework.views import APIView

from annotation.api import (
    batches,
    design,
    guidelines,
    imports,
    joining,
    labelling,
    people,
    projects,
    releases,
    reports,
    settings,
    statistics,
    training,
    webhooks,
)
from annotation.api.docs import ApiPage
from annotation.pages.view_marks import View, takes_long_texts

app_name = "api"


def _in_project(
    address: str, view: type[APIView], name: str, mark: Callable[[View], View] = lambda view: view
) -> URLPattern:
    """Return the route of an address below that of a project."""
    return path(f"projects/<slug:slug>/{address}", mark(view.as_view()), name=name)


urlpatterns = [
    path("schema/", SpectacularJSONAPIView.as_view(), name="schema"),
    path("", ApiPage.as_view(url_name="api:schema"), name="docs"),
    path("projects/", takes_long_texts(projects.Projects.as_view()), name="projects"),
    _in_project("", projects.OneProject, "project"),
    _in_project("settings/", settings.ProjectSettings, "settings", takes_long_texts),
    _in_project("open/", settings.OpenProject, "open"),
    _in_project("design/", design.ProjectDesign, "design", takes_long_texts),
    _in_project("items/", projects.Items, "items"),
    _in_project("items/<uuid:public_id>/", projects.OneItem, "item"),
    _in_project("items/<uuid:public_id>/priors/", projects.Priors, "item-priors"),
    _in_project("next/", labelling.Next, "next"),
    _in_project("seats/<uuid:seat>/label/", labelling.SeatLabel, "seat-label", takes_long_texts),
    _in_project("seats/<uuid:seat>/first-answer/", labelling.SeatFirstAnswer, "seat-first-answer", takes_long_texts),
    _in_project("seats/<uuid:seat>/skip/", labelling.SeatSkip, "seat-skip"),
    _in_project("seats/<uuid:seat>/later/", labelling.SeatLater, "seat-later"),
    _in_project("later/", labelling.Later, "later"),
    _in_project("seats/<uuid:seat>/report/", labelling.SeatReport, "seat-report"),
    _in_project("seats/<uuid:seat>/blurred/", labelling.SeatBlurred, "seat-blurred"),
    _in_project("seats/<uuid:seat>/picture/", labelling.SeatPicture, "seat-picture"),
    _in_project("labels/", labelling.OwnLabels, "labels"),
    _in_project("reports/", reports.Reports, "reports"),
    _in_project("reports/<uuid:public_id>/answer/", reports.ReportAnswered, "report-answer"),
    _in_project("labels/<uuid:label>/", labelling.OwnLabel, "label", takes_long_texts),
    _in_project("import/", imports.NewItems, "import", takes_long_texts),
    _in_project("priors/", imports.ProjectPriors, "priors"),
    _in_project("releases/", releases.Releases, "releases", takes_long_texts),
    _in_project("releases/<int:number>/", releases.OneRelease, "release"),
    _in_project("releases/<int:number>/files/<path:path>", releases.ReleasedFile, "release-file"),
    _in_project("split-lists/", releases.SplitLists, "split-lists", takes_long_texts),
    _in_project("split-lists/<uuid:public_id>/", releases.OneSplitList, "split-list"),
    _in_project("batches/", batches.Batches, "batches"),
    _in_project("batches/<uuid:public_id>/", batches.OneBatch, "batch", takes_long_texts),
    _in_project("batches/<uuid:public_id>/act/", batches.BatchAct, "batch-act"),
    _in_project("quotas/", batches.Quotas, "quotas", takes_long_texts),
    _in_project("members/", people.Members, "members"),
    _in_project("members/<uuid:public_id>/", people.OneMember, "member"),
    _in_project("members/<uuid:public_id>/end/", people.MemberEnd, "member-end"),
    _in_project("members/<uuid:public_id>/again/", people.MemberAgain, "member-again"),
    _in_project("invitations/", joining.Invitations, "invitations"),
    _in_project("invitations/<uuid:public_id>/end/", joining.InvitationEnd, "invitation-end"),
    _in_project("webhooks/", webhooks.Webhooks, "webhooks"),
    _in_project("webhooks/<uuid:public_id>/", webhooks.OneWebhook, "webhook"),
    _in_project("webhooks/<uuid:public_id>/secret/", webhooks.WebhookSecret, "webhook-secret"),
    _in_project("webhooks/<uuid:public_id>/test/", webhooks.WebhookTest, "webhook-test"),
    path("invitations/accept/", joining.AcceptInvitation.as_view(), name="invitation-accept"),
    _in_project("consent/", joining.Consent, "consent"),
    _in_project("guidelines/", guidelines.Guidelines, "guidelines", takes_long_texts),
    _in_project("guidelines/newest/", guidelines.NewestGuideline, "guideline-newest"),
    _in_project("guidelines/<int:number>/", guidelines.OneGuideline, "guideline"),
    _in_project("guidelines/<int:number>/read/", guidelines.GuidelineRead, "guideline-read"),
    _in_project("training/", training.Training, "training"),
    _in_project("training/posts/", training.KnownPosts, "training-posts", takes_long_texts),
    _in_project("training/people/", training.TrainedPeople, "training-people"),
    _in_project("training/people/<uuid:public_id>/", training.TrainedPerson, "training-person"),
    _in_project("items/<uuid:public_id>/known/", training.KnownPost, "item-known"),
    _in_project("agreement/", statistics.Agreement, "agreement"),
    _in_project("influence/", statistics.Influence, "influence"),
    _in_project("labels/given/", people.GivenLabels, "labels-given"),
    _in_project("hours/", people.Hours, "hours"),
    _in_project("quality/", statistics.Quality, "quality"),
    _in_project("competence/", statistics.Competence, "competence"),
    _in_project("care/", settings.Care, "care", takes_long_texts),
    _in_project("withheld/", settings.Withheld, "withheld"),
]
