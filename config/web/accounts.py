"""Rules for accounts: an admin or a command creates them; nobody can sign up."""

from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.forms import ChangePasswordForm
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from allauth.socialaccount.models import SocialLogin
from django.conf import settings
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from django.utils.translation import gettext as _

from annotation.models import User


class Accounts(DefaultAccountAdapter):  # type: ignore[misc]  # allauth is untyped
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

    def send_mail(self, template_prefix: str, email: str, context: dict[str, object]) -> None:
        """Send mail only if a mail server is configured; accounts need no mail address."""
        if settings.EMAIL_HOST:
            super().send_mail(template_prefix, email, context)


class PasswordForm(ChangePasswordForm):  # type: ignore[misc]  # allauth is untyped
    """A new password. Who must choose one has just signed in with the old one, and need not type it again."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.user.must_change_password:
            del self.fields["oldpassword"]


class OutsideAccounts(DefaultSocialAccountAdapter):  # type: ignore[misc]  # allauth is untyped
    """Accounts of an organisation. They open an account here after its owner has connected both; they create none."""

    def is_open_for_signup(self, request: HttpRequest, sociallogin: SocialLogin) -> bool:
        return False
