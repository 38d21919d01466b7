"""Texts of a post in another language over the API, and what the models' work at its desk takes."""

from uuid import UUID

from django.conf import settings
from django.utils.translation import get_language
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.api.access import member, valid
from annotation.api.request_base import RequestShape
from annotation.api.request_shapes import AskingShape
from generation.api.answers_desk import ExchangeCosts, ExpectedJson, TranslationJson
from generation.api.desk_refusals import answered
from generation.api.exchange_json import models_work
from generation.api.exchanges import WAYS
from generation.counterspeech import costs
from generation.counterspeech import request as counterspeech_request
from generation.counterspeech.access import box_named, exchange_for
from generation.counterspeech.translations import POST, TranslationBox
from generation.domain.counterspeech.options import CounterRequest
from vocabulary.answers import answer

_OF = "`post`, or the id of one of its replies or candidates."
_INTO = "A language of the pages; by default the caller's."


class TextNamed(RequestShape):
    """Which text of the post is meant, and in which language it is wanted."""

    of = serializers.CharField(max_length=36, default=POST, help_text=_OF)
    language = serializers.ChoiceField(choices=settings.LANGUAGES, required=False, help_text=_INTO)


class TranslationShape(TextNamed):
    """Whether a model is asked although it was asked before."""

    again = serializers.BooleanField(default=False)


class CandidatesCounted(AskingShape[CounterRequest]):
    """What of the options of candidates decides how often models are asked."""

    asks = CounterRequest
    only = ("intents", "candidates", "mode")


class Translation(APIView):
    """A text of a post in another language."""

    rate = "trigger"

    @extend_schema(
        operation_id="projects_exchange_translation", parameters=[TextNamed], responses={200: TranslationJson}
    )
    def get(self, request: Request, slug: str, public_id: UUID) -> Response:
        """Show the translation of a text as it stands. `text` is null as long as there is none."""
        shape = TextNamed(data=request.query_params)
        return Response(_translation(_box(request, slug, public_id, shape)))

    @extend_schema(
        operation_id="projects_exchange_translate", request=TranslationShape, responses={202: TranslationJson}
    )
    def post(self, request: Request, slug: str, public_id: UUID) -> Response:
        """Ask a model to translate a text, for reading only. It answers later: `work` says where it stands."""
        shape = TranslationShape(data=request.data)
        box = _box(request, slug, public_id, shape)
        mine, again = member(request, slug, *WAYS), shape.validated_data["again"]

        def ask() -> Response:
            counterspeech_request.translate(box.exchange, box.text, box.language, mine, again=again)
            return Response(_translation(box), status=202)

        return answered(ask)


class Costs(APIView):
    """What the models' work for a post takes."""

    @extend_schema(
        operation_id="projects_exchange_costs",
        parameters=[
            OpenApiParameter("intents", str, many=True, description="Of the candidates; by default all."),
            OpenApiParameter("candidates", int, description="For each intent."),
            OpenApiParameter("mode", str, description="How the writer is asked: `list` or `plain`."),
        ],
        responses={200: ExchangeCosts},
    )
    def get(self, request: Request, slug: str, public_id: UUID) -> Response:
        """Say what each step takes at most, before models are asked. What it took stands with its work (`spent`)."""
        exchange = exchange_for(member(request, slug, *WAYS), public_id)
        shape = valid(CandidatesCounted(data=request.query_params))
        project = exchange.project
        return Response(
            ExchangeCosts(
                explain=_expected(costs.of_explanations(project, exchange.item, exchange.description)),
                candidates=_expected(costs.of_candidates(exchange, shape.request())),
                score=_expected(costs.of_scores(project)),
                translate=_expected(costs.of_translation(project)),
            )
        )


def _box(request: Request, slug: str, public_id: UUID, shape: TextNamed) -> TranslationBox:
    """Return the box of the text that the request names. Raises Http404 if the caller may not read it."""
    mine = member(request, slug, *WAYS)
    exchange = exchange_for(mine, public_id)
    shape.is_valid(raise_exception=True)
    said = shape.validated_data
    return box_named(mine, exchange, said["of"], said.get("language") or get_language() or "en")


def _translation(box: TranslationBox) -> TranslationJson:
    return answer(TranslationJson, box, text=box.words or None, work=models_work(box.run))


def _expected(expected: costs.Expected | None) -> ExpectedJson | None:
    if expected is None:
        return None
    cost = expected.spending.cost if settings.MODEL_PRICES else None
    return answer(ExpectedJson, expected, calls=expected.spending.calls, cost=cost)
