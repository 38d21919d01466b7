"""Rules for accounts: an admin or a command creates them; nobody can sign up.

Whoever changes how an account is opened gives the password again (`ACCOUNT_REAUTHENTICATION_REQUIRED`), and the
account's address of before is told. All mails of the library go through the site's own queue.
"""

import logging
from importlib import import_module
from types import ModuleType, SimpleNamespace
from typing import Any
from urllib.parse import urlsplit

from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.adapter import get_adapter as get_account_adapter
from allauth.account.forms import ChangePasswordForm, LoginForm, ResetPasswordForm
from allauth.account.internal.flows.reauthentication import is_reauthentication_required
from allauth.account.internal.userkit import get_user_by_username
from allauth.account.models import EmailAddress
from allauth.core import context as request_context
from allauth.core.exceptions import ImmediateHttpResponse
from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.mfa.models import Authenticator
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from allauth.socialaccount.models import SocialLogin
from allauth.socialaccount.providers.base.constants import AuthProcess
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied, ValidationError
from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import get_language, gettext_lazy
from django.utils.translation import gettext as _

from annotation.core.sealed import BEGINNING, reseal, seal, unseal
from annotation.domain.accounts.mail_addresses import normal_address
from annotation.domain.outgoing import MailKind
from annotation.mail.queue import queue_mail, sends_mail
from annotation.members.accounts.views_sign_ins import guesses_told
from annotation.models import User
from config.web import security_keys
from config.web.password_hasher import do_work_of_old_hashes

log = logging.getLogger(__name__)

_SECRETS, _LISTS_OF_SECRETS = ("secret", "seed"), ("migrated_codes",)
"""What is sealed in the data of a second step: of an app's codes, of recovery codes, and codes from elsewhere."""
_UNKNOWN_ADDRESS = "account/email/unknown_account"


class Accounts(DefaultAccountAdapter):
    """Accounts with a password. Sign-up is off; the address of a caller is the one that `CallerAddress` found."""

    error_messages = DefaultAccountAdapter.error_messages | {
        "username_password_mismatch": gettext_lazy("User name and password do not belong together. Try again.")
    }

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return False

    def get_client_ip(self, request: HttpRequest) -> str:
        return str(request.META.get("REMOTE_ADDR") or "")

    def clean_password(self, password: str, user: User | None = None) -> str:
        """Return the new password. Raises ValidationError if it is weak, or the one that the account has."""
        if user is not None and user.check_password(password):
            raise ValidationError(_("This is the password that you have. Choose another one."), code="same_password")
        return str(super().clean_password(password, user))

    def clean_email(self, email: str) -> str:
        return normal_address(super().clean_email(email))

    def confirm_email(self, request: HttpRequest, email_address: EmailAddress) -> bool:
        """Confirm the address. Of two accounts that do so at the same moment, one is told that it is taken."""
        try:
            with transaction.atomic():
                return bool(super().confirm_email(request, email_address))
        except IntegrityError:
            taken, shown = "account/messages/email_confirmation_failed.txt", {"email": email_address.email}
            self.add_message(request, messages.ERROR, taken, shown)
            return False

    def authentication_failed(self, request: HttpRequest, **credentials: Any) -> None:
        user: Any = get_user_by_username(credentials.get("username") or "")
        do_work_of_old_hashes(credentials["password"], user.password if user else "")

    def set_password(self, user: User, password: str) -> None:
        user.must_change_password = False
        super().set_password(user, password)

    def login(self, request: HttpRequest, user: User) -> None:
        """Sign in, and say what was tried against the account since its owner last did."""
        before = user.last_login
        super().login(request, user)
        if any(at and (before is None or at > before) for at in (user.passwords_guessed_at, user.codes_guessed_at)):
            for sentence in guesses_told(user):
                messages.warning(request, sentence)

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


class SignInForm(LoginForm):
    """The user name, called as everywhere on the site, and the password."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["login"].label = _("User name")
        del self.fields["login"].widget.attrs["placeholder"]


class PasswordForm(ChangePasswordForm):
    """A new password. Who must choose one has just signed in with the old one, and need not type it again."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.user.must_change_password:
            del self.fields["oldpassword"]


class ResetForm(ResetPasswordForm):
    """Asks for a link: one mail for one account. Whoever confirmed the address comes first, then the oldest account."""

    users: list[User]

    def clean_email(self) -> str:
        address = str(super().clean_email())
        self.users = sorted(self.users, key=lambda user: user.pk)[:1]
        return address


class OutsideAccounts(DefaultSocialAccountAdapter):
    """Accounts of an organisation. They open an account here after its owner has connected both; they create none."""

    def is_open_for_signup(self, request: HttpRequest, sociallogin: SocialLogin) -> bool:
        return False

    def get_provider(self, request: HttpRequest, provider: str, client_id: str | None = None) -> Any:
        found = super().get_provider(request, provider, client_id)
        found.oauth2_adapter_class = _organisation_account().OrganisationAccount
        return found

    def on_authentication_error(
        self, request: HttpRequest, provider: Any, error: Any = None, exception: Any = None, extra_context: Any = None
    ) -> None:
        """Log why a sign-in failed. Raises ImmediateHttpResponse with a page of one sentence if nobody answered."""
        if isinstance(exception, OSError):
            raise _organisation_account().away(request, exception)
        if exception is not None:
            log.warning("single sign-on: refused: %s", exception)

    def pre_social_login(self, request: HttpRequest, sociallogin: SocialLogin) -> None:
        """Refuse answers that speak of two people (OpenID Connect Core 5.3.2), and a connection without a proof.

        The library would keep the connection in the session until its owner proves who they are for another matter.
        Raises PermissionDenied, which the library answers with 401, and ImmediateHttpResponse that asks for the proof.
        """
        answers = sociallogin.account.extra_data or {}
        subjects = [(answers.get(part) or {}).get("sub") for part in ("id_token", "userinfo")]
        if not subjects[0] or subjects[0] != subjects[1]:
            log.warning("single sign-on: the id token and the userinfo are not of one subject")
            raise PermissionDenied
        connects = sociallogin.state.get("process") == AuthProcess.CONNECT and request.user.is_authenticated
        if connects and is_reauthentication_required(request, app="allauth.socialaccount"):
            messages.info(
                request, _("Nothing was connected yet. Confirm that it is you, then connect the account again.")
            )
            proof = get_account_adapter().get_reauthentication_methods(request.user)[0]["url"]
            raise ImmediateHttpResponse(redirect_to_login(reverse("socialaccount_connections"), proof))


class SecondSteps(DefaultMFAAdapter):
    """Second steps at sign-in. Their secrets are sealed: a copy of the database does not make codes."""

    def encrypt(self, text: str) -> str:
        return seal(text)

    def decrypt(self, encrypted_text: str) -> str:
        """Return the secret. One that a process of the version before has just stored is not sealed.

        Raises CannotOpen, which pages tell, if no key of the site opens it.
        """
        return str(unseal(encrypted_text)) if _is_sealed(encrypted_text) else encrypted_text

    def get_public_key_credential_rp_entity(self) -> dict[str, str]:
        return {"id": security_keys.host(), "name": "Interplay"}

    def get_public_key_credential_user_entity(self, user: User) -> dict[str, Any]:
        return {"id": user.public_id.bytes, "display_name": user.username, "name": user.username}

    def generate_authenticator_name(self, user: User, type: Authenticator.Type) -> str:
        return _("Key %(number)s") % {"number": Authenticator.objects.filter(user=user, type=type).count() + 1}


def second_steps() -> "QuerySet[Authenticator]":
    """Return the second steps that have a sealed secret."""
    types = (Authenticator.Type.TOTP, Authenticator.Type.RECOVERY_CODES)
    rows: QuerySet[Authenticator] = Authenticator.objects.filter(type__in=types)
    return rows


def resealed_second_step(data: dict[str, Any]) -> dict[str, Any]:
    """Return the data of a second step with its secrets closed by the site's first key. Raises CannotOpen."""
    one = {name: _resealed(data[name]) for name in _SECRETS if name in data}
    several = {name: [_resealed(code) for code in data[name]] for name in _LISTS_OF_SECRETS if name in data}
    return data | one | several


def _resealed(secret: str) -> str:
    return reseal(secret) if _is_sealed(secret) else seal(secret)


def _is_sealed(secret: str) -> bool:
    return secret.startswith(BEGINNING)  # those of second steps are hex digits or capitals


def _organisation_account() -> ModuleType:
    """Return the module, which sites without single sign-on need not load."""
    return import_module("config.web.organisation_account")


def _is_theirs(user: User | None, address: str) -> bool:
    """Return whether the account has shown that the address is its own, or an admin of the site gave it the address."""
    own = EmailAddress.objects.filter(user=user, email__iexact=address)
    is_confirmed, is_listed = own.filter(verified=True).exists(), own.exists()
    # The library asks as often as this in the other cases: whatever account has the address, the answer takes as long.
    if user is None:
        own.exists(), list(own)
    elif is_confirmed:
        User.objects.filter(email=address).exists()
    return is_confirmed or (user is not None and not is_listed and user.email.casefold() == address.casefold())


def _on_this_site(address: str) -> str:
    """Return the address below SITE_URL, whatever host and port the request named."""
    return settings.SITE_URL + urlsplit(address).path
