"""Candidates of counterspeech over the API: asked for and listed. For reviewers and admins."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.api.access import member, problem, valid
from annotation.api.problems import Problem
from annotation.api.request_base import BoundedList, WrittenField
from annotation.api.request_shapes import AskingShape
from annotation.domain.choices import Role
from annotation.domain.masking.mask import Mask
from annotation.models import Membership
from generation.api.answers import CandidatesQueued
from generation.api.desk_refusals import CONFIRM, answered
from generation.api.exchange_json import queued
from generation.counterspeech import doubts
from generation.counterspeech import request as counterspeech_request
from generation.counterspeech.access import items_named
from generation.counterspeech.candidate_json import CandidatesJson, reported
from generation.counterspeech.pasted_text import Masks
from generation.counterspeech.presenters import visible_exchanges
from generation.domain.counterspeech.intents import Intent
from generation.domain.counterspeech.options import CounterRequest
from generation.methods.counterspeech import candidates as counterspeech_candidates
from runs.models import Run

MOST_ITEMS = 200


class AnsweredPosts(CounterRequest):
    """The options of the candidates, and what is masked in a pasted text."""

    masks: Masks = ()


class CounterWish(AskingShape[AnsweredPosts]):
    """The items or the text to answer, and the options of the candidates."""

    asks = AnsweredPosts
    before = ("items", "text")

    items = BoundedList(
        child=serializers.CharField(max_length=128),
        default=list,
        max_length=MOST_ITEMS,
        help_text="The posts' own ids, as imported (`external_id`).",
    )
    text = WrittenField(limit=counterspeech_request.MOST_PASTED, default="", allow_blank=True)
    again = serializers.BooleanField(default=False, help_text="Ask also what was answered before.")
    confirm = serializers.BooleanField(default=False, help_text=CONFIRM)


class Counterspeech(APIView):
    """Candidates of a project."""

    rate = "trigger"

    @extend_schema(operation_id="projects_counterspeech_list", responses={200: list[CandidatesJson]})
    def get(self, request: Request, slug: str) -> Response:
        """List the newest candidates of the 100 newest posts that the caller may see, best first."""
        mine = member(request, slug, Role.REVIEWER, Role.ADMIN)
        rows: list[CandidatesJson] = []
        for exchange in visible_exchanges(mine).select_related("item").order_by("-id")[:100]:
            runs = Run.objects.filter(project=mine.project.public_id, subject=exchange.public_id)
            if (run := runs.filter(method=counterspeech_candidates.NAME).last()) is not None:
                intents = [Intent(intent) for intent in run.options["intents"]]
                rows += reported(exchange, run, intents)
        return Response(rows)

    @extend_schema(request=CounterWish, responses={202: list[CandidatesQueued], 409: Problem})
    def post(self, request: Request, slug: str) -> Response:
        """Ask for candidates. Return the exchange and the run of each post. Explanations are used if there are any.

        409: one of the posts is not hateful, or looks like an order and would be sent bare. Nothing was asked; confirm
        it.
        """
        mine = member(request, slug, Role.REVIEWER, Role.ADMIN)
        shape = valid(CounterWish(data=request.data))
        return answered(lambda: _asked(mine, dict(shape.validated_data)))


def _asked(mine: Membership, options: dict[str, Any]) -> Response:
    names, text, again = options.pop("items"), options.pop("text"), options.pop("again")
    masks, confirmed = [Mask(name) for name in options.pop("masks")], options.pop("confirm")
    if bool(names) == bool(text):
        return problem(400, "bad_choice", "Name items or give a text, one of the two.")
    items = items_named(mine, names)
    for item in [] if confirmed else items:
        doubts.doubt_candidates_for(item, options.get("mode"))
    exchanges = [counterspeech_request.open_on_item(item, mine) for item in items]
    if text:
        if not confirmed:
            doubts.doubt_bare_text(mine.project, text, options.get("mode"))
        exchanges = [counterspeech_request.open_on_text(mine.project, text, mine, masks)]
    asked = [counterspeech_request.write(exchange, mine, options, again=again) for exchange in exchanges]
    return Response([queued(*pair) for pair in zip(exchanges, asked, strict=True)], status=202)
