"""The form that starts an evaluation on a project's gold items."""

from copy import deepcopy
from typing import Any

from django import forms
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from annotation.pages.form_fields import offer
from annotation.pages.request_form import RequestForm
from moderation.domain.evaluation.request import EvaluationChoices
from moderation.evaluation.arms import ArmGrid
from moderation.evaluation.request import Wish, wish_of
from moderation.methods.debate_method import Comparison
from moderation.methods.model_choices import named_models
from moderation.methods.prompt_choice import prompt_set_titles
from moderation.methods.registry import METHODS


def _comparisons() -> list[Comparison]:
    return [method.comparison for method in METHODS.values() if method.comparison]


class EvaluationForm(RequestForm[EvaluationChoices]):
    """Methods, task, number of posts and models of an evaluation."""

    asks = EvaluationChoices
    field_order = ("methods", "task", "sample", "limit", "repeats", "judges", "scores")

    methods = forms.MultipleChoiceField(
        label=gettext_lazy("Methods"),
        widget=forms.CheckboxSelectMultiple,
        help_text=gettext_lazy("One line in the table for each."),
    )
    judges = forms.MultipleChoiceField(
        label=gettext_lazy("Judges"),
        widget=forms.CheckboxSelectMultiple,
        required=False,
        help_text=gettext_lazy("Several hear the same debate; without a choice, the project's."),
    )
    glossary = forms.MultipleChoiceField(
        label=gettext_lazy("Glossary"),
        choices=[("false", gettext_lazy("without")), ("true", gettext_lazy("with"))],
        widget=forms.CheckboxSelectMultiple,
        required=False,
        help_text=gettext_lazy("Both: measures what the glossary adds. For ARCADE, PREDICT and AntiHateAgent."),
    )
    prompts = forms.MultipleChoiceField(
        label=gettext_lazy("Prompts"),
        widget=forms.CheckboxSelectMultiple,
        required=False,
        help_text=gettext_lazy("Several are compared; without a choice, the project's."),
    )
    again = forms.BooleanField(label=gettext_lazy("Run again even if an identical run exists"), required=False)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        offer(self, "prompts", prompt_set_titles().items())
        for comparison in _comparisons():
            self.fields.update(deepcopy(dict(comparison.fields)))
        offer(self, "methods", [(method.name, method.label) for method in METHODS.values()])
        models = named_models()
        offer(self, "judges", models)
        if not models:
            del self.fields["judges"]

    @property
    def compared(self) -> list[tuple[str | Promise, list[forms.BoundField], bool]]:
        """The fields that compare options, under their method's heading, and whether one of them has an error."""
        return [(row.heading, self._shown(row), self._has_errors(row)) for row in _comparisons() if row.heading]

    @property
    def explaining_fields(self) -> list[forms.BoundField]:
        """The fields that are shown with the scores of explanations."""
        return [field for row in _comparisons() if not row.heading for field in self._shown(row)]

    def _shown(self, comparison: Comparison) -> list[forms.BoundField]:
        return [self[name] for name in comparison.shown if name in self.fields]

    def _has_errors(self, comparison: Comparison) -> bool:
        return any(field.errors for field in self._shown(comparison))

    def wish(self) -> Wish:
        """Return the request; options of methods that are not chosen are ignored."""
        values = self.cleaned_data
        methods = [METHODS[name] for name in values["methods"]]
        options: dict[str, list[Any]] = {
            f"{method.name}:{name}": list(values[name])
            for method in methods
            if method.comparison
            for name in method.comparison.fields
            if values[name]
        }
        if values["glossary"] and any("glossary" in method.options.model_fields for method in methods):
            options["glossary"] = [value == "true" for value in values["glossary"]]
        if values["prompts"]:
            options["prompts"] = list(values["prompts"])
        judged = any(method.judge is not None for method in methods)
        judges = values.get("judges", ()) if judged else ()
        return wish_of(self.request(), ArmGrid(methods=values["methods"], options=options, judges=judges))
