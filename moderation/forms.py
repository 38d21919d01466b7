"""Forms for starting methods and judging again."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from annotation.domain.words import Stage
from annotation.forms.choices import offer
from moderation import debating
from moderation.domain.baselines import Variant
from moderation.domain.court import MOST_ROUNDS, Track
from moderation.domain.verdicts import Task
from providers import wiring

_SITE = ("", _("the project's"))

METHOD_NAMES = {
    "arcade": _("ARCADE, a courtroom"),
    "baseline": _("Baseline, one question"),
    "explain": _("Explanation"),
}


def _models() -> list[tuple[str, Any]]:
    """The models that may be named outright; patterns of the allow-list cannot be chosen from a list."""
    return [_SITE, *((name, name) for name in wiring.allowed() if "*" not in name)]


class StartForm(forms.Form):
    """A method, what may be chosen about it, and who judges."""

    method = forms.ChoiceField(label=_("Method"), choices=list(METHOD_NAMES.items()))
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
    shots = forms.ChoiceField(label=_("Worked examples"), choices=[("0", _("none")), ("2", _("two"))], required=False)
    judge = forms.ChoiceField(label=_("Judge"), required=False)
    repeats = forms.IntegerField(
        label=_("Repeats"), min_value=1, max_value=debating.MOST_REPEATS, initial=1, required=False
    )

    again = forms.BooleanField(label=_("Ask again what was answered before"), required=False)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        offer(self, "judge", _models())

    @property
    def groups(self) -> list[tuple[str, list[forms.BoundField]]]:
        """The fields of each method, as the page shows them."""
        return [
            ("arcade", [self["rounds"], self["track"], self["task"], self["judge"]]),
            ("baseline", [self["variant"]]),
            ("explain", [self["shots"]]),
        ]

    def wish(self) -> debating.Wish:
        """What was wished for; options of other methods are passed over."""
        values = self.cleaned_data
        options: dict[str, Any] = {}
        for name in {"arcade": ("rounds", "track", "task"), "baseline": ("variant",)}.get(values["method"], ()):
            if values[name]:
                options[name] = values[name]
        if values["method"] == "explain":
            options["shots"] = int(values["shots"] or 0)
        judges = [values["judge"]] if values["judge"] and values["method"] == "arcade" else []
        return debating.Wish(
            values["method"], options, judges=judges, repeats=values["repeats"] or 1, again=values["again"]
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
