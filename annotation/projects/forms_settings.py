"""The form of a project's settings."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.core import extensions
from annotation.domain.choices import OnWithdrawal, Order, PictureReader, Policy, PriorDisplay, SecondFactor
from annotation.domain.masking.regions import unknown
from annotation.domain.text_rules import BadText, read_optional_text
from annotation.models import Project
from annotation.pages.error_messages import sentence_for
from annotation.pages.form_fields import offer

GUIDELINE_LIMIT = 200_000
"""The maximum length of a project's guidelines, in characters (B38)."""

GROUPS = (
    (_("Project"), ("name", "description", "licence")),
    (
        _("Votes and disputes"),
        ("policy", "low_quality_threshold", "extra_seats", "adjudicate_own", "dispute_model_conflict"),
    ),
    (
        _("Suggestions of models"),
        ("prior_display", "priors_wanted", "show_keyword_priors", "picture_reader", "picture_text_for_annotators"),
    ),
    (_("Masking of what comes in"), ("phone_regions",)),
    (_("Handing posts out"), ("order", "lease_minutes", "daily_goal", "shown_columns")),
    (_("Debates and spending"), ("prompt_set", "hate_definition", "call_budget", "token_budget")),
    (
        _("People"),
        ("content_warning", "consent_text", "on_withdrawal", "second_factor", "operator_contact"),
    ),
)
"""The fields in their order, under the headings of the page."""


def _checked(value: str, limit: int) -> str:
    """Return the text if it can be stored. Raises ValidationError with the message of the text rules."""
    try:
        return read_optional_text(value, limit)
    except BadText as bad:
        raise forms.ValidationError(sentence_for(bad.code, bad.sentence), code=bad.code) from bad


def _prompt_sets() -> list[tuple[str, str]]:
    """Return name and title of the prompt sets that the other apps offer."""
    extension_sets = (list_sets for extension in extensions.registered() for list_sets in extension.prompt_sets)
    return [pair for list_sets in extension_sets for pair in list_sets().items()]


class SettingsForm(forms.ModelForm[Project]):
    """The settings of a running project that an admin may change; the seats per item stay as created."""

    policy = forms.ChoiceField(
        label=_("Policy"),
        choices=[
            (Policy.REVIEW, _("Review: a person looks at whatever fails a check")),
            (Policy.PAPER, _("Paper: what fails a check is left out, as in the paper")),
        ],
    )
    prior_display = forms.ChoiceField(
        label=_("Annotators see the priors"),
        choices=[
            (PriorDisplay.SHOWN, _("beside the item, from the start")),
            (PriorDisplay.AFTER_FIRST_ANSWER, _("after their own first answer, which they may keep or change")),
        ],
    )
    order = forms.ChoiceField(
        label=_("Hand out"),
        choices=[
            (Order.BREADTH, _("new items first (breadth)")),
            (Order.DEPTH, _("begun items first (depth; a preference, not a guarantee)")),
            (Order.HARD, _("hard items first: those on which models disagree")),
        ],
        help_text=_(
            "Hard items are those whose priors disagree: first whether they are hateful, then which kind. People "
            "disagree on them too, so early agreement is lower than the final one. Intervals of agreement assume "
            "items in random order; do not trust them before the end. If the campaign stops early, the gold items "
            "are no random sample of your posts. A change counts from the next item on."
        ),
    )
    on_withdrawal = forms.ChoiceField(
        label=_("The labels of somebody who leaves"),
        required=False,
        choices=[
            (OnWithdrawal.KEEP, _("stay in use, under the pseudonym")),
            (OnWithdrawal.REMOVE, _("no longer count, and others are asked in their place")),
        ],
        help_text=_(
            "This is part of the consent. A change makes a new version; people who agreed to an earlier "
            "version are treated by that one."
        ),
    )
    second_factor = forms.ChoiceField(
        label=_("Two-step sign-in is required for"),
        required=False,
        choices=[
            (SecondFactor.NONE, _("nobody")),
            (SecondFactor.STAFF, _("reviewers and admins")),
            (SecondFactor.EVERYONE, _("everybody")),
        ],
        help_text=_(
            "People who have not set it up are told how when they open the project, and see nothing else of it."
        ),
    )

    picture_reader = forms.ChoiceField(
        label=_("Words in pictures are read by"),
        required=False,
        choices=[
            (PictureReader.LOCAL, _("the reader on this machine: Chinese, English and other Latin scripts, Japanese")),
            (PictureReader.MODEL, _("a model that sees pictures: other scripts too, such as Korean; it costs calls")),
            (PictureReader.NONE, _("nobody")),
        ],
        help_text=_("When pictures come in. Words serve search, glossary, splits and methods that see no picture."),
    )
    shown_columns = forms.MultipleChoiceField(
        label=_("Columns of files that annotators see"),
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=_("Columns that came with the posts and that the site does not know. Others are for reviewers."),
    )
    prompt_set = forms.ChoiceField(
        label=_("Prompts of debates"),
        required=False,
        help_text=_("The wording of the questions to models. A run or an evaluation may choose another set."),
    )

    class Meta:
        model = Project
        fields = tuple(name for _heading, names in GROUPS for name in names)
        error_messages = {
            "lease_minutes": {"min_value": _("Between 1 and 240 minutes.")},
            "low_quality_threshold": {"min_value": _("Between 1 and the number of seats.")},
        }
        labels = {
            "name": _("Name"),
            "description": _("Description"),
            "licence": _("Licence"),
            "low_quality_threshold": _("Low-quality flags that count"),
            "extra_seats": _("Seats added where there is no majority"),
            "phone_regions": _("Countries of telephone numbers"),
            "priors_wanted": _("Imported items wait for their priors"),
            "show_keyword_priors": _("Show priors of the built-in cue matcher to annotators"),
            "picture_text_for_annotators": _("Annotators see the words that were read in pictures"),
            "lease_minutes": _("Minutes a seat is held"),
            "daily_goal": _("Daily goal per person"),
            "adjudicate_own": _("Reviewers may decide items that they labelled"),
            "dispute_model_conflict": _("Items go to a reviewer where a model's verdict differs from the consensus"),
            "hate_definition": _("Definition of hate for debates of perspectives (PREDICT)"),
            "call_budget": _("Model calls at most"),
            "token_budget": _("Tokens at most"),
            "content_warning": _("Content warning"),
            "consent_text": _("Consent"),
            "operator_contact": _("Contact for reports of illegal content"),
        }
        help_texts = {
            "picture_text_for_annotators": _(
                "They count as priors: shown when priors are shown, never where priors are withheld."
            ),
            "phone_regions": _(
                "Codes of two letters, such as KR, JP: whose numbers an import masks where it is asked to. "
                "Empty: the countries of your questions' languages and of each text's script."
            ),
            "daily_goal": _("Each person sees only their own; 0: no goal."),
            "dispute_model_conflict": _(
                "A verdict changes nothing by itself. Items that a reviewer decided are not disputed again."
            ),
            "hate_definition": _(
                "Debaters and judge decide by it. Empty: they get none, as in the paper, and weigh what the "
                "perspectives say. A definition that is narrower than the labels of your posts turns right answers "
                "into wrong ones."
            ),
            "call_budget": _("Empty: no limit."),
            "token_budget": _("Empty: no limit."),
            "consent_text": _("A change makes a new version that every annotator is asked to accept."),
            "low_quality_threshold": _("An item with this many flags is disputed (review) or excluded (paper)."),
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        offer(self, "prompt_set", _prompt_sets())
        self.kept = list(self.instance.kept_columns.values_list("name", flat=True)) if self.instance.pk else []
        offer(self, "shown_columns", [(name, name) for name in self.kept])
        self.fields["lease_minutes"].widget.attrs.update(min=1, max=240)
        for name in ("description", "content_warning", "consent_text", "operator_contact", "hate_definition"):
            self.fields[name].widget.attrs["rows"] = 3

    def groups(self) -> list[tuple[str, list[forms.BoundField]]]:
        """Return the fields under their headings; where no column is kept, there is none to choose."""
        absent = set() if self.kept else {"shown_columns"}
        return [(str(heading), [self[name] for name in names if name not in absent]) for heading, names in GROUPS]

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        for name, value in list(cleaned.items()):  # add_error removes a refused value from the mapping
            if isinstance(value, str):
                try:
                    _checked(value, 20_000)
                except forms.ValidationError as bad:
                    self.add_error(name, bad)
        return cleaned

    def clean_phone_regions(self) -> str:
        """Return the codes in capital letters, each once, with commas."""
        codes = list(dict.fromkeys(self.cleaned_data["phone_regions"].upper().replace(",", " ").split()))
        if wrong := unknown(codes):
            raise forms.ValidationError(
                _("There is no country with the code %(code)s."), params={"code": wrong[0][:20]}
            )
        return ", ".join(codes)

    def clean_picture_reader(self) -> str:
        """Return the chosen value; a form without the field changes nothing."""
        return str(self.cleaned_data["picture_reader"] or self.initial["picture_reader"])

    def clean_on_withdrawal(self) -> str:
        """Return the chosen value; a form without the field changes nothing."""
        return str(self.cleaned_data["on_withdrawal"] or self.initial["on_withdrawal"])

    def clean_second_factor(self) -> str:
        """Return the chosen value; a form without the field changes nothing."""
        return str(self.cleaned_data["second_factor"] or self.initial["second_factor"])

    def clean_prompt_set(self) -> str:
        """Return the chosen name; a form without the field changes nothing."""
        return str(self.cleaned_data["prompt_set"] or self.initial["prompt_set"])

    def clean_low_quality_threshold(self) -> int:
        value: int = self.cleaned_data["low_quality_threshold"]
        if not 1 <= value <= self.instance.seats:
            raise forms.ValidationError(_("Between 1 and the number of seats."))
        return value

    def clean_extra_seats(self) -> int:
        value: int = self.cleaned_data["extra_seats"]
        if self.instance.seats + value > 15:
            raise forms.ValidationError(_("An item has 15 seats at most."))
        return value

    def clean_lease_minutes(self) -> int:
        value: int = self.cleaned_data["lease_minutes"]
        if not 1 <= value <= 240:
            raise forms.ValidationError(_("Between 1 and 240 minutes."))
        return value
