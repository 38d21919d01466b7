"""The declaration of AntiHateAgent."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from annotation.models import Project
from moderation.domain.antihateagent.actions import InvestigationOptions, Retrieval
from moderation.methods import local_documents
from moderation.methods.antihateagent import searching
from moderation.methods.antihateagent.method import ROLES, AntiHateAgent
from moderation.methods.antihateagent.presenter import ShownInvestigation, step_words
from moderation.methods.antihateagent.questions import NAME
from moderation.methods.debate_method import BadChoice, DebateMethod, check_options
from providers import wiring_web
from providers.keyword.antihateagent import INVESTIGATION
from providers.roles import ModelRole
from providers.search.engines import LOCAL
from providers.search.steps import SEARCHER
from runs.models import Run
from vocabulary.display_names import pgettext

_ENGINES = {
    "google": _("Google Programmable Search"),
    "searxng": "SearXNG",
    "local": _("the documents of this project"),
}
_RETRIEVAL = {
    Retrieval.SEARCH: "web evidence",
    Retrieval.NONE: "no evidence",
    Retrieval.MODEL_URLS: "pages from memory",
}


def _check_start(options: Mapping[str, Any]) -> None:
    if options.get("struck"):
        raise BadChoice(gettext("Evidence is struck on its own page."))
    if options.get("retrieval") == Retrieval.MODEL_URLS:
        raise BadChoice(gettext("Pages that a model names from memory are for evaluations only."))


def _searcher(project: Project | None, options: Mapping[str, Any]) -> dict[str, str]:
    """Return the search engine of an investigation.

    Raises BadChoice if it could find nothing.
    """
    chosen = InvestigationOptions.model_validate(check_options(InvestigationOptions, options))
    if chosen.retrieval is not Retrieval.SEARCH:
        return {}
    engines = wiring_web.configured_engines()
    engine: str = chosen.engine or next((name for name in engines if name != LOCAL or _has_documents(project)), LOCAL)
    if engine not in engines:
        raise BadChoice(gettext("The search engine %(name)s is not set up on this site.") % {"name": engine})
    if engine == LOCAL and not _has_documents(project):
        raise BadChoice(
            gettext(
                "There is nothing to search: no search engine is set up on this site, and the project has no documents."
            )
            if engines == [LOCAL]
            else gettext("There is nothing to search: the project has no documents.")
        )
    return {SEARCHER: searching.full_name(engine)}


def _has_documents(project: Project | None) -> bool:
    return project is not None and not local_documents.has_no_documents(project.public_id)


def _arm_words(name: str, value: Any) -> str:
    if name == "retrieval":
        return _RETRIEVAL[Retrieval(value)]
    return f"{value} instructions" if name == "instructions" else ""


def _most_steps(run: Run) -> int:
    return InvestigationOptions.model_validate(run.options).steps


def _engines(project: Project) -> list[tuple[str, Any]]:
    """Return the engines of the site, after its own choice."""
    del project
    return [("", _("the site's choice")), *((name, _ENGINES[name]) for name in wiring_web.configured_engines())]


METHOD = DebateMethod(
    name=NAME,
    label=_("AntiHateAgent, evidence from the web"),
    protocol=AntiHateAgent,
    roles=ROLES,
    optional_roles=(ModelRole.READER,),
    options=InvestigationOptions,
    speaker=ModelRole.INVESTIGATOR,
    most_calls=_most_steps,
    keyword_answers=INVESTIGATION,
    words={
        "antihateagent": "AntiHateAgent",
        "investigator": pgettext("stored word", "investigator"),
        "searcher": pgettext("stored word", "search engine"),
        "local:documents": pgettext("stored word", "the documents of this project"),
        "google:web": pgettext("stored word", "Google Programmable Search"),
        "searxng:web": pgettext("stored word", "SearXNG"),
    },
    form_heading=_("For AntiHateAgent"),
    offered={"engine": _engines},
    complete_plan=_searcher,
    check_start=_check_start,
    template="moderation/_antihateagent_run.html",
    verdict_template="moderation/_investigation_verdict.html",
    details=ShownInvestigation,
    step_words=step_words,
    gathers_evidence=True,
    comparison_heading=_("Compare what AntiHateAgent is given"),
    arm_words=_arm_words,
)
