"""Claims over the API: those of a reply or a post with their states, and what a person decides about one."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

from django.http import Http404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.api.access import member, problem, valid
from annotation.api.problems import Problem
from annotation.api.request_base import LineField, RequestShape
from annotation.core.found import found
from annotation.domain.choices import Role
from annotation.domain.text_rules import BadText
from generation.api.answers import ClaimJson, ClaimSource
from generation.counterspeech import replies
from generation.counterspeech.access import exchange_for, reply_for
from generation.counterspeech.claims import StatedClaim, claims_of, claims_of_post
from generation.domain.counterspeech.claim_states import MOST_REASON, ClaimState
from generation.models import Reply
from generation.practice import claims as decisions
from generation.practice.claims import Decision
from vocabulary.answers import answer


class ClaimDecision(RequestShape):
    """What a person says of a claim.

    `supported` and `contradicted` need the `card` that says so, the id of a card of evidence about the post;
    `without_source` needs a `reason`.
    """

    state = serializers.ChoiceField(choices=list(map(str, ClaimState)))
    card = serializers.UUIDField(required=False, allow_null=True, default=None)
    reason = LineField(max_length=MOST_REASON, required=False, allow_blank=True, default="")


class ReplyClaim(APIView):
    """One claim of a reply."""

    @extend_schema(
        operation_id="projects_counterspeech_reply_claim",
        request=ClaimDecision,
        responses={200: ClaimJson, 409: Problem},
    )
    def post(self, request: Request, slug: str, public_id: UUID, claim_id: UUID) -> Response:
        """Decide about a claim of a reply. An edit of its sentence makes a new claim, which is open."""
        mine = member(request, slug, Role.REVIEWER, Role.ADMIN)
        reply = reply_for(mine, public_id)
        found(decisions.claim_named(claims_of(reply), claim_id))
        decision = _decision(request)
        return _answer(lambda: decisions.decide(reply, claim_id, mine, decision))


class PostClaims(APIView):
    """The claims of an answered post."""

    @extend_schema(operation_id="projects_counterspeech_post_claims", responses={200: list[ClaimJson]})
    def get(self, request: Request, slug: str, public_id: UUID) -> Response:
        """List what an answered post states, an item or a pasted text, by the id of its exchange."""
        mine = member(request, slug, Role.REVIEWER, Role.ADMIN)
        return Response([claim_json(claim) for claim in claims_of_post(exchange_for(mine, public_id)).stated])


class PostClaim(APIView):
    """One claim of an answered post."""

    @extend_schema(
        operation_id="projects_counterspeech_post_claim",
        request=ClaimDecision,
        responses={200: ClaimJson, 409: Problem},
    )
    def post(self, request: Request, slug: str, public_id: UUID, claim_id: UUID) -> Response:
        """Decide about a claim of the post itself."""
        mine = member(request, slug, Role.REVIEWER, Role.ADMIN)
        exchange = exchange_for(mine, public_id)
        found(decisions.claim_named(claims_of_post(exchange), claim_id))
        decision = _decision(request)
        return _answer(lambda: decisions.decide(exchange, claim_id, mine, decision))


class ReplySources(APIView):
    """The list of sources under a reply."""

    @extend_schema(
        operation_id="projects_counterspeech_reply_sources",
        request=None,
        responses={200: list[ClaimJson], 409: Problem},
    )
    def post(self, request: Request, slug: str, public_id: UUID) -> Response:
        """Add the sources of the supported claims to the end of an own draft, as plain lines. List its claims."""
        mine = member(request, slug, Role.REVIEWER, Role.ADMIN)
        reply = reply_for(mine, public_id)
        return _answer(lambda: decisions.list_sources(reply, mine))


def claim_json(claim: StatedClaim) -> ClaimJson:
    """Return a claim as JSON, with people under their pseudonyms."""
    row = claim.row
    return answer(
        ClaimJson,
        claim,
        asks=claim.asked,
        source=_source(claim),
        reason=row.reason or None if row else None,
        checked_by=row.run if row else None,
    )


def _source(claim: StatedClaim) -> ClaimSource | None:
    card = claim.card
    if card is None:
        return None
    return answer(ClaimSource, card, read_at=card.fetched_at, url=card.url if card.is_link else None)


def _decision(request: Request) -> Decision:
    shape = valid(ClaimDecision(data=request.data))
    said: dict[str, Any] = shape.validated_data
    return Decision(ClaimState(said["state"]), said["card"], said["reason"])


def _answer(act: Callable[[], StatedClaim | Reply]) -> Response:
    try:
        done = act()
    except decisions.ClaimGone:
        raise Http404 from None
    except replies.CannotDo as refused:
        return problem(409, "not_possible", str(refused))
    except BadText as bad:
        return problem(400, bad.code, bad.sentence)
    if isinstance(done, Reply):
        return Response([claim_json(claim) for claim in claims_of(done).stated])
    return Response(claim_json(done))
