"""Posts of the counterspeech desk over the API: opened, explained, answered by models. For reviewers and admins."""

from typing import Any
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.api.access import member, problem, valid
from annotation.api.pages import BY_KEY, page_by_key_of
from annotation.api.problems import Problem
from annotation.api.request_base import BoundedList, LineField, RequestShape, WrittenField
from annotation.api.request_shapes import AskingShape
from annotation.domain.choices import Role
from annotation.domain.masking.mask import Mask
from annotation.models import Membership
from generation.api.answers import CandidatesQueued
from generation.api.answers_desk import (
    ExchangeJson,
    ExchangePage,
    ExplainQueued,
    ExplanationsJson,
    ModelsStopped,
)
from generation.api.desk_refusals import CONFIRM, answered
from generation.api.exchange_json import exchange_json, exchange_rows, explanations_json, queued
from generation.counterspeech import doubts, replies
from generation.counterspeech import request as counterspeech_request
from generation.counterspeech.access import exchange_for, items_named
from generation.counterspeech.candidate_json import CandidatesJson, reported
from generation.counterspeech.pasted_text import PastedText
from generation.counterspeech.presenters import visible_exchanges
from generation.domain.counterspeech.explanations import MOST_CHARACTERS, MOST_INSULT, MOST_INSULTS, Explanation
from generation.domain.counterspeech.intents import Intent
from generation.domain.counterspeech.options import CounterRequest
from generation.models import Exchange
from runs.models import Run

WAYS = (Role.REVIEWER, Role.ADMIN)
"""Who works at the desk."""


class OpeningShape(AskingShape[PastedText]):
    """An item by its id, or a text that is no item."""

    asks = PastedText
    before = ("item", "text")

    item = serializers.CharField(
        max_length=128, default="", allow_blank=True, help_text="The post's own id, as imported (`external_id`)."
    )
    text = WrittenField(limit=counterspeech_request.MOST_PASTED, default="", allow_blank=True)
    confirm = serializers.BooleanField(default=False, help_text=CONFIRM)


class AskingAgain(RequestShape):
    """Whether models are asked although they explained the post before."""

    again = serializers.BooleanField(default=False)


def _explanation() -> serializers.CharField:
    return serializers.CharField(required=False, allow_blank=True, max_length=MOST_CHARACTERS)


class ExplanationsShape(RequestShape):
    """A new version of the explanations. `begun_at` is the number of the version that its writer began with; 0: none.

    What it does not name stays as it is.
    """

    begun_at = serializers.IntegerField(min_value=0, max_value=2**31 - 1)
    offensiveness = _explanation()
    target_group = _explanation()
    speaker_intent = _explanation()
    power_dynamics = _explanation()
    implication = _explanation()
    emotional_reaction = _explanation()
    cognitive_reaction = _explanation()
    insults = BoundedList(
        child=serializers.CharField(max_length=MOST_INSULT),
        max_length=MOST_INSULTS,
        required=False,
        help_text="Words of the post that no reply may repeat.",
    )


class CandidatesShape(AskingShape[CounterRequest]):
    """The options of the candidates."""

    asks = CounterRequest

    again = serializers.BooleanField(default=False, help_text="Ask also what was answered before.")
    confirm = serializers.BooleanField(default=False, help_text=CONFIRM)


class AboutShape(RequestShape):
    """Whom a post is about, and its theme. What it does not name stays as it is."""

    target_group = LineField(max_length=200, required=False, allow_blank=True, source="group")
    theme = LineField(max_length=200, required=False, allow_blank=True)


class Exchanges(APIView):
    """The posts that are answered."""

    @extend_schema(operation_id="projects_exchanges_list", parameters=[*BY_KEY], responses={200: ExchangePage})
    def get(self, request: Request, slug: str) -> Response:
        """List the posts that are answered, newest first."""
        mine = member(request, slug, *WAYS)
        rows = visible_exchanges(mine).select_related("item", "opened_by").order_by("-id")
        return page_by_key_of(request, rows, rows, exchange_rows)

    @extend_schema(request=OpeningShape, responses={201: ExchangeJson, 409: Problem})
    def post(self, request: Request, slug: str) -> Response:
        """Open the desk of an item, or of a pasted text. Nothing is asked of models yet.

        A post has one desk: a second call answers with the same one. 409: people decided that the item is not hateful;
        confirm it.
        """
        mine = member(request, slug, *WAYS)
        shape = valid(OpeningShape(data=request.data))
        return answered(lambda: _opened(mine, shape.validated_data))


class OneExchange(APIView):
    """One post that is answered."""

    @extend_schema(operation_id="projects_exchange", responses={200: ExchangeJson})
    def get(self, request: Request, slug: str, public_id: UUID) -> Response:
        """Show a post, the explanations in force, and what models do for it."""
        return Response(exchange_json(exchange_for(member(request, slug, *WAYS), public_id)))

    @extend_schema(operation_id="projects_exchange_about", request=AboutShape, responses={200: ExchangeJson})
    def patch(self, request: Request, slug: str, public_id: UUID) -> Response:
        """Say whom a post is about, and its theme. The group that its item names stays."""
        exchange, shape = exchange_for(member(request, slug, *WAYS), public_id), valid(AboutShape(data=request.data))
        exchange.say_about(**shape.validated_data)
        return Response(exchange_json(exchange))


class Explain(APIView):
    """The seven explanations, by models."""

    rate = "trigger"

    @extend_schema(request=AskingAgain, responses={202: ExplainQueued})
    def post(self, request: Request, slug: str, public_id: UUID) -> Response:
        """Ask models for the seven explanations. Their version comes after a person's, which stays."""
        mine = member(request, slug, *WAYS)
        exchange, shape = exchange_for(mine, public_id), valid(AskingAgain(data=request.data))

        def ask() -> Response:
            asked = counterspeech_request.explain(exchange, mine, again=shape.validated_data["again"])
            return Response(ExplainQueued(exchange=exchange.public_id, run=asked.run.public_id, new=asked.new), 202)

        return answered(ask)


class ExplanationVersions(APIView):
    """The versions of the seven explanations."""

    @extend_schema(operation_id="projects_explanations_list", responses={200: list[ExplanationsJson]})
    def get(self, request: Request, slug: str, public_id: UUID) -> Response:
        """List all versions, newest first; the newest one is in force."""
        exchange = exchange_for(member(request, slug, *WAYS), public_id)
        return Response([explanations_json(row) for row in exchange.explanations.select_related("author")])

    @extend_schema(request=ExplanationsShape, responses={200: ExplanationsJson, 201: ExplanationsJson, 409: Problem})
    def post(self, request: Request, slug: str, public_id: UUID) -> Response:
        """Write a new version. 200: nothing differs. 409: there is a newer one than `begun_at`."""
        mine = member(request, slug, *WAYS)
        exchange, shape = exchange_for(mine, public_id), valid(ExplanationsShape(data=request.data))
        return answered(lambda: _written(exchange, mine, dict(shape.validated_data)))


class ExchangeCandidates(APIView):
    """The candidates for one post."""

    rate = "trigger"

    @extend_schema(operation_id="projects_exchange_candidates_list", responses={200: list[CandidatesJson]})
    def get(self, request: Request, slug: str, public_id: UUID) -> Response:
        """List the newest candidates of each intent, best first."""
        exchange = exchange_for(member(request, slug, *WAYS), public_id)
        newest = dict(exchange.candidates.order_by("id").values_list("intent", "run_id"))
        runs = {run.public_id: run for run in Run.objects.filter(public_id__in=newest.values())}
        rows: list[CandidatesJson] = []
        for intent in Intent:
            if intent in newest and newest[intent] in runs:
                rows += reported(exchange, runs[newest[intent]], [intent])
        return Response(rows)

    @extend_schema(request=CandidatesShape, responses={202: CandidatesQueued, 409: Problem})
    def post(self, request: Request, slug: str, public_id: UUID) -> Response:
        """Ask models for candidates. The explanations in force are used, if there are any. 409: confirm it."""
        mine = member(request, slug, *WAYS)
        exchange, shape = exchange_for(mine, public_id), valid(CandidatesShape(data=request.data))
        return answered(lambda: _asked(exchange, mine, dict(shape.validated_data)))


class ModelsAreStopped(APIView):
    """The end of what models do for a post."""

    @extend_schema(request=None, responses={200: ModelsStopped})
    def post(self, request: Request, slug: str, public_id: UUID) -> Response:
        """Stop the models after the calls that are already made. What they wrote so far is kept."""
        mine = member(request, slug, *WAYS)
        return Response(ModelsStopped(stopped=counterspeech_request.cancel(exchange_for(mine, public_id), mine)))


def _opened(mine: Membership, said: dict[str, Any]) -> Response:
    if bool(said["item"]) == bool(said["text"]):
        return problem(400, "bad_choice", "Name an item or give a text, one of the two.")
    if said["text"]:
        masks = [Mask(name) for name in said["masks"]]
        exchange = counterspeech_request.open_on_text(mine.project, said["text"], mine, masks)
    else:
        (item,) = items_named(mine, [said["item"]])
        if not said["confirm"]:
            doubts.doubt_opening(item)
        exchange = counterspeech_request.open_on_item(item, mine)
        exchange.item = item
    exchange.project = mine.project
    return Response(exchange_json(exchange), status=201)


def _written(exchange: Exchange, mine: Membership, said: dict[str, Any]) -> Response:
    last = exchange.explanations.first()
    texts = {name: said.get(name, getattr(last, name, "")) for name in Explanation}
    insults = said.get("insults", last.insults if last else [])
    version = replies.keep_explanations(exchange, mine, texts, insults, said["begun_at"])
    now = version or exchange.explanations.select_related("author").get(number=said["begun_at"])
    return Response(explanations_json(now), status=201 if version else 200)


def _asked(exchange: Exchange, mine: Membership, options: dict[str, Any]) -> Response:
    again, confirmed = options.pop("again"), options.pop("confirm")
    if not confirmed:
        doubts.doubt_candidates_of(exchange, options.get("mode"))
    asked = counterspeech_request.write(exchange, mine, options, again=again)
    return Response(queued(exchange, asked), status=202)
