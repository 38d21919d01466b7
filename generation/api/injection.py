"""Sample injection over the API: plans, batches, decisions about samples, the report, the switch."""

from typing import Any
from uuid import UUID

from django.http import Http404
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.api.access import member, problem, valid
from annotation.api.pages import number, refuse_unknown
from annotation.api.problems import Problem
from annotation.api.request_base import RequestShape
from annotation.api.request_shapes import AskingShape
from annotation.core.found import one
from annotation.domain.choices import Role
from annotation.models import Project
from generation.api.answers import (
    InjectionJson,
    PlanRefused,
    SampleJson,
    Square,
    Switched,
    TermsRefused,
)
from generation.domain.injection.plan import BadPlan
from generation.domain.injection.schema import PlanOptions
from generation.domain.injection.states import SampleState
from generation.injection import batches as injection_batches
from generation.injection import review, settings
from generation.injection.presenters import may_look_at, visible_samples
from generation.injection.report import BatchStanding, YieldReport, coverage_of, report_of, standing_of
from generation.models import InjectionBatch, Sample
from runs.execution.budget import BudgetExceeded
from vocabulary.answers import answer

MOST_LISTED = 500


class PlanEntryShape(RequestShape):
    """One entry of a plan: so many samples of a pattern and category, made by a strategy."""

    pattern = serializers.CharField(help_text="Three bits: text, picture, together; 1 means hateful.")
    category = serializers.CharField(help_text="What text and picture mean together: a code, a name or an alias.")
    strategy = serializers.CharField()
    target_group = serializers.CharField(allow_blank=True)
    pool = serializers.CharField()
    count = serializers.IntegerField(min_value=1)


class BatchWish(AskingShape[PlanOptions]):
    """Options for all samples of a plan."""

    asks = PlanOptions


class PlanWish(BatchWish):
    """A plan with the options for all of its samples."""

    plan = PlanEntryShape(many=True)


class PlanSent(BatchWish):
    """The same with the plan as raw JSON, so that `read_plan` names the entry at fault."""

    plan = serializers.JSONField()


class SampleDecision(RequestShape):
    """A decision about a sample."""

    decision = serializers.ChoiceField(["accept", "reject"])
    reason = serializers.CharField(max_length=2_000, default="", allow_blank=True, help_text="Needed to reject.")


class InjectionSwitch(RequestShape):
    """Whether injection is to be on; to switch it on, name the version of the terms that is accepted."""

    on = serializers.BooleanField()
    terms_version = serializers.IntegerField(default=0)


class Injection(APIView):
    """The plan of a project."""

    rate = "trigger"

    @extend_schema(operation_id="projects_injection", responses={200: InjectionJson})
    def get(self, request: Request, slug: str) -> Response:
        """Return whether injection is on, the newest batches, and what each pattern and category has and lacks."""
        mine = member(request, slug, Role.ADMIN)
        batches = InjectionBatch.objects.filter(project=mine.project).select_related("project")[:20]
        cells = [cell for row in coverage_of(mine.project).values() for cell in row if cell is not None]
        squares = [answer(Square, cell) for cell in cells]
        standings = [standing_of(batch) for batch in batches]
        return Response(InjectionJson(**_switch(mine.project), coverage=squares, batches=standings))

    @extend_schema(request=PlanWish, responses={202: BatchStanding, 400: PlanRefused, 409: Problem})
    def post(self, request: Request, slug: str) -> Response:
        """Carry a plan out; the same plan again continues its batch. An invalid plan changes nothing."""
        mine = member(request, slug, Role.ADMIN)
        shape = valid(PlanSent(data=request.data))
        asked, plan = shape.request(), shape.validated_data["plan"]
        try:
            batch = injection_batches.begin(
                mine.project, plan, mine, asked.batch, seed=asked.seed, again=asked.again
            )  # fmt: skip
        except settings.InjectionOff as off:
            return problem(409, off.code, str(off))
        except BadPlan as bad:
            return problem(400, "bad_plan", bad.sentence, entry=bad.entry)
        except injection_batches.NoWriter as bad:
            return problem(400, bad.code, str(bad))
        except BudgetExceeded as bad:
            return problem(400, "budget_exceeded", str(bad))
        return Response(standing_of(batch), status=202)


class Switch(APIView):
    """The switch of sample injection in a project."""

    @extend_schema(request=InjectionSwitch, responses={200: Switched, 409: TermsRefused})
    def post(self, request: Request, slug: str) -> Response:
        """Accept the terms and switch injection on, or switch it off. Both are recorded."""
        mine = member(request, slug, Role.ADMIN)
        shape = valid(InjectionSwitch(data=request.data))
        if shape.validated_data["on"]:
            try:
                settings.switch_on(mine, shape.validated_data["terms_version"])
            except settings.BadTerms as bad:
                return problem(409, bad.code, str(bad), terms_version=settings.TERMS_VERSION)
        else:
            settings.switch_off(mine)
        return Response(_switch(mine.project))


class Batch(APIView):
    """One batch."""

    @extend_schema(operation_id="projects_injection_batch", responses={200: BatchStanding})
    def get(self, request: Request, slug: str, public_id: UUID) -> Response:
        """Return how many samples of the batch are made, duplicate, refused, waiting for review."""
        mine = member(request, slug, Role.ADMIN)
        batch = one(InjectionBatch.objects, mine.project, public_id)
        batch.project = mine.project
        return Response(standing_of(batch))


class Samples(APIView):
    """The samples of a project."""

    @extend_schema(
        operation_id="projects_samples_list",
        parameters=[
            OpenApiParameter(
                "state", str, enum=[str(state) for state in SampleState], description="Only samples in this state."
            ),
            OpenApiParameter(
                "limit",
                {"type": "integer", "minimum": 1, "maximum": MOST_LISTED},
                description=f"The newest samples: 100, at most {MOST_LISTED}.",
            ),
        ],
        responses={200: list[SampleJson]},
    )
    def get(self, request: Request, slug: str) -> Response:
        """List samples, the newest first, with how each was made."""
        mine = member(request, slug, Role.REVIEWER, Role.ADMIN)
        refuse_unknown(request, "state", "limit")
        rows = visible_samples(mine).order_by("-pk")
        if state := request.query_params.get("state", ""):
            if state not in list(SampleState):
                there_are = ", ".join(SampleState)
                return problem(400, "unknown_filter", f"There is no state {state[:40]!r}; there are {there_are}.")
            rows = rows.filter(state=state)
        some = list(rows[: number(request, "limit", 100, MOST_LISTED)])
        for row in some:
            review.look_at(row, mine)
        return Response([told(row) for row in some])


class OneSample(APIView):
    """One sample."""

    @extend_schema(operation_id="projects_sample", responses={200: SampleJson})
    def get(self, request: Request, slug: str, public_id: UUID) -> Response:
        """Show a sample with how it was made."""
        mine = member(request, slug, Role.REVIEWER, Role.ADMIN)
        sample = self._found(mine, public_id)
        review.look_at(sample, mine)
        return Response(told(sample))

    @extend_schema(request=SampleDecision, responses={200: SampleJson, 409: Problem, 422: Problem})
    def post(self, request: Request, slug: str, public_id: UUID) -> Response:
        """Accept a sample as an item, or reject it with a reason."""
        mine = member(request, slug, Role.REVIEWER, Role.ADMIN)
        sample = self._found(mine, public_id)
        shape = valid(SampleDecision(data=request.data))
        reason = shape.validated_data["reason"]
        if shape.validated_data["decision"] == "reject" and not reason.strip():
            return problem(422, "missing_reason", "Say why the sample is rejected.")
        try:
            if shape.validated_data["decision"] == "accept":
                review.accept(sample, mine)
            else:
                review.reject(sample, mine, reason)
        except (review.CannotDecide, settings.InjectionOff) as fault:
            return problem(409, fault.code, str(fault))
        sample.refresh_from_db()
        return Response(told(sample))

    def _found(self, mine: Any, public_id: UUID) -> Sample:
        sample = visible_samples(mine).filter(public_id=public_id).first()
        if sample is None or not may_look_at(sample, mine):
            raise Http404
        sample.project = mine.project
        return sample


class Report(APIView):
    """The yield of each strategy."""

    @extend_schema(operation_id="projects_injection_report", responses={200: YieldReport})
    def get(self, request: Request, slug: str) -> Response:
        """Return the yield and the intent alignment of each strategy, with Wilson intervals."""
        mine = member(request, slug, Role.REVIEWER, Role.ADMIN)
        return Response(report_of(mine.project))


def _switch(project: Project) -> Switched:
    return {"on": settings.is_on(project), "terms_version": settings.TERMS_VERSION}


def told(row: Sample) -> SampleJson:
    """Return a sample as JSON."""
    pooled = row.pool_picture
    return answer(
        SampleJson,
        row,
        category=row.intended,
        pool=pooled.pool,
        picture=pooled.picture,
        licence=pooled.licence_in_force,
        look=row.look or None,
        readings=row.readings or None,
        run=row.run_id,
        decided_at=row.decided_at.isoformat() if row.decided_at else None,
    )
