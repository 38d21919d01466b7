"""The reviewers' desk in the API: disputes, decisions, appeals, statements. The pages call the same functions."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.http import Http404
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.api.access import member, problem, valid
from annotation.api.pages import BY_KEY, PAGING, page_by_key_of, page_of
from annotation.api.problems import Problem
from annotation.domain.category_sets import BadSet, as_stored
from annotation.domain.choices import Reason, Role, Stage
from annotation.models import Adjudication, Category, Item, Membership, Project, Ruling
from annotation.review import expert_replacement
from annotation.review.adjudicate import BadRuling, NotAllowed, OwnItem, RulingKeyReused, StaleVersion
from annotation.review.queue import may_see_votes, wants_category_of
from moderation.api.answers_desk import (
    AppealJson,
    AppealPage,
    CategoryFilled,
    Decision,
    DecisionPage,
    DisputeJson,
    DisputePage,
    LastChange,
    ProposalKept,
    Stale,
    StatementJson,
)
from moderation.api.desk_json import (
    appeal_json,
    decision_json,
    dispute_json,
    dispute_row_json,
    statement_json,
)
from moderation.api.desk_serializers import (
    AppealShape,
    DecisionShape,
    MissingShape,
    StatementSent,
    StatementShape,
)
from moderation.desk import appeals, decide, leases, queue, set_aside, statements
from moderation.desk.appeals import DecidedBefore, NotAppealable
from moderation.desk.case_view import Desk
from moderation.desk.decide import AlreadyProposed, CategoryWanted, Decided, NeedsAppeal, Proposed, RulingRequest
from moderation.desk.error_messages import leased_sentence, refusal_of
from moderation.desk.leases import Leased
from moderation.desk.set_aside import KeptForAnother

_FILTERS = {
    "reason": "Only posts that are disputed for this reason.",
    "difficulty": "Only posts of this difficulty.",
    "level": "Only posts at which the votes agree so far.",
    "run": "Only posts with or without a model run.",
    "score": "Only posts with or without a scored explanation.",
    "who": "Only posts that are free, held by the caller, assigned to the caller, assigned to anybody, or parked.",
    "order": "What comes first: the urgent ones, the oldest, or those whose newest debate disagreed most.",
}
"""What each filter of the queue does."""
REFUSED = {409: Problem, 422: Problem}


class Disputes(APIView):
    """The queue of the desk."""

    @extend_schema(
        operation_id="projects_disputes_list",
        parameters=[
            *(
                OpenApiParameter(name, str, enum=list(queue.CLOSED_SETS[name]), description=words)
                for name, words in _FILTERS.items()
            ),
            OpenApiParameter("batch", str, description="Only posts of this batch."),
            OpenApiParameter(
                "disagreement",
                float,
                description="Only posts whose newest debate of perspectives has votes of this entropy (bits) or more.",
            ),
            *PAGING,
        ],
        responses={200: DisputePage},
    )
    def get(self, request: Request, slug: str) -> Response:
        """List disputed posts: appeals first, then by priority and age; those that wait for others come last.

        Each post shows its votes by itself.
        """
        mine = member(request, slug, Role.REVIEWER, Role.ADMIN)
        try:
            filters = queue.read(request.query_params, strict_in=mine.project)
        except queue.UnknownFilter as wrong:
            return problem(400, wrong.code, str(wrong))
        disputes = queue.queue(mine, filters)
        return page_of(
            request,
            disputes,
            lambda items: [dispute_row_json(item) for item in items],
            (*_FILTERS, "batch", "disagreement"),
        )


class NextDispute(APIView):
    """The next post for the caller."""

    @extend_schema(request=None, responses={200: DisputeJson, 204: None})
    def post(self, request: Request, slug: str) -> Response:
        """Take the first dispute that waits for nobody else, and hold it for some minutes. 204: there is none."""
        mine = member(request, slug, Role.REVIEWER)
        item = leases.take_next(mine, queue.read(request.query_params))
        return (
            Response(status=204)
            if item is None
            else Response(dispute_json(Desk(mine, disputed_item(mine.project, item.public_id))))
        )


class OneDispute(APIView):
    """One disputed post."""

    @extend_schema(responses={200: DisputeJson})
    def get(self, request: Request, slug: str, public_id: UUID) -> Response:
        """Show a disputed post with anonymous votes; without votes if the caller should give a category first."""
        mine = member(request, slug, Role.REVIEWER, Role.ADMIN)
        item = disputed_item(mine.project, public_id)
        if item.stage != Stage.DISPUTED:
            raise Http404
        return Response(dispute_json(Desk(mine, item)))


class Decisions(APIView):
    """The decision about one post."""

    rate = "submit"

    @extend_schema(request=DecisionShape, responses={200: Decision, 202: ProposalKept, 409: Stale, 422: Problem})
    def post(self, request: Request, slug: str, public_id: UUID) -> Response:
        """Settle a dispute. 202: another reviewer has to agree. The same key and decision get the same answer.

        `replaces` names the caller's own proposal of a 202, which this decision replaces while nobody answered it.
        """
        mine = member(request, slug, Role.REVIEWER)
        desk = Desk(mine, disputed_item(mine.project, public_id))
        shape = DecisionShape(data=request.data)
        if isinstance(request.data, Mapping) and "version" not in request.data:
            return problem(422, "version_missing", "Say which version of the item you saw.")
        shape.is_valid(raise_exception=True)
        values = shape.validated_data
        try:
            chosen = shape.chosen(mine.project)
        except BadSet as bad:
            return problem(422, bad.code, bad.sentence)
        if values["ruling"] == Ruling.DECIDE and not chosen:
            return problem(422, "unknown_category", "Name the category to decide for.")
        _refuse_uncontested(desk, values)
        return _settled(desk, values, chosen)

    @extend_schema(request=None, responses={204: None, 409: Problem})
    def delete(self, request: Request, slug: str, public_id: UUID) -> Response:
        """Take back the caller's decision that waits for a second reviewer. 409: none waits, or it was answered."""
        mine = member(request, slug, Role.REVIEWER)
        try:
            decide.take_back(disputed_item(mine.project, public_id), mine)
        except decide.ProposalAnswered as answered:
            return problem(409, answered.code, refusal_of(answered))
        return Response(status=204)


class Replacements(APIView):
    """The category that replaces a *not sure* vote."""

    rate = "submit"

    @extend_schema(request=MissingShape, responses={200: CategoryFilled, **REFUSED})
    def post(self, request: Request, slug: str, public_id: UUID) -> Response:
        """Store the category that a *not sure* vote left open. Only for reviewers who have not seen the votes."""
        mine = member(request, slug, Role.REVIEWER)
        item = disputed_item(mine.project, public_id)
        shape = valid(MissingShape(data=request.data))
        try:
            chosen = shape.chosen(mine.project)
        except BadSet as bad:
            return problem(422, bad.code, bad.sentence)
        if not chosen:
            return problem(422, "unknown_category", "Name the category.")
        note, codes = shape.validated_data["note"], as_stored(row.code for row in chosen)
        try:
            leases.refuse_others(item, mine)
            set_aside.refuse_others(item, mine)
            expert_replacement.replace_not_sure(item, mine, chosen[0], note, codes)
        except Leased as leased:
            return problem(409, leased.code, leased_sentence(leased.lease))
        except KeptForAnother as kept:
            return problem(409, kept.code, refusal_of(kept))
        except expert_replacement.NotAnExpert as refused:
            return problem(403, refused.code, "You have a label on the item, or have seen its votes.")
        except expert_replacement.NothingToReplace as fault:
            return problem(409, fault.code, "Nothing is missing here any more.")
        leases.give_back(item, mine)
        set_aside.end_all(item)
        item.refresh_from_db()
        return Response(CategoryFilled(item=item.external_id, stage=Stage(item.stage)))


class AllDecisions(APIView):
    """The decisions of the project."""

    @extend_schema(
        operation_id="projects_decisions_list",
        parameters=[*BY_KEY],
        responses={200: DecisionPage},
    )
    def get(self, request: Request, slug: str) -> Response:
        """List decisions, newest first, with reviewer and rationale.

        Left out are those about posts that are labelled again now, and those about posts where a *not sure* waits for
        the caller's category: an earlier decision would influence whoever is asked. They come back after that.
        """
        mine = member(request, slug, Role.REVIEWER, Role.ADMIN)
        decisions = (
            Adjudication.objects.filter(item__project=mine.project)
            .select_related("item", "category", "reviewer")
            .order_by("-pk")
        )
        return page_by_key_of(
            request, _seen(decisions, mine), decisions, lambda rows: [decision_json(row) for row in rows]
        )


class Appeals(APIView):
    """The project's appeals."""

    @extend_schema(operation_id="projects_appeals_list", parameters=[*PAGING], responses={200: AppealPage})
    def get(self, request: Request, slug: str) -> Response:
        """List appeals and their outcomes, newest first."""
        mine = member(request, slug, Role.REVIEWER, Role.ADMIN)
        return page_of(request, appeals.appeals_of(mine.project), lambda rows: [appeal_json(appeal) for appeal in rows])


class NewAppeal(APIView):
    """An appeal against the decision about one post."""

    @extend_schema(request=AppealShape, responses={201: AppealJson, 409: Problem})
    def post(self, request: Request, slug: str, public_id: UUID) -> Response:
        """Enter an appeal. The post goes to a reviewer who did not decide it."""
        mine = member(request, slug, Role.REVIEWER, Role.ADMIN)
        item = _seen_item(mine, public_id)
        shape = valid(AppealShape(data=request.data))
        try:
            opened = appeals.appeal(item, mine, shape.validated_data["grounds"], shape.validated_data["appellant"])
        except NotAppealable as refused:
            return problem(409, refused.code, str(refused))
        except NotAllowed as refused:
            return problem(403, refused.code, refusal_of(refused))
        return Response(appeal_json(opened), status=201)


class Statements(APIView):
    """The statement of reasons about one post."""

    @extend_schema(responses={200: StatementJson, 409: Problem})
    def get(self, request: Request, slug: str, public_id: UUID) -> Response:
        """Return the version in force; without one, version 0 with the fields as the record fills them."""
        mine = member(request, slug, Role.REVIEWER, Role.ADMIN)
        item = _seen_item(mine, public_id)
        newest = statements.newest(item)
        if newest is not None:
            return Response(statement_json(newest))
        try:
            return Response(StatementJson(version=0, fields=statements.filled(item)))
        except statements.NotDecided as fault:
            return problem(409, fault.code, "Nothing is decided about this item yet.")

    @extend_schema(request=StatementShape, responses={201: StatementJson, **REFUSED})
    def post(self, request: Request, slug: str, public_id: UUID) -> Response:
        """Store a new version. Return 422 with the problem of each wrong field."""
        mine = member(request, slug, Role.REVIEWER, Role.ADMIN)
        item = _seen_item(mine, public_id)
        shape = valid(StatementSent(data=request.data))
        try:
            version = statements.write(item, mine, shape.validated_data)
        except statements.NotValid as wrong:
            return problem(
                422,
                wrong.code,
                "The statement is not valid yet.",
                fields={name: [text] for name, text in wrong.sentences.items()},
            )
        except statements.NotDecided as fault:
            return problem(409, fault.code, "Nothing is decided about this item yet.")
        return Response(statement_json(version), status=201)


# ── Responses ─────────────────────────────────────────────────────────────────


def _refuse_uncontested(desk: Desk, values: dict[str, Any]) -> None:
    """Raise ValidationError for a modality to uphold that no open challenge is about.

    Whoever saw an older version learns what changed instead, and who should see no votes learns nothing of them.
    """
    if desk.blind or desk.item.version != values["version"]:
        return
    for modality in values["uphold"]:
        if modality not in desk.corrections:
            sentence = f"No challenge of the {modality} is open here; `contested` of the dispute names those that are."
            raise serializers.ValidationError({"uphold": sentence}, "not_contested")


def _settled(desk: Desk, values: dict[str, Any], chosen: list[Category]) -> Response:
    ruling_request = RulingRequest(
        ruling=Ruling(values["ruling"]),
        version=values["version"],
        rationale=values["rationale"],
        key=values["key"],
        category=next(iter(chosen), None),
        categories=tuple(as_stored(row.code for row in chosen)),
        target_group=values["target_group"],
        upheld={
            modality: correction for modality, correction in desk.corrections.items() if modality in values["uphold"]
        },
        message=values["message"],
        count=values["count"],
        reason=Reason(values["reason"]) if values["reason"] else None,
        replaces=values["replaces"],
        shown={"hint": desk.pointer.facts} if desk.pointer else {},
    )
    try:
        result = decide.settle(desk.item, desk.member, ruling_request)
    except StaleVersion as stale:
        return problem(409, stale.code, "Somebody was first.", version=stale.item.version, last=_last(stale))
    except Leased as leased:
        return problem(409, leased.code, leased_sentence(leased.lease))
    except (AlreadyProposed, decide.ProposalAnswered, KeptForAnother) as again:
        return problem(409, again.code, refusal_of(again))
    except (RulingKeyReused, BadRuling) as wrong:
        return problem(422, wrong.code, refusal_of(wrong))
    except (OwnItem, NotAllowed, DecidedBefore, CategoryWanted, NeedsAppeal) as refused:
        return problem(403, refused.code, refusal_of(refused))
    match result:
        case Decided(adjudication=adjudication):
            return Response(decision_json(adjudication))
        case Proposed(proposal=proposal):
            return Response(ProposalKept(proposal=proposal.public_id, place=proposal.place), status=202)


def _last(stale: StaleVersion) -> LastChange | None:
    """Return who changed the item first, and how.

    Returns None if no event is known.
    """
    last = stale.last
    if last is None:
        return None
    return {
        "who": str(last.actor) if last.actor else None,
        "what": last.verb,
        "category": last.facts.get("category"),
        "categories": last.facts.get("categories", []),
        "at": last.at,
    }


def _seen(rows: Any, viewer: Membership) -> Any:
    """Leave out decisions about items that people are asked about now: an earlier decision would influence them."""
    closed = rows.filter(item__stage__in=(Stage.DISPUTED, Stage.GOLD, Stage.EXCLUDED))
    # Few decisions are about items that are disputed again. In a large project it takes long to find all that wait.
    disputed = set(rows.filter(item__stage=Stage.DISPUTED).order_by().values_list("item", flat=True))
    if not viewer.reviews or not disputed:
        return closed
    return closed.exclude(item__in=expert_replacement.waiting_for_expert(viewer).filter(pk__in=disputed).values("pk"))


def disputed_item(project: Project, public_id: UUID) -> Item:
    """Return an item that the desk may show. Raises Http404 for one that was reported, and if there is none."""
    item = (
        Item.objects.filter(project=project, public_id=public_id)
        .select_related("picture", "category", "intended", "project")
        .first()
    )
    if item is None or item.excluded_for == Reason.REPORTED:
        raise Http404
    return item


def _seen_item(viewer: Membership, public_id: UUID) -> Item:
    item = disputed_item(viewer.project, public_id)
    if not may_see_votes(item, viewer) or wants_category_of(item, viewer):
        raise Http404
    return item
