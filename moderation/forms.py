"""Forms for starting methods and judging again."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from annotation.domain.words import Stage
from annotation.forms.choices import offer
from moderation import debating
from moderation.domain.baselines import Variant
from moderation.domain.court import MOST_ROUNDS, Track
from moderation.domain.predict.debate import History
from moderation.domain.predict.perspectives import Perspective
from moderation.domain.verdicts import Task
from providers import wiring, wiring_web

ENGINES = {
    "google": _("Google Programmable Search"),
    "searxng": "SearXNG",
    "local": _("the documents of this project"),
}
_SITE = ("", _("the project's"))
_JUDGES = {"arcade": "judge", "predict": "debate_judge"}
_PREDICT = {
    "debate_rounds": "rounds",
    "history": "history",
    "without": "without",
    "criteria": "criteria",
    "examples": "examples",
    "describe": "describe",
}
"""Fields of the form and the options they stand for."""

METHOD_NAMES = {
    "antihateagent": _("AntiHateAgent, evidence from the web"),
    "arcade": _("ARCADE, a courtroom"),
    "baseline": _("Baseline, one question"),
    "explain": _("Explanation"),
    "predict": _("PREDICT, a debate of perspectives"),
}


def _models() -> list[tuple[str, Any]]:
    """The models that may be named outright; patterns of the allow-list cannot be chosen from a list."""
    return [_SITE, *((name, name) for name in wiring.allowed() if "*" not in name)]


class StartForm(forms.Form):
    """A method, what may be chosen about it, and who judges."""

    method = forms.ChoiceField(label=_("Method"), choices=list(METHOD_NAMES.items()), initial="arcade")
    rounds = forms.IntegerField(label=_("Rounds"), min_value=1, max_value=MOST_ROUNDS, initial=3, required=False)
    track = forms.ChoiceField(
        label=_("Fast or deep"),
        choices=[(Track.AUTO, _("the gatekeeper chooses")), (Track.DEEP, _("deep dive, no gatekeeper"))],
        required=False,
    )
    task = forms.ChoiceField(
        label=_("Question"),
        choices=[(Task.SIX, _("which category")), (Task.BINARY, _("hateful or not"))],
        required=False,
    )
    variant = forms.ChoiceField(
        label=_("Variant"),
        choices=[
            (Variant.CATEGORY, _("category")),
            (Variant.BINARY, _("hateful or not")),
            (Variant.COMMENT, _("comment form")),
            (Variant.AGENT, _("label and reason")),
        ],
        required=False,
    )
    debate_rounds = forms.TypedChoiceField(
        label=_("How long"),
        choices=[("2", _("arguments and responses")), ("1", _("arguments only"))],
        coerce=int,
        empty_value="",
        required=False,
    )
    history = forms.ChoiceField(
        label=_("The judge reads"),
        choices=[(History.ARGUMENTS, _("the arguments")), (History.TRANSCRIPTS, _("also what each side was given"))],
        required=False,
    )
    debate_judge = forms.ChoiceField(label=_("Who judges"), required=False)
    without = forms.ChoiceField(label=_("Leave out"), required=False)
    describe = forms.BooleanField(label=_("Describe a picture first"), initial=True, required=False)
    criteria = forms.BooleanField(label=_("Perspectives have criteria"), initial=True, required=False)
    examples = forms.BooleanField(label=_("Perspectives see the nearest examples"), initial=True, required=False)
    shots = forms.ChoiceField(label=_("Worked examples"), choices=[("0", _("none")), ("2", _("two"))], required=False)
    judge = forms.ChoiceField(label=_("Judge"), required=False)
    repeats = forms.IntegerField(
        label=_("Repeats"), min_value=1, max_value=debating.MOST_REPEATS, initial=1, required=False
    )

    max_calls = forms.IntegerField(label=_("Calls at most"), min_value=1, required=False)
    max_tokens = forms.IntegerField(label=_("Tokens at most"), min_value=1, required=False)
    max_seconds = forms.IntegerField(label=_("Seconds of work at most"), min_value=1, required=False)
    again = forms.BooleanField(label=_("Ask again what was answered before"), required=False)

    def __init__(self, *args: Any, perspectives: Sequence[Perspective] = (), **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        offer(self, "judge", _models())
        offer(self, "debate_judge", _models())
        offer(self, "without", [("", _("nobody")), *((each.code, each.name) for each in perspectives)])

    @property
    def groups(self) -> list[tuple[str, list[forms.BoundField]]]:
        """The fields of each method, as the page shows them."""
        return [
            ("arcade", [self["rounds"], self["track"], self["task"], self["judge"]]),
            ("predict", [self[name] for name in (*_PREDICT, "debate_judge")]),
            ("baseline", [self["variant"]]),
            ("explain", [self["shots"]]),
        ]

    @property
    def limit_fields(self) -> list[forms.BoundField]:
        """What one run may use."""
        return [self["max_calls"], self["max_tokens"], self["max_seconds"]]

    def wish(self) -> debating.Wish:
        """What was wished for; options of other methods are passed over."""
        values = self.cleaned_data
        options: dict[str, Any] = {}
        for name in {"arcade": ("rounds", "track", "task"), "baseline": ("variant",)}.get(values["method"], ()):
            if values[name]:
                options[name] = values[name]
        if values["method"] == "explain":
            options["shots"] = int(values["shots"] or 0)
        if values["method"] == "predict":
            options |= {_PREDICT[name]: values[name] for name in _PREDICT if values[name] != ""}
        judge = values[_JUDGES[values["method"]]] if values["method"] in _JUDGES else ""
        judges = [judge] if judge else []
        limits = {name: values[f"max_{name}"] for name in ("calls", "tokens", "seconds") if values[f"max_{name}"]}
        return debating.Wish(
            values["method"],
            options,
            judges=judges,
            repeats=values["repeats"] or 1,
            again=values["again"],
            limits=limits,
        )


class InvestigateForm(forms.Form):
    """How the agent looks for evidence."""

    engine = forms.ChoiceField(label=_("Search with"), required=False)
    reformulations = forms.IntegerField(
        label=_("New queries, at most"),
        min_value=0,
        max_value=6,
        initial=3,
        required=False,
        help_text=_("How often the agent may search again where it has not found enough."),
    )
    pages = forms.IntegerField(label=_("Pages, at most"), min_value=1, max_value=24, initial=8, required=False)
    again = forms.BooleanField(
        label=_("Look again"), help_text=_("Even where an investigation like this was made before."), required=False
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        offer(self, "engine", [("", _("the site's choice")), *((name, ENGINES[name]) for name in wiring_web.engines())])

    def wish(self) -> debating.Wish:
        """What was wished for."""
        values = self.cleaned_data
        options: dict[str, Any] = {"engine": values["engine"]}
        for name in ("reformulations", "pages"):
            if values[name] is not None:
                options[name] = values[name]
        return debating.Wish("antihateagent", options, again=values["again"])


class StageForm(StartForm):
    """The same for all items of a stage; the number is shown, and asked for again where it has changed."""

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
        offer(self, "judge", _models()[1:])


def started_sentence(queued: int) -> str:
    """What to say when so many runs were queued; it stays true when they have ended."""
    return ngettext("%(count)s run was asked for.", "%(count)s runs were asked for.", queued) % {"count": queued}
