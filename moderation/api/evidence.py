"""Evidence in the API: investigations of an item with their cards, striking and restoring a card, a new judgment."""

from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.api.access import member, problem, valid
from annotation.api.problems import Problem
from annotation.api.request_base import RequestShape
from annotation.domain.choices import Role
from annotation.domain.text_rules import BadText
from moderation.api.answers import CardJson, CheckQueued, EvidenceJson, InvestigationJson, JudgeQueued, PassageJson
from moderation.api.runs import AskedShape, visible_run
from moderation.debates.posts import item_for, text_post
from moderation.debates.start import DebateRequest
from moderation.domain.antihateagent.actions import LONGEST_CLAIM
from moderation.evidence import edit
from moderation.evidence.views import card_for
from moderation.methods.antihateagent.questions import NAME
from moderation.methods.debate_method import BadChoice
from moderation.models import Evidence, EvidenceSegment
from vocabulary.answers import answer


class StrikeShape(RequestShape):
    """Why a card is no evidence."""

    reason = serializers.CharField(max_length=edit.REASON_LENGTH)


class ItemEvidence(APIView):
    """The evidence about an item."""

    @extend_schema(responses={200: EvidenceJson})
    def get(self, request: Request, slug: str, public_id: UUID) -> Response:
        """List the investigations of an item, newest first, with their judgments and cards.

        A judgment cites cards by `number`. A passage is part of `sentence`; `doubts` say why it may not mean what it
        says alone.
        """
        mine = member(request, slug, Role.REVIEWER, Role.ADMIN)
        found_out = edit.investigations_of(item_for(mine, public_id))
        return Response(EvidenceJson(investigations=[_investigation(each) for each in found_out]))


class CheckShape(AskedShape):
    """What to look for: evidence about a claim, or, without one, about what the text means."""

    claim = serializers.CharField(
        max_length=LONGEST_CLAIM, default="", allow_blank=True, help_text="A claim as its `asks` has it."
    )


class TextEvidence(APIView):
    """The evidence about a pasted text and its claims."""

    rate = "trigger"

    @extend_schema(operation_id="projects_texts_evidence", responses={200: EvidenceJson})
    def get(self, request: Request, slug: str, public_id: UUID) -> Response:
        """List the investigations of a pasted text, newest first. Its id is that of its post at the desk."""
        mine = member(request, slug, Role.REVIEWER, Role.ADMIN)
        post = text_post(mine, public_id)
        found_out = edit.investigations_about(mine.project, post.public_id)
        return Response(EvidenceJson(investigations=[_investigation(each) for each in found_out]))

    @extend_schema(operation_id="projects_texts_evidence_check", request=CheckShape, responses={202: CheckQueued})
    def post(self, request: Request, slug: str, public_id: UUID) -> Response:
        """Have a claim of a pasted text, or of a reply to it, checked. Return the run; its end sets the claim's state.

        `new` is false where a run answers it already, or is about to. `options` are those of the method antihateagent.
        """
        mine = member(request, slug, Role.REVIEWER, Role.ADMIN)
        post, shape = text_post(mine, public_id), valid(CheckShape(data=request.data))
        said = shape.validated_data
        options = said["options"] | {"claim": said["claim"]}
        wish = DebateRequest(NAME, options, said["models"], again=said["again"], limits=said["limits"])
        try:
            run, is_new = edit.investigate(post, wish, mine)
        except BadChoice as bad:
            return problem(400, "bad_choice", str(bad))
        return Response(CheckQueued(run=run.public_id, new=is_new), status=202)


class Struck(APIView):
    """The removal of a card."""

    @extend_schema(request=StrikeShape, responses={200: CardJson, 409: Problem, 422: Problem})
    def post(self, request: Request, slug: str, public_id: UUID) -> Response:
        """Strike a card that is no evidence. It stays, with the reason; judgments after this one leave it out."""
        mine = member(request, slug, Role.REVIEWER, Role.ADMIN)
        card = card_for(mine, public_id)
        shape = valid(StrikeShape(data=request.data))
        try:
            if not edit.strike_card(card, shape.validated_data["reason"], mine):
                return problem(409, "struck_before", "The card was struck already.")
        except BadText as bad:
            return problem(422, "bad_text", bad.sentence)
        return Response(_card_json(_fresh(card)))


class Restored(APIView):
    """The return of a card."""

    @extend_schema(request=None, responses={200: CardJson, 409: Problem})
    def post(self, request: Request, slug: str, public_id: UUID) -> Response:
        """Put a card back that somebody struck."""
        mine = member(request, slug, Role.REVIEWER, Role.ADMIN)
        card = card_for(mine, public_id)
        if not edit.restore_card(card, mine):
            return problem(409, "not_struck", "The card was not struck.")
        return Response(_card_json(_fresh(card)))


class EvidenceJudged(APIView):
    """The judgment of the evidence that counts."""

    rate = "trigger"

    @extend_schema(request=None, responses={202: JudgeQueued, 409: Problem})
    def post(self, request: Request, slug: str, public_id: UUID) -> Response:
        """Have the cards that are not struck judged again, for the price of one call. Return the new run."""
        mine, run, _post = visible_run(request, slug, public_id)
        try:
            judgment = edit.judge_remaining_evidence(run, mine.project, mine)
        except edit.CannotJudge as fault:
            return problem(409, "cannot_judge", str(fault))
        return Response(JudgeQueued(run=judgment.public_id), status=202)


def _investigation(investigation: edit.Investigation) -> InvestigationJson:
    return answer(
        InvestigationJson,
        investigation.current,
        run=investigation.run,
        judgment=investigation.current,
        outdated=investigation.is_outdated,
        judgments=investigation.judgments,
        cards=[_card_json(card) for card in investigation.cards],
    )


def _card_json(card: Evidence) -> CardJson:
    return answer(CardJson, card, passages=[_passage(segment) for segment in card.segments.all()])


def _passage(segment: EvidenceSegment) -> PassageJson:
    sentence = f"{segment.before}{segment.quote}{segment.after}"
    return answer(PassageJson, segment, sentence=sentence, page=segment.page or None)


def _fresh(card: Evidence) -> Evidence:
    return Evidence.objects.prefetch_related("segments").get(pk=card.pk)
