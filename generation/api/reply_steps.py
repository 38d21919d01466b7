"""What becomes of a reply over the API: handed in, taken back, scored, approved, returned, discussed."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.api.access import member
from annotation.api.request_base import RequestShape, WrittenField
from annotation.domain.choices import Role
from annotation.models import Membership
from generation.api.answers_desk import Meanwhile, ReplyStanding
from generation.api.replies import VERSION, reply_answer
from generation.counterspeech import approve, replies
from generation.counterspeech.access import reply_for
from generation.counterspeech.critics import ask_critics
from generation.counterspeech.request import BadChoice
from generation.models import Reply
from runs.execution.budget import BudgetExceeded

Step = Callable[[Reply, Membership, Mapping[str, Any]], object]
"""What is done with a reply, by whom, with what the body says."""


class AgainShape(RequestShape):
    """Whether critics are asked although they were asked before."""

    again = serializers.BooleanField(default=False, help_text="Ask anew where they gave no answer.")


class ApprovalShape(RequestShape):
    """The approval of the text that was read. A marked reply needs a reason."""

    version = serializers.IntegerField(min_value=1, max_value=2**31 - 1, help_text=VERSION)
    reason = WrittenField(default="", allow_blank=True, help_text="Why it is approved in spite of its `marks`.")


class ReturnShape(RequestShape):
    """What is missing of the text that was read."""

    version = serializers.IntegerField(min_value=1, max_value=2**31 - 1, help_text=VERSION)
    comment = WrittenField()


class CommentShape(RequestShape):
    """A comment on a reply."""

    text = WrittenField()


def _described(
    name: str, shape: type[RequestShape] | None = None, status: int = 200, *, conflicts: bool = True
) -> Callable[[Any], Any]:
    """Return the description of a step for the schema. `conflicts`: it may be refused as the reply stands."""
    answers = {status: ReplyStanding} | ({409: Meanwhile} if conflicts else {})
    return extend_schema(operation_id=f"projects_counterspeech_reply_{name}", request=shape, responses=answers)


class ReplyStep(APIView):
    """The base of what is done with a reply: whose it is, what the body says, and how the answer looks."""

    shape: type[RequestShape] | None = None
    """The body; None: there is none."""

    def done(self, request: Request, slug: str, public_id: UUID, act: Step, status: int = 200) -> Response:
        """Carry out a step with a reply that the caller may read. Return the reply as it stands, or the refusal."""
        mine = member(request, slug, Role.REVIEWER, Role.ADMIN)
        reply, said = reply_for(mine, public_id), self._said(request)

        def carry_out() -> Reply:
            act(reply, mine, said)
            return reply_for(mine, public_id)

        return reply_answer(reply, carry_out, status)

    def _said(self, request: Request) -> Mapping[str, Any]:
        if self.shape is None:
            return {}
        shape = self.shape(data=request.data)
        shape.is_valid(raise_exception=True)
        said: Mapping[str, Any] = shape.validated_data
        return said


class SubmitReply(ReplyStep):
    """The hand-in of a reply."""

    @_described("submit")
    def post(self, request: Request, slug: str, public_id: UUID) -> Response:
        """Hand in a reply of the caller's own, for approval by somebody else.

        Critics are asked about its text unless they know it. `scoring` is null where none can be asked.
        """
        return self.done(request, slug, public_id, _hand_in)


class TakeBackReply(ReplyStep):
    """The way back from a hand-in."""

    @_described("take_back")
    def post(self, request: Request, slug: str, public_id: UUID) -> Response:
        """Make a reply of the caller's own a draft again that nobody has decided about yet."""
        return self.done(request, slug, public_id, lambda reply, mine, said: replies.take_back(reply, mine))


class ScoreReply(ReplyStep):
    """The scores of a reply's present text."""

    rate = "score"
    shape = AgainShape

    @_described("score", AgainShape, 202, conflicts=False)
    def post(self, request: Request, slug: str, public_id: UUID) -> Response:
        """Ask critics about the present text. They answer later: `scored` is true once they did.

        Nothing is asked where they know the text, and where there is none.
        """
        return self.done(
            request, slug, public_id, lambda reply, mine, said: ask_critics(reply, mine, again=said["again"]), 202
        )


class ApproveReply(ReplyStep):
    """The approval of a reply."""

    shape = ApprovalShape

    @_described("approve", ApprovalShape)
    def post(self, request: Request, slug: str, public_id: UUID) -> Response:
        """Approve a reply that somebody else handed in. It guides later candidates and is in the dataset from now on.

        409: it changed since `version`, it is the caller's own, or a marked one lacks its reason.
        """
        return self.done(request, slug, public_id, _decided(approve.approve, "reason"))


class ReturnReply(ReplyStep):
    """The return of a reply to its author."""

    shape = ReturnShape

    @_described("return", ReturnShape)
    def post(self, request: Request, slug: str, public_id: UUID) -> Response:
        """Send a reply back that somebody else handed in, with a comment on what is missing."""
        return self.done(request, slug, public_id, _decided(approve.send_back, "comment"))


class CommentReply(ReplyStep):
    """A comment on a reply."""

    shape = CommentShape

    @_described("comment", CommentShape, 201)
    def post(self, request: Request, slug: str, public_id: UUID) -> Response:
        """Comment on a reply that nobody has decided about yet."""
        return self.done(
            request, slug, public_id, lambda reply, mine, said: approve.say(reply, mine, said["text"]), 201
        )


def _hand_in(reply: Reply, author: Membership, _said: Mapping[str, Any]) -> None:
    replies.submit(reply, author)
    with suppress(BadChoice, BudgetExceeded):  # it is handed in all the same, and marked as not read by critics
        ask_critics(reply, author)


def _decided(decide: Callable[[Reply, Membership, str], object], words: str) -> Step:
    """Return the step that decides about the version that was read; the body says why under `words`."""

    def act(reply: Reply, mine: Membership, said: Mapping[str, Any]) -> None:
        replies.refuse_stale(reply, said["version"])
        decide(reply, mine, said[words])

    return act
