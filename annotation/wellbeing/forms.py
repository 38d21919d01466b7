"""Forms about wellbeing: opt-outs, an annotator's own limits, and what a project sets for its people."""

from collections.abc import Sequence
from datetime import date
from typing import Any

from django import forms
from django.core.validators import MaxValueValidator, MinValueValidator
from django.utils.translation import gettext_lazy as _

from annotation.domain.choices import BlurStrength, PictureSize
from annotation.domain.text_rules import is_blank
from annotation.domain.wellbeing.opt_outs import same_group
from annotation.models import Category, Project
from annotation.pages.form_fields import WrittenField, choices_of, offer
from annotation.wellbeing.preferences import OptedOut
from annotation.workload.timesheets import MOST_DAYS

GROUP_LIMIT = 200
"""Characters of a group's name."""
MOST_GROUPS = 50
"""Groups that somebody can name in all."""
MOST_MINUTES = 1440
MOST_SEVERE = 10_000

BLUR_STRENGTHS = choices_of(
    BlurStrength,
    {
        BlurStrength.PATCHES: _("patches of colour"),
        BlurStrength.SOFT: _("softer, fainter patches"),
        BlurStrength.BLANK: _("a plain surface"),
    },
)
PICTURE_SIZES = choices_of(
    PictureSize,
    {
        PictureSize.FULL: _("as large as the page allows"),
        PictureSize.MEDIUM: _("medium"),
        PictureSize.SMALL: _("small"),
    },
)
MOODS = [
    (1, _("Very hard")),
    (2, _("Hard")),
    (3, _("So-so")),
    (4, _("All right")),
    (5, _("Fine")),
]
SEVERITIES = [
    (1, _("mild and stronger")),
    (2, _("strong and severe")),
    (3, _("severe")),
]


class OptOutForm(forms.Form):
    """Categories, groups and a severity that an annotator does not want to see."""

    categories = forms.MultipleChoiceField(
        label=_("Categories"),
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=_("Posts that a model or an import put in these categories."),
    )
    groups = forms.MultipleChoiceField(label=_("Groups"), required=False, widget=forms.CheckboxSelectMultiple)
    other_groups = WrittenField(
        label=_("Other groups, one per line"),
        required=False,
        limit=GROUP_LIMIT * MOST_GROUPS,
        help_text=_("Posts about groups you name here, if the project knows whom a post is about."),
    )
    severity = forms.TypedChoiceField(
        label=_("Severity"),
        required=False,
        coerce=int,
        empty_value=None,
        choices=[("", _("any severity")), *SEVERITIES],
        help_text=_("As models or the import expect it. They can be wrong."),
    )

    def __init__(self, *args: Any, categories: Sequence[Category], groups: Sequence[str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        shown = [(str(category.code), str(category)) for category in categories]
        offer(self, "categories", shown)
        if groups:
            offer(self, "groups", [(group, group) for group in groups])
        else:
            del self.fields["groups"]
            self.fields["other_groups"].label = _("Groups, one per line")

    def clean_other_groups(self) -> list[str]:
        """Return the names, each once, as they were written first."""
        lines = [" ".join(line.split()) for line in self.cleaned_data["other_groups"].splitlines()]
        named = [line for line in lines if not is_blank(line)]
        if any(len(name) > GROUP_LIMIT for name in named):
            raise forms.ValidationError(_("The name of a group has 200 characters at most: write one per line."))
        if len(named) > MOST_GROUPS:
            raise forms.ValidationError(_("Name 50 groups at most."))
        return named

    def opted_out(self) -> OptedOut:
        """Return what was chosen, for the verb; a group that is named twice counts once."""
        values = self.cleaned_data
        named = {same_group(name): name for name in (*values["other_groups"], *values.get("groups", ()))}
        return OptedOut(
            frozenset(int(code) for code in values["categories"]), frozenset(named.values()), values["severity"]
        )


def initial_of_opt_outs(opted_out: OptedOut, listed: Sequence[str]) -> dict[str, Any]:
    """Return the initial field values for the opt-outs in force; unlisted groups go into the field of others."""
    known = {same_group(group): group for group in listed}
    return {
        "categories": [str(code) for code in sorted(opted_out.categories)],
        "groups": [known[same_group(group)] for group in opted_out.groups if same_group(group) in known],
        "other_groups": "\n".join(sorted(group for group in opted_out.groups if same_group(group) not in known)),
        "severity": opted_out.severity,
    }


class OwnCapsForm(forms.Form):
    """A person's own limits a day, never above the project's."""

    severe_a_day = forms.IntegerField(
        label=_("Severe posts per day"), required=False, min_value=0, max_value=MOST_SEVERE
    )
    minutes_a_day = forms.IntegerField(label=_("Minutes per day"), required=False, min_value=1, max_value=MOST_MINUTES)

    def __init__(self, *args: Any, project: Project, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name in self.fields:
            limit = getattr(project, name)
            if limit is None:
                self.fields[name].help_text = _("Empty: no limit.")
            else:
                self.fields[name].help_text = _("Empty: the project’s, %(limit)s.") % {"limit": limit}


class CareSettingsForm(forms.ModelForm[Project]):
    """Caps on severe content, when a break is offered, and whom people can turn to."""

    severe_from = forms.TypedChoiceField(
        label=_("Counts as severe"),
        coerce=int,
        choices=SEVERITIES,
        help_text=_("By the severity that a file or a prior gave a post. Posts without one never count."),
    )

    class Meta:
        model = Project
        fields = (
            "severe_from",
            "severe_in_row",
            "severe_a_session",
            "severe_a_day",
            "minutes_a_day",
            "break_after_minutes",
            "support_text",
        )
        labels = {
            "severe_in_row": _("Severe posts in a row at most"),
            "severe_a_session": _("Severe posts per session at most"),
            "severe_a_day": _("Severe posts per day at most"),
            "minutes_a_day": _("Minutes per day at most"),
            "break_after_minutes": _("Offer a break after this many minutes"),
            "support_text": _("People to contact for support"),
        }
        help_texts = {
            "severe_in_row": _("Then a milder post follows, if there is one. 0: any order."),
            "severe_a_session": _("Then milder posts only, until a long break. Empty: no limit."),
            "severe_a_day": _("Then milder posts only, until tomorrow. Empty: no limit."),
            "minutes_a_day": _("Working time without pauses; then the person is done for today. Empty: no limit."),
            "break_after_minutes": _("Working time. People can decline; nothing is lost. 0: never."),
            "support_text": _("Names, hours, what is offered and paid for. Everybody in the project can read it."),
        }
        widgets = {"support_text": forms.Textarea({"rows": 4, "dir": "auto"})}

    _BOUNDS = {
        "severe_in_row": (0, 50),
        "severe_a_session": (1, MOST_SEVERE),
        "severe_a_day": (1, MOST_SEVERE),
        "minutes_a_day": (10, MOST_MINUTES),
        "break_after_minutes": (0, 240),
    }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name, (least, most) in self._BOUNDS.items():
            field = self.fields[name]
            field.validators = [MinValueValidator(least), MaxValueValidator(most)]
            field.widget.attrs.update(min=least, max=most)
        self.fields["support_text"] = WrittenField(
            label=self.fields["support_text"].label,
            help_text=self.fields["support_text"].help_text,
            required=False,
            rows=4,
        )

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        session, day = cleaned.get("severe_a_session"), cleaned.get("severe_a_day")
        if session is not None and day is not None and session > day:
            self.add_error("severe_a_session", _("A session cannot hold more severe posts than the whole day."))
        return cleaned


class ViewingDefaultsForm(forms.Form):
    """How people who join see pictures and text until they choose for themselves."""

    blur = forms.BooleanField(label=_("Blur pictures until they are revealed"), required=False)
    blur_strength = forms.ChoiceField(label=_("Until then they show"), choices=BLUR_STRENGTHS)
    grey = forms.BooleanField(label=_("Show pictures in greyscale"), required=False)
    sepia = forms.BooleanField(label=_("Show pictures in sepia"), required=False)
    picture_size = forms.ChoiceField(label=_("Pictures are"), choices=PICTURE_SIZES)
    fold_text = forms.BooleanField(label=_("Keep texts closed until they are opened"), required=False)


class DaysForm(forms.Form):
    """The first and the last day of a period."""

    first = forms.DateField(label=_("From"), widget=forms.DateInput({"type": "date"}, format="%Y-%m-%d"))
    last = forms.DateField(label=_("To"), widget=forms.DateInput({"type": "date"}, format="%Y-%m-%d"))

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        first, last = cleaned.get("first"), cleaned.get("last")
        if isinstance(first, date) and isinstance(last, date):
            if first > last:
                self.add_error("last", _("The last day is before the first."))
            elif (last - first).days >= MOST_DAYS:
                self.add_error("last", _("Ask for 366 days at most."))
        return cleaned
