"""The declaration of ARCADE."""

from typing import Any

from django.utils.translation import gettext_lazy as _

from moderation.domain.arcade import CourtOptions, Track
from moderation.methods.arcade import presenter
from moderation.methods.arcade.method import NAME, ROLES, Arcade
from moderation.methods.debate_method import DebateMethod
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
    most_calls=presenter.most_hearing_calls,
    judge=ModelRole.JUDGE,
    optional_roles=(ModelRole.READER,),
    keyword_answers=COURT,
    words={
        "arcade": "ARCADE",
        "gatekeeper": pgettext("stored word", "gatekeeper"),
        "prosecutor": pgettext("stored word", "prosecutor"),
        "defender": pgettext("stored word", "defender"),
        "judge": pgettext("stored word", "judge"),
    },
    form_heading=_("For ARCADE"),
    judge_label=_("Judge"),
    template="moderation/_arcade_run.html",
    details=presenter.shown_hearing,
    step_words=presenter.step_words,
    stages=presenter.stages,
    task_options=lambda task: {"task": task},
    comparison_heading=_("Compare ways and judges of ARCADE"),
    arm_words=_arm_words,
)
