"""Mails that tell the owner of an account what others did with the way into it."""

from django.conf import settings
from django.utils.translation import gettext, override

from annotation.domain.outgoing import MailKind
from annotation.mail.queue import queue_mail
from annotation.models import User


def tell_owner(user: User, subject: str, body: str, **named: str | int) -> None:
    """Queue a mail in the person's language, if they have an address.

    `subject` and `body` are marked with `gettext_noop`; `body` names the site as `%(site)s`.
    """
    if not user.email:
        return
    with override(user.language or settings.LANGUAGE_CODE):
        text = gettext(body) % {**named, "site": settings.SITE_URL}
        facts: dict[str, str | int] = {"subject": gettext(subject), "body": text}
        queue_mail(MailKind.ACCOUNT_NOTICE, user.email, facts, user=user, language=user.language)
