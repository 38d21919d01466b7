"""Joining in and leaving: consent to see such material, withdrawing, being sent away and coming back."""

from django.db.models.functions import Now

from annotation import consent_texts
from annotation.domain.words import OnWithdrawal
from annotation.freeing import free_seats_of
from annotation.handing_out import lock_member
from annotation.models import Guideline, Label, Membership, record
from annotation.transactions import short_transaction


@short_transaction
def consent(member: Membership) -> None:
    """The member read the content warning in force and agrees to see such material."""
    member, _ = lock_member(member)
    version = member.project.consent_version
    if member.consent_version < version:
        consent_texts.keep(member.project)
        Membership.objects.filter(pk=member.pk).update(consent_version=version, consent_at=Now(), **_begins(member))
        record("consented", project=member.project, actor=member, row=member.public_id, version=version)


def _begins(member: Membership) -> dict[str, int]:
    """Who begins has the guidelines of that moment before them: only later versions ask to be read."""
    newest = Guideline.objects.filter(project=member.project_id).order_by("-number").first()
    if newest is None or member.guideline_read or Label.objects.filter(annotator=member).exists():
        return {}
    return {"guideline_read": newest.number}


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
    """Open an ended membership again, also one that was withdrawn and whose person asked to come back.

    Who left took their consent back with them, and is asked for it anew.
    """
    member, _ = lock_member(member)
    if not member.active:
        asked = {} if member.withdrawn_at is None else {"consent_version": 0, "consent_at": None}
        Membership.objects.filter(pk=member.pk).update(active=True, withdrawn_at=None, idle_until=None, **asked)
        record("reactivated", project=member.project, actor=by, row=member.public_id)
