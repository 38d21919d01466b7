"""Forms for inviting people, and for an admin's changes to a member."""

from typing import Any
from uuid import uuid4

from django import forms
from django.contrib.auth.password_validation import validate_password
from django.utils.translation import gettext_lazy as _

from annotation.domain.choices import Role
from annotation.mail.queue import sends_mail
from annotation.members import invitations
from annotation.members.roles import PSEUDONYM_LIMIT
from annotation.models import Batch, Membership, Project, User
from annotation.pages.form_fields import WrittenField

ROLE_NAMES = {
    Role.ANNOTATOR: _("annotator"),
    Role.REVIEWER: _("reviewer"),
    Role.ADMIN: _("admin"),
}


class InvitationForm(forms.Form):
    """The roles and the team that a link gives, and how long it is valid."""

    roles = forms.MultipleChoiceField(
        label=_("Roles"),
        choices=list(ROLE_NAMES.items()),
        initial=[Role.ANNOTATOR],
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": _("Choose at least one role.")},
    )
    days = forms.IntegerField(
        label=_("Days until it expires"),
        min_value=1,
        max_value=invitations.MOST_DAYS,
        initial=invitations.USUAL_DAYS,
        help_text=_("1 to 60."),
    )
    team = forms.ModelChoiceField(
        label=_("Team"),
        queryset=Batch.objects.none(),
        required=False,
        empty_label=_("none"),
        help_text=_("The batch they may label beside those that are open to everybody."),
        error_messages={
            "invalid_choice": _("A team is a batch of this project that is limited to people. The chosen batch is not.")
        },
    )
    address = forms.EmailField(
        label=_("E-mail address"),
        required=False,
        max_length=254,
        widget=forms.EmailInput({"autocomplete": "off"}),
        help_text=_("If you give one, the link is sent there too. It is not kept."),
    )
    note = WrittenField(
        label=_("Note for the admins"),
        limit=invitations.NOTE_LIMIT,
        required=False,
        widget=forms.TextInput({"maxlength": invitations.NOTE_LIMIT, "dir": "auto", "autocomplete": "off"}),
        help_text=_("Internal note. The person does not see it."),
    )

    key = forms.CharField(widget=forms.HiddenInput, required=False, max_length=64, initial=uuid4)

    def __init__(self, project: Project, *args: Any, **kwargs: Any) -> None:
        kwargs["prefix"] = "invite"  # the page also has another form
        super().__init__(*args, **kwargs)
        if not sends_mail():
            del self.fields["address"]
        teams = Batch.objects.filter(project=project, limited=True)
        self.fields["team"].queryset = teams  # type: ignore[attr-defined]  # a choice among rows

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        if cleaned.get("team") and Role.ANNOTATOR not in cleaned.get("roles", []):
            self.add_error("team", _("A team labels: choose the role annotator too."))
        return cleaned


class NewAccountForm(forms.Form):
    """The name and password of a new account; no e-mail address."""

    username = forms.CharField(
        label=_("User name"),
        max_length=150,
        help_text=_(
            "Letters, digits and @ . + - _ only. It need not be your real name: admins see it beside your pseudonym, "
            "others see the pseudonym alone."
        ),
        widget=forms.TextInput({"autocomplete": "username", "autocapitalize": "none"}),
    )
    password = forms.CharField(
        label=_("Password"),
        strip=False,
        help_text=_("Ten characters or more, none that is easy to guess."),
        widget=forms.PasswordInput({"autocomplete": "new-password"}),
    )
    again = forms.CharField(
        label=_("Repeat the password"), strip=False, widget=forms.PasswordInput({"autocomplete": "new-password"})
    )

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        password = cleaned.get("password")
        if password is None:
            return cleaned
        if "again" in cleaned and cleaned["again"] != password:
            self.add_error("again", _("The two passwords are not the same."))
        try:
            validate_password(password, User(username=cleaned.get("username", "")))
        except forms.ValidationError as bad:
            self.add_error("password", bad)
        return cleaned


class NewMemberForm(forms.Form):
    """A person of the project who gets a role, or a new account whose password is shown once."""

    username = forms.CharField(
        label=_("User name"),
        max_length=150,
        help_text=_(
            "An account is made for this project: its name begins with the project’s address. It needs no e-mail "
            "address. People who have an account on this site get an invitation link instead."
        ),
        widget=forms.TextInput({"autocomplete": "off", "autocapitalize": "none"}),
    )
    role = forms.ChoiceField(label=_("Role"), choices=list(ROLE_NAMES.items()))


class RolesForm(forms.ModelForm[Membership]):
    """The roles of a member."""

    class Meta:
        model = Membership
        fields = ("annotates", "reviews", "administers")

    def clean(self) -> dict[str, Any]:
        """Refuse a member without any role: no page would be open to them."""
        roles: dict[str, Any] = super().clean() or {}
        if not any(roles.values()):
            raise forms.ValidationError(_("Choose at least one role."), "no_role")
        return roles


class PseudonymForm(forms.Form):
    """A new pseudonym for a person."""

    pseudonym = WrittenField(
        label=_("Pseudonym"),
        limit=PSEUDONYM_LIMIT,
        widget=forms.TextInput({"maxlength": PSEUDONYM_LIMIT, "dir": "auto", "autocomplete": "off"}),
        help_text=_("Not their name or address. Releases that are published keep what stands in them."),
    )


class QuotaForm(forms.ModelForm[Membership]):
    """The maximum number of labels of a person in the project."""

    class Meta:
        model = Membership
        fields = ("quota",)
        labels = {"quota": _("Labels at most")}
        help_texts = {"quota": _("Empty: the project's limit.")}


class EraseMemberForm(forms.Form):
    """The confirmation for erasing a member: their pseudonym."""

    pseudonym = forms.CharField(
        label=_("Their pseudonym, to confirm"), max_length=64, widget=forms.TextInput({"autocomplete": "off"})
    )


class EraseMeForm(forms.Form):
    """The confirmation for erasing oneself: the password, or the name if the account has none."""

    proof = forms.CharField(strip=False)

    def __init__(self, user: User, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._user = user
        if user.has_usable_password():
            self.fields["proof"].label = _("Your password")
            self.fields["proof"].widget = forms.PasswordInput({"autocomplete": "current-password"})
        else:
            self.fields["proof"].label = _("Your user name, to confirm")

    def clean_proof(self) -> str:
        proof: str = self.cleaned_data["proof"]
        if self._user.has_usable_password():
            if not self._user.check_password(proof):
                raise forms.ValidationError(_("This is not your password; nothing was erased."))
        elif proof != self._user.username:
            raise forms.ValidationError(_("This is not your user name; nothing was erased."))
        return proof
