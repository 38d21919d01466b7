"""Sending one e-mail: in the language of who gets it, again after a failure, and forgotten once it is out."""

import logging
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.core import signing
from django.core.mail import EmailMessage
from django.db.models import F, Q
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import override

from annotation.core.sealed import CannotOpen, unseal
from annotation.domain.outgoing import MOST_ATTEMPTS, MailKind, MailState, delay_after
from annotation.mail.queue import OF_AN_ACCOUNT
from annotation.models import Mail, User
from runs.sql.database_clock import database_now

log = logging.getLogger(__name__)

_SALT = "annotation.mail.stop"
_LEASE = timedelta(minutes=2)
STOPPED_BY = {MailKind.ACCESS_ASKED: "access_mail"}
"""The setting that a person's unsubscribe link switches off, by the kind of mail."""


def send_mail(mail_id: int) -> None:
    """Send a mail if it is due; do nothing if another worker is at it or it was sent."""
    now, rows = database_now(), Mail.objects.filter(pk=mail_id)
    free = rows.filter(Q(lease_until=None) | Q(lease_until__lt=now), state=MailState.WAITING, due_at__lte=now)
    if not free.update(lease_until=now + _LEASE, attempts=F("attempts") + 1):
        return
    mail = rows.select_related("user", "project").first()
    if mail is None:
        return
    if not _is_wanted(mail):
        _finish(mail, MailState.UNWANTED)
        return
    try:
        message_of(mail).send()
    except ValueError as fault:
        log.warning("mail %s was given up: %s", mail.pk, type(fault).__name__)
        _finish(mail, MailState.GIVEN_UP)
    except (CannotOpen, OSError) as fault:  # a key that another machine has already; all faults of a mail server
        log.warning("mail %s was not sent: %s", mail.pk, type(fault).__name__)
        _put_off(mail, for_good=isinstance(fault, OSError) and _is_final(fault))
    else:
        _finish(mail, MailState.SENT)


def message_of(mail: Mail) -> EmailMessage:
    """Return the message. Raises CannotOpen, ValueError for an address or a subject that no mail may have."""
    facts = unseal(mail.sealed_facts)
    with override(mail.language if mail.language in dict(settings.LANGUAGES) else settings.LANGUAGE_CODE):
        stop = _stop_address(mail)
        context = {**facts, "site": settings.SITE_URL, "stop": stop}
        subject = " ".join((_subject(MailKind(mail.kind)) % facts).split())[:150]
        body = render_to_string(f"annotation/mail/{mail.kind}.txt", context)
    headers = {"Auto-Submitted": "auto-generated"}
    if stop:
        headers |= {"List-Unsubscribe": f"<{stop}>", "List-Unsubscribe-Post": "List-Unsubscribe=One-Click"}
    return EmailMessage(subject, body, to=[mail.address], headers=headers)


def stop_token(user: User, kind: MailKind) -> str:
    """Return the token of the link that ends mails of this kind to the person."""
    return signing.dumps([str(user.public_id), kind.value], salt=_SALT)


def read_stop_token(token: str) -> tuple[str, str] | None:
    """Return the public id of the person and the kind of mail, which may be one that the site sends no more.

    Returns None for a token that is not ours.
    """
    try:
        public_id, kind = signing.loads(token, salt=_SALT)
        return str(public_id), str(kind)
    except (signing.BadSignature, ValueError, TypeError):
        return None


def _stop_address(mail: Mail) -> str:
    kind = MailKind(mail.kind)
    if mail.user is None or kind not in STOPPED_BY:
        return ""
    return settings.SITE_URL + reverse("annotation:mail-stop", args=[stop_token(mail.user, kind)])


def _subject(kind: MailKind) -> Any:
    return {
        MailKind.INVITATION: _("You are invited to %(project)s"),
        MailKind.ACCESS_ASKED: _("Somebody asks for release %(number)s of %(project)s"),
        MailKind.ITEM_REPORTED: _("A post of %(project)s was reported as illegal"),
        MailKind.ACCESS_DECIDED: _("Your request for %(project)s, release %(number)s"),
        MailKind.ACCOUNT: "%(subject)s",
        MailKind.ACCOUNT_NOTICE: "%(subject)s",
    }[kind]


def _is_wanted(mail: Mail) -> bool:
    """Return whether the mail may still be sent: the person still asks for it, the project is not being deleted.

    Mail of a kind that the site sends no more is not.
    """
    if mail.kind not in set(MailKind):
        return False
    if mail.project is not None and mail.project.delete_after is not None:
        return False
    if mail.kind in OF_AN_ACCOUNT:  # also to an address that the account no longer has, or has not confirmed
        return mail.user is not None and mail.user.is_active
    if mail.user is None:
        return True
    setting = STOPPED_BY.get(MailKind(mail.kind))
    opted_in = setting is None or bool(getattr(mail.user, setting))
    return opted_in and mail.user.is_active and mail.user.email == mail.address


def _finish(mail: Mail, state: MailState) -> None:
    Mail.objects.filter(pk=mail.pk).update(
        state=state, address="", sealed_facts="", lease_until=None, finished_at=database_now()
    )


def _is_final(fault: OSError) -> bool:
    """Return whether the server refused the recipient for good (a code from 500)."""
    # Of SMTPRecipientsRefused; Django alone speaks SMTP here.
    refused: dict[str, tuple[int, bytes]] = getattr(fault, "recipients", None) or {}
    return bool(refused) and all(code >= 500 for code, _words in refused.values())


def _put_off(mail: Mail, *, for_good: bool) -> None:
    if for_good or mail.attempts >= MOST_ATTEMPTS:
        _finish(mail, MailState.GIVEN_UP)
        return
    due = database_now() + delay_after(mail.attempts)
    Mail.objects.filter(pk=mail.pk).update(lease_until=None, due_at=due)
