"""Joining a project over the API: invitations, by admins and by whoever has a link, and an annotator's consent."""

from uuid import UUID

from django.conf import settings
from django.urls import reverse
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.api.access import cleaned, member, problem, valid
from annotation.api.answers_campaign import ConsentJson, InvitationJson, JoinedJson, NewInvitationJson
from annotation.api.people import ROLES
from annotation.api.problems import Problem
from annotation.api.request_base import BoundedList, LineField, RequestShape
from annotation.core.found import found
from annotation.domain.choices import Role
from annotation.members import invitations, participation
from annotation.members.forms import InvitationForm
from annotation.models import Batch, Invitation, Membership, User
from annotation.projects import consent_texts
from vocabulary.answers import answer

LISTED = 200
"""Invitations of a list, the newest."""


class InvitationShape(RequestShape):
    """What a link gives, and for how many days it is valid. `team` is the id of a batch that is limited to people."""

    roles = BoundedList(child=serializers.ChoiceField(ROLES), min_length=1, max_length=len(ROLES))
    days = serializers.IntegerField(default=invitations.USUAL_DAYS, min_value=1, max_value=invitations.MOST_DAYS)
    team = serializers.UUIDField(default=None, allow_null=True)
    note = LineField(default="", allow_blank=True, max_length=invitations.NOTE_LIMIT)


class TokenShape(RequestShape):
    """The secret of an invitation: the last part of its link."""

    token = serializers.CharField(max_length=200)


class VersionShape(RequestShape):
    """The number of the version that was read."""

    version = serializers.IntegerField(min_value=0, max_value=2**31 - 1)


class Invitations(APIView):
    """A project's invitations, for its admins."""

    @extend_schema(responses={200: list[InvitationJson]}, operation_id="projects_invitations_list")
    def get(self, request: Request, slug: str) -> Response:
        """List the newest invitations, without their secrets."""
        mine = member(request, slug, Role.ADMIN)
        return Response([_json(row) for row in invitations.invitations_of(mine.project)[:LISTED]])

    @extend_schema(request=InvitationShape, responses={201: NewInvitationJson})
    def post(self, request: Request, slug: str) -> Response:
        """Create an invitation for one person. Its link is told only in this answer."""
        mine = member(request, slug, Role.ADMIN)
        fields = valid(InvitationShape(data=request.data)).validated_data
        batch = Batch.objects.filter(project=mine.project, public_id=fields["team"]).first() if fields["team"] else None
        form_values = {**fields, "team": (batch.pk if batch else 0) if fields["team"] else ""}
        values = cleaned(InvitationForm(mine.project, {f"invite-{name}": value for name, value in form_values.items()}))
        roles = [Role(role) for role in values["roles"]]
        new_invitation = invitations.invite(mine, roles, days=values["days"], team=values["team"], note=values["note"])
        link = settings.SITE_URL + reverse("annotation:invitation", args=[new_invitation.token])
        return Response(_json(new_invitation.invitation) | {"link": link, "token": new_invitation.token}, status=201)


class InvitationEnd(APIView):
    """The end of an invitation."""

    @extend_schema(request=None, responses={200: InvitationJson, 409: Problem})
    def post(self, request: Request, slug: str, public_id: UUID) -> Response:
        """Revoke an invitation: its link opens nothing any more. 409: it was used or revoked already."""
        mine = member(request, slug, Role.ADMIN, open_when_closed=True)
        is_revoked = invitations.revoke(mine, public_id)
        row = found(invitations.invitations_of(mine.project).filter(public_id=public_id).first())
        if not is_revoked:
            return problem(409, "invitation_over", "The invitation was used or revoked already.")
        return Response(_json(row))


class AcceptInvitation(APIView):
    """What an invited person does with the account whose token they send."""

    rate = "invitation"

    @extend_schema(request=TokenShape, responses={200: JoinedJson, 409: Problem, 422: Problem})
    def post(self, request: Request) -> Response:
        """Join a project by an invitation. 422: the link opens nothing. 409: one's access has ended."""
        shape = valid(TokenShape(data=request.data))
        user = request.user
        assert isinstance(user, User)
        match invitations.accept(shape.validated_data["token"], user):
            case invitations.Accepted(joined) | invitations.MemberAlready(joined):
                now = Membership.objects.select_related("project").get(pk=joined.pk)
                return Response(answer(JoinedJson, now, project=now.project.slug))
            case invitations.AccessEnded():
                return problem(409, "access_ended", "Your access to this project has ended; ask an admin of it.")
            case _:
                sentence = "This invitation was used, revoked or has expired. Ask who sent it for a new one."
                return problem(422, "invitation_closed", sentence)


class Consent(APIView):
    """The consent of an annotator, which comes before the first post."""

    @extend_schema(responses={200: ConsentJson})
    def get(self, request: Request, slug: str) -> Response:
        """Return the words of the page before the first post. Show all of them to the person who is to agree."""
        return Response(_consent(member(request, slug, Role.ANNOTATOR)))

    @extend_schema(request=VersionShape, responses={200: ConsentJson, 409: Problem})
    def post(self, request: Request, slug: str) -> Response:
        """Record that the caller has read this version and agrees. 409: the text has changed meanwhile."""
        mine = member(request, slug, Role.ANNOTATOR)
        shape = valid(VersionShape(data=request.data))
        if shape.validated_data["version"] != mine.project.consent_version:
            return problem(409, "consent_changed", "The text has changed since you opened it: please read it again.")
        participation.consent(mine)
        return Response(_consent(Membership.objects.select_related("project").get(pk=mine.pk)))


def _consent(mine: Membership) -> ConsentJson:
    project = mine.project
    return {
        "version": project.consent_version,
        "warning": consent_texts.warning(project),
        "text": consent_texts.text(project),
        "seen": f"{consent_texts.who_can_tell()} {consent_texts.seen_of_each()}",
        "leaving": consent_texts.sentence(project.on_withdrawal),
        "given": mine.consent_version >= project.consent_version,
    }


def _json(row: Invitation) -> InvitationJson:
    return answer(
        InvitationJson, row, state=invitations.state_of(row, timezone.now()), team=row.batch, note=row.shown_note
    )
