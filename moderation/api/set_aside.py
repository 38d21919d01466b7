"""Assigning and parking disputed posts in the API. The pages call the same functions."""

from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.api.access import member, problem, valid
from annotation.api.problems import Problem
from annotation.domain.choices import Role
from moderation.api.answers_desk import SetAsideJson
from moderation.api.desk import REFUSED, disputed_item
from moderation.api.desk_json import set_aside_json
from moderation.api.desk_serializers import SetAsideShape
from moderation.desk import set_aside
from moderation.desk.error_messages import leased_sentence, refusal_of
from moderation.desk.leases import Leased
from moderation.desk.set_aside import BadSetAside, KeptForAnother, SetAsideWish


class DisputeSetAside(APIView):
    """Whether one post is assigned or parked."""

    rate = "submit"

    @extend_schema(request=SetAsideShape, responses={201: SetAsideJson, **REFUSED})
    def post(self, request: Request, slug: str, public_id: UUID) -> Response:
        """Assign a disputed post to a reviewer, or park it with a note. Nobody else gets it as their next one."""
        mine = member(request, slug, Role.REVIEWER, Role.ADMIN)
        item = disputed_item(mine.project, public_id)
        values = valid(SetAsideShape(data=request.data)).validated_data
        people = {str(person): person for person in set_aside.reviewers_of(mine.project)}
        reviewer = people.get(values["reviewer"])
        if values["reviewer"] and reviewer is None:
            return problem(422, "unknown_reviewer", "No active reviewer of this project has this name.")
        try:
            row = set_aside.set_aside(item, mine, SetAsideWish(values["note"], values["until"], reviewer))
        except Leased as leased:
            return problem(409, leased.code, leased_sentence(leased.lease))
        except BadSetAside as wrong:
            return problem(422, wrong.code, refusal_of(wrong))
        except KeptForAnother as kept:
            return problem(409, kept.code, refusal_of(kept))
        return Response(set_aside_json(row, blind=False), status=201)

    @extend_schema(request=None, responses={204: None, 409: Problem})
    def delete(self, request: Request, slug: str, public_id: UUID) -> Response:
        """End that; the post is everybody's again, and first the caller's if they review."""
        mine = member(request, slug, Role.REVIEWER, Role.ADMIN)
        try:
            set_aside.end(disputed_item(mine.project, public_id), mine)
        except Leased as leased:
            return problem(409, leased.code, leased_sentence(leased.lease))
        return Response(status=204)
