"""Posted replies and the figures of replies over the API. For reviewers and admins."""

from typing import Any
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.api.access import member, problem, valid
from annotation.api.problems import Problem
from annotation.api.request_base import LineField, RequestShape
from annotation.domain.choices import Role
from annotation.domain.text_rules import BadText
from generation.api.answers import ReplyFigures
from generation.counterspeech.access import reply_for
from generation.counterspeech.replies import CannotDo
from generation.domain.counterspeech.platforms import Platform
from generation.domain.counterspeech.postings import MOST_ADDRESS, MOST_NOTE, MOST_REACTIONS, CheckedAfter
from generation.models import Posting
from generation.practice import collection, postings
from generation.practice.postings import PostingJson
from generation.practice.views_postings import posting_for


class PostingWish(RequestShape):
    """Where and when a reply was posted; without a platform, in another place."""

    platform = serializers.ChoiceField(choices=list(map(str, Platform)), required=False)
    address = LineField(max_length=MOST_ADDRESS, default="", allow_blank=True)
    posted_at = serializers.DateTimeField()


class CheckWish(RequestShape):
    """What somebody saw of a posting."""

    after = serializers.ChoiceField(choices=list(map(str, CheckedAfter)))
    deleted = serializers.BooleanField(default=False)
    answered = serializers.BooleanField(default=False)
    harassed = serializers.BooleanField(default=False)
    reactions = serializers.IntegerField(min_value=0, max_value=MOST_REACTIONS, default=None, allow_null=True)
    note = LineField(max_length=MOST_NOTE, default="", allow_blank=True)


class Postings(APIView):
    """Where a reply was posted."""

    @extend_schema(operation_id="projects_counterspeech_postings", responses={200: list[PostingJson]})
    def get(self, request: Request, slug: str, public_id: UUID) -> Response:
        """List where a reply was posted, and what became of it."""
        reply = reply_for(member(request, slug, Role.REVIEWER, Role.ADMIN), public_id)
        rows = reply.postings.select_related("reply__exchange__item", "member").prefetch_related("checks__member")
        return Response([postings.as_json(row) for row in rows])

    @extend_schema(
        operation_id="projects_counterspeech_posting", request=PostingWish, responses={201: PostingJson, 409: Problem}
    )
    def post(self, request: Request, slug: str, public_id: UUID) -> Response:
        """Write down where and when a reply was posted. The site posts nothing itself."""
        mine = member(request, slug, Role.REVIEWER, Role.ADMIN)
        reply, shape = reply_for(mine, public_id), valid(PostingWish(data=request.data))
        said = shape.validated_data
        platform = Platform(said["platform"]) if "platform" in said else None
        return _answer(lambda: postings.add(reply, mine, platform, said["address"], said["posted_at"]))


class PostingChecks(APIView):
    """What became of a posting."""

    @extend_schema(
        operation_id="projects_counterspeech_posting_check",
        request=CheckWish,
        responses={201: PostingJson, 409: Problem},
    )
    def post(self, request: Request, slug: str, public_id: UUID) -> Response:
        """Write down what became of a posted reply."""
        mine = member(request, slug, Role.REVIEWER, Role.ADMIN)
        posting, shape = posting_for(mine, public_id), valid(CheckWish(data=request.data))
        said = shape.validated_data
        seen = postings.Seen(**{**said, "after": CheckedAfter(said["after"])})
        return _answer(lambda: postings.check(posting, mine, seen).posting)


class Figures(APIView):
    """Figures of the replies."""

    @extend_schema(operation_id="projects_counterspeech_figures", responses={200: ReplyFigures})
    def get(self, request: Request, slug: str) -> Response:
        """Show the figures of approved replies and of posted ones: of all, and by intent and register."""
        project = member(request, slug, Role.REVIEWER, Role.ADMIN).project
        written, posted = collection.figures(project), postings.figures(project)
        return Response(ReplyFigures(collection=written, posted=posted))


def _answer(act: Any) -> Response:
    try:
        posting: Posting = act()
    except CannotDo as refused:
        return problem(409, "not_possible", str(refused))
    except BadText as bad:
        return problem(400, bad.code, bad.sentence)
    return Response(postings.as_json(posting), status=201)
