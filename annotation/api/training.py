"""Training and checks over the API, for admins alone: the rules, posts with a known answer, how people did."""

from uuid import UUID

from django.http import Http404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.api.access import account_of, cleaned, member, problem, valid
from annotation.api.answers_campaign import (
    ChecksJson,
    KnownPostJson,
    KnownPostPage,
    Marked,
    TrainedPersonJson,
    TrainingRulesJson,
)
from annotation.api.pages import BY_KEY, page_by_key_of
from annotation.api.problems import PostsRefused, Problem
from annotation.api.request_base import BoundedList, RequestShape
from annotation.core.found import found, one
from annotation.domain.choices import Role
from annotation.domain.statistics.annotator_quality import Rate
from annotation.domain.text_rules import NOTE_LIMIT
from annotation.labelling.workspace import categories_of
from annotation.models import Item, KnownAnswer, Membership, Project
from annotation.training import attempts, control_items, results
from annotation.training.forms import KeyForm, RulesForm
from vocabulary.answers import answer

PURPOSES = ["training", "check"]


class RulesShape(RequestShape, serializers.ModelSerializer[Project]):
    """Who must pass the training, how, and how many checks are mixed in. What is left out stays."""

    class Meta:
        model = Project
        fields = tuple(RulesForm.base_fields)


class KnownAnswerShape(RequestShape):
    """The known answer of a post: a category's code, what is said after a training answer, and what the post is for."""

    category = serializers.IntegerField(min_value=0, max_value=32767)
    explanation = serializers.CharField(default="", allow_blank=True, max_length=NOTE_LIMIT)
    purpose = serializers.ChoiceField(PURPOSES)


class KnownChangeShape(RequestShape):
    """Whether the post is in use; one that rests is given to nobody, and its answers stay."""

    active = serializers.BooleanField(required=False)


class LineShape(RequestShape):
    """One of many posts: its external id and the category's name or code."""

    id = serializers.CharField(max_length=128)
    category = serializers.CharField(max_length=200)
    explanation = serializers.CharField(default="", allow_blank=True, max_length=NOTE_LIMIT)


class LinesShape(RequestShape):
    """Known answers of many posts of one purpose."""

    purpose = serializers.ChoiceField(PURPOSES)
    posts = BoundedList(child=LineShape(), min_length=1, max_length=control_items.AT_ONCE)


class GrantShape(RequestShape):
    """What a person is granted: one more attempt, or to label without a pass."""

    act = serializers.ChoiceField(["attempt", "trained"])


class Training(APIView):
    """The rules of training and checks."""

    @extend_schema(responses={200: TrainingRulesJson})
    def get(self, request: Request, slug: str) -> Response:
        """Show the pass mark, the attempts, the share of checks, and how many posts have a known answer."""
        return _rules(member(request, slug, Role.ADMIN))

    @extend_schema(request=RulesShape, responses={200: TrainingRulesJson})
    def patch(self, request: Request, slug: str) -> Response:
        """Change the rules. Training can be required once there is a training post in use."""
        mine = member(request, slug, Role.ADMIN)
        project = Project.objects.get(pk=mine.project_id)
        shape = valid(RulesShape(project, data=request.data, partial=True))
        now = {name: getattr(project, name) for name in RulesForm.base_fields}
        form = RulesForm({**now, **shape.validated_data}, instance=project)
        cleaned(form)
        attempts.change_training_rules(mine, form.save(commit=False), form.changed_data)
        return _rules(mine)


class KnownPosts(APIView):
    """The posts with a known answer."""

    @extend_schema(parameters=[*BY_KEY], responses={200: KnownPostPage}, operation_id="projects_training_posts_list")
    def get(self, request: Request, slug: str) -> Response:
        """List the posts with a known answer, those in use first, with how people fare with each."""
        mine = member(request, slug, Role.ADMIN)
        rows = results.known_items(mine.project)
        return page_by_key_of(request, rows, rows, _known_posts, key=results.KEY)

    @extend_schema(request=LinesShape, responses={200: Marked, 422: PostsRefused})
    def post(self, request: Request, slug: str) -> Response:
        """Give many posts their known answers, all or none. 422: every wrong line is named; lines count from 1."""
        mine = member(request, slug, Role.ADMIN)
        fields = valid(LinesShape(data=request.data)).validated_data
        lines = [
            control_items.KnownAnswerLine(number, row["id"], row["category"], row["explanation"])
            for number, row in enumerate(fields["posts"], 1)
        ]
        try:
            count = control_items.mark_control_items(mine, lines, training=fields["purpose"] == "training")
        except control_items.BadRows as bad:
            first = bad.errors[0]
            errors = [{"line": error.line, "reason": error.reason} for error in bad.errors]
            return problem(422, first.code, first.reason, errors=errors)
        return Response(Marked(marked=count))


class KnownPost(APIView):
    """The known answer of one post."""

    @extend_schema(responses={200: KnownPostJson})
    def get(self, request: Request, slug: str, public_id: UUID) -> Response:
        """Show the known answer, and how people fare with the post."""
        return _known(_item(member(request, slug, Role.ADMIN), public_id))

    @extend_schema(request=KnownAnswerShape, responses={200: KnownPostJson, 409: Problem})
    def put(self, request: Request, slug: str, public_id: UUID) -> Response:
        """Give the post its known answer, or change it. 409: people have been asked about the post already."""
        mine = member(request, slug, Role.ADMIN)
        item = _item(mine, public_id)
        shape = valid(KnownAnswerShape(data=request.data))
        form = KeyForm(shape.validated_data, categories=categories_of(mine.project), known=None)
        cleaned(form)
        try:
            control_items.mark_control_item(item, mine, form.key())
        except control_items.NotMarkable as refused:
            return problem(409, refused.code, refused.sentence)
        return _known(item)

    @extend_schema(request=KnownChangeShape, responses={200: KnownPostJson})
    def patch(self, request: Request, slug: str, public_id: UUID) -> Response:
        """Take the post out of use, or use it again."""
        mine = member(request, slug, Role.ADMIN)
        item = _item(mine, public_id)
        shape = valid(KnownChangeShape(data=request.data))
        if "active" in shape.validated_data:  # what a PATCH does not name stays as it is
            control_items.set_control_item_active(item, mine, active=shape.validated_data["active"])
        return _known(item)

    @extend_schema(responses={204: None, 409: Problem})
    def delete(self, request: Request, slug: str, public_id: UUID) -> Response:
        """Make the post ready to be opened like any other. 409: somebody has answered it; it can be rested."""
        mine = member(request, slug, Role.ADMIN)
        try:
            if not control_items.unmark_control_item(_item(mine, public_id), mine):
                raise Http404
        except control_items.Answered as refused:
            return problem(409, refused.code, refused.sentence)
        return Response(status=204)


class TrainedPeople(APIView):
    """Annotators in training."""

    @extend_schema(responses={200: list[TrainedPersonJson]}, operation_id="projects_training_people_list")
    def get(self, request: Request, slug: str) -> Response:
        """List annotators with their attempts and checks."""
        mine = member(request, slug, Role.ADMIN)
        return Response([_person(result) for result in results.people_results(mine.project)])


class TrainedPerson(APIView):
    """What an admin grants to one annotator."""

    @extend_schema(request=GrantShape, responses={200: TrainedPersonJson})
    def post(self, request: Request, slug: str, public_id: UUID) -> Response:
        """Grant one more attempt, or let somebody label without a pass."""
        mine = member(request, slug, Role.ADMIN)
        person = account_of(mine, public_id)
        shape = valid(GrantShape(data=request.data))
        result = found(
            next(
                (
                    person_result
                    for person_result in results.people_results(mine.project)
                    if person_result.member.pk == person.pk
                ),
                None,
            )
        )
        if shape.validated_data["act"] == "attempt":
            attempts.grant_attempt(mine, person)
        else:
            attempts.declare_trained(mine, person)
        result.member.trained_at = Membership.objects.get(pk=person.pk).trained_at
        return Response(_person(result))


def _item(admin: Membership, public_id: UUID) -> Item:
    return one(Item.objects, admin.project, public_id)


def _rules(admin: Membership) -> Response:
    project = Project.objects.get(pk=admin.project_id)
    return Response(answer(TrainingRulesJson, project, posts=results.count_control_items(project)))


def _known(item: Item) -> Response:
    known_answer = found(control_items.known_answer_of(item))
    return Response(_known_posts([known_answer])[0])


def _known_posts(rows: list[KnownAnswer]) -> list[KnownPostJson]:
    figures = results.control_item_figures(rows)
    return [
        answer(
            KnownPostJson,
            row,
            external_id=row.item,
            purpose="training" if row.training else "check",
            answered=figures[row.item_id].answered,
            right=figures[row.item_id].right,
            doubtful=figures[row.item_id].doubtful,
        )
        for row in rows
    ]


def _person(result: results.PersonResult) -> TrainedPersonJson:
    member, checks = result.member, _checks(result.checks)
    return answer(
        TrainedPersonJson, member, name=member, attempts=result.marks, under_way=result.under_way, checks=checks
    )


def _checks(rate: Rate | None) -> ChecksJson | None:
    if rate is None:
        return None
    interval = [rate.interval.low, rate.interval.high]
    return {"answered": rate.n, "right": rate.part, "share": rate.value, "interval": interval}
