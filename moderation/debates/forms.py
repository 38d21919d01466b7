"""Forms that start methods on posts and have debates judged again."""

from typing import Any

from django import forms
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from annotation.core.form_fields import offer
from annotation.domain.choices import Stage
from annotation.models import Project
from moderation.debates import start
from moderation.methods.debate_method import ProjectForm
from moderation.methods.model_choices import named_models
from moderation.methods.registry import METHODS

METHOD_NAMES = {name: METHODS[name].label for name in sorted(METHODS)}
_BY_PLACE = sorted(METHODS.values(), key=lambda method: method.judge is None)
"""The methods in the order of their fields on the page: debates with a judge first."""


class RunFields(ProjectForm):
    """The fields of every run: what it may use, whether it is given the glossary, whether it is asked anew."""

    glossary = forms.BooleanField(
        label=_("With the glossary"),
        help_text=_("ARCADE, PREDICT and AntiHateAgent are given the approved entries that the post holds."),
        required=False,
    )
    max_tokens = forms.IntegerField(label=_("Tokens at most"), min_value=1, required=False)
    max_seconds = forms.IntegerField(label=_("Seconds of work at most"), min_value=1, required=False)
    again = forms.BooleanField(label=_("Ask again what was answered before"), required=False)

    def __init__(self, *args: Any, project: Project, **kwargs: Any) -> None:
        super().__init__(*args, project=project, **kwargs)
        self.fields["glossary"].initial = project.glossary_for_models

    @property
    def limit_fields(self) -> list[forms.BoundField]:
        """What one run may use."""
        return [self[f"max_{name}"] for name in ("calls", "tokens", "seconds") if f"max_{name}" in self.fields]

    @property
    def limits_are_wrong(self) -> bool:
        """Whether a field in the closed part of the page has an error."""
        return any(field.errors for field in self.limit_fields)

    def limits(self) -> dict[str, int]:
        """Return the limits that were filled in, by name."""
        written = {name: self.cleaned_data.get(f"max_{name}") for name in ("calls", "tokens", "seconds")}
        return {name: value for name, value in written.items() if value}


class StartForm(RunFields):
    """A method, what may be chosen about it, and who judges."""

    method = forms.ChoiceField(label=_("Method"), choices=list(METHOD_NAMES.items()), initial=_BY_PLACE[0].name)
    repeats = forms.IntegerField(
        label=_("Repeats"), min_value=1, max_value=start.MOST_REPEATS, initial=1, required=False
    )

    max_calls = forms.IntegerField(label=_("Calls at most"), min_value=1, required=False)

    def __init__(self, *args: Any, project: Project, **kwargs: Any) -> None:
        super().__init__(*args, project=project, **kwargs)
        for method in _BY_PLACE:
            self.fields.update(method.form(project=project).fields)

    @property
    def groups(self) -> list[tuple[str | Promise, list[forms.BoundField], bool]]:
        """The fields of each method under their heading; those of the chosen method and wrong ones stand open."""
        chosen = self["method"].value()
        groups = []
        for method in _BY_PLACE:
            fields = [self[name] for name in method.form.base_fields]
            is_open = method.name == chosen or any(field.errors for field in fields)
            groups.append((method.form_heading, fields, is_open))
        return groups

    def wish(self) -> start.DebateRequest:
        """Return what was wished for; options of other methods are passed over."""
        values = self.cleaned_data
        method = METHODS[values["method"]]
        options = method.form.options(values)
        if "glossary" in method.options.model_fields:
            options["glossary"] = values["glossary"]
        judge = values[method.form.judge_field] if method.form.judge_field else ""
        return start.DebateRequest(
            method.name,
            options,
            judges=[judge] if judge else [],
            repeats=values["repeats"] or 1,
            again=values["again"],
            limits=self.limits(),
        )


class StageForm(StartForm):
    """The form that starts a method on all items of a stage; the page asks to confirm their number."""

    stage = forms.ChoiceField(
        label=_("Posts"),
        choices=[
            (Stage.DISPUTED, _("all disputed")),
            (Stage.GOLD, _("all gold")),
            (Stage.LABELLING, _("all in labelling")),
            (Stage.READY, _("all ready")),
        ],
    )
    field_order = ("stage", "method")


class JudgeForm(forms.Form):
    """Another model to judge a debate that is over."""

    judge = forms.ChoiceField(label=_("Another judge"))

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        offer(self, "judge", named_models())


def started_sentence(queued: int) -> str:
    """Return the sentence about this many queued runs; it stays true when they have ended."""
    return ngettext("%(count)s run was asked for.", "%(count)s runs were asked for.", queued) % {"count": queued}


def left_out_sentence(count: int, why: str) -> str:
    """Return the sentence about this many posts that are left out because no model can describe their picture."""
    sentence = ngettext(
        "%(count)s post with a picture is left out, because no model can describe it. %(why)s",
        "%(count)s posts with a picture are left out, because no model can describe it. %(why)s",
        count,
    )
    return sentence % {"count": count, "why": why}
