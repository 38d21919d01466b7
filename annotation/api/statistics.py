"""Agreement, the influence of priors, and the quality of labels over the API, with their moment."""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.analytics import stored_figures
from annotation.analytics.agreement import agreement_json
from annotation.analytics.influence import influence_json
from annotation.analytics.quality import competence, quality_json
from annotation.analytics.stored_figures import Shown
from annotation.api.access import member, problem
from annotation.api.figures import AgreementJson, CompetenceJson, FiguresAwaited, InfluenceJson, QualityJson
from annotation.api.problems import Problem
from annotation.domain.choices import Role
from annotation.models import CompetenceEstimate, JobState, Membership, Project
from annotation.pages.access import figures_viewer

T = TypeVar("T")

LOOK_AGAIN_SECONDS = 10


class Agreement(APIView):
    """How far annotators agree, for admins and for reviewers who do not annotate."""

    @extend_schema(responses={200: AgreementJson, 202: FiguresAwaited})
    def get(self, request: Request, slug: str) -> Response:
        """Return agreement on all items, after each step and on gold items; `why` says why a figure is null.

        202: a worker computes the figures of this large project for the first time; ask again.
        """
        mine = _viewer(request, slug)
        return _answer(stored_figures.agreement(mine.project), agreement_json.as_json)


class Influence(APIView):
    """How far the priors sway answers, for admins and for reviewers who do not annotate."""

    @extend_schema(responses={200: InfluenceJson, 202: FiguresAwaited})
    def get(self, request: Request, slug: str) -> Response:
        """Return labels by arm, shares, differences and changes by group, as in the manifest of a release.

        202: a worker computes the figures of this large project for the first time; ask again.
        """
        mine = _viewer(request, slug)
        return _answer(stored_figures.influence(mine.project), influence_json.as_json)


class Quality(APIView):
    """The quality of the labels of each annotator, for admins."""

    @extend_schema(responses={200: QualityJson, 202: FiguresAwaited})
    def get(self, request: Request, slug: str) -> Response:
        """Return the figures of the page *Quality* by pseudonym, with what came in about each person.

        202: a worker computes the figures of this large project for the first time; ask again.
        """
        mine = member(request, slug, Role.ADMIN)
        described = Membership.objects.filter(project=mine.project).exclude(extra={})
        about = {person.pk: {name: str(value) for name, value in person.kept_columns} for person in described}
        return _answer(stored_figures.quality(mine.project), lambda report: quality_json.as_json(report, about))


class Competence(APIView):
    """What a model of competence says of the annotators, for admins."""

    @extend_schema(responses={200: CompetenceJson})
    def get(self, request: Request, slug: str) -> Response:
        """Return the newest finished estimate by pseudonym; `estimate` is null before the first."""
        return Response(_competence(member(request, slug, Role.ADMIN).project))

    @extend_schema(request=None, responses={202: CompetenceJson, 409: Problem})
    def post(self, request: Request, slug: str) -> Response:
        """Have a worker fit the model to the labels of now. 409: the model is not installed."""
        mine = member(request, slug, Role.ADMIN)
        try:
            competence.ask(mine)
        except competence.CannotEstimate as fault:
            return problem(409, fault.code, fault.sentence)
        return Response(_competence(mine.project), status=202)


def _competence(project: Project) -> CompetenceJson:
    rows = competence.latest(project)
    newest = next((row for row in rows if row.state == JobState.DONE), None)
    failed = next((row for row in rows if row.state == JobState.FAILED and (not newest or row.pk > newest.pk)), None)
    names = dict(Membership.objects.filter(project=project).values_list("public_id", "pseudonym"))
    shown: CompetenceJson = {
        "estimate": quality_json.estimate_json(newest, {str(key): name for key, name in names.items()})
        if newest
        else None,
        "as_of": newest.finished_at if newest else None,
        "being_computed": any(row.state in CompetenceEstimate.ACTIVE for row in rows),
    }
    if failed is not None:
        shown["why"] = failed.problem
    return shown


def _answer(shown: Shown[T], as_json: Callable[[T], Mapping[str, Any]]) -> Response:
    moment = {"as_of": shown.as_of and shown.as_of.isoformat(), "being_computed": shown.job is not None}
    if shown.value is None:
        return Response(moment, status=202, headers={"Retry-After": str(LOOK_AGAIN_SECONDS)})
    return Response({**as_json(shown.value), **moment})


def _viewer(request: Request, slug: str) -> Membership:
    """Whoever may see the dashboard: nobody who labels, but admins."""
    return figures_viewer(member(request, slug, Role.REVIEWER, Role.ADMIN))
