"""Links by which somebody sets a new password, handed over by an admin: for people whom no mail reaches."""

from allauth.account import app_settings
from allauth.account.utils import user_pk_to_url_str
from django.conf import settings
from django.urls import reverse
from django.utils.translation import gettext_noop

from annotation.core.transactions import short_transaction
from annotation.domain.choices import EventVerb
from annotation.members.accounts.account_notices import tell_owner
from annotation.members.erasure import may_erase
from annotation.models import Membership, User, record


def may_make_link(admin: Membership, person: Membership) -> bool:
    """Return whether the admin may let the person set a new password: the rule of erasing, for an open account."""
    user = person.user
    return user is not None and user.is_active and person.pk != admin.pk and may_erase(admin, user)


@short_transaction
def make_password_link(person: Membership, by: Membership) -> str:
    """Return a link that sets the person's password once, within a day; the person's address, if any, is told.

    Nothing changes until the link is used. The caller has asked `may_make_link`.
    """
    assert person.user is not None
    link = password_link(person.user)
    record(EventVerb.PASSWORD_LINK_MADE, project=person.project, actor=by, row=person.public_id)
    tell_owner(
        person.user,
        gettext_noop("A link for a new password of yours"),
        gettext_noop(
            "An admin of %(project)s has made a link that sets a new password for your account. If you did not "
            "ask for it, tell the people who run this site: %(site)s"
        ),
        project=person.project.name,
    )
    return link


def password_link(user: User) -> str:
    """Return a link that sets the password of the account once, within a day (PASSWORD_RESET_TIMEOUT)."""
    token = app_settings.PASSWORD_RESET_TOKEN_GENERATOR().make_token(user)
    parts = {"uidb36": user_pk_to_url_str(user), "key": token}
    return settings.SITE_URL + reverse("account_reset_password_from_key", kwargs=parts)
