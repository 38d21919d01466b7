"""The adjudication desk over the API: disputes, decisions, appeals, statements. The same verbs as the pages."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.core.paginator import Paginator
from django.http import Http404
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.api.access import member, number, problem
from annotation.api.serializers import ProblemShape
from annotation.domain.choices import Reason, Role, Stage
from annotation.models import Adjudication, Category, Item, Membership, Project, Ruling
from annotation.review import expert_replacement
from annotation.review.adjudicate import BadRuling, NotAllowed, OwnItem, RulingKeyReused, StaleVersion
from annotation.review.queue import may_see_votes, wants_category_of
from moderation.api.desk_serializers import AppealShape, DecisionShape, MissingShape
from moderation.desk import appeals, decide, leases, queue, statements
from moderation.desk.appeals import DecidedBefore, NotAppealable
from moderation.desk.case_view import Desk
from moderation.desk.decide import AlreadyProposed, Decided, NeedsAppeal, Proposed, Wanted
from moderation.desk.error_messages import leased_sentence, refusal_of
from moderation.desk.leases import Leased
from moderation.models import Appeal, Statement

MOST = 200
_REFUSED = {403: ProblemShape, 404: ProblemShape, 409: ProblemShape, 422: ProblemShape}


class Disputes(APIView):
    """The queue of the desk."""

    @extend_schema(
        operation_id="projects_disputes_list",
        parameters=[
            *(OpenApiParameter(name, str, enum=list(values)) for name, values in queue.CLOSED_SETS.items()),
            OpenApiParameter("batch", str),
            OpenApiParameter("page", int),
            OpenApiParameter("limit", int, description=f"Disputes a page, at most {MOST}."),
        ],
        responses={200: dict, 400: ProblemShape},
    )
    def get(self, request: Request, slug: str) -> Response:
        """List what is disputed, appeals first, then by priority and age; votes only one by one."""
        mine = member(request, slug, Role.REVIEWER, Role.ADMIN)
        try:
            asked = queue.read(request.query_params, strict=True)
        except queue.UnknownFilter as wrong:
            return problem(400, wrong.code, str(wrong))
        found = queue.queue(mine, asked)
        page = Paginator(found, number(self, request, "limit", 50, MOST)).get_page(request.query_params.get("page"))
        return Response({"count": page.paginator.count, "page": page.number, "results": [_row(each) for each in page]})


class NextDispute(APIView):
    """The next post for the caller."""

    @extend_schema(request=None, responses={200: dict, 204: None})
    def post(self, request: Request, slug: str) -> Response:
        """Take the first dispute that is free for the caller; theirs until the lease lapses. 204: there is none."""
        mine = member(request, slug, Role.REVIEWER)
        item = leases.take_next(mine, queue.read(request.query_params))
        return (
            Response(status=204) if item is None else Response(_shown(Desk(mine, _item(mine.project, item.public_id))))
        )


class OneDispute(APIView):
    """One disputed post."""

    @extend_schema(responses=dict)
    def get(self, request: Request, slug: str, public_id: UUID) -> Response:
        """Show a disputed post; votes without names, and none while the caller's own view is wanted."""
        mine = member(request, slug, Role.REVIEWER, Role.ADMIN)
        item = _item(mine.project, public_id)
        if item.stage != Stage.DISPUTED:
            raise Http404
        return Response(_shown(Desk(mine, item)))


class Decisions(APIView):
    """Decisions about one post: the way to settle it."""

    rate = "submit"

    @extend_schema(request=DecisionShape, responses={200: dict, 202: dict, **_REFUSED})
    def post(self, request: Request, slug: str, public_id: UUID) -> Response:
        """Decide. 202: the decision waits for another reviewer. The same key and decision answer the same again."""
        mine = member(request, slug, Role.REVIEWER)
        desk = Desk(mine, _item(mine.project, public_id))
        shape = DecisionShape(data=request.data)
        if isinstance(request.data, Mapping) and "version" not in request.data:
            return problem(422, "version_missing", "Say which version of the item you saw.")
        shape.is_valid(raise_exception=True)
        asked = shape.validated_data
        category = next((each for each in desk.categories if each.code == asked["category"]), None)
        if (asked["category"] is not None or asked["ruling"] == Ruling.DECIDE) and category is None:
            return problem(422, "unknown_category", f"The project has no category {asked['category']}.")
        return _settled(desk, asked, category)


class Replacements(APIView):
    """A category in place of a *not sure*."""

    rate = "submit"

    @extend_schema(request=MissingShape, responses={200: dict, **_REFUSED})
    def post(self, request: Request, slug: str, public_id: UUID) -> Response:
        """Give the category that somebody left open; for reviewers who know no votes of the post."""
        mine = member(request, slug, Role.REVIEWER)
        item = _item(mine.project, public_id)
        shape = MissingShape(data=request.data)
        shape.is_valid(raise_exception=True)
        category = Category.objects.filter(project=mine.project, code=shape.validated_data["category"]).first()
        if category is None:
            return problem(422, "unknown_category", f"The project has no category {shape.validated_data['category']}.")
        try:
            leases.refuse_others(item, mine)
            expert_replacement.replace_not_sure(item, mine, category, shape.validated_data["note"])
        except Leased as other:
            return problem(409, other.code, leased_sentence(other.lease))
        except expert_replacement.NotAnExpert as refused:
            return problem(403, refused.code, "You have a label on the item, or have seen its votes.")
        except expert_replacement.NothingToReplace as gone:
            return problem(409, gone.code, "Nothing is missing here any more.")
        leases.give_back(item, mine)
        item.refresh_from_db()
        return Response({"item": item.external_id, "stage": item.stage})


class AllDecisions(APIView):
    """What was decided in the project."""

    @extend_schema(
        operation_id="projects_decisions_list",
        parameters=[OpenApiParameter("page", int), OpenApiParameter("limit", int)],
        responses=dict,
    )
    def get(self, request: Request, slug: str) -> Response:
        """List decisions, newest first, with who decided and why."""
        mine = member(request, slug, Role.REVIEWER, Role.ADMIN)
        found = (
            Adjudication.objects.filter(item__project=mine.project)
            .select_related("item", "category", "reviewer")
            .order_by("-pk")
        )
        return _listed(self, request, _seen(found, mine), _decision)


class Appeals(APIView):
    """The project's appeals."""

    @extend_schema(operation_id="projects_appeals_list", responses=dict)
    def get(self, request: Request, slug: str) -> Response:
        """List appeals, newest first, with what became of them."""
        mine = member(request, slug, Role.REVIEWER, Role.ADMIN)
        return _listed(self, request, appeals.appeals_of(mine.project), _appeal)


class NewAppeal(APIView):
    """An objection to what was decided about one post."""

    @extend_schema(request=AppealShape, responses={201: dict, **_REFUSED})
    def post(self, request: Request, slug: str, public_id: UUID) -> Response:
        """Enter an appeal: the post goes to a reviewer who did not decide it."""
        mine = member(request, slug, Role.REVIEWER, Role.ADMIN)
        item = _seen_item(mine, public_id)
        shape = AppealShape(data=request.data)
        shape.is_valid(raise_exception=True)
        try:
            made = appeals.appeal(item, mine, shape.validated_data["grounds"], shape.validated_data["appellant"])
        except NotAppealable as refused:
            return problem(409, refused.code, str(refused))
        except NotAllowed as refused:
            return problem(403, refused.code, refusal_of(refused))
        return Response(_appeal(made), status=201)


class Statements(APIView):
    """The statement of reasons about one post."""

    @extend_schema(responses={200: dict, 404: ProblemShape, 409: ProblemShape})
    def get(self, request: Request, slug: str, public_id: UUID) -> Response:
        """The version in force, or (version 0) the fields as the record fills them."""
        mine = member(request, slug, Role.REVIEWER, Role.ADMIN)
        item = _seen_item(mine, public_id)
        newest = statements.newest(item)
        if newest is not None:
            return Response(_statement(newest))
        try:
            return Response({"version": 0, "fields": statements.filled(item)})
        except statements.NotDecided as open_still:
            return problem(409, open_still.code, "Nothing is decided about this item yet.")

    @extend_schema(request=dict, responses={201: dict, **_REFUSED})
    def post(self, request: Request, slug: str, public_id: UUID) -> Response:
        """Keep a new version; 422 says what is wrong, by field."""
        mine = member(request, slug, Role.REVIEWER, Role.ADMIN)
        item = _seen_item(mine, public_id)
        try:
            made = statements.write(item, mine, serializers.DictField().run_validation(request.data))
        except statements.NotValid as wrong:
            return problem(422, wrong.code, "The statement is not valid yet.", fields=wrong.sentences)
        except statements.NotDecided as open_still:
            return problem(409, open_still.code, "Nothing is decided about this item yet.")
        return Response(_statement(made), status=201)


# ── What is answered ──────────────────────────────────────────────────────────


def _settled(desk: Desk, asked: dict[str, Any], category: Category | None) -> Response:
    wanted = Wanted(
        ruling=Ruling(asked["ruling"]),
        version=asked["version"],
        rationale=asked["rationale"],
        key=asked["key"],
        category=category if asked["ruling"] == Ruling.DECIDE else None,
        target_group=asked["target_group"],
        upheld={each: to for each, to in desk.corrections.items() if each in asked["uphold"]},
        message=asked["message"],
        count=asked["count"],
        reason=Reason(asked["reason"]) if asked["reason"] else None,
        shown={"hint": desk.pointer.facts} if desk.pointer else {},
    )
    try:
        done = decide.settle(desk.item, desk.member, wanted)
    except StaleVersion as stale:
        return problem(409, stale.code, "Somebody was first.", version=stale.item.version, last=_last(stale))
    except Leased as other:
        return problem(409, other.code, leased_sentence(other.lease))
    except AlreadyProposed as again:
        return problem(409, again.code, refusal_of(again))
    except (RulingKeyReused, BadRuling) as wrong:
        return problem(422, wrong.code, refusal_of(wrong))
    except (OwnItem, NotAllowed, DecidedBefore, NeedsAppeal) as refused:
        return problem(403, refused.code, refusal_of(refused))
    match done:
        case Decided(adjudication=made):
            return Response(_decision(made))
        case Proposed(proposal=kept):
            return Response({"proposal": str(kept.public_id), "place": kept.place}, status=202)


def _last(stale: StaleVersion) -> dict[str, Any] | None:
    """Who was first, and what they did."""
    last = stale.last
    if last is None:
        return None
    return {
        "who": str(last.actor) if last.actor else None,
        "what": last.verb,
        "category": last.facts.get("category"),
        "at": last.at,
    }


def _listed(view: APIView, request: Request, found: Any, shape: Any) -> Response:
    page = Paginator(found, number(view, request, "limit", 50, MOST)).get_page(request.query_params.get("page"))
    return Response({"count": page.paginator.count, "page": page.number, "results": [shape(each) for each in page]})


def _seen(found: Any, viewer: Membership) -> Any:
    """Decisions about items that nobody is asked about now: what was said in an earlier round would steer people."""
    closed = found.filter(item__stage__in=(Stage.DISPUTED, Stage.GOLD, Stage.EXCLUDED))
    wanted = expert_replacement.waiting_for_expert(viewer).values("pk") if viewer.reviews else Item.objects.none()
    return closed.exclude(item__in=wanted)


def _row(item: Item) -> dict[str, Any]:
    return {
        "id": item.public_id,
        "reasons": [row.reason for row in getattr(item, "open_disputes", ())],
        "since": getattr(item, "open_since", None),
        "level": item.level,
        "round": item.round,
        "version": item.version,
        "batch": item.batch,
    }


def _shown(desk: Desk) -> dict[str, Any]:
    item, blind = desk.item, desk.blind
    shown = {
        "id": item.public_id,
        "text": item.text,
        "picture": item.picture.public_id if item.picture else None,
        "version": item.version,
        "round": item.round,
        "reasons": [row.reason for row in desk.disputes],
        "wants_category": blind,
        "may_decide": desk.may_decide and not blind,
        "second_look": desk.needs_second,
        "leased_to": str(desk.other.reviewer) if desk.other else None,
    }
    if blind:
        return shown
    return shown | {
        "level": item.level,
        "votes": [
            {
                "letter": card.letter,
                "category": card.category.code if card.category else None,
                "low_quality": card.label.low_quality,
                "note": card.label.note,
                "target_group": card.label.target_group,
                "replaced": card.replaced,
            }
            for card in desk.cards
        ],
        "contested": [str(each.modality) for each in desk.contested],
        "decisions": [_decision(each) for each in desk.past],
        "triage": desk.pointer.facts if desk.pointer else None,
    }


def _decision(made: Adjudication) -> dict[str, Any]:
    return {
        "id": made.public_id,
        "item": made.item.public_id,
        "ruling": made.ruling,
        "category": made.category.code if made.category else None,
        "target_group": made.target_group,
        "rationale": made.rationale,
        "message": made.message,
        "drafted_from": made.drafted_from,
        "round": made.round,
        "reviewer": str(made.reviewer) if made.reviewer else None,
        "at": made.created_at,
    }


def _appeal(made: Appeal) -> dict[str, Any]:
    return {
        "id": made.public_id,
        "item": made.item.public_id,
        "against": made.against.public_id if made.against else None,
        "category": made.category.code if made.category else None,
        "appellant": made.appellant,
        "grounds": made.grounds,
        "opened_at": made.opened_at,
        "outcome": made.outcome or None,
        "answer": made.answer.public_id if made.answer else None,
        "closed_at": made.closed_at,
    }


def _statement(made: Statement) -> dict[str, Any]:
    return {"version": made.version, "at": made.created_at, "fields": statements.as_json(made)}


def _item(project: Project, public_id: UUID) -> Item:
    found = (
        Item.objects.filter(project=project, public_id=public_id)
        .select_related("picture", "category", "intended", "project")
        .first()
    )
    if found is None or found.excluded_for == Reason.REPORTED:
        raise Http404
    return found


def _seen_item(viewer: Membership, public_id: UUID) -> Item:
    found = _item(viewer.project, public_id)
    if not may_see_votes(found, viewer) or wants_category_of(found, viewer):
        raise Http404
    return found
