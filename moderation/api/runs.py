"""Runs over the API: started, listed, looked at, cancelled, judged again. For reviewers and admins."""

from typing import Any
from uuid import UUID

from django.core.paginator import Paginator
from django.http import Http404
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.api.access import member, number, problem
from annotation.api.serializers import ProblemShape
from annotation.domain.choices import EventVerb, Role, Stage
from annotation.models import Item, Membership, record
from annotation.review.queue import may_see_intent, may_see_votes
from moderation.debates import presenters, start
from moderation.debates.run_json import run_as_json
from moderation.methods.debate_method import BadChoice
from moderation.methods.registry import METHODS
from runs.control import start as run_start
from runs.domain.states import RunState
from runs.models import Run

MOST_RUNS = 200


class WishShape(serializers.Serializer[Any]):
    """A method, on which items, and what is chosen about it. Without `items` and `stage`: all items."""

    method = serializers.ChoiceField(list(METHODS))
    items = serializers.ListField(
        child=serializers.CharField(max_length=128), default=None, allow_null=True, max_length=1000
    )
    stage = serializers.ChoiceField([str(stage) for stage in Stage], default=None, allow_null=True)
    options = serializers.DictField(default=dict)
    models = serializers.DictField(child=serializers.CharField(), default=dict, help_text="By role, provider:model.")
    repeats = serializers.IntegerField(default=1, min_value=1, max_value=start.MOST_REPEATS)
    limits = serializers.DictField(
        child=serializers.IntegerField(min_value=1),
        default=dict,
        help_text="What one run may use at most: calls, tokens, seconds; the method's own where nothing is said.",
    )
    again = serializers.BooleanField(default=False, help_text="Ask also what was answered before.")


class JudgeShape(serializers.Serializer[Any]):
    """Another model to judge a debate that is over."""

    judge = serializers.CharField(max_length=160)


class Runs(APIView):
    """The runs of a project."""

    rate = "trigger"

    @extend_schema(
        operation_id="projects_runs_list",
        parameters=[
            OpenApiParameter("state", str, enum=[str(state) for state in RunState]),
            OpenApiParameter("method", str, enum=list(METHODS)),
            OpenApiParameter("page", int),
            OpenApiParameter("limit", int, description=f"Runs a page, at most {MOST_RUNS}."),
        ],
        responses={200: dict, 400: ProblemShape},
    )
    def get(self, request: Request, slug: str) -> Response:
        """List runs, newest first, without their turns; verdicts only of items that the caller may know votes of."""
        mine = member(request, slug, Role.REVIEWER, Role.ADMIN)
        found = presenters.debate_runs(mine.project)
        for name, known in (("state", list(RunState)), ("method", list(METHODS))):
            if value := request.query_params.get(name, ""):
                if value not in known:
                    return problem(
                        400, "unknown_filter", f"There is no {name} {value[:40]!r}; there are {', '.join(known)}."
                    )
                found = found.filter(**{name: value})
        page = Paginator(found, number(self, request, "limit", 50, MOST_RUNS)).get_page(
            request.query_params.get("page")
        )
        shown = list(page.object_list)
        items = presenters.items_of_runs(shown)
        rows = [_row(run, items.get(run.subject), mine) for run in shown]
        return Response({"count": page.paginator.count, "page": page.number, "results": rows})

    @extend_schema(request=WishShape, responses={202: dict, 400: ProblemShape})
    def post(self, request: Request, slug: str) -> Response:
        """Queue a method; answers how many runs are new, and how many posts are left out because of their picture."""
        mine = member(request, slug, Role.REVIEWER, Role.ADMIN)
        shape = WishShape(data=request.data)
        shape.is_valid(raise_exception=True)
        asked = shape.validated_data
        items = Item.objects.filter(project=mine.project).exclude(stage__in=(Stage.EXCLUDED, Stage.KNOWN))
        if asked["items"] is not None:
            found = items.filter(external_id__in=asked["items"])
            there = set(found.values_list("external_id", flat=True))
            if missing := [name for name in asked["items"] if name not in there]:
                return problem(400, "unknown_item", f"There is no item {missing[0][:80]!r} that can be looked at.")
            items = found
        if asked["stage"] is not None:
            items = items.filter(stage=asked["stage"])
        wish = start.DebateRequest(
            asked["method"],
            asked["options"],
            asked["models"],
            repeats=asked["repeats"],
            again=asked["again"],
            limits=asked["limits"],
        )
        try:
            queued = start.start_runs(mine.project, items, wish, mine)
            passed_over, why = start.count_left_out(mine.project, items, wish)
        except BadChoice as bad:
            return problem(400, "bad_choice", str(bad))
        told = {"left_out": passed_over, "why_left_out": why} if passed_over else {}
        return Response({"queued": queued, **told}, status=202)


class OneRun(APIView):
    """One run with its turns."""

    @extend_schema(responses=dict)
    def get(self, request: Request, slug: str, public_id: UUID) -> Response:
        """Show a run; its turns so far while it goes on."""
        _mine, run, item = _run(request, slug, public_id)
        return Response(run_as_json(run, item.external_id, run.turns.order_by("id")))


class Cancelled(APIView):
    """The end of a run, wished for by a person."""

    @extend_schema(request=None, responses={200: dict})
    def post(self, request: Request, slug: str, public_id: UUID) -> Response:
        """Cancel a run; what was answered stays. `cancelled` is false where it had ended already."""
        mine, run, _item = _run(request, slug, public_id)
        ended = run_start.cancel_runs([run.public_id])
        if ended:
            record(EventVerb.RUN_CANCELLED, project=mine.project, actor=mine, row=run.public_id)
        return Response({"cancelled": bool(ended)})


class JudgedAgain(APIView):
    """The same debate before another judge."""

    rate = "trigger"

    @extend_schema(request=JudgeShape, responses={202: dict, 400: ProblemShape})
    def post(self, request: Request, slug: str, public_id: UUID) -> Response:
        """Let another model judge; it costs that call. Answers the id of the run that does it, null if under way."""
        mine, run, _item = _run(request, slug, public_id)
        shape = JudgeShape(data=request.data)
        shape.is_valid(raise_exception=True)
        try:
            made = start.judge_run_again(run, [shape.validated_data["judge"]], mine.project, mine)
        except BadChoice as bad:
            return problem(400, "bad_choice", str(bad))
        return Response({"run": str(made[0].public_id) if made else None}, status=202)


def _row(run: Run, item: Item | None, viewer: Membership) -> dict[str, Any]:
    """A run of the list; of an item that the viewer may still be asked about only how far it is."""
    if item is not None and may_see_intent(item, viewer):
        row = run_as_json(run, item.external_id, ())
    else:
        row = run_as_json(run, None, ()) | {"hateful": None, "category": None, "reason": None}
    row.pop("turns")
    return row | {"method": run.method, "repeat": run.repeat}


def _run(request: Request, slug: str, public_id: UUID) -> tuple[Membership, Run, Item]:
    mine = member(request, slug, Role.REVIEWER, Role.ADMIN)
    run = presenters.debate_runs(mine.project).filter(public_id=public_id).first()
    item = Item.objects.filter(project=mine.project, public_id=run.subject).first() if run else None
    if run is None or item is None or item.excluded_for == "reported" or not may_see_votes(item, mine):
        raise Http404
    return mine, run, item
