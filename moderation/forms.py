"""Forms for starting methods and judging again."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from annotation.domain.words import Stage
from annotation.forms.choices import offer
from annotation.models import Project
from moderation import debating, perspectives
from moderation.domain.baselines import Variant
from moderation.domain.court import MOST_ROUNDS, Track
from moderation.domain.predict.debate import History
from moderation.domain.verdicts import Task
from moderation.investigation_forms import AboutRun, Investigation
from providers import wiring

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


class StartForm(Investigation, AboutRun):
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

    def __init__(self, *args: Any, project: Project, **kwargs: Any) -> None:
        super().__init__(*args, project=project, **kwargs)
        offer(self, "judge", _models())
        offer(self, "debate_judge", _models())
        offer(self, "without", [("", _("nobody")), *((each.code, each.name) for each in perspectives.of(project))])

    @property
    def groups(self) -> list[tuple[str, list[forms.BoundField], bool]]:
        """The fields of each method, as the page shows them; those of the chosen method and wrong ones stand open."""
        fields = {
            "arcade": [self["rounds"], self["track"], self["task"], self["judge"]],
            "predict": [self[name] for name in (*_PREDICT, "debate_judge")],
            "baseline": [self["variant"]],
            "explain": [self["shots"]],
            "antihateagent": [*self.search_fields, *self.bound_fields, *self.measuring_fields],
        }
        chosen = self["method"].value()
        return [(name, own, name == chosen or any(field.errors for field in own)) for name, own in fields.items()]

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
        if values["method"] == "antihateagent":
            options |= self.investigation_options()
        if "glossary" in debating.METHODS[values["method"]].options.model_fields:
            options["glossary"] = values["glossary"]
        judge = values[_JUDGES[values["method"]]] if values["method"] in _JUDGES else ""
        judges = [judge] if judge else []
        return debating.Wish(
            values["method"],
            options,
            judges=judges,
            repeats=values["repeats"] or 1,
            again=values["again"],
            limits=self.limits(),
        )


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


def left_out_sentence(count: int, why: str) -> str:
    """What to say when so many posts are passed over, because nobody can put their picture into words."""
    said = ngettext(
        "%(count)s post with a picture is left out, because no model can describe it. %(why)s",
        "%(count)s posts with a picture are left out, because no model can describe it. %(why)s",
        count,
    )
    return said % {"count": count, "why": why}
