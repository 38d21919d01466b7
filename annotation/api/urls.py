"""Addresses of the API, under /api/v1/."""

from django.urls import path
from drf_spectacular.views import SpectacularJSONAPIView

from annotation.api import batches, design, imports, labelling, projects, releases, statistics
from annotation.api.docs import ApiPage

app_name = "api"

urlpatterns = [
    path("schema/", SpectacularJSONAPIView.as_view(), name="schema"),
    path("", ApiPage.as_view(url_name="api:schema"), name="docs"),
    path("projects/", projects.Projects.as_view(), name="projects"),
    path("projects/<slug:slug>/", projects.OneProject.as_view(), name="project"),
    path("projects/<slug:slug>/design/", design.ProjectDesign.as_view(), name="design"),
    path("projects/<slug:slug>/items/", projects.Items.as_view(), name="items"),
    path("projects/<slug:slug>/items/<uuid:public_id>/", projects.OneItem.as_view(), name="item"),
    path("projects/<slug:slug>/items/<uuid:public_id>/priors/", projects.Priors.as_view(), name="item-priors"),
    path("projects/<slug:slug>/next/", labelling.Next.as_view(), name="next"),
    path("projects/<slug:slug>/seats/<uuid:seat>/label/", labelling.SeatLabel.as_view(), name="seat-label"),
    path(
        "projects/<slug:slug>/seats/<uuid:seat>/first-answer/",
        labelling.SeatFirstAnswer.as_view(),
        name="seat-first-answer",
    ),
    path("projects/<slug:slug>/seats/<uuid:seat>/skip/", labelling.SeatSkip.as_view(), name="seat-skip"),
    path("projects/<slug:slug>/seats/<uuid:seat>/report/", labelling.SeatReport.as_view(), name="seat-report"),
    path("projects/<slug:slug>/seats/<uuid:seat>/blurred/", labelling.SeatBlurred.as_view(), name="seat-blurred"),
    path("projects/<slug:slug>/seats/<uuid:seat>/picture/", labelling.SeatPicture.as_view(), name="seat-picture"),
    path("projects/<slug:slug>/labels/", labelling.OwnLabels.as_view(), name="labels"),
    path("projects/<slug:slug>/labels/<uuid:label>/", labelling.OwnLabel.as_view(), name="label"),
    path("projects/<slug:slug>/import/", imports.NewItems.as_view(), name="import"),
    path("projects/<slug:slug>/priors/", imports.ProjectPriors.as_view(), name="priors"),
    path("projects/<slug:slug>/releases/", releases.Releases.as_view(), name="releases"),
    path("projects/<slug:slug>/releases/<int:number>/", releases.OneRelease.as_view(), name="release"),
    path(
        "projects/<slug:slug>/releases/<int:number>/files/<path:path>",
        releases.ReleasedFile.as_view(),
        name="release-file",
    ),
    path("projects/<slug:slug>/split-lists/", releases.SplitLists.as_view(), name="split-lists"),
    path("projects/<slug:slug>/split-lists/<uuid:public_id>/", releases.OneSplitList.as_view(), name="split-list"),
    path("projects/<slug:slug>/batches/", batches.Batches.as_view(), name="batches"),
    path("projects/<slug:slug>/agreement/", statistics.Agreement.as_view(), name="agreement"),
    path("projects/<slug:slug>/influence/", statistics.Influence.as_view(), name="influence"),
]
