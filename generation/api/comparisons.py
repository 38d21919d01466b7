"""Blind comparisons over the API: the next pair, a rating, and the win rates. For reviewers and admins."""

from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.api.access import member, problem, valid
from annotation.api.request_shapes import AskingShape
from annotation.domain.choices import Role
from generation.api.answers_desk import Compared, PairJson, RatingJson, StandingJson, WinRates
from generation.counterspeech import compare
from generation.counterspeech.presenters import visible_exchanges
from generation.domain.counterspeech.intents import Intent
from generation.domain.counterspeech.preferences import Criterion
from generation.domain.counterspeech.rating import Rating, side_of
from generation.models import Candidate, Comparison
from vocabulary.answers import answer


class RatingShape(AskingShape[Rating]):
    """Which of two candidates is better, by each criterion, as they stood side by side."""

    asks = Rating
    before = ("left", "right")

    left = serializers.UUIDField(help_text="The `id` of the left candidate.")
    right = serializers.UUIDField(help_text="The `id` of the right candidate.")


class NextPair(APIView):
    """The next pair of candidates for the caller."""

    @extend_schema(operation_id="projects_comparisons_next", responses={200: PairJson, 204: None})
    def get(self, request: Request, slug: str) -> Response:
        """Show two candidates that the caller has not compared, drawn by chance, without their writers. 204: none."""
        mine = member(request, slug, Role.REVIEWER, Role.ADMIN)
        pair = compare.next_pair(visible_exchanges(mine), mine)
        if pair is None:
            return Response(status=204)
        exchange = pair.left.exchange
        return Response(
            PairJson(
                exchange=exchange.public_id,
                item=exchange.item.external_id if exchange.item else None,
                post=exchange.hate or exchange.description,
                intent=Intent(pair.left.intent),
                left=_compared(pair.left),
                right=_compared(pair.right),
            )
        )


class Comparisons(APIView):
    """What people said of pairs of candidates."""

    @extend_schema(operation_id="projects_comparisons_add", request=RatingShape, responses={201: RatingJson})
    def post(self, request: Request, slug: str) -> Response:
        """Store which candidate is better, by each criterion. A second answer of one person changes nothing."""
        mine = member(request, slug, Role.REVIEWER, Role.ADMIN)
        shape = valid(RatingShape(data=request.data))
        left, right = shape.validated_data["left"], shape.validated_data["right"]
        pair = compare.pair_of(visible_exchanges(mine), left, right)
        if pair is None:
            return problem(400, "unknown_pair", "These are no two candidates for one post and of one intent.")
        choices = shape.request().choices(first_is_left=pair.first_is_left)
        return Response(_rating(compare.choose(pair, mine, choices), left, right, pair.first_is_left), status=201)


class Results(APIView):
    """The win rates."""

    @extend_schema(operation_id="projects_comparisons_results", responses={200: WinRates})
    def get(self, request: Request, slug: str) -> Response:
        """Show how often each model and each prompt was preferred; comparisons with itself do not count."""
        mine = member(request, slug, Role.REVIEWER, Role.ADMIN)
        tables = compare.standings(mine.project)
        return Response({name: [_standing(row) for row in rows] for name, rows in tables.items()})


def _compared(candidate: Candidate) -> Compared:
    return answer(Compared, candidate)


def _rating(row: Comparison, left: UUID, right: UUID, first_is_left: bool) -> RatingJson:
    sides = {name.value: side_of(row.choice(name), first_is_left=first_is_left) for name in Criterion}
    return answer(RatingJson, row, left=left, right=right, **sides)


def _standing(row: compare.Standing) -> StandingJson:
    rates = {name.value: row.rates[name] for name in Criterion}
    return answer(StandingJson, row, **rates)
