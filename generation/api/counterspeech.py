"""Counterspeech over the API: asked for, listed; approved replies. For reviewers and admins."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.api.access import member, problem
from annotation.api.request_base import BoundedList
from annotation.api.request_shapes import AskingShape
from annotation.core.visible_items import visible_items
from annotation.domain.choices import Role
from annotation.domain.text_rules import BadText
from annotation.review.queue import may_see_votes
from generation.api.answers import CandidatesJson, CandidatesQueued, ReplyJson
from generation.counterspeech import export
from generation.counterspeech import request as counterspeech_request
from generation.counterspeech.candidate_json import reported
from generation.counterspeech.presenters import visible_exchanges
from generation.domain.counterspeech.intents import Intent
from generation.domain.counterspeech.options import CounterRequest
from generation.methods.counterspeech import candidates as counterspeech_candidates
from generation.models import Exchange
from runs.execution.budget import BudgetExceeded
from runs.models import Run

MOST_ITEMS = 200


class CounterWish(AskingShape[CounterRequest]):
    """The items or the text to answer, and the options of the candidates."""

    asks = CounterRequest
    before = ("items", "text")

    items = BoundedList(
        child=serializers.CharField(max_length=128),
        default=list,
        max_length=MOST_ITEMS,
        help_text="The posts' own ids, as imported (`external_id`).",
    )
    text = serializers.CharField(max_length=counterspeech_request.MOST_PASTED, default="", allow_blank=True)
    again = serializers.BooleanField(default=False, help_text="Ask also what was answered before.")


class Counterspeech(APIView):
    """Candidates of a project."""

    rate = "trigger"

    @extend_schema(operation_id="projects_counterspeech_list", responses={200: list[CandidatesJson]})
    def get(self, request: Request, slug: str) -> Response:
        """List the newest candidates of the 100 newest posts that the caller may see, best first."""
        mine = member(request, slug, Role.REVIEWER, Role.ADMIN)
        rows: list[dict[str, Any]] = []
        for exchange in visible_exchanges(mine).select_related("item").order_by("-id")[:100]:
            runs = Run.objects.filter(project=mine.project.public_id, subject=exchange.public_id)
            if (run := runs.filter(method=counterspeech_candidates.NAME).last()) is not None:
                intents = [Intent(intent) for intent in run.options["intents"]]
                rows += reported(exchange, run, intents)
        return Response(rows)

    @extend_schema(request=CounterWish, responses={202: list[CandidatesQueued]})
    def post(self, request: Request, slug: str) -> Response:
        """Ask for candidates. Return the exchange and the run of each post. Explanations are used if there are any."""
        mine = member(request, slug, Role.REVIEWER, Role.ADMIN)
        shape = CounterWish(data=request.data)
        shape.is_valid(raise_exception=True)
        options = dict(shape.validated_data)
        items, text, again = options.pop("items"), options.pop("text"), options.pop("again")
        if bool(items) == bool(text):
            return problem(400, "bad_choice", "Name items or give a text, one of the two.")
        exchanges: list[Exchange] = []
        known_items = {item.external_id: item for item in visible_items(mine).filter(external_id__in=items)}
        for name in items:
            item = known_items.get(name)
            if item is None or item.excluded_for or not may_see_votes(item, mine):
                return problem(400, "unknown_item", f"There is no item {name[:80]!r} that can be answered.")
            item.project = mine.project
            exchanges.append(counterspeech_request.open_on_item(item, mine))
        try:
            if text:
                exchanges.append(counterspeech_request.open_on_text(mine.project, text, mine))
            queued = [
                (exchange, counterspeech_request.write(exchange, mine, options, again=again)) for exchange in exchanges
            ]
        except (counterspeech_request.BadChoice, BudgetExceeded) as bad:
            return problem(400, "bad_choice", str(bad))
        except BadText as bad:
            return problem(400, bad.code, bad.sentence)
        rows = [{"item": exchange.item.external_id if exchange.item else None, "exchange": str(exchange.public_id),
                 "run": str(answer.run.public_id), "new": answer.new} for exchange, answer in queued]  # fmt: skip
        return Response(rows, status=202)


class ApprovedReplies(APIView):
    """The approved replies of a project."""

    @extend_schema(operation_id="projects_counterspeech_replies", responses={200: list[ReplyJson]})
    def get(self, request: Request, slug: str) -> Response:
        """List the approved replies in the columns of IntentCONANv2, with their origin and what a person changed."""
        mine = member(request, slug, Role.ADMIN)
        return Response(list(export.replies(mine.project)))
