"""Pages for admins about the people of a project: the list, adding a person, and a page for each member."""

from typing import Any
from uuid import UUID

from django.conf import settings
from django.contrib import messages
from django.forms import Form
from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.timezone import localtime
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation.core import second_factor
from annotation.core.found import found
from annotation.domain.choices import OnWithdrawal, Role
from annotation.domain.outgoing import MailKind
from annotation.mail.queue import queue_mail
from annotation.members import erasure, join, participation, roles
from annotation.members import invitations as member_invitations
from annotation.members.accounts import password_links
from annotation.members.forms import EraseMemberForm, InvitationForm, NewMemberForm, PseudonymForm, QuotaForm, RolesForm
from annotation.models import Invitation, Membership, Project, seat_count
from annotation.pages.access import PersonRequest, member_of
from annotation.pages.error_messages import sentence_for
from annotation.pages.project_page import project_page
from annotation.projects import consent_texts

INVITATIONS_SHOWN = 50
ERASE_IDS = "erase_%s"
"""Ids of the fields that confirm erasing; another form of the page asks for a pseudonym too."""


@never_cache
@require_http_methods(["GET", "POST"])
def members(request: PersonRequest, slug: str) -> HttpResponse:
    """List the people of the project, or add an account.

    The password of a new account is shown once, in this response only.
    """
    admin = member_of(request, slug, Role.ADMIN)
    form = NewMemberForm(request.POST or None)
    joined = None
    if form.is_valid():
        try:
            values = form.cleaned_data
            joined = join.add_person(admin.project, values["username"], Role(values["role"]), actor=admin)
            form = NewMemberForm()
        except join.BadMember as bad:
            form.add_error("username", sentence_for(bad.code, bad.sentence))
    return _people_page(request, admin, form=form, joined=joined)


@never_cache
@require_POST
def invitations(request: PersonRequest, slug: str) -> HttpResponse:
    """Create an invitation. Its link is shown once, in this response only."""
    admin = member_of(request, slug, Role.ADMIN)
    form, link = InvitationForm(admin.project, request.POST), ""
    if form.is_valid():
        values = form.cleaned_data
        roles = [Role(role) for role in values["roles"]]
        address = values.get("address", "")
        new_invitation = member_invitations.invite(
            admin,
            roles,
            days=values["days"],
            team=values["team"],
            note=values["note"],
            form_key=values["key"] and f"{values['key']} {address}",  # another address is another person
        )
        link = settings.SITE_URL + reverse("annotation:invitation", args=[new_invitation.token])
        if new_invitation.is_new:
            _send_link(request, new_invitation.invitation, address, link)
        form = InvitationForm(admin.project)
    return _people_page(request, admin, invite=form, link=link)


def _send_link(request: PersonRequest, invitation: Invitation, address: str, link: str) -> None:
    """Send the link of an invitation to an address, if the admin gave one, and say what came of it."""
    if not address:
        return
    until = date_format(localtime(invitation.expires_at), "DATE_FORMAT")
    facts = {"project": invitation.project.name, "link": link, "until": until}
    language = get_language() or ""
    if queue_mail(MailKind.INVITATION, address, facts, project=invitation.project, language=language):
        messages.success(request, _("The link is on its way to %(address)s.") % {"address": address})
    else:
        messages.warning(request, _("No e-mail was sent: there were too many today. Hand the link over yourself."))


@require_POST
def invitation_end(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """Revoke an invitation."""
    admin = member_of(request, slug, Role.ADMIN)
    if member_invitations.revoke(admin, public_id):
        messages.success(request, _("The invitation is revoked: its link no longer works."))
    elif not member_invitations.invitations_of(admin.project).filter(public_id=public_id).exists():
        raise Http404
    else:
        messages.error(request, _("The invitation was used or revoked already."))
    return redirect("annotation:members", slug)


@require_GET
def member(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """Show one person: roles, teams, quota, consent, permissions, and the forms for an admin's changes."""
    admin = member_of(request, slug, Role.ADMIN)
    return _member_page(request, admin, _member(admin.project, public_id))


@require_POST
def member_roles(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """Set a member's roles."""
    admin = member_of(request, slug, Role.ADMIN)
    person = _member(admin.project, public_id)
    form = RolesForm(request.POST, instance=Membership(pk=person.pk))
    if form.is_valid():
        try:
            roles.change_roles(admin, person, form.cleaned_data)
        except roles.LastAdmin:
            messages.error(request, last_admin())
        else:
            messages.success(request, _("Roles of %(name)s saved.") % {"name": person.pseudonym})
            if person.pk == admin.pk and not person.administers:
                return redirect("annotation:projects")
    else:
        messages.error(request, _("Choose at least one role, or end their access."))
    return redirect("annotation:member", slug, public_id)


@require_POST
def member_pseudonym(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """Give a member another pseudonym: the one that was typed, or a random one."""
    admin = member_of(request, slug, Role.ADMIN)
    person = _member(admin.project, public_id)
    form = PseudonymForm(request.POST)
    at_random = "draw" in request.POST
    if at_random or form.is_valid():
        try:
            name = roles.change_pseudonym(admin, person, None if at_random else form.cleaned_data["pseudonym"])
        except roles.BadPseudonym as bad:
            form.add_error("pseudonym", sentence_for(bad.code, bad.sentence))
        else:
            messages.success(request, _("Their pseudonym is now %(name)s.") % {"name": name})
            return redirect("annotation:member", slug, public_id)
    return _member_page(request, admin, person, pseudonym_form=form)


@require_POST
def member_quota(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """Limit how many labels a member gives."""
    admin = member_of(request, slug, Role.ADMIN)
    person = _member(admin.project, public_id)
    form = QuotaForm(request.POST, instance=Membership(pk=person.pk, quota=person.quota))
    if not form.is_valid():
        return _member_page(request, admin, person, quota_form=form)
    roles.change_quota(admin, person, form.cleaned_data["quota"])
    messages.success(request, _("Quota of %(name)s saved.") % {"name": person.pseudonym})
    return redirect("annotation:member", slug, public_id)


@require_POST
def member_deactivate(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """End a person's access to the project; their held seats are freed, their labels stay."""
    admin = member_of(request, slug, Role.ADMIN)
    person = _member(admin.project, public_id)
    if person.pk == admin.pk:
        messages.error(request, _("You cannot end your own access; ask another admin."))
    else:
        try:
            participation.deactivate(person, by=admin)
        except roles.LastAdmin:
            messages.error(request, last_admin())
        else:
            sentence = _("%(name)s no longer has access; labels are kept.") % {"name": person.pseudonym}
            messages.success(request, sentence)
    return redirect("annotation:member", slug, public_id)


@require_POST
def member_reactivate(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """Give a person access again whose access ended, or who left and asked to return."""
    admin = member_of(request, slug, Role.ADMIN)
    person = _member(admin.project, public_id)
    if person.user is None or not person.user.is_active:
        messages.error(request, _("The account is closed; nobody can sign in to it."))
    else:
        participation.reactivate(person, by=admin)
        messages.success(request, _("%(name)s has access again.") % {"name": person.pseudonym})
    return redirect("annotation:member", slug, public_id)


@never_cache
@require_POST
def member_password_link(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """Make a link by which the person sets a new password. It is shown once, in this response only."""
    admin = member_of(request, slug, Role.ADMIN)
    person = _member(admin.project, public_id)
    if not password_links.may_make_link(admin, person):
        raise Http404
    return _member_page(request, admin, person, link=password_links.make_password_link(person, admin))


@require_POST
def member_erase(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """Empty a person's account on their request, if their pseudonym was typed as confirmation."""
    admin = member_of(request, slug, Role.ADMIN)
    person = _member(admin.project, public_id)
    form = EraseMemberForm(request.POST, auto_id=ERASE_IDS)
    if person.user is None or person.pk == admin.pk or not erasure.may_erase(admin, person.user):
        raise Http404
    if form.is_valid():
        if form.cleaned_data["pseudonym"].strip() != person.pseudonym:
            form.add_error("pseudonym", _("This is not the pseudonym of the person; nothing was erased."))
        else:
            try:
                erasure.erase(person.user, by=admin)
            except erasure.CannotErase as cannot:
                form.add_error(None, refusal(cannot))
            else:
                messages.success(request, _("The account is erased. Labels stay under the pseudonym."))
                return redirect("annotation:member", slug, public_id)
    return _member_page(request, admin, person, erase_form=form)


def last_admin() -> str:
    """Return why the only admin of a project stays its admin, in the reader's language."""
    return _("A project needs an admin: make somebody else admin first.")


def refusal(cannot: erasure.CannotErase) -> str:
    """Return the reason why an account cannot be erased yet, in the reader's language."""
    if cannot.code == "last_admin":
        names = {"projects": ", ".join(cannot.projects)}
        return _("Make somebody else admin first. These projects would have no admin: %(projects)s.") % names
    return _("Make somebody else site admin first: the site would be left without one.")


# ── Pages ─────────────────────────────────────────────────────────────────────


def _people_page(
    request: PersonRequest,
    admin: Membership,
    *,
    form: NewMemberForm | None = None,
    invite: InvitationForm | None = None,
    joined: join.Joined | None = None,
    link: str = "",
) -> HttpResponse:
    """Render the page of all people, with the submitted form, if any, as it was filled in."""
    now = timezone.now()
    invited = [
        {"row": row, "state": member_invitations.state_of(row, now)}
        for row in member_invitations.invitations_of(admin.project)[:INVITATIONS_SHOWN]
    ]
    people = _people(admin.project)
    erased = sum(_is_erased(person) for person in people)
    context = {
        "form": form or NewMemberForm(),
        "invite": invite or InvitationForm(admin.project),
        "joined": joined,
        "link": link,
        "people": people,
        "accounts": len(people) - erased,
        "erased": erased,
        "imported": Membership.objects.filter(project=admin.project, user=None).count(),
        "invitations": invited,
    }
    wrong = bool((form and form.errors) or (invite and invite.errors))
    return project_page(request, admin, "annotation/members.html", context, status=422 if wrong else 200)


def _member_page(
    request: PersonRequest, admin: Membership, person: Membership, *, link: str = "", **forms: Form | Any
) -> HttpResponse:
    """Render the page about one person, with a new link for a password, or the refused form as it was filled in.

    Raises Http404 for a member without an account.
    """
    if person.user is None:
        raise Http404
    shown: dict[str, Any] = {
        "roles_form": RolesForm(instance=person),
        "pseudonym_form": PseudonymForm(),
        "quota_form": QuotaForm(instance=person),
        "erase_form": EraseMemberForm(auto_id=ERASE_IDS),
    }
    context = {
        "person": person,
        "self": person.pk == admin.pk,
        "erased": _is_erased(person),
        "named": person.pseudonym if _is_erased(person) else person.shown_username or person.pseudonym,
        "may_erase": person.pk != admin.pk and erasure.may_erase(admin, person.user),
        "may_make_link": password_links.may_make_link(admin, person),
        "link": link,
        "has_second_step": second_factor.is_set_up(person),
        "agreed": consent_texts.agreed_by(person),
        "keeps_labels": consent_texts.policy_for(person) is OnWithdrawal.KEEP,
        "teams": person.batches.all(),
        **shown,
        **forms,
    }
    return project_page(request, admin, "annotation/member.html", context, status=422 if forms else 200)


def _member(project: Project, public_id: UUID) -> Membership:
    """Return the person with an account and the number of their valid labels.

    Raises Http404 if there is none in this project.
    """
    person: Membership = found(_counted(project).filter(public_id=public_id).first())
    person.project = project
    return person


def _is_erased(person: Membership) -> bool:
    return person.user is not None and person.user.username.startswith(join.ERASED)


def _people(project: Project) -> list[Membership]:
    return list(_counted(project))


def _counted(project: Project) -> Any:
    people = Membership.objects.filter(project=project).accounts_by_name()
    return people.annotate(labels_in_force=seat_count(filled_at__isnull=False))
