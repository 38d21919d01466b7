"""Scores in the API: an item's explanations and scores, and starting one. For reviewers and admins."""

from uuid import UUID

from django.http import Http404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.api.access import member, problem, valid
from annotation.api.problems import Problem
from annotation.api.request_base import BoundedList, RequestShape
from annotation.api.request_shapes import AskingShape
from annotation.core.found import found
from annotation.domain.choices import Role
from annotation.models import Item, Membership
from annotation.review.queue import may_see_votes
from moderation.api.score_answers import ExplanationJson, GroupListJson, GroupListsJson, ItemScoresJson, ScoreJson
from moderation.domain.hatexscore.group_list_files import NAMES, BadGroups
from moderation.domain.hatexscore.request import Scoring
from moderation.domain.hatexscore.score import Weights
from moderation.hatexscore import explanations, group_lists, start
from moderation.models import GroupList, Score
from vocabulary.answers import answer

PASTED = "pasted"


class ScoreWish(AskingShape[Scoring]):
    """What is scored, and how. `explanation` is a key of the item's list, or `pasted` with `text`."""

    asks = Scoring
    before = ("explanation", "text", "prediction")

    explanation = serializers.CharField(max_length=200)
    text = serializers.CharField(max_length=start.LONGEST, default="", allow_blank=True)
    prediction = serializers.ChoiceField(["hateful", "non-hateful"], default=None, allow_null=True)
    weights = BoundedList(
        child=serializers.FloatField(min_value=0),
        min_length=4,
        max_length=4,
        default=lambda: [1.0] * 4,
        help_text="The weights of HTC, QF, TGI and CC, in this order.",
    )

    def validate_weights(self, weights: list[float]) -> Weights:
        """Return the four weights."""
        try:
            return Weights(*weights)
        except ValueError as bad:
            raise serializers.ValidationError(str(bad), code="bad_choice") from None


class ItemScores(APIView):
    """The scores of an item, and its explanations that can be scored."""

    rate = "trigger"

    @extend_schema(responses={200: ItemScoresJson})
    def get(self, request: Request, slug: str, public_id: UUID) -> Response:
        """List the item's scores, newest first, and its explanations by key."""
        item, _mine = _item(request, slug, public_id)
        choices = [answer(ExplanationJson, explanation) for explanation in explanations.explanations(item)]
        return Response(ItemScoresJson(scores=[shown(row) for row in start.scores_of(item)], explanations=choices))

    @extend_schema(request=ScoreWish, responses={202: ScoreJson})
    def post(self, request: Request, slug: str, public_id: UUID) -> Response:
        """Score an explanation. Return its row; the numbers come when the run has ended."""
        item, mine = _item(request, slug, public_id)
        shape = valid(ScoreWish(data=request.data))
        values = shape.validated_data
        prediction = None if values["prediction"] is None else values["prediction"] == "hateful"
        explanation = (
            start.pasted(values["text"], prediction)
            if values["explanation"] == PASTED
            else explanations.named(item, values["explanation"])
        )
        if explanation is None:
            return problem(400, "bad_choice", "The item has no explanation of that key.")
        try:
            row = start.start(item, explanation, shape.request(), mine)
        except start.CannotScore as bad:
            return problem(400, "bad_choice", str(bad))
        return Response(shown(row), status=202)


class GroupListShape(RequestShape):
    """A project's own list of groups."""

    name = serializers.CharField(max_length=group_lists.LONGEST_NAME)
    groups = serializers.JSONField(help_text="The terms of each category.")


class GroupLists(APIView):
    """The lists of groups for scoring explanations."""

    @extend_schema(responses={200: GroupListsJson})
    def get(self, request: Request, slug: str) -> Response:
        """List the built-in lists by name, and the project's own with their groups."""
        mine = member(request, slug, Role.REVIEWER, Role.ADMIN)
        own = [answer(GroupListJson, row) for row in group_lists.lists_of(mine.project)]
        return Response(GroupListsJson(built_in=list(NAMES), own=own))

    @extend_schema(request=GroupListShape, responses={201: GroupListJson})
    def post(self, request: Request, slug: str) -> Response:
        """Store a list under a new name. Lists never change."""
        mine = member(request, slug, Role.REVIEWER, Role.ADMIN)
        shape = valid(GroupListShape(data=request.data))
        try:
            row = group_lists.add(mine.project, shape.validated_data["name"], shape.validated_data["groups"], mine)
        except BadGroups as bad:
            return problem(400, "bad_groups", str(bad))
        return Response(answer(GroupListJson, row), status=201)


class OneGroupList(APIView):
    """One of the project's own lists."""

    @extend_schema(responses={204: None, 409: Problem})
    def delete(self, request: Request, slug: str, name: str) -> Response:
        """Remove a list. 409: something was scored with it."""
        mine = member(request, slug, Role.REVIEWER, Role.ADMIN)
        row = found(GroupList.objects.filter(project=mine.project, name=name).select_related("project").first())
        try:
            group_lists.remove(row, mine)
        except BadGroups as bad:
            return problem(409, "in_use", str(bad))
        return Response(status=204)


class OneScore(APIView):
    """One score."""

    @extend_schema(responses={200: ScoreJson})
    def get(self, request: Request, slug: str, public_id: UUID) -> Response:
        """Show a score with its spans, groups and settings."""
        mine = member(request, slug, Role.REVIEWER, Role.ADMIN)
        row = Score.objects.filter(project=mine.project, public_id=public_id).select_related("item").first()
        if row is None or not _sees(row.item, mine):
            raise Http404
        return Response(shown(row))


def shown(row: Score) -> ScoreJson:
    """Return a score as JSON values: parts, spans in code points, settings."""
    return answer(ScoreJson, row, run=row.about_run, list=row.group_list)


def _item(request: Request, slug: str, public_id: UUID) -> tuple[Item, Membership]:
    mine = member(request, slug, Role.REVIEWER, Role.ADMIN)
    item = Item.objects.filter(project=mine.project, public_id=public_id).first()
    if item is None or not _sees(item, mine):
        raise Http404
    item.project = mine.project
    return item, mine


def _sees(item: Item, mine: Membership) -> bool:
    return item.excluded_for != "reported" and may_see_votes(item, mine)
