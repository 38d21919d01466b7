"""Replies over the API: listed, read, written, and taken back from the store. For reviewers and admins."""

from collections.abc import Callable
from functools import partial
from uuid import UUID

from django.db.models import QuerySet
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.api.access import member, problem, valid
from annotation.api.pages import BY_KEY, page_by_key_of
from annotation.api.problems import Problem
from annotation.api.request_base import BoundedList, LineField, RequestShape, WrittenField
from annotation.core.transactions import short_transaction
from annotation.domain.choices import Role
from annotation.models import Membership
from generation.api.answers_desk import Meanwhile, ReplyPage, ReplyStanding
from generation.api.desk_refusals import answered
from generation.api.reply_json import reply_row, standing
from generation.counterspeech import replies, withdraw
from generation.counterspeech.access import exchange_for, reply_for
from generation.counterspeech.presenters import readable, visible_exchanges
from generation.domain.counterspeech.intents import Intent
from generation.domain.counterspeech.options import MOST_REPLY
from generation.domain.counterspeech.registers import Register
from generation.domain.counterspeech.states import MOST_REASON, ReplyState
from generation.files import export
from generation.files.reply_types import ReplyJson
from generation.models import Exchange, Reply
from generation.practice import library

__all__ = ["standing"]

INTENTS = list(map(str, Intent))
VERSION = "The `version` that was read. Another one is in force: 409."


class BeginShape(RequestShape):
    """What a reply begins from: a candidate with its intent, an intent alone, or a reply of the library."""

    candidate = serializers.UUIDField(default=None, allow_null=True, help_text="The `id` of a candidate for this post.")
    intent = serializers.ChoiceField(choices=INTENTS, required=False)
    entry = serializers.CharField(max_length=128, required=False, help_text="The `id` of a reply of the library.")


class WrittenReply(RequestShape):
    """What the author wrote. What it does not name stays as it is."""

    version = serializers.IntegerField(min_value=1, max_value=2**31 - 1, help_text=VERSION)
    text = WrittenField(limit=MOST_REPLY, required=False, allow_blank=True)
    intent = serializers.ChoiceField(choices=INTENTS, required=False)
    registers = BoundedList(
        child=serializers.ChoiceField(choices=list(map(str, Register))), max_length=len(Register), required=False
    )


class Withdrawal(RequestShape):
    """Why a reply is withdrawn."""

    reason = LineField(max_length=MOST_REASON)


class Correction(RequestShape):
    """What a correction says and why it is made. Without an intent it keeps the one of the reply."""

    reason = LineField(max_length=MOST_REASON)
    text = WrittenField(limit=MOST_REPLY)
    intent = serializers.ChoiceField(choices=INTENTS, required=False)


class ApprovedReplies(APIView):
    """The approved replies of a project."""

    @extend_schema(operation_id="projects_counterspeech_replies", responses={200: list[ReplyJson]})
    def get(self, request: Request, slug: str) -> Response:
        """List the approved replies in the columns of IntentCONANv2, with their origin and what a person changed."""
        mine = member(request, slug, Role.ADMIN)
        return Response(list(export.replies(mine.project)))


_FILTERS: dict[str, tuple[list[str], str]] = {
    "state": (list(map(str, ReplyState)), "Only replies in this state."),
    "intent": (INTENTS, "Only replies of this intent."),
    "who": (["mine", "others"], "Only replies that the caller wrote, or that others wrote."),
}
"""The closed sets of the list's filters, and what each does."""


class AllReplies(APIView):
    """The replies of a project in every state."""

    @extend_schema(
        operation_id="projects_counterspeech_replies_all",
        parameters=[
            *(OpenApiParameter(name, str, enum=values, description=does) for name, (values, does) in _FILTERS.items()),
            OpenApiParameter("item", str, description="Only replies to the post with this id, as imported."),
            OpenApiParameter("exchange", UUID, description="Only replies to this post."),
            *BY_KEY,
        ],
        responses={200: ReplyPage},
    )
    def get(self, request: Request, slug: str) -> Response:
        """List the replies that the caller may read, those changed last first. Drafts are shown to their authors alone.

        `state=submitted&who=others` are those that wait for the caller's approval.
        """
        mine = member(request, slug, Role.REVIEWER, Role.ADMIN)
        among = readable(Reply.objects.filter(exchange__in=visible_exchanges(mine)), mine)
        rows = _filtered(request, mine, among).prefetch_related("corrections").order_by("-changed_at", "-pk")
        filters = (*_FILTERS, "item", "exchange")
        return page_by_key_of(request, rows, among, lambda page: [reply_row(row) for row in page], filters)


class BeginReply(APIView):
    """The beginning of a reply."""

    @extend_schema(request=BeginShape, responses={201: ReplyStanding})
    def post(self, request: Request, slug: str, public_id: UUID) -> Response:
        """Begin a draft of the caller's own: from a candidate, from a reply of the library, or empty.

        An unchanged draft is not begun twice. A reply of the library counts as used from now on.
        """
        mine = member(request, slug, Role.REVIEWER, Role.ADMIN)
        exchange, named = exchange_for(mine, public_id), valid(BeginShape(data=request.data)).validated_data
        chosen, intent, entry = named["candidate"], named.get("intent"), named.get("entry")
        if [chosen, intent, entry].count(None) != 2:
            return problem(400, "bad_choice", "Name a candidate, an intent or an entry of the library, one of them.")
        if entry:
            return self._taken_up(mine, exchange, entry)
        candidate = exchange.candidates.filter(public_id=chosen).first() if chosen else None
        if chosen and candidate is None:
            return problem(400, "unknown_candidate", "There is no such candidate for this post.", field="candidate")
        reply = replies.begin(exchange, mine, Intent(candidate.intent if candidate else intent), candidate)
        return _begun(mine, reply)

    def _taken_up(self, mine: Membership, exchange: Exchange, entry: str) -> Response:
        row = library.row_of(mine.project, entry)
        if row is None:
            return problem(400, "unknown_item", "There is no such reply in the library.", field="entry")
        return answered(lambda: _begun(mine, library.take_up(row, exchange, mine)))


def _begun(mine: Membership, reply: Reply) -> Response:
    return Response(standing(reply_for(mine, reply.public_id)), status=201)


class OneReply(APIView):
    """One reply."""

    @extend_schema(operation_id="projects_counterspeech_reply", responses={200: ReplyStanding})
    def get(self, request: Request, slug: str, public_id: UUID) -> Response:
        """Show a reply as it stands: a draft to its author alone, also one that was withdrawn or replaced."""
        mine = member(request, slug, Role.REVIEWER, Role.ADMIN)
        return Response(standing(reply_for(mine, public_id)))

    @extend_schema(
        operation_id="projects_counterspeech_reply_write",
        request=WrittenReply,
        responses={200: ReplyStanding, 409: Meanwhile},
    )
    def patch(self, request: Request, slug: str, public_id: UUID) -> Response:
        """Write a draft, or one that was returned, as its author. 409: it changed since `version`, or was handed in."""
        mine = member(request, slug, Role.REVIEWER, Role.ADMIN)
        reply, shape = reply_for(mine, public_id), valid(WrittenReply(data=request.data))
        said = shape.validated_data
        text, intent = said.get("text", reply.text), Intent(said.get("intent", reply.intent))
        written = partial(replies.write, reply, mine, text, intent, said["version"], said.get("registers"))
        return reply_answer(reply, written)

    @extend_schema(operation_id="projects_counterspeech_reply_discard", responses={204: None, 409: Problem})
    def delete(self, request: Request, slug: str, public_id: UUID) -> Response:
        """Discard a draft of the caller's own that was never handed in."""
        mine = member(request, slug, Role.REVIEWER, Role.ADMIN)
        reply = reply_for(mine, public_id)

        def discard() -> Response:
            replies.discard(reply, mine)
            return Response(status=204)

        return answered(discard)


class WithdrawReply(APIView):
    """The withdrawal of a reply."""

    @extend_schema(
        operation_id="projects_counterspeech_reply_withdraw",
        request=Withdrawal,
        responses={200: ReplyStanding, 409: Meanwhile},
    )
    def post(self, request: Request, slug: str, public_id: UUID) -> Response:
        """Withdraw a reply, approved or not, by its author or an admin. It leaves the store of examples and all files.

        Files and releases that were made before keep it. It cannot be undone.
        """
        mine = member(request, slug, Role.REVIEWER, Role.ADMIN)
        reply, shape = reply_for(mine, public_id), valid(Withdrawal(data=request.data))
        return reply_answer(reply, lambda: withdraw.withdraw(reply, mine, shape.validated_data["reason"]))


class CorrectReply(APIView):
    """The correction of a reply."""

    @extend_schema(
        operation_id="projects_counterspeech_reply_correct",
        request=Correction,
        responses={201: ReplyStanding, 409: Meanwhile},
    )
    def post(self, request: Request, slug: str, public_id: UUID) -> Response:
        """Hand in a correction of an approved reply. It takes its place once somebody else has approved it."""
        mine = member(request, slug, Role.REVIEWER, Role.ADMIN)
        reply, shape = reply_for(mine, public_id), valid(Correction(data=request.data))
        said = {"intent": reply.intent, **shape.validated_data}
        return reply_answer(reply, lambda: _hand_in_correction(reply, mine, **said), 201)


def reply_answer(reply: Reply, act: Callable[[], Reply | None], status: int = 200) -> Response:
    """Return the reply that the act was about, or the one that came of it, as it stands; or why it is refused."""
    return answered(lambda: Response(standing(act() or reply), status=status), reply)


@short_transaction
def _hand_in_correction(reply: Reply, author: Membership, *, reason: str, text: str, intent: str) -> Reply:
    correction = withdraw.begin_correction(reply, author, reason)
    correction = replies.write(correction, author, text, Intent(intent), correction.version)
    replies.submit(correction, author)
    return correction


def _filtered(request: Request, mine: Membership, rows: QuerySet[Reply]) -> QuerySet[Reply]:
    """Return the replies that pass the filters of the query. Raises ValidationError for a value that is none."""
    query = request.query_params
    for name, (values, _words) in _FILTERS.items():
        if (value := query.get(name, "")) and value not in values:
            sentence = f"There is no {name} {value[:40]!r}; there are {', '.join(values)}."
            raise serializers.ValidationError({name: sentence}, "unknown_filter_value")
    rows = rows.filter(**{name: query[name] for name in ("state", "intent") if query.get(name)})
    if who := query.get("who"):
        rows = rows.filter(author=mine) if who == "mine" else rows.exclude(author=mine)
    if item := query.get("item"):
        rows = rows.filter(exchange__item__external_id=item)
    if exchange := query.get("exchange"):
        try:
            rows = rows.filter(exchange__public_id=UUID(exchange))
        except ValueError:
            raise serializers.ValidationError({"exchange": "It is no id of a post."}, "invalid") from None
    return rows
