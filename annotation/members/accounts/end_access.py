"""The end of every way into the site that is not a password: after a restore by other people, or after a leak."""

from collections.abc import Callable, Mapping
from typing import Any

from allauth.account.models import EmailConfirmation
from allauth.socialaccount.models import SocialAccount
from django.contrib.sessions.models import Session
from django.db.models import QuerySet
from django.utils import timezone
from knox.models import AuthToken

from annotation.core.transactions import short_transaction
from annotation.domain.outgoing import DeliveryState, MailState
from annotation.models import AccessRequest, AccessState, Delivery, Invitation, Mail, Webhook


@short_transaction
def end_access(*, only_count: bool = False) -> dict[str, int]:
    """End all sessions, tokens, open invitations, links and connections, and what waits to be sent.

    Links for a new password are signed with SECRET_KEY, and end with it.

    Return how many of each were ended, or would be.
    """
    return {name: rows.count() if only_count else _END.get(name, _deleted)(rows) for name, rows in _rows().items()}


def _rows() -> Mapping[str, QuerySet[Any]]:
    """Return what ends, in the order in which rows may be deleted."""
    return {
        "sessions": Session.objects.all(),
        "tokens": AuthToken.objects.all(),
        "connected accounts": SocialAccount.objects.all(),
        "invitations": Invitation.objects.filter(accepted_at=None, revoked_at=None),
        "links to unpublished data": AccessRequest.objects.filter(state=AccessState.APPROVED),
        "confirmations": EmailConfirmation.objects.all(),
        "messages that wait": Delivery.objects.filter(state=DeliveryState.WAITING),
        "webhooks": Webhook.objects.all(),
        "e-mails that wait": Mail.objects.filter(state=MailState.WAITING),
    }


def _deleted(rows: QuerySet[Any]) -> int:
    count = rows.count()
    rows.delete()
    return count


_END: Mapping[str, Callable[[QuerySet[Any]], int]] = {
    "invitations": lambda rows: rows.update(revoked_at=timezone.now()),
    "links to unpublished data": lambda rows: rows.update(state=AccessState.REVOKED, decided_at=timezone.now()),
}
