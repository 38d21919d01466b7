"""Runs in the API: start, list, show, cancel, judge again. For reviewers and admins."""

from collections.abc import Sequence
from uuid import UUID

from django.db.models import QuerySet
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.api.access import member, problem, valid
from annotation.api.pages import BY_KEY, page_by_key_of
from annotation.api.problems import Problem
from annotation.api.request_base import BoundedDict, BoundedList, RequestShape
from annotation.core.found import found
from annotation.domain.choices import EventVerb, Role, Stage
from annotation.models import Item, Membership, record
from annotation.review.queue import may_see_intent
from moderation.api.answers import (
    JudgeQueued,
    RunCancelled,
    RunContinued,
    RunPage,
    RunRow,
    RunsQueued,
)
from moderation.debates import ask_again, presenters, start
from moderation.debates.posts import ReadPost, pasted_among, post_for
from moderation.debates.run_json import RunWithTurns, run_as_json, run_summary
from moderation.domain.task import MOST_REPEATS
from moderation.methods.debate_method import BadChoice
from moderation.methods.registry import METHODS
from runs.control import start as run_start
from runs.domain.states import OPEN, RunState
from runs.models import Run
from runs.queue import worker_load

MOST_ANSWERING = 200
"""The most runs that an answer names which were there before."""


class AskedShape(RequestShape):
    """How models are asked."""

    options = BoundedDict(default=dict)
    models = BoundedDict(
        child=serializers.CharField(), default=dict, help_text="The model of each role, as provider:model."
    )
    limits = BoundedDict(
        child=serializers.IntegerField(min_value=1),
        default=dict,
        help_text="What one run may use at most: calls, tokens, seconds. What is not named has the method's own limit.",
    )
    again = serializers.BooleanField(default=False, help_text="Ask also what was answered before.")


class WishShape(AskedShape):
    """A method, its items and its options. Without `items` and `stage` it works on all items."""

    method = serializers.ChoiceField(list(METHODS))
    items = BoundedList(
        child=serializers.CharField(max_length=128),
        default=None,
        allow_null=True,
        max_length=1000,
        help_text="The posts' own ids, as imported (`external_id`). An empty list is no post.",
    )
    stage = serializers.ChoiceField([str(stage) for stage in Stage], default=None, allow_null=True)
    repeats = serializers.IntegerField(default=1, min_value=1, max_value=MOST_REPEATS)


class JudgeShape(RequestShape):
    """A model that judges a debate."""

    judge = serializers.CharField(max_length=160)


class Runs(APIView):
    """The runs of a project."""

    rate = "trigger"

    @extend_schema(
        operation_id="projects_runs_list",
        parameters=[
            OpenApiParameter(
                "state", str, enum=[str(state) for state in RunState], description="Only runs in this state."
            ),
            OpenApiParameter("method", str, enum=list(METHODS), description="Only runs of this method."),
            *BY_KEY,
        ],
        responses={200: RunPage},
    )
    def get(self, request: Request, slug: str) -> Response:
        """List runs, newest first, without turns. A verdict is shown only if the caller may see it."""
        mine = member(request, slug, Role.REVIEWER, Role.ADMIN)
        runs = of_project = presenters.debate_runs(mine.project)
        for name, choices in (("state", list(RunState)), ("method", list(METHODS))):
            if value := request.query_params.get(name, ""):
                if value not in choices:
                    return problem(
                        400, "unknown_filter", f"There is no {name} {value[:40]!r}; there are {', '.join(choices)}."
                    )
                runs = runs.filter(**{name: value})
        page = page_by_key_of(request, runs, of_project, lambda shown: _rows(shown, mine), ("state", "method"))
        page.data["load"] = worker_load.site_load() if mine.administers else None
        return page

    @extend_schema(request=WishShape, responses={202: RunsQueued})
    def post(self, request: Request, slug: str) -> Response:
        """Queue a method. Return how many runs are new, and how many posts are left out because of their picture.

        `answered_before` are the runs that answer the request already, or are about to; `again` asks anew.
        """
        mine = member(request, slug, Role.REVIEWER, Role.ADMIN)
        values = valid(WishShape(data=request.data)).validated_data
        items = Item.objects.filter(project=mine.project).exclude(stage__in=(Stage.EXCLUDED, Stage.KNOWN))
        if values["items"] is not None:
            named_items = items.filter(external_id__in=values["items"])
            known_ids = set(named_items.values_list("external_id", flat=True))
            if missing := [name for name in values["items"] if name not in known_ids]:
                return problem(400, "unknown_item", f"There is no item {missing[0][:80]!r} that can be looked at.")
            items = named_items
        if values["stage"] is not None:
            items = items.filter(stage=values["stage"])
        wish = start.DebateRequest(
            values["method"],
            values["options"],
            values["models"],
            repeats=values["repeats"],
            again=values["again"],
            limits=values["limits"],
        )
        try:
            earlier = [] if wish.again else _answering(mine, items, wish)
            queued = start.start_runs(mine.project, items, wish, mine)
            passed_over, why = start.count_left_out(mine.project, items, wish)
        except BadChoice as bad:
            return problem(400, "bad_choice", str(bad))
        left_out = {"left_out": passed_over, "why_left_out": why} if passed_over else {}
        before = {"answered_before": earlier, "to_ask_anew": "again"} if earlier else {}
        return Response({"queued": queued, **left_out, **before}, status=202)


class OneRun(APIView):
    """One run with its turns."""

    @extend_schema(responses={200: RunWithTurns})
    def get(self, request: Request, slug: str, public_id: UUID) -> Response:
        """Show a run with its turns so far. `item` is null where it is about a pasted text."""
        _mine, run, post = visible_run(request, slug, public_id)
        return Response(run_as_json(run, post.name, list(run.turns.order_by("id"))))


class Cancelled(APIView):
    """The cancellation of a run."""

    @extend_schema(request=None, responses={200: RunCancelled})
    def post(self, request: Request, slug: str, public_id: UUID) -> Response:
        """Cancel a run; its turns stay. `cancelled` is false if it had ended already."""
        mine, run, _post = visible_run(request, slug, public_id)
        ended = run_start.cancel_runs([run.public_id])
        if ended:
            record(EventVerb.RUN_CANCELLED, project=mine.project, actor=mine, row=run.public_id)
        return Response(RunCancelled(cancelled=bool(ended)))


class Retried(APIView):
    """The continuation of a run that stopped without a verdict."""

    rate = "trigger"

    @extend_schema(request=None, responses={202: RunContinued, 409: Problem})
    def post(self, request: Request, slug: str, public_id: UUID) -> Response:
        """Ask again where a run failed, was cancelled, or ended refused or unreadable. What was answered stays.

        Return the id of the run that goes on: a failed or cancelled run itself, else a new one.
        """
        mine, run, _post = visible_run(request, slug, public_id)
        continued = ask_again.retry_run(run, mine.project, mine)
        if continued is None:
            sentence = f"This run is {run.state}: it did not stop without a verdict, or one like it is under way."
            return problem(409, "nothing_to_ask", sentence)
        return Response(RunContinued(run=continued.public_id), status=202)


class JudgedAgain(APIView):
    """The judgement of a debate by a model, the same or another one."""

    rate = "trigger"

    @extend_schema(request=JudgeShape, responses={202: JudgeQueued})
    def post(self, request: Request, slug: str, public_id: UUID) -> Response:
        """Let a model judge, for the price of one call. Return the new run; null if one is under way already."""
        mine, run, _post = visible_run(request, slug, public_id)
        shape = valid(JudgeShape(data=request.data))
        try:
            forks = ask_again.judge_run_again(run, [shape.validated_data["judge"]], mine.project, mine)
        except BadChoice as bad:
            return problem(400, "bad_choice", str(bad))
        return Response(JudgeQueued(run=forks[0].public_id if forks else None), status=202)


def _rows(runs: Sequence[Run], viewer: Membership) -> list[RunRow]:
    items = presenters.items_of_runs(runs)
    texts = pasted_among(viewer.project, {run.subject for run in runs} - items.keys())
    return [_row(run, items.get(run.subject), viewer, pasted=run.subject in texts) for run in runs]


def _answering(mine: Membership, items: QuerySet[Item], wish: start.DebateRequest) -> list[str]:
    """Return the ids of the runs that answer the request or are about to, the newest ones."""
    runs = start.runs_answering(mine.project, items, wish).filter(state__in=(*OPEN, *start.ANSWERED))
    return [str(public_id) for public_id in runs.order_by("-id").values_list("public_id", flat=True)[:MOST_ANSWERING]]


def _row(run: Run, item: Item | None, viewer: Membership, *, pasted: bool) -> RunRow:
    """Return a run of the list; without its verdict if the viewer may still be asked about the item."""
    is_open = pasted or (item is not None and may_see_intent(item, viewer))
    about = run_summary(run, item.external_id if item and is_open else None, pauses=())
    row: RunRow = {**about, "method": run.method, "repeat": run.repeat}
    return row if is_open else {**row, "hateful": None, "category": None, "reason": None, "disagreement": []}


def visible_run(request: Request, slug: str, public_id: UUID) -> tuple[Membership, Run, ReadPost]:
    """Return a run about a post that the caller may see, with the caller's membership. Raises Http404."""
    mine = member(request, slug, Role.REVIEWER, Role.ADMIN)
    run = found(presenters.debate_runs(mine.project).filter(public_id=public_id).first())
    return mine, run, post_for(mine, run.subject)
