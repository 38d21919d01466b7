"""Reports of illegal content over the API: what waits, and its answers, for admins of the project and of the site."""

from uuid import UUID

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import PermissionDenied, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.api.access import cleaned, problem, valid
from annotation.api.answers import ReportedPostJson, ReportJson
from annotation.api.pages import refuse_unknown
from annotation.api.problems import Problem
from annotation.api.request_base import RequestShape
from annotation.consensus import reports
from annotation.consensus.reports import AnsweredMeanwhile, ProjectClosed, ReportedPost
from annotation.core.found import found, one
from annotation.core.second_factor import SecondFactorNeeded
from annotation.domain.reports import ReportAnswer
from annotation.models import Item, Membership, Project, Report
from annotation.review.forms import ReportAnswerForm
from annotation.review.report_access import answering_member
from vocabulary.answers import answer

_STATES = {"waiting": reports.waiting_posts, "answered": reports.answered_posts}
_STATE = OpenApiParameter("state", enum=list(_STATES), description="Those that wait, or those answered lately.")


class ReportAnswerShape(RequestShape):
    """The answer, why, and the `version` of the item that was seen."""

    version = serializers.IntegerField(min_value=1, max_value=2**31 - 1)
    answer = serializers.ChoiceField([answer.value for answer in ReportAnswer])
    reason = serializers.CharField(max_length=4000)


class Reports(APIView):
    """The reported posts of a project."""

    @extend_schema(responses={200: list[ReportedPostJson]}, parameters=[_STATE], operation_id="projects_reports_list")
    def get(self, request: Request, slug: str) -> Response:
        """List what waits for an answer, the oldest report first, or what was answered lately: at most 100 posts."""
        project, _member = _answering(request, slug)
        refuse_unknown(request, "state")
        state = request.query_params.get("state", "waiting")
        if state not in _STATES:
            raise ValidationError({"state": f"There is no state {state[:40]!r}; there are {', '.join(_STATES)}."})
        return Response([_json(post) for post in _STATES[state](Report.objects.filter(item__project=project))])


class ReportAnswered(APIView):
    """The answer to the reports of a post."""

    @extend_schema(request=ReportAnswerShape, responses={200: ReportedPostJson, 409: Problem})
    def post(self, request: Request, slug: str, public_id: UUID) -> Response:
        """Answer all reports of the item that wait. 409: somebody was first, or the project takes nothing back."""
        project, member = _answering(request, slug)
        shape = valid(ReportAnswerShape(data=request.data))
        values = cleaned(ReportAnswerForm(shape.validated_data))
        item = one(Item.objects, project, public_id)
        found(reports.reported_post(item))
        answer, reason = ReportAnswer(values["answer"]), values["reason"]
        try:
            return Response(_json(reports.answer_reports(item, member, values["version"], answer, reason)))
        except AnsweredMeanwhile:
            sentence = "Somebody answered or reported this item in the meantime. Read its reports again."
            return problem(409, "report_changed", sentence)
        except ProjectClosed:
            sentence = "This project is archived or about to be deleted: the item can be kept out, but not put back."
            return problem(409, "read_only", sentence)


def _answering(request: Request, slug: str) -> tuple[Project, Membership | None]:
    try:
        return answering_member(request.user, slug)
    except SecondFactorNeeded as needed:
        raise PermissionDenied(str(needed), needed.code) from None


def _json(post: ReportedPost) -> ReportedPostJson:
    item = post.item
    return answer(
        ReportedPostJson,
        post.first,
        item=item,
        external_id=item.external_id,
        version=item.version,
        stage=item.stage,
        reports=[answer(ReportJson, report, by=report.reporter, at=report.created_at) for report in post.reports],
    )
