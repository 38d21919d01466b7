"""The declaration of PREDICT."""

from typing import Any

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from annotation.models import Project
from moderation.domain.predict.protocol import PredictOptions, perspectives_without_examples, stances_without_verdict
from moderation.methods.debate_method import BadChoice, DebateMethod
from moderation.methods.predict import presenter
from moderation.methods.predict.method import NAME, ROLES, Predict
from moderation.perspectives import edit
from providers.keyword.predict import PREDICT
from providers.roles import ModelRole
from vocabulary.display_names import pgettext


def _with_project_settings(project: Project, options: dict[str, Any]) -> dict[str, Any]:
    """Add the project's present perspectives and definition of hate, so that a run keeps those of its start.

    Raises BadChoice if no perspective would take part, or if the one to leave out does not exist.
    """
    perspectives = edit.stored_perspectives(project)
    if not perspectives:
        raise BadChoice(gettext("All perspectives of the project are switched off."))
    taking_part = [perspective for perspective in perspectives if perspective.code != options["without"]]
    if options["without"] and len(taking_part) == len(perspectives):
        codes = ", ".join(perspective.code for perspective in perspectives)
        raise BadChoice(
            gettext("There is no perspective %(code)s to leave out; there are %(known)s.")
            % {"code": options["without"], "known": codes}
        )
    if not taking_part:
        raise BadChoice(gettext("Without %(code)s no perspective is left.") % {"code": options["without"]})
    return options | {
        "perspectives": [perspective.model_dump(mode="json") for perspective in perspectives],
        "definition_text": project.hate_definition.strip() if options["definition"] else "",
    }


def _perspectives(project: Project) -> list[tuple[str, Any]]:
    """Return the perspectives that may be left out."""
    return [("", _("nobody")), *((row.code, row.name) for row in edit.active_perspectives(project))]


METHOD = DebateMethod(
    name=NAME,
    label=_("PREDICT, a debate of perspectives"),
    protocol=Predict,
    roles=ROLES,
    optional_roles=(ModelRole.READER,),
    options=PredictOptions,
    speaker=ModelRole.DEBATE_JUDGE,
    most_calls=presenter.most_debate_calls,
    judge=ModelRole.DEBATE_JUDGE,
    keyword_answers=PREDICT,
    words={
        "predict": "PREDICT",
        "perspective": pgettext("stored word", "perspectives"),
        "debater": pgettext("stored word", "debaters"),
        "debate_judge": pgettext("stored word", "judge of the debate"),
    },
    form_heading=_("For PREDICT"),
    judge_label=_("Who judges"),
    offered={"without": _perspectives},
    complete_options=_with_project_settings,
    template="moderation/_predict_run.html",
    details=presenter.ShownDebate.of,
    step_words=presenter.step_words,
    stages=presenter.stages,
    stances=stances_without_verdict,
    without_examples=perspectives_without_examples,
)
