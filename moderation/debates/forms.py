"""Forms that start methods on posts and have debates judged again."""

from typing import Any

from django import forms
from django.utils.functional import Promise
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from annotation.domain.choices import Stage
from annotation.models import Project
from annotation.pages.form_fields import offer
from moderation.debates import ask_again, start
from moderation.domain.task import MOST_REPEATS
from moderation.methods.model_choices import model_choices, named_models
from moderation.methods.option_fields import ProjectForm
from moderation.methods.prompt_choice import prompt_set_titles
from moderation.methods.registry import METHODS, refuse_shared_field_names
from runs.control import fork
from runs.domain.states import OPEN
from runs.models import Run

METHOD_NAMES = {name: METHODS[name].label for name in sorted(METHODS)}
_BY_PLACE = sorted(METHODS.values(), key=lambda method: method.judge is None)
"""The methods in the order of their fields on the page: those with a judge first."""


class RunFields(ProjectForm):
    """The fields of every run: prompts, glossary, limits, and whether answered questions are asked again."""

    glossary = forms.BooleanField(
        label=_("With the glossary"),
        help_text=_("ARCADE, PREDICT and AntiHateAgent are given the approved entries that the post holds."),
        required=False,
    )
    prompts = forms.ChoiceField(
        label=_("Prompts"),
        help_text=_("The wording of the questions. Each run keeps which set it used, and its version."),
        required=False,
    )
    max_tokens = forms.IntegerField(label=_("Tokens at most"), min_value=1, required=False)
    max_seconds = forms.IntegerField(label=_("Working time at most, in seconds"), min_value=1, required=False)
    again = forms.BooleanField(label=_("Run again even if an identical run exists"), required=False)

    def __init__(self, *args: Any, project: Project, **kwargs: Any) -> None:
        super().__init__(*args, project=project, **kwargs)
        self.fields["glossary"].initial = project.glossary_for_models
        self.fields["prompts"].initial = project.prompt_set
        offer(self, "prompts", prompt_set_titles().items())

    @property
    def limit_fields(self) -> list[forms.BoundField]:
        """The fields for the limits of one run."""
        return [self[f"max_{name}"] for name in ("calls", "tokens", "seconds") if f"max_{name}" in self.fields]

    @property
    def limits_are_wrong(self) -> bool:
        """Whether a field in the folded part of the page has an error."""
        return any(field.errors for field in self.limit_fields)

    def limits(self) -> dict[str, int]:
        """Return the limits that were filled in, by name."""
        written = {name: self.cleaned_data.get(f"max_{name}") for name in ("calls", "tokens", "seconds")}
        return {name: value for name, value in written.items() if value}


class StartForm(RunFields):
    """A method, its options, and the judge."""

    method = forms.ChoiceField(label=_("Method"), choices=list(METHOD_NAMES.items()), initial=_BY_PLACE[0].name)
    repeats = forms.IntegerField(label=_("Repeats"), min_value=1, max_value=MOST_REPEATS, initial=1, required=False)

    auxiliary = forms.ChoiceField(
        label=_("Who speaks"),
        help_text=_("The model of everybody but the judge."),
        required=False,
    )
    max_calls = forms.IntegerField(label=_("Calls at most"), min_value=1, required=False)

    def __init__(self, *args: Any, project: Project, **kwargs: Any) -> None:
        super().__init__(*args, project=project, **kwargs)
        offer(self, "auxiliary", model_choices())
        for method in _BY_PLACE:
            self.fields.update(method.form(project=project).fields)

    @property
    def groups(self) -> list[tuple[str, str | Promise, list[forms.BoundField]]]:
        """The name of each method, its heading, and its fields. The page shows those of the chosen method alone."""
        return [
            (method.name, method.form_heading, [self[name] for name in method.form.base_fields]) for method in _BY_PLACE
        ]

    def wish(self) -> start.DebateRequest:
        """Return the request; options of other methods are ignored."""
        values = self.cleaned_data
        method = METHODS[values["method"]]
        options = method.form.options(values)
        if "glossary" in method.options.model_fields:
            options["glossary"] = values["glossary"]
        if values["prompts"]:
            options["prompts"] = values["prompts"]
        judge = values[method.judge_field] if method.judge_field else ""
        return start.DebateRequest(
            method.name,
            options,
            models=method.speakers(values["auxiliary"]),
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


refuse_shared_field_names(METHODS.values(), common=StageForm.base_fields)


class JudgeForm(forms.Form):
    """A model that judges a debate, once more or for the first time; the keyword baseline judges no real one."""

    judge = forms.ChoiceField(label=_("Judge"))

    def __init__(self, *args: Any, run: Run, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        before = run.model_plan.get(str(METHODS[run.method].judge), "")
        names = [name for name, _label in named_models() if ask_again.may_judge(run, name)]
        if before and before not in names:
            names.append(before)
        choices = [(name, name) for name in names if name != before]
        offer(self, "judge", [*choices, *((name, _the_same(name)) for name in names if name == before)])


def _the_same(name: str) -> str:
    return gettext("%(model)s, the same judge once more") % {"model": name}


def answered_sentence(run: Run) -> str:
    """Return the sentence for somebody who starts what this run answers already; it names the way to ask anew."""
    if run.state in OPEN:
        return gettext("An identical run is already under way: this is it.")
    if run.state in fork.STOPPED:
        sentence = gettext(
            "An identical run stopped without a verdict: this is it. “%(button)s” resumes it. For a new one, tick "
            "“%(box)s” where you start it."
        )
    else:
        sentence = gettext("An identical run exists: this is it. For a new one, tick “%(box)s” where you start it.")
    return sentence % {"box": RunFields.base_fields["again"].label, "button": gettext("Ask again from here")}


def passed_over_sentence(count: int) -> str:
    """Return the sentence about this many runs that were answered before or are under way."""
    sentence = ngettext(
        "%(count)s identical run exists or is under way; tick “%(box)s” for a new one.",
        "%(count)s identical runs exist or are under way; tick “%(box)s” for new ones.",
        count,
    )
    return sentence % {"count": count, "box": RunFields.base_fields["again"].label}


def started_sentence(queued: int) -> str:
    """Return the sentence about this many queued runs; it stays true after they have ended."""
    return ngettext("%(count)s run started.", "%(count)s runs started.", queued) % {"count": queued}


def left_out_sentence(count: int, why: str) -> str:
    """Return the sentence about this many posts that are left out because no model can describe their picture."""
    sentence = ngettext(
        "%(count)s post with a picture is left out, because no model can describe it. %(why)s",
        "%(count)s posts with a picture are left out, because no model can describe it. %(why)s",
        count,
    )
    return sentence % {"count": count, "why": why}
