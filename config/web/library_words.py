"""Words of Django and allauth whose translations are ours. Named here so that `make messages` keeps them."""

from django.utils.translation import gettext_noop, ngettext_lazy

WORDS = (
    gettext_noop("Username"),
    ngettext_lazy(
        "This password is too short. It must contain at least %d character.",
        "This password is too short. It must contain at least %d characters.",
    ),
)
