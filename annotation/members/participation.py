"""Joining and leaving: consent, withdrawal, deactivation and reactivation.

Who withdraws has no user name in the project from then on (`Membership.shown_username`), until they agree again: a
return alone, which an admin can bring about, does not show it.
"""

from typing import Any

from django.db.models.functions import Now

from annotation.assignment.annotator_state import lock_member
from annotation.assignment.release_seats import free_seats_of_member
from annotation.core.transactions import short_transaction
from annotation.domain.choices import EventVerb, OnWithdrawal
from annotation.members.accounts.api_tokens import end_tokens_of_leaver
from annotation.members.roles import keep_an_admin
from annotation.models import Guideline, Label, Membership, record
from annotation.projects import consent_texts
from runs.sql.database_clock import database_now


@short_transaction
def consent(member: Membership) -> None:
    """Record that the member read the valid content warning and consents to see such material."""
    member, _ = lock_member(member)
    version = member.project.consent_version
    if member.consent_version < version:
        consent_texts.keep(member.project)
        fields = {"consent_version": version, "consent_at": Now(), "withdrawn_at": None} | _begins(member)
        Membership.objects.filter(pk=member.pk).update(**fields)
        record(EventVerb.CONSENTED, project=member.project, actor=member, row=member.public_id, version=version)


def _begins(member: Membership) -> dict[str, int]:
    """Return the field that marks the newest guidelines as read by a new member; empty for others.

    Only later versions then ask to be read.
    """
    newest = Guideline.objects.filter(project=member.project_id).order_by("-number").first()
    if newest is None or member.guideline_read or Label.objects.filter(annotator=member).exists():
        return {}
    return {"guideline_read": newest.number}


@short_transaction
def withdraw(member: Membership) -> None:
    """Withdraw the member from the project at their own wish; their seats are freed.

    Somebody whose access an admin ended may do so too. By the consent that the member gave, labels stay under the
    pseudonym, or are marked for removal (`annotation.labelling.withdraw_labels`).
    Raises LastAdmin if the project would be left without an admin.
    """
    keep_an_admin(member)
    member, _ = lock_member(member)
    now = database_now()  # after the wait for the lock, in which a label may have come: it is removed too
    if member.active or member.withdrawn_at is None:
        policy = consent_texts.policy_for(member)
        remove_before = now if policy is OnWithdrawal.REMOVE else None
        Membership.objects.filter(pk=member.pk).update(active=False, withdrawn_at=now, labels_out_before=remove_before)
        record(EventVerb.WITHDREW, project=member.project, actor=member, row=member.public_id, labels=policy)
        free_seats_of_member(member, member)
        end_tokens_of_leaver(member)


@short_transaction
def deactivate(member: Membership, by: Membership | None) -> None:
    """End a membership by an admin (None: by a command); its seats are freed, its labels stay.

    Raises LastAdmin if the project would be left without an admin.
    """
    keep_an_admin(member)
    member, _ = lock_member(member)
    if member.active:
        Membership.objects.filter(pk=member.pk).update(active=False)
        record(EventVerb.DEACTIVATED, project=member.project, actor=by, row=member.public_id)
        free_seats_of_member(member, by)
        end_tokens_of_leaver(member)


def fields_of_return(member: Membership) -> dict[str, Any]:
    """Return the fields that change when an ended membership begins again; without consent for who withdrew."""
    without_consent = {} if member.withdrawn_at is None else {"consent_version": 0, "consent_at": None}
    return {"active": True, "idle_until": None} | without_consent


@short_transaction
def reactivate(member: Membership, by: Membership | None) -> None:
    """Reactivate an ended membership, also one whose person withdrew and asked to return.

    A person who withdrew is asked for consent again.
    """
    member, _ = lock_member(member)
    if not member.active:
        Membership.objects.filter(pk=member.pk).update(**fields_of_return(member))
        record(EventVerb.REACTIVATED, project=member.project, actor=by, row=member.public_id)
