"""Scores over the API: an item's explanations and scores, starting one, looking at one. For reviewers and admins."""

from typing import Any
from uuid import UUID

from django.http import Http404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.api.access import member, problem
from annotation.api.serializers import ProblemShape
from annotation.domain.choices import Role
from annotation.models import Item, Membership
from annotation.review.queue import may_see_votes
from moderation.domain.hatexscore.cc import Rule
from moderation.domain.hatexscore.estimators import Estimator
from moderation.domain.hatexscore.group_list_files import NAMES, BadGroups
from moderation.domain.hatexscore.score import Weights
from moderation.hatexscore import explanations, group_lists, start
from moderation.models import GroupList, Score

PASTED = "pasted"


class ScoreWish(serializers.Serializer[Any]):
    """Which explanation and how. `explanation` is a key of the item's list, or `pasted` with `text`."""

    explanation = serializers.CharField(max_length=200)
    text = serializers.CharField(max_length=start.LONGEST, default="", allow_blank=True)
    prediction = serializers.ChoiceField(["hateful", "non-hateful"], default=None, allow_null=True)
    estimator = serializers.ChoiceField([str(each) for each in Estimator], default=str(Estimator.MODEL))
    model = serializers.CharField(default="", allow_blank=True, help_text="provider:model that estimates")
    list = serializers.CharField(default="", allow_blank=True, max_length=20, help_text="a built-in list or your own")
    language = serializers.CharField(default="", allow_blank=True, max_length=5)
    rule = serializers.ChoiceField([str(rule) for rule in Rule], default=str(Rule.PAPER))
    threshold = serializers.FloatField(default=None, allow_null=True, min_value=0, max_value=1)
    weights = serializers.ListField(
        child=serializers.FloatField(min_value=0),
        min_length=4,
        max_length=4,
        default=lambda: [1.0] * 4,
        help_text="HTC, QF, TGI, CC",
    )
    p = serializers.FloatField(default=None, allow_null=True, min_value=0, max_value=1)
    p_masked = serializers.FloatField(default=None, allow_null=True, min_value=0, max_value=1)


class ItemScores(APIView):
    """The scores of an item, and what else of it can be scored."""

    rate = "trigger"

    @extend_schema(responses={200: dict})
    def get(self, request: Request, slug: str, public_id: UUID) -> Response:
        """List the item's scores, newest first, and its explanations by key."""
        item, _mine = _item(request, slug, public_id)
        found = [
            {
                "key": each.key,
                "source": each.source,
                "method": each.method,
                "said_by": each.said_by,
                "prediction": each.prediction,
                "unscorable": each.unscorable or None,
            }
            for each in explanations.explanations(item)
        ]
        return Response({"scores": [shown(row) for row in start.scores_of(item)], "explanations": found})

    @extend_schema(request=ScoreWish, responses={202: dict, 400: ProblemShape})
    def post(self, request: Request, slug: str, public_id: UUID) -> Response:
        """Score an explanation; answers its row, whose numbers come when the run has ended."""
        item, mine = _item(request, slug, public_id)
        shape = ScoreWish(data=request.data)
        shape.is_valid(raise_exception=True)
        asked = shape.validated_data
        prediction = None if asked["prediction"] is None else asked["prediction"] == "hateful"
        said = (
            start.pasted(asked["text"], prediction)
            if asked["explanation"] == PASTED
            else explanations.named(item, asked["explanation"])
        )
        if said is None:
            return problem(400, "bad_choice", "The item has no explanation of that key.")
        try:
            weights = Weights(*asked["weights"])
        except ValueError as bad:
            return problem(400, "bad_choice", str(bad))
        choice = start.Choice(
            estimator=Estimator(asked["estimator"]),
            model=asked["model"],
            language=asked["language"],
            group_list=asked["list"],
            rule=Rule(asked["rule"]),
            threshold=asked["threshold"],
            weights=weights,
            p=asked["p"],
            p_masked=asked["p_masked"],
        )
        try:
            row = start.start(item, said, choice, mine)
        except start.CannotScore as bad:
            return problem(400, "bad_choice", str(bad))
        return Response(shown(row), status=202)


class GroupListShape(serializers.Serializer[Any]):
    """A list of groups of the project's own."""

    name = serializers.CharField(max_length=group_lists.LONGEST_NAME)
    groups = serializers.JSONField(help_text="category → terms")


class GroupLists(APIView):
    """The lists of groups that explanations can be scored with."""

    @extend_schema(responses={200: dict})
    def get(self, request: Request, slug: str) -> Response:
        """List the built-in ones by name, and the project's own with what they hold."""
        mine = member(request, slug, Role.REVIEWER, Role.ADMIN)
        own = [{"name": each.name, "groups": each.groups} for each in group_lists.lists_of(mine.project)]
        return Response({"built_in": list(NAMES), "own": own})

    @extend_schema(request=GroupListShape, responses={201: dict, 400: ProblemShape})
    def post(self, request: Request, slug: str) -> Response:
        """Keep a list under a name of its own. Lists never change."""
        mine = member(request, slug, Role.REVIEWER, Role.ADMIN)
        shape = GroupListShape(data=request.data)
        shape.is_valid(raise_exception=True)
        try:
            made = group_lists.add(mine.project, shape.validated_data["name"], shape.validated_data["groups"], mine)
        except BadGroups as bad:
            return problem(400, "bad_groups", str(bad))
        return Response({"name": made.name, "groups": made.groups}, status=201)


class OneGroupList(APIView):
    """A list of the project's own."""

    @extend_schema(responses={204: None, 409: ProblemShape})
    def delete(self, request: Request, slug: str, name: str) -> Response:
        """Take out a list that nothing was scored with."""
        mine = member(request, slug, Role.REVIEWER, Role.ADMIN)
        found = GroupList.objects.filter(project=mine.project, name=name).select_related("project").first()
        if found is None:
            raise Http404
        try:
            group_lists.remove(found, mine)
        except BadGroups as bad:
            return problem(409, "in_use", str(bad))
        return Response(status=204)


class OneScore(APIView):
    """One score."""

    @extend_schema(responses=dict)
    def get(self, request: Request, slug: str, public_id: UUID) -> Response:
        """Show a score with its spans, its groups and what it was made with."""
        mine = member(request, slug, Role.REVIEWER, Role.ADMIN)
        row = Score.objects.filter(project=mine.project, public_id=public_id).select_related("item").first()
        if row is None or not _sees(row.item, mine):
            raise Http404
        return Response(shown(row))


def shown(row: Score) -> dict[str, Any]:
    """A score as JSON: parts, spans by code points, settings."""
    return {
        "id": str(row.public_id),
        "state": row.state,
        "reason": row.reason or None,
        "source": row.source,
        "method": row.method,
        "run": str(row.about_run) if row.about_run else None,
        "said_by": row.said_by,
        "explanation": row.explanation,
        "prediction": row.prediction,
        "htc": row.htc,
        "qf": row.qf,
        "tgi": row.tgi,
        "cc": row.cc,
        "score": row.score,
        "p": row.p,
        "p_masked": row.p_masked,
        "rule": row.rule,
        "threshold": row.threshold,
        "weights": row.weights,
        "list": row.group_list,
        "language": row.language,
        "estimator": row.estimator,
        "estimated_by": row.estimated_by,
        "reading": row.reading,
    }


def _item(request: Request, slug: str, public_id: UUID) -> tuple[Item, Membership]:
    mine = member(request, slug, Role.REVIEWER, Role.ADMIN)
    item = Item.objects.filter(project=mine.project, public_id=public_id).first()
    if item is None or not _sees(item, mine):
        raise Http404
    item.project = mine.project
    return item, mine


def _sees(item: Item, mine: Membership) -> bool:
    return item.excluded_for != "reported" and may_see_votes(item, mine)
