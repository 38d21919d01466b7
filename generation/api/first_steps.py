"""First steps over the API: what is done about posts, and why. For reviewers and admins."""

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.api.access import member, problem, valid
from annotation.api.request_base import BoundedList, LineField, RequestShape
from annotation.core.visible_items import visible_items
from annotation.domain.choices import Role
from annotation.domain.text_rules import BadText
from annotation.models import Membership
from annotation.review.queue import may_see_votes
from generation.counterspeech import request as counterspeech_request
from generation.counterspeech.presenters import visible_exchanges
from generation.domain.counterspeech.first_step import MOST_NOTE, FirstChoice, StepReason
from generation.models import Exchange, FirstStep
from generation.practice import first_steps
from generation.practice.first_steps import FirstStepJson

SHOWN = 100


class FirstStepWish(RequestShape):
    """What is done about an item, by its own id, or about a pasted text, by the id of its exchange."""

    item = serializers.CharField(max_length=128, default="", allow_blank=True)
    exchange = serializers.UUIDField(required=False)
    choice = serializers.ChoiceField(choices=list(map(str, FirstChoice)))
    reasons = BoundedList(
        child=serializers.ChoiceField(choices=list(map(str, StepReason))), default=list, max_length=len(StepReason)
    )
    note = LineField(max_length=MOST_NOTE, default="", allow_blank=True)


class FirstSteps(APIView):
    """What is done about posts."""

    @extend_schema(operation_id="projects_counterspeech_first_steps", responses={200: list[FirstStepJson]})
    def get(self, request: Request, slug: str) -> Response:
        """List the 100 newest decisions about posts that the caller may see, newest first."""
        mine = member(request, slug, Role.REVIEWER, Role.ADMIN)
        steps = FirstStep.objects.filter(exchange__in=visible_exchanges(mine)).select_related(
            "exchange__item", "member"
        )
        return Response([first_steps.as_json(step) for step in steps.order_by("-id")[:SHOWN]])

    @extend_schema(
        operation_id="projects_counterspeech_first_step", request=FirstStepWish, responses={201: FirstStepJson}
    )
    def post(self, request: Request, slug: str) -> Response:
        """Store what is done about a post. It stops nobody from writing, and the newest decision is in force."""
        mine = member(request, slug, Role.REVIEWER, Role.ADMIN)
        said = valid(FirstStepWish(data=request.data)).validated_data
        if bool(said["item"]) == ("exchange" in said):
            return problem(400, "bad_choice", "Name an item or an exchange, one of the two.")
        exchange = _exchange(mine, said)
        if exchange is None:
            return problem(400, "unknown_item", "There is no such post that can be answered.")
        reasons = [StepReason(reason) for reason in said["reasons"]]
        try:
            step = first_steps.decide(exchange, mine, FirstChoice(said["choice"]), reasons, said["note"])
        except BadText as bad:
            return problem(400, bad.code, bad.sentence)
        return Response(first_steps.as_json(step), status=201)


def _exchange(mine: Membership, said: dict[str, str]) -> Exchange | None:
    """Return the exchange that a body names. Returns None if the caller may not see it."""
    if "exchange" in said:
        return visible_exchanges(mine).filter(public_id=said["exchange"]).select_related("item", "project").first()
    item = visible_items(mine).filter(external_id=said["item"]).first()
    if item is None or item.excluded_for or not may_see_votes(item, mine):
        return None
    item.project = mine.project
    return counterspeech_request.open_on_item(item, mine)
