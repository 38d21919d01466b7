"""The form of a project's webhook."""

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.domain.outgoing import Happening
from annotation.pages.form_fields import choices_of
from providers import wiring_web
from providers.http.safe_urls import FetchFault

NAMES = choices_of(
    Happening,
    {
        Happening.ITEM_CLOSED: _("an item has all its labels"),
        Happening.ITEM_DISPUTED: _("an item is disputed"),
        Happening.ITEM_REPORTED: _("an item is reported as illegal"),
        Happening.RELEASE_MADE: _("a release is made"),
        Happening.RELEASE_PUBLISHED: _("a release is published"),
        Happening.RUN_ENDED: _("a run of models has ended"),
        Happening.TEST: _("test"),
    },
)
HAPPENINGS = tuple((kind, name) for kind, name in NAMES if kind is not Happening.TEST)
"""What an admin can choose to be told of."""
FAULTS = {
    "bad_url": _("That is no address of the web."),
    "bad_scheme": _("The address begins with https://."),
    "blocked_port": _("The port is not 443. The people who run this site can allow others (WEBHOOK_ALLOW)."),
    "blocked_address": _(
        "The address is not on the public Internet. The people who run this site can allow it (WEBHOOK_ALLOW)."
    ),
    "unreachable": _("The receiver could not be reached."),
    "timeout": _("The receiver did not answer within ten seconds."),
    "key_lost": _("The secret was stored with a key that this site has lost: make a new one."),
}
"""What went wrong, by its code."""


class WebhookForm(forms.Form):
    """Where messages go, and what about."""

    address = forms.CharField(
        label=_("Address"),
        max_length=2000,
        widget=forms.TextInput(attrs={"placeholder": "https://", "inputmode": "url", "autocomplete": "off"}),
        help_text=_("It begins with https:// and is on the public Internet."),
    )
    happenings = forms.MultipleChoiceField(
        label=_("A message when"), choices=HAPPENINGS, widget=forms.CheckboxSelectMultiple
    )

    def clean_address(self) -> str:
        """Refuse an address that nothing would ever be sent to."""
        address = self.cleaned_data["address"].strip()
        try:
            wiring_web.webhook_poster().check(address)
        except FetchFault as fault:
            raise forms.ValidationError(FAULTS.get(fault.code, FAULTS["bad_url"])) from fault
        return str(address)
