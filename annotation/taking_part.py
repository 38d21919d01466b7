"""Joining in and leaving: consent to see such material, withdrawing, being sent away and coming back."""

from django.db.models.functions import Now

from annotation import consent_texts
from annotation.domain.words import OnWithdrawal
from annotation.freeing import free_seats_of
from annotation.handing_out import lock_member
from annotation.models import Membership, record
from annotation.transactions import short_transaction


@short_transaction
def consent(member: Membership) -> None:
    """The member read the content warning in force and agrees to see such material."""
    member, _ = lock_member(member)
    version = member.project.consent_version
    if member.consent_version < version:
        consent_texts.keep(member.project)
        Membership.objects.filter(pk=member.pk).update(consent_version=version, consent_at=Now())
        record("consented", project=member.project, actor=member, row=member.public_id, version=version)


@short_transaction
def withdraw(member: Membership) -> None:
    """The member leaves the project on their own wish: held seats are freed.

    Labels stay under the pseudonym, or are marked to be taken out of force (`label_removal`), as the consent says that
    the member gave.
    """
    member, now = lock_member(member)
    if member.withdrawn_at is None:
        policy = consent_texts.policy_for(member)
        out = now if policy is OnWithdrawal.REMOVE else None
        Membership.objects.filter(pk=member.pk).update(active=False, withdrawn_at=now, labels_out_before=out)
        record("withdrew", project=member.project, actor=member, row=member.public_id, labels=policy)
        free_seats_of(member, member)


@short_transaction
def deactivate(member: Membership, by: Membership | None) -> None:
    """An admin ends a membership (None: a command did): held seats are freed, labels stay."""
    member, _ = lock_member(member)
    if member.active:
        Membership.objects.filter(pk=member.pk).update(active=False)
        record("deactivated", project=member.project, actor=by, row=member.public_id)
        free_seats_of(member, by)


@short_transaction
def reactivate(member: Membership, by: Membership | None) -> None:
    """Open an ended membership again, also one that was withdrawn and whose person asked to come back."""
    member, _ = lock_member(member)
    if not member.active:
        Membership.objects.filter(pk=member.pk).update(active=True, withdrawn_at=None, idle_until=None)
        record("reactivated", project=member.project, actor=by, row=member.public_id)
