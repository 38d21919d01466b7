"""The form that starts an evaluation over a project's gold."""

import re
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.forms.choices import offer
from moderation import debating
from moderation.debating import METHODS
from moderation.domain.court import MOST_ROUNDS, Track
from moderation.domain.estimating import Estimator
from moderation.domain.evaluation.sampling import SEED, Sample
from moderation.domain.investigation.actions import Instructions, Retrieval
from moderation.domain.verdicts import Task
from moderation.evaluating import Wish
from moderation.evaluation_arms import Grid
from moderation.evaluation_scores import NOT_SCORED, scores_wished
from moderation.forms import METHOD_NAMES
from providers import wiring

_WAYS = {"arcade": ("rounds", "track"), "explain": ("shots",), "antihateagent": ("retrieval", "instructions")}
_ROUNDS = re.compile(r"[\d\s,;]*\Z")


class EvaluationForm(forms.Form):
    """Which methods, asked what, on how many posts, with which models."""

    methods = forms.MultipleChoiceField(
        label=gettext_lazy("Methods"), widget=forms.CheckboxSelectMultiple, help_text=gettext_lazy("Each gets a line.")
    )
    task = forms.ChoiceField(
        label=gettext_lazy("Question"),
        choices=[
            ("", gettext_lazy("which category, where every method can say it")),
            (Task.SIX, gettext_lazy("which category")),
            (Task.BINARY, gettext_lazy("hateful or not")),
        ],
        required=False,
    )
    sample = forms.ChoiceField(
        label=gettext_lazy("Which gold posts"),
        choices=[
            (Sample.FIRST, gettext_lazy("in order")),
            (Sample.RANDOM, gettext_lazy("at random")),
            (Sample.BALANCED, gettext_lazy("as many of each pattern")),
        ],
    )
    limit = forms.IntegerField(
        label=gettext_lazy("At most"), min_value=1, required=False, help_text=gettext_lazy("Empty: all.")
    )
    repeats = forms.IntegerField(
        label=gettext_lazy("Repeats"),
        min_value=1,
        max_value=debating.MOST_REPEATS,
        initial=1,
        help_text=gettext_lazy("Each is asked anew."),
    )
    rounds = forms.CharField(
        label=gettext_lazy("Rounds of ARCADE"),
        required=False,
        max_length=40,
        help_text=gettext_lazy("Several, like 1, 2, 3, are compared."),
    )
    track = forms.MultipleChoiceField(
        label=gettext_lazy("Way of ARCADE"),
        choices=[
            (Track.AUTO, gettext_lazy("the gatekeeper chooses")),
            (Track.DEEP, gettext_lazy("deep dive, no gatekeeper")),
        ],
        widget=forms.CheckboxSelectMultiple,
        required=False,
    )
    judges = forms.MultipleChoiceField(
        label=gettext_lazy("Judges"),
        widget=forms.CheckboxSelectMultiple,
        required=False,
        help_text=gettext_lazy("Several hear the same debate; without a choice, the project's."),
    )

    shots = forms.MultipleChoiceField(
        label=gettext_lazy("Worked examples of an explanation"),
        choices=[("0", gettext_lazy("none")), ("2", gettext_lazy("two"))],
        widget=forms.CheckboxSelectMultiple,
        required=False,
    )
    scores = forms.ChoiceField(
        label=gettext_lazy("Score what is explained (HateXScore)"),
        choices=[
            ("", gettext_lazy("explanations, by the model that wrote them")),
            (Estimator.MODEL, gettext_lazy("all reasons, by the model that wrote them")),
            (Estimator.LOGPROB, gettext_lazy("all reasons, by its log-probabilities")),
            (Estimator.DETOXIFY, gettext_lazy("all reasons, by detoxify")),
            (Estimator.KEYWORD, gettext_lazy("all reasons, by the built-in keywords")),
            (NOT_SCORED, gettext_lazy("no")),
        ],
        required=False,
    )
    retrieval = forms.MultipleChoiceField(
        label=gettext_lazy("Where AntiHateAgent knows from"),
        choices=[
            (Retrieval.SEARCH, gettext_lazy("pages that it searches for")),
            (Retrieval.NONE, gettext_lazy("nowhere: it judges by the post alone")),
            (Retrieval.MODEL_URLS, gettext_lazy("pages whose addresses the model makes up")),
        ],
        widget=forms.CheckboxSelectMultiple,
        required=False,
    )
    instructions = forms.MultipleChoiceField(
        label=gettext_lazy("Instructions of AntiHateAgent"),
        choices=[(Instructions.FULL, gettext_lazy("in full")), (Instructions.SHORT, gettext_lazy("short"))],
        widget=forms.CheckboxSelectMultiple,
        required=False,
    )
    glossary = forms.MultipleChoiceField(
        label=gettext_lazy("Glossary"),
        choices=[("false", gettext_lazy("without")), ("true", gettext_lazy("with"))],
        widget=forms.CheckboxSelectMultiple,
        required=False,
        help_text=gettext_lazy("Both: what it is good for. For ARCADE, PREDICT and AntiHateAgent."),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        offer(self, "methods", [(name, METHOD_NAMES.get(name, name)) for name in METHODS])
        models = [(name, name) for name in wiring.allowed() if "*" not in name]
        offer(self, "judges", models)
        if not models:
            del self.fields["judges"]

    def clean_rounds(self) -> list[int]:
        """The numbers of rounds, each once."""
        written = self.cleaned_data["rounds"]
        numbers = [int(number) for number in re.findall(r"\d+", written)]
        if not _ROUNDS.match(written) or any(not 1 <= number <= MOST_ROUNDS for number in numbers):
            raise ValidationError(_("Numbers from 1 to %(most)d, separated by commas.") % {"most": MOST_ROUNDS})
        return sorted(set(numbers))

    def wish(self) -> Wish:
        """What was wished for; what is meant for methods that are not asked is passed over."""
        values = self.cleaned_data
        options: dict[str, list[Any]] = {
            f"{method}:{name}": list(values[name])
            for method, names in _WAYS.items()
            for name in names
            if method in values["methods"] and values[name]
        }
        if values["glossary"] and any("glossary" in METHODS[name].options.model_fields for name in values["methods"]):
            options["glossary"] = [value == "true" for value in values["glossary"]]
        if "explain:shots" in options:
            options["explain:shots"] = [int(value) for value in values["shots"]]
        judged = any(METHODS[name].judge is not None for name in values["methods"])
        return Wish(
            grid=Grid(methods=values["methods"], options=options, judges=values.get("judges", ()) if judged else ()),
            task=Task(values["task"]) if values["task"] else None,
            repeats=values["repeats"],
            sample=Sample(values["sample"]),
            limit=values["limit"],
            seed=SEED,
            scores=scores_wished(values["scores"], values["methods"]),
        )
