"""Words of Django and allauth whose translations are ours. Named here so that `make messages` keeps them."""

from django.utils.translation import ngettext_lazy

WORDS = (
    ngettext_lazy(
        "This password is too short. It must contain at least %d character.",
        "This password is too short. It must contain at least %d characters.",
    ),
)
