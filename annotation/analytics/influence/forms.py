"""The form of the page about the influence of priors."""

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.analytics.influence.figures import MOST_WITHHELD


class WithheldForm(forms.Form):
    """The share of assigned items that are shown without priors."""

    withheld_percent = forms.IntegerField(
        label=_("Withhold priors in this share of cases, in percent"),
        min_value=0,
        max_value=MOST_WITHHELD,
        help_text=_("0 to 90. 0 shows the priors to everybody, and nothing can be compared."),
    )
