"""How accounts come into being: an admin or a command makes them; nobody signs up."""

from allauth.account.adapter import DefaultAccountAdapter
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from allauth.socialaccount.models import SocialLogin
from django.conf import settings
from django.http import HttpRequest


class Accounts(DefaultAccountAdapter):  # type: ignore[misc]  # allauth is untyped
    """Sign-up is off; the caller's address is the one that `config.front_door.CallerAddress` found."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return False

    def get_client_ip(self, request: HttpRequest) -> str:
        return str(request.META.get("REMOTE_ADDR") or "")

    def send_mail(self, template_prefix: str, email: str, context: dict[str, object]) -> None:
        """Send mail only where a mail server is named; nobody needs an address."""
        if settings.EMAIL_HOST:
            super().send_mail(template_prefix, email, context)


class OutsideAccounts(DefaultSocialAccountAdapter):  # type: ignore[misc]  # allauth is untyped
    """An organisation account opens an account here once its owner has connected the two; it makes none."""

    def is_open_for_signup(self, request: HttpRequest, sociallogin: SocialLogin) -> bool:
        return False
