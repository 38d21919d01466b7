"""The searches of an investigation as steps: which engines may be asked, and the next searches of a round."""

from collections.abc import Sequence
from functools import partial
from typing import Any
from uuid import UUID

from moderation.domain.antihateagent.actions import InvestigationOptions, Retrieval
from moderation.domain.antihateagent.protocol import Round
from moderation.domain.antihateagent.searches import next_engine, search_key
from moderation.methods import local_documents
from providers import wiring_web
from providers.bindings import NotConfigured
from providers.search import steps as search_steps
from providers.search.engines import GOOGLE, LOCAL, SEARXNG
from providers.search.steps import SEARCHER
from runs.methods.method import Step, StepKind

HITS_A_QUERY = 8

_OPERATORS = {
    GOOGLE: "quotation marks for exact words, site: for one site, a minus before a word to leave it out, OR, intitle:",
    SEARXNG: "quotation marks for exact words, site: for one site, a minus before a word to leave it out",
    LOCAL: "quotation marks for exact words, a minus before a word to leave it out; site: means nothing here",
}


def full_name(engine: str) -> str:
    """Return the name of an engine as plans and turns store it: `google:web`, `local:documents`."""
    return f"{engine}:{'documents' if engine == LOCAL else 'web'}"


def engines_for(planned: str, options: InvestigationOptions, project: UUID) -> tuple[str, ...]:
    """Return the engines that a run may ask, in order: the planned one, and others where it does not answer.

    Whoever names an engine gets no other, since queries hold words of the post. So documents never give way to the web.
    """
    word = planned.partition(":")[0]
    if options.retrieval is not Retrieval.SEARCH or not planned:
        return ()
    if options.engine or word == LOCAL:
        return (planned,)
    others = [name for name in wiring_web.configured_engines() if name != word]
    if LOCAL in others and local_documents.has_no_documents(project):
        others.remove(LOCAL)
    return (planned, *map(full_name, others))


def operators_of(engine: str) -> str:
    """Return the search operators that the engine knows, in words for a prompt."""
    return _OPERATORS.get(engine.partition(":")[0], _OPERATORS[LOCAL])


def next_searches(current: Round, engines: Sequence[str], out: set[str], project: UUID) -> list[Step]:
    """Return the searches that the round still needs, at most one a query."""
    steps = []
    for number, query in enumerate(current.queries, 1):
        engine = next_engine(number, current.searches, engines, out)
        if engine is not None:
            is_first = all(search.query != number for search in current.searches)
            key = search_key(current.number, number, "" if is_first else engine.partition(":")[0])
            steps.append(_search(key, engine, query, project))
    return steps


def _search(key: str, engine: str, query: str, project: UUID) -> Step:
    at_home = engine.partition(":")[0] == LOCAL
    work = partial(_search_documents, project, engine, query) if at_home else partial(_search_web, engine, query)
    return Step(key, SEARCHER, (), kind=StepKind.SEARCH, optional=True, work=work, at_home=at_home)


def _search_web(engine: str, query: str) -> dict[str, Any]:
    try:
        web = wiring_web.search_engine(engine)
    except NotConfigured as fault:
        return search_steps.failed_search(engine, fault)
    return search_steps.search(web, query, HITS_A_QUERY)


def _search_documents(project: UUID, engine: str, query: str) -> dict[str, Any]:
    return local_documents.search_documents(project, query, HITS_A_QUERY) | {"engine": engine}
