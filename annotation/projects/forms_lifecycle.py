"""Forms about a project as a whole: creation, copy and deletion."""

from typing import Any

from django import forms
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _

from annotation.domain.choices import Policy
from annotation.domain.design.file import BadDesign
from annotation.models import Project, User
from annotation.pages.error_messages import refusal_sentence
from annotation.pages.form_fields import LineField, offer
from annotation.projects.create import FEWEST_SEATS, MOST_SEATS, NAME_LIMIT
from annotation.projects.templates import FILE_LIMIT, HVLI, TITLES, parse_design, template


class _NewProject(forms.Form):
    name = LineField(label=_("Name"), max_length=NAME_LIMIT)
    slug = forms.CharField(
        label=_("Address"),
        max_length=64,
        help_text=_("Letters, digits, - and _; it stands in every link and stays as it is."),
        widget=forms.TextInput({"autocapitalize": "none", "autocomplete": "off", "spellcheck": "false"}),
    )


class NewProjectForm(_NewProject):
    """A new project: its design is one of ours or a file."""

    template = forms.ChoiceField(label=_("Begins with"), required=False)
    file = forms.FileField(
        label=_("Or with a design file"),
        required=False,
        help_text=_("Instead of the choice above. Another project offers its design as a file under Settings."),
    )
    seats = forms.IntegerField(
        label=_("Annotators per item"),
        min_value=FEWEST_SEATS,
        max_value=MOST_SEATS,
        initial=3,
        help_text=format_lazy(
            _("From {fewest} to {most} people. Fixed for the life of the project."),
            fewest=FEWEST_SEATS,
            most=MOST_SEATS,
        ),
    )
    policy = forms.ChoiceField(
        label=_("Policy"),
        choices=[
            (Policy.REVIEW, _("Review: a person looks at whatever fails a check")),
            (Policy.PAPER, _("Paper: what fails a check is left out, as in the paper")),
        ],
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        offer(self, "template", TITLES.items())

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        try:
            if file := cleaned.get("file"):
                cleaned["design"] = parse_design(file.read(FILE_LIMIT + 1))
            else:
                cleaned["design"] = template(cleaned.get("template") or HVLI)
        except BadDesign as bad:
            self.add_error("file", refusal_sentence(bad))
        return cleaned


class CloneForm(_NewProject):
    """A copy of this project."""

    with_people = forms.BooleanField(
        label=_("With its people"),
        required=False,
        help_text=_("Active members keep their roles, under new pseudonyms; everybody is asked for consent again."),
    )


class DeleteForm(forms.Form):
    """The project's name and the admin's own password, so that nobody deletes a project by accident."""

    name = LineField(label=_("The project’s name"), widget=forms.TextInput({"autocomplete": "off"}))
    password = forms.CharField(
        label=_("Your password"), strip=False, widget=forms.PasswordInput({"autocomplete": "current-password"})
    )

    def __init__(self, *args: Any, project: Project, user: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._project, self._user = project, user

    def clean_name(self) -> str:
        name: str = self.cleaned_data["name"]
        if name.strip() != self._project.name.strip():
            raise forms.ValidationError(_("That is not the name of this project."))
        return name

    def clean_password(self) -> str:
        password: str = self.cleaned_data["password"]
        if not self._user.check_password(password):
            raise forms.ValidationError(_("That is not your password."))
        return password
