"""Rules for accounts: an admin or a command creates them; nobody can sign up."""

from allauth.account.adapter import DefaultAccountAdapter
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from allauth.socialaccount.models import SocialLogin
from django.conf import settings
from django.http import HttpRequest


class Accounts(DefaultAccountAdapter):  # type: ignore[misc]  # allauth is untyped
    """Accounts with a password. Sign-up is off; the address of a caller is the one that `CallerAddress` found."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return False

    def get_client_ip(self, request: HttpRequest) -> str:
        return str(request.META.get("REMOTE_ADDR") or "")

    def send_mail(self, template_prefix: str, email: str, context: dict[str, object]) -> None:
        """Send mail only if a mail server is configured; accounts need no mail address."""
        if settings.EMAIL_HOST:
            super().send_mail(template_prefix, email, context)


class OutsideAccounts(DefaultSocialAccountAdapter):  # type: ignore[misc]  # allauth is untyped
    """Accounts of an organisation. They open an account here after its owner has connected both; they create none."""

    def is_open_for_signup(self, request: HttpRequest, sociallogin: SocialLogin) -> bool:
        return False
