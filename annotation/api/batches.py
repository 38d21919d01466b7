"""Batches over the API, for admins: how far each is, what is done with it, whom it is for, and quotas."""

from uuid import UUID

from django.db import transaction
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.api.access import member, problem, valid
from annotation.api.answers_campaign import OpenedJson, QuotaOfPerson, QuotasJson
from annotation.api.problems import Problem
from annotation.api.request_base import BoundedList, RequestShape
from annotation.batches import open_items, quotas, state
from annotation.batches.forms import MOST_LABELS
from annotation.batches.open_items import AT_MOST
from annotation.batches.progress import read_batch_overview
from annotation.batches.progress_json import BatchJson, BatchOverviewJson, as_json
from annotation.batches.workforce import read_annotator_quotas
from annotation.core.found import found
from annotation.core.snapshots import snapshot
from annotation.domain.choices import PRIORITIES, BatchState, Role
from annotation.models import Batch, Membership, Project
from vocabulary.answers import answer


class OpenBatchShape(RequestShape):
    """The batch to open by its name; without one, all that wait. `""` is the batch of items that name none."""

    name = serializers.CharField(required=False, allow_blank=True, max_length=100, trim_whitespace=False)


class BatchActShape(RequestShape):
    """What the batch is asked for."""

    act = serializers.ChoiceField(list(state.ACTS))


class BatchChangesShape(RequestShape):
    """What changes of a batch. `members` are ids of annotators, or null: everybody may get it."""

    priority = serializers.IntegerField(required=False, min_value=PRIORITIES[0], max_value=PRIORITIES[1])
    members = BoundedList(child=serializers.UUIDField(), required=False, allow_null=True, min_length=1, max_length=1000)


class OwnQuotaShape(RequestShape):
    """One person's own quota; null: the project's."""

    id = serializers.UUIDField()
    own = serializers.IntegerField(allow_null=True, min_value=0, max_value=MOST_LABELS)


class QuotasShape(RequestShape):
    """The quotas. What is left out stays; people who are not named keep theirs."""

    quota = serializers.IntegerField(required=False, allow_null=True, min_value=1, max_value=MOST_LABELS)
    new_batches = serializers.ChoiceField([BatchState.WAITING.value, BatchState.OPEN.value], required=False)
    people = BoundedList(child=OwnQuotaShape(), required=False, max_length=1000)


class Batches(APIView):
    """A project's batches, for admins."""

    @extend_schema(operation_id="projects_batches_overview", responses={200: BatchOverviewJson})
    def get(self, request: Request, slug: str) -> Response:
        """Return state, stages, seats, people, pace, estimate and who is needed of every batch, and of all together."""
        mine = member(request, slug, Role.ADMIN)
        with snapshot():
            overview = read_batch_overview(mine.project)
        return Response(as_json(overview))

    @extend_schema(request=OpenBatchShape, responses={200: OpenedJson})
    def post(self, request: Request, slug: str) -> Response:
        """Open one batch, or all that wait: ready items go to labelling. Asked again, it opens what is left."""
        mine = member(request, slug, Role.ADMIN)
        shape = valid(OpenBatchShape(data=request.data))
        name = shape.validated_data.get("name")
        if name is not None and not open_items.is_batch(mine.project, name):
            raise serializers.ValidationError({"name": "The project has no batch of this name."})
        outcome = open_items.open_items(mine.project, mine, name, at_most=AT_MOST)
        missing, more = outcome.missing_pictures, outcome.opened == AT_MOST
        return Response(answer(OpenedJson, outcome, pictures_missing=missing, more=more))


class OneBatch(APIView):
    """One batch of a project."""

    @extend_schema(responses={200: BatchJson})
    def get(self, request: Request, slug: str, public_id: UUID) -> Response:
        """Show how far the batch is."""
        mine = member(request, slug, Role.ADMIN)
        return _shown(_batch(mine, public_id))

    @extend_schema(request=BatchChangesShape, responses={200: BatchJson, 409: Problem})
    def patch(self, request: Request, slug: str, public_id: UUID) -> Response:
        """Say whom the batch is for, or how soon its items come. 409: a member is no active annotator."""
        mine = member(request, slug, Role.ADMIN)
        row = _batch(mine, public_id)
        changes = valid(BatchChangesShape(data=request.data)).validated_data
        try:
            if "members" in changes:
                _limit(row, mine, changes["members"])
        except state.NotAnAnnotator as refused:
            return problem(409, refused.code, "One of them is no active annotator of this project.", field="members")
        if "priority" in changes:
            state.set_priority(row, mine, changes["priority"])
        return _shown(row)


class BatchAct(APIView):
    """What is done with a batch."""

    @extend_schema(request=BatchActShape, responses={200: BatchJson, 409: Problem})
    def post(self, request: Request, slug: str, public_id: UUID) -> Response:
        """Pause, resume or close the batch, or make it the pilot. 409: its state does not allow that any more."""
        mine = member(request, slug, Role.ADMIN)
        row = _batch(mine, public_id)
        shape = valid(BatchActShape(data=request.data))
        try:
            state.ACTS[shape.validated_data["act"]](row, mine)
        except state.WrongBatchState as refused:
            row.refresh_from_db()
            return problem(409, refused.code, f"That is not possible any more: the batch is {row.state}.")
        return _shown(row)


class Quotas(APIView):
    """How many labels one person may give."""

    @extend_schema(responses={200: QuotasJson})
    def get(self, request: Request, slug: str) -> Response:
        """Show the quota of the project, and each annotator's."""
        return _quotas(member(request, slug, Role.ADMIN))

    @extend_schema(request=QuotasShape, responses={200: QuotasJson})
    def patch(self, request: Request, slug: str) -> Response:
        """Change the quota of the project, people's own, or what becomes of batches that an import names first."""
        mine = member(request, slug, Role.ADMIN)
        shape = valid(QuotasShape(data=request.data))
        fields, project = shape.validated_data, mine.project
        own = {person["id"]: person["own"] for person in fields.get("people", ())}
        member_ids = Membership.objects.filter(project=project, public_id__in=own).values_list("public_id", flat=True)
        if missing := own.keys() - set(member_ids):
            raise serializers.ValidationError({"people": f"The project has no member {min(map(str, missing))}."})
        with transaction.atomic():
            quota, new_batches = fields.get("quota", project.quota), fields.get("new_batches", project.new_batches)
            quotas.change_campaign(mine, quota, new_batches)
            quotas.change_quotas(mine, own)
        return _quotas(mine)


def _batch(admin: Membership, public_id: UUID) -> Batch:
    row = found(state.batch_of(admin.project, public_id=public_id))
    row.project = admin.project
    return row


def _shown(row: Batch) -> Response:
    with snapshot():
        overview = as_json(read_batch_overview(row.project))
    shown = next((batch for batch in overview["batches"] if batch["id"] == row.public_id), None)
    return Response(found(shown))  # 404: its last post went to another batch meanwhile


def _limit(row: Batch, admin: Membership, members: list[UUID] | None) -> None:
    if members is None:
        state.unlimit_batch(row, admin)
        return
    chosen = list(Membership.objects.filter(project=admin.project_id, public_id__in=members))
    if len(chosen) != len(set(members)):
        raise state.NotAnAnnotator
    state.limit_batch(row, admin, chosen)


def _quotas(admin: Membership) -> Response:
    project = Project.objects.get(pk=admin.project_id)
    people = [answer(QuotaOfPerson, person, own=person.own_quota) for person in read_annotator_quotas(project)]
    return Response(answer(QuotasJson, project, people=people))
