"""Forms for a person's own preferences."""

from typing import Any

from django import forms
from django.conf import settings
from django.utils.translation import gettext_lazy as _

from annotation.domain.choices import KeyUse
from annotation.mail.queue import sends_mail
from annotation.models import Theme, User
from annotation.pages.form_fields import choices_of
from annotation.wellbeing.forms import BLUR_STRENGTHS, PICTURE_SIZES


class PreferencesForm(forms.ModelForm[User]):
    """A person's display settings; they apply in every browser."""

    blur_strength = forms.ChoiceField(
        label=_("Until then they show"), choices=BLUR_STRENGTHS, required=False, widget=forms.RadioSelect
    )
    picture_size = forms.ChoiceField(
        label=_("Pictures are"), choices=PICTURE_SIZES, required=False, widget=forms.RadioSelect
    )
    keys = forms.ChoiceField(
        label=_("Letters and digits as keys"),
        choices=choices_of(KeyUse, {KeyUse.PLAIN: _("On"), KeyUse.ALT: _("With Alt"), KeyUse.OFF: _("Off")}),
        required=False,
        widget=forms.RadioSelect,
        help_text=_(
            "Off or with Alt, no letter or digit acts by itself. This suits people who speak to their computer."
        ),
    )
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
        fields = (
            *("blur", "blur_strength", "grey", "sepia", "picture_size", "fold_text", "keys", "theme", "language"),
            "access_mail",
        )
        labels = {
            "blur": _("Blur pictures until I reveal them"),
            "grey": _("Show pictures in greyscale"),
            "sepia": _("Show pictures in sepia"),
            "fold_text": _("Keep texts closed until I open them"),
            "access_mail": _("Send me a note when somebody asks for a release of mine"),
        }
        help_texts = {
            "blur": _("Hold Space to look; the picture hides again when you let go."),
            "grey": _("Takes colour out of every picture. The key Y switches it while you label."),
            "sepia": _("Brown tones in place of colours; also over grey."),
            "fold_text": _("The key T opens and closes the text while you label."),
            "access_mail": _("At most one an hour for each project that you administer."),
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Offer the e-mail only where the site sends some and the account has an address."""
        super().__init__(*args, **kwargs)
        self.sends_mail = sends_mail()
        if not self.sends_mail or not self.instance.email:
            del self.fields["access_mail"]

    def clean(self) -> dict[str, Any]:
        """Keep the present value of a choice that was not sent."""
        cleaned = super().clean() or self.cleaned_data
        for name in ("blur_strength", "picture_size", "keys"):
            if name not in self.errors:
                cleaned[name] = cleaned[name] or self.initial[name]
        return cleaned

    def save(self, commit: bool = True) -> User:
        """Save settings; from now on, no project's defaults replace them.

        Nothing else of the account is stored: it may have just been erased.
        """
        self.instance.viewing_chosen = True
        if commit:
            self.instance.save(update_fields=[*self.cleaned_data, "viewing_chosen"])
        return self.instance


class LookForm(forms.Form):
    """Theme or language, from the menu or the login page."""

    theme = forms.ChoiceField(choices=Theme.choices, required=False)
    language = forms.ChoiceField(choices=lambda: settings.LANGUAGES, required=False)
