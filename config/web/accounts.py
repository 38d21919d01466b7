"""Rules for accounts: an admin or a command creates them; nobody can sign up.

Whoever changes how an account is opened gives the password again (`ACCOUNT_REAUTHENTICATION_REQUIRED`), and the
account's address of before is told. All mails of the library go through the site's own queue.
"""

import logging
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlsplit

from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.forms import ChangePasswordForm
from allauth.account.models import EmailAddress
from allauth.core import context as request_context
from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from allauth.socialaccount.models import SocialLogin
from django.conf import settings
from django.core.exceptions import PermissionDenied, ValidationError
from django.http import HttpRequest
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from annotation.core.sealed import seal, unseal
from annotation.domain.outgoing import MailKind
from annotation.mail.queue import queue_mail, sends_mail
from annotation.models import User

log = logging.getLogger(__name__)

_SEALED = "gAAAA"
"""How everything sealed begins; the secrets of second steps are hex digits or capitals."""
_UNKNOWN_ADDRESS = "account/email/unknown_account"


class Accounts(DefaultAccountAdapter):
    """Accounts with a password. Sign-up is off; the address of a caller is the one that `CallerAddress` found."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return False

    def get_client_ip(self, request: HttpRequest) -> str:
        return str(request.META.get("REMOTE_ADDR") or "")

    def clean_password(self, password: str, user: User | None = None) -> str:
        """Return the new password. Raises ValidationError if it is weak, or the one that the account has."""
        if user is not None and user.check_password(password):
            raise ValidationError(_("This is the password that you have. Choose another one."), code="same_password")
        return str(super().clean_password(password, user))

    def set_password(self, user: User, password: str) -> None:
        user.must_change_password = False
        super().set_password(user, password)

    def get_reset_password_from_key_url(self, key: str) -> str:
        return _on_this_site(super().get_reset_password_from_key_url(key))

    def get_email_confirmation_url(self, request: HttpRequest, emailconfirmation: Any) -> str:
        return _on_this_site(super().get_email_confirmation_url(request, emailconfirmation))

    def format_email_subject(self, subject: str) -> str:
        return f"[Interplay] {subject}"

    def send_notification_mail(
        self, template_prefix: str, user: User, context: dict[str, Any] | None = None, email: str | None = None
    ) -> None:
        """Tell the person that the way into the account was changed; the log knows it in any case."""
        log.info("account %s: %s", user.public_id, template_prefix.rpartition("/")[2])
        super().send_notification_mail(
            template_prefix, user, {"user": user, "is_notice": True} | (context or {}), email
        )

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """Queue a mail of the library, if this site sends any; accounts need no mail address.

        Somebody who asks for a new password of an address that no account has causes the same work, and no mail: the
        worker gives up what is for no account.
        """
        if not sends_mail():
            return
        user = None if template_prefix == _UNKNOWN_ADDRESS else context.get("user")
        site = SimpleNamespace(name="Interplay", domain=urlsplit(settings.SITE_URL).netloc)
        shown = {"request": request_context.request, "email": email, "current_site": site, **context}
        if not _is_theirs(user, email):
            shown.pop("username", None)
        message = self.render_mail(template_prefix, email, shown)
        kind = MailKind.ACCOUNT_NOTICE if context.get("is_notice") else MailKind.ACCOUNT
        facts = {"subject": message.subject, "body": message.body}
        queue_mail(kind, email, facts, user=user, language=get_language() or "")


class PasswordForm(ChangePasswordForm):
    """A new password. Who must choose one has just signed in with the old one, and need not type it again."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.user.must_change_password:
            del self.fields["oldpassword"]


class OutsideAccounts(DefaultSocialAccountAdapter):
    """Accounts of an organisation. They open an account here after its owner has connected both; they create none."""

    def is_open_for_signup(self, request: HttpRequest, sociallogin: SocialLogin) -> bool:
        return False

    def pre_social_login(self, request: HttpRequest, sociallogin: SocialLogin) -> None:
        """Refuse a sign-in whose two answers speak of two people (OpenID Connect Core 5.3.2).

        Raises PermissionDenied, which the library answers with 401.
        """
        answers = sociallogin.account.extra_data or {}
        subjects = [(answers.get(part) or {}).get("sub") for part in ("id_token", "userinfo")]
        if not subjects[0] or subjects[0] != subjects[1]:
            log.warning("single sign-on: the id token and the userinfo are not of one subject")
            raise PermissionDenied


class SecondSteps(DefaultMFAAdapter):
    """Second steps at sign-in. Their secrets are sealed: a copy of the database does not make codes."""

    def encrypt(self, text: str) -> str:
        return seal(text)

    def decrypt(self, encrypted_text: str) -> str:
        """Return the secret. One that a process of the version before has just stored is not sealed."""
        return str(unseal(encrypted_text)) if encrypted_text.startswith(_SEALED) else encrypted_text


def _is_theirs(user: User | None, address: str) -> bool:
    """Return whether the account has shown that the address is its own, or an admin of the site gave it the address."""
    own = EmailAddress.objects.filter(user=user, email__iexact=address)
    if own.filter(verified=True).exists():
        return True
    is_listed = own.exists()  # asked for no account too: the answer takes as long
    return user is not None and not is_listed and user.email.casefold() == address.casefold()


def _on_this_site(address: str) -> str:
    """Return the address below SITE_URL, whatever host and port the request named."""
    return settings.SITE_URL + urlsplit(address).path
