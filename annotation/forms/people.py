"""What people decide for themselves."""

from django import forms
from django.conf import settings
from django.utils.translation import gettext_lazy as _

from annotation.models import Theme, User


class PreferencesForm(forms.ModelForm[User]):
    """What somebody wants to see; it follows the person to every browser."""

    theme = forms.ChoiceField(
        label=_("Theme"),
        choices=[(Theme.SYSTEM, _("As the system")), (Theme.LIGHT, _("Light")), (Theme.DARK, _("Dark"))],
        widget=forms.RadioSelect,
    )
    language = forms.ChoiceField(
        label=_("Language of the pages"),
        choices=lambda: [("", _("As the browser asks")), *settings.LANGUAGES],
        required=False,
    )

    class Meta:
        model = User
        fields = ("blur", "grey", "theme", "language")
        labels = {"blur": _("Blur pictures until I reveal them"), "grey": _("Show pictures in grey")}
        help_texts = {
            "blur": _("Hold Space to look; the picture hides again when you let go."),
            "grey": _("Takes colour out of every picture. The key Y switches it while you label."),
        }


class LookForm(forms.Form):
    """Theme or language, from the menu or the login page."""

    theme = forms.ChoiceField(choices=Theme.choices, required=False)
    language = forms.ChoiceField(choices=lambda: settings.LANGUAGES, required=False)
