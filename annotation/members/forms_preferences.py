"""Forms for a person's own preferences."""

from typing import Any

from django import forms
from django.conf import settings
from django.utils.translation import gettext_lazy as _

from annotation.core.extensions import PageKeys
from annotation.domain.accounts.own_keys import BadOwnKey, read_own_keys
from annotation.domain.choices import KeyUse
from annotation.mail.queue import sends_mail
from annotation.models import Membership, Theme, User
from annotation.pages.error_messages import refusal_sentence
from annotation.pages.form_fields import choices_of
from annotation.pages.page_keys import page_keys_of
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
            *("blur", "blur_strength", "grey", "sepia", "picture_size", "fold_text", "keys", "one_key"),
            *("theme", "language", "access_mail"),
        )
        labels = {
            "blur": _("Blur pictures until I reveal them"),
            "grey": _("Show pictures in greyscale"),
            "sepia": _("Show pictures in sepia"),
            "fold_text": _("Keep texts closed until I open them"),
            "one_key": _("One key answers"),
            "access_mail": _("Send me a note when somebody asks for a release of mine"),
        }
        help_texts = {
            "blur": _("Hold Space to look; the picture hides again when you let go."),
            "grey": _("Takes colour out of every picture. A key switches it while you label."),
            "sepia": _("Brown tones in place of colours; also over grey."),
            "fold_text": _("A key opens and closes the text while you label."),
            "one_key": _(
                "A category’s key sends the answer at once where nothing else is required. Backspace takes it back."
            ),
            "access_mail": _("At most one an hour for each project that you administer."),
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Offer the e-mail only to admins, where the site sends some and the account has an address."""
        super().__init__(*args, **kwargs)
        self.sends_mail = sends_mail()
        self.administers = Membership.objects.filter(user=self.instance, active=True, administers=True).exists()
        if not self.administers or not self.sends_mail or not self.instance.email:
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


class OwnKeysForm(forms.Form):
    """The letters that a person wants for what has a key, by the pages it is on; empty: the usual letter."""

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        """Begin with the person's own letters."""
        super().__init__(*args, **kwargs)
        self.user, self.places = user, page_keys_of(user)
        stored = user.own_keys or {}
        for place in self.places:
            for key in place.keys:
                self.fields[_field(place, key.letter)] = forms.CharField(
                    label=str(key.does),
                    required=False,
                    max_length=8,  # a key that wrote more than one sign is refused by its own sentence
                    initial=stored.get(place.name, {}).get(key.letter, ""),
                    widget=forms.TextInput(
                        attrs={
                            "placeholder": key.letter.upper(),
                            "size": 2,
                            "autocomplete": "off",
                            "spellcheck": "false",
                        }
                    ),
                )

    @property
    def groups(self) -> list[tuple[PageKeys, list[forms.BoundField]]]:
        """The fields by the pages that they are for."""
        return [(place, [self[_field(place, key.letter)] for key in place.keys]) for place in self.places]

    def clean(self) -> dict[str, Any]:
        """Read the letters of each kind of pages. What is not offered stays as it was."""
        cleaned = super().clean() or self.cleaned_data
        own = dict(self.user.own_keys or {})
        for place in self.places:
            actions = {key.letter: key.does for key in place.keys}
            chosen = {letter: cleaned.get(_field(place, letter), "") for letter in actions}
            try:
                own[place.name] = read_own_keys(actions, chosen, place.free)
            except BadOwnKey as refused:
                self.add_error(_field(place, refused.usual), refusal_sentence(refused))
        cleaned["own_keys"] = {name: letters for name, letters in own.items() if letters}
        return cleaned

    def save(self) -> None:
        """Store the letters; nothing else of the account is stored."""
        User.objects.filter(pk=self.user.pk).update(own_keys=self.cleaned_data["own_keys"] or None)


def _field(place: PageKeys, letter: str) -> str:
    return f"{place.name}-{letter}"


class ProjectsForm(forms.Form):
    """Finds one of the person's projects."""

    q = forms.CharField(label=_("Name"), max_length=200, required=False)


class LookForm(forms.Form):
    """Theme or language, from the menu or the login page."""

    theme = forms.ChoiceField(choices=Theme.choices, required=False)
    language = forms.ChoiceField(choices=lambda: settings.LANGUAGES, required=False)
