"""People of a project over the API, for its admins: members, their roles, their labels, their working time."""

from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Prefetch
from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.api.access import account_of, cleaned, member, problem, valid
from annotation.api.answers_campaign import GivenLabelPage, HoursJson, MemberJson, NewMemberJson, WorkedDay, WorkedTotal
from annotation.api.pages import BY_KEY, page_by_key_of, refuse_unknown
from annotation.api.problems import Problem
from annotation.api.request_base import BoundedList, LineField, RequestShape
from annotation.api.serializers import GivenLabelShape
from annotation.domain.choices import Role
from annotation.members import join, participation, roles
from annotation.members.forms import NewMemberForm, PseudonymForm, QuotaForm
from annotation.models import ROLE_FLAG, Item, Label, Membership, Project, seat_count
from annotation.pages.error_messages import sentence_for
from annotation.wellbeing.forms import DaysForm
from annotation.workload import timesheets
from annotation.workload.timesheets import TimesheetRow
from vocabulary.answers import answer

ROLES = [str(role) for role in Role]
LAST_ADMIN = "A project needs an admin: make somebody else admin first."


class NewMemberShape(RequestShape):
    """A person of the project by the name they sign in with; for every other name an account is made.

    Its name begins with the address of the project: `wren` becomes `winter.wren`. Who has an account gets an
    invitation instead.
    """

    username = serializers.CharField(max_length=150)
    role = serializers.ChoiceField(ROLES)


class MemberChangesShape(RequestShape):
    """What changes of a member; what is left out stays. `quota` null: the project's quota holds."""

    roles = BoundedList(child=serializers.ChoiceField(ROLES), required=False, min_length=1, max_length=len(ROLES))
    name = LineField(required=False, max_length=64, help_text="The pseudonym.")
    quota = serializers.IntegerField(required=False, allow_null=True, min_value=0, max_value=2**31 - 1)


class Members(APIView):
    """The people of a project, for its admins."""

    @extend_schema(responses={200: list[MemberJson]}, operation_id="projects_members_list")
    def get(self, request: Request, slug: str) -> Response:
        """List the people who have an account, those with access first."""
        mine = member(request, slug, Role.ADMIN)
        return Response([_json(person) for person in _people(mine.project)])

    @extend_schema(request=NewMemberShape, responses={200: NewMemberJson, 201: NewMemberJson, 409: Problem})
    def post(self, request: Request, slug: str) -> Response:
        """Give a person a role. 201: an account was made for them, whose password is told once.

        Its owner must change it at the first sign-in, and has no token before.
        """
        mine = member(request, slug, Role.ADMIN)
        shape = valid(NewMemberShape(data=request.data))
        values = cleaned(NewMemberForm(shape.validated_data))
        try:
            joined = join.add_person(mine.project, values["username"], Role(values["role"]), actor=mine)
        except join.BadMember as bad:
            return problem(409, bad.code, sentence_for(bad.code, bad.sentence), field=bad.field)
        person = _people(mine.project).get(pk=joined.membership.pk)
        return Response(_json(person) | {"password": joined.password}, status=201 if joined.created else 200)


class OneMember(APIView):
    """One person of a project."""

    @extend_schema(responses={200: MemberJson})
    def get(self, request: Request, slug: str, public_id: UUID) -> Response:
        """Show a member."""
        return _shown(account_of(member(request, slug, Role.ADMIN), public_id))

    @extend_schema(request=MemberChangesShape, responses={200: MemberJson, 409: Problem, 422: Problem})
    def patch(self, request: Request, slug: str, public_id: UUID) -> Response:
        """Change roles, pseudonym or quota, all or none. 409: the project would be left without an admin."""
        mine = member(request, slug, Role.ADMIN)
        person = account_of(mine, public_id)
        shape = valid(MemberChangesShape(data=request.data))
        try:
            with transaction.atomic():
                _change(mine, person, shape.validated_data)
        except roles.LastAdmin:
            return problem(409, "last_admin", LAST_ADMIN)
        except roles.BadPseudonym as bad:
            return problem(422, bad.code, sentence_for(bad.code, bad.sentence), field="name")
        return _shown(person)


class MemberEnd(APIView):
    """The end of a person's access."""

    @extend_schema(request=None, responses={200: MemberJson, 409: Problem})
    def post(self, request: Request, slug: str, public_id: UUID) -> Response:
        """End the access; held seats are freed, labels stay. 409: nobody ends their own, nor that of the only admin."""
        mine = member(request, slug, Role.ADMIN, open_when_closed=True)
        person = account_of(mine, public_id)
        if person.pk == mine.pk:
            return problem(409, "own_access", "You cannot end your own access; ask another admin.")
        try:
            participation.deactivate(person, by=mine)
        except roles.LastAdmin:
            return problem(409, "last_admin", LAST_ADMIN)
        return _shown(person)


class MemberAgain(APIView):
    """The return of a person."""

    @extend_schema(request=None, responses={200: MemberJson, 409: Problem})
    def post(self, request: Request, slug: str, public_id: UUID) -> Response:
        """Give access again to somebody whose access ended or who left. 409: the account is closed."""
        mine = member(request, slug, Role.ADMIN)
        person = account_of(mine, public_id)
        if person.user is None or not person.user.is_active:
            return problem(409, "account_closed", "The account is closed; nobody can sign in to it.")
        participation.reactivate(person, by=mine)
        return _shown(person)


def _change(admin: Membership, person: Membership, changes: dict[str, Any]) -> None:
    if "roles" in changes:
        flags = {flag: str(role) in changes["roles"] for role, flag in ROLE_FLAG.items()}
        roles.change_roles(admin, person, flags)
    if "name" in changes:
        roles.change_pseudonym(admin, person, cleaned(PseudonymForm({"pseudonym": changes["name"]}))["pseudonym"])
    if "quota" in changes:
        own = QuotaForm({"quota": changes["quota"]}, instance=Membership(pk=person.pk))
        roles.change_quota(admin, person, cleaned(own)["quota"])


def _people(project: Project) -> Any:
    people = Membership.objects.filter(project=project).accounts_by_name().select_related("project")
    return people.annotate(labels_in_force=seat_count(filled_at__isnull=False))


def _shown(person: Membership) -> Response:
    return Response(_json(_people(person.project).get(pk=person.pk)))


def _json(person: Membership) -> MemberJson:
    return answer(
        MemberJson,
        person,
        username=person.shown_username,
        name=person.pseudonym,
        roles=[role for role, flag in ROLE_FLAG.items() if getattr(person, flag)],
        labels=vars(person)["labels_in_force"],
        consented=person.consent_version >= person.project.consent_version,
    )


# ── What they did ─────────────────────────────────────────────────────────────

_PERIOD = [
    OpenApiParameter(name, {"type": "string", "format": "date"}, description=f"The {name} day; both or none.")
    for name in ("first", "last")
]


class GivenLabels(APIView):
    """The labels that people gave."""

    @extend_schema(parameters=[*BY_KEY], responses={200: GivenLabelPage})
    def get(self, request: Request, slug: str) -> Response:
        """List the labels in force of the project's posts, newest first, with the pseudonym of who gave each."""
        mine = member(request, slug, Role.ADMIN)
        rows = Label.objects.filter(in_force_at__item__project=mine.project).select_related("annotator", "category")
        posts = Prefetch("item", Item.objects.only("public_id", "external_id", "project"))
        return page_by_key_of(
            request,
            rows.prefetch_related(posts).order_by("-id"),
            Label.objects.filter(item__project=mine.project),
            lambda page: GivenLabelShape(page, many=True).data,
        )


class Hours(APIView):
    """Working time and labels, for pay."""

    @extend_schema(parameters=_PERIOD, responses={200: HoursJson})
    def get(self, request: Request, slug: str) -> Response:
        """List active minutes and labels by pseudonym and day, as the page *Hours* has them; pauses are left out.

        Without a period: this month so far, and at least the last two weeks. At most 366 days.
        """
        mine = member(request, slug, Role.ADMIN)
        refuse_unknown(request, "first", "last")
        if request.query_params:
            asked = cleaned(DaysForm(request.query_params))
            period = (asked["first"], asked["last"])
        else:
            period = timesheets.default_period(timezone.localdate())
        days = timesheets.hours_of_project(mine.project, *period)
        people = [answer(WorkedTotal, row, **_worked(row)) for row in timesheets.totals_by_member(days)]
        worked = [answer(WorkedDay, row, **_worked(row)) for row in days]
        return Response(HoursJson(first=period[0], last=period[1], people=people, days=worked))


def _worked(row: TimesheetRow) -> dict[str, Any]:
    return {"name": row.pseudonym, "active_minutes": row.minutes}
