"""The declaration of ARCADE."""

from typing import Any

from django.utils.translation import gettext_lazy as _

from moderation.domain.arcade import CourtOptions, Track
from moderation.domain.task import Task
from moderation.domain.tongue import Tongue
from moderation.methods.arcade import presenter
from moderation.methods.arcade.forms import ArcadeComparison, ArcadeForm
from moderation.methods.arcade.method import NAME, ROLES, Arcade
from moderation.methods.debate_method import CommandOption, Comparison, DebateMethod
from providers.keyword.arcade import COURT
from providers.roles import ModelRole
from vocabulary.display_names import pgettext


def _arm_words(name: str, value: Any) -> str:
    if name == "rounds":
        return f"K = {value}"
    return "deep only" if (name, value) == ("track", Track.DEEP) else ""


METHOD = DebateMethod(
    name=NAME,
    label=_("ARCADE, a courtroom"),
    protocol=Arcade,
    roles=ROLES,
    options=CourtOptions,
    speaker=ModelRole.JUDGE,
    judge=ModelRole.JUDGE,
    keyword_answers=COURT,
    words={
        "arcade": "ARCADE",
        "gatekeeper": pgettext("stored word", "gatekeeper"),
        "prosecutor": pgettext("stored word", "prosecutor"),
        "defender": pgettext("stored word", "defender"),
        "judge": pgettext("stored word", "judge"),
    },
    form=ArcadeForm,
    form_heading=_("For ARCADE"),
    command_options=(
        CommandOption("track", "auto, or deep without the gatekeeper", choices=list(map(str, Track))),
        CommandOption("rounds", "rounds of the deep dive", type=int, metavar="K"),
        CommandOption("task", "all categories, or hateful or not", choices=list(map(str, Task))),
        CommandOption(
            "language", "of the arguments; post: the post's, if Korean or Chinese", choices=list(map(str, Tongue))
        ),
    ),
    template="moderation/_arcade_run.html",
    details=presenter.shown_hearing,
    most_calls=presenter.most_hearing_calls,
    step_words=presenter.step_words,
    stages=presenter.stages,
    task_options=lambda task: {"task": task},
    comparison=Comparison(
        ArcadeComparison, _("Compare ways and judges of ARCADE"), shown=("rounds", "track", "judges")
    ),
    arm_words=_arm_words,
)
