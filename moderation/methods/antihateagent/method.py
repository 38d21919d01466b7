"""AntiHateAgent: queries, pages, evidence, a judgment that cites it (design section 8; paper, section 3, Appendix C).

A round asks for queries, searches for all of them at once, selects results, fetches all selected pages at once, reads
all their windows at once, and then, page by page, reconfirms the text and updates the judgment. If the evidence is not
enough, another round follows, up to the limit. The verdict is about the post; evidence only informs it. URLs come from
search results only (threats PI8).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from moderation.domain.antihateagent import actions
from moderation.domain.antihateagent.actions import Instructions, InvestigationOptions, Retrieval
from moderation.domain.antihateagent.page_windows import check_rationale
from moderation.domain.antihateagent.protocol import Page, Round, Walk, unstruck_evidence, walk
from moderation.methods import local_documents, picture_description
from moderation.methods.antihateagent import outcome as investigation_outcome
from moderation.methods.post_case import Post, post_of
from moderation.methods.post_method import PostMethod
from providers import wiring_web
from providers.roles import ModelRole
from providers.search import steps as search_steps
from providers.search.engines import GOOGLE, LOCAL
from providers.search.steps import FETCHER, SEARCHER
from runs.domain.states import Reason
from runs.methods.method import Finish, GiveUp, Limits, Outcome, SavedTurn, Step, StepKind
from runs.models import Run

NAME = "antihateagent"
ROLES = (ModelRole.INVESTIGATOR, ModelRole.DESCRIBER)
HITS_A_QUERY = 8
LIMITS = Limits(calls=150, tokens=1_200_000, seconds=3600)

_ASKED, _JUDGED = 1500, 2000  # tokens
_STRUCK = "(A person has gone through the evidence and taken some of it out.)"
_OPERATORS = {
    GOOGLE: "quotation marks for exact words, site: for one site, a minus before a word to leave it out, OR, intitle:",
    "searxng": "quotation marks for exact words, site: for one site, a minus before a word to leave it out",
    LOCAL: "quotation marks for exact words, a minus before a word to leave it out; site: means nothing here",
}


@dataclass(frozen=True)
class InvestigationCase:
    """A post under investigation. `engine` is the run's planned search engine (`engine:web`)."""

    post: Post
    options: InvestigationOptions
    engine: str
    project: Any

    @property
    def text(self) -> str:
        """The text to reconfirm: the claim, else the post's text, else the description of its picture."""
        return self.options.claim or self.post.text or self.post.description or ""


class AntiHateAgent(PostMethod):
    """The investigation. Sequential calls of one round: queries, selection, reading, one a page, verdict."""

    name = NAME
    limits = LIMITS

    def case(self, run: Run) -> InvestigationCase | None:
        """Return the post and the options of this run.

        Returns None if the post is gone.
        """
        post = post_of(run)
        if post is None:
            return None
        options = InvestigationOptions.model_validate(run.options)
        return InvestigationCase(post, options, run.model_plan.get(SEARCHER, ""), run.project)

    def next_steps(self, case: InvestigationCase, turns: Mapping[str, SavedTurn]) -> Sequence[Step] | Finish | GiveUp:
        """Return the next steps: describe, query, search, select, fetch, read and weigh, then judge."""
        if case.post.picture is not None:
            if picture_description.KEY not in turns:
                return [picture_description.describe_step(case.post)]
            case = replace(
                case,
                post=case.post.in_words(picture_description.description_text(turns[picture_description.KEY].value)),
            )
        state = walk(turns, case.options)
        if state.verdict is not None:
            return Finish(_outcome(case, state))
        if case.options.retrieval is Retrieval.NONE:
            return [_verdict(case, state)]
        if fault := _all_searches_failed(state, turns):
            return fault
        steps = _next_in_round(case, state, turns) or _next_round(case, state)
        room = case.options.steps - len(turns) - 1
        if not steps or len(steps) > room:
            return [_verdict(case, state)]
        return steps

    def settle(self, run: Run, outcome: Outcome) -> bool:
        """Store the evidence, whatever the run's result, and compare the verdict with people's."""
        return investigation_outcome.store_evidence(run, outcome)


_HOLDS = {"TRUE": True, "FALSE": False, "OPEN": None}


def _outcome(case: InvestigationCase, state: Walk) -> dict[str, Any]:
    """Return the outcome of the run: the verdict and its grounds."""
    judgment, claim = state.verdict or {}, case.options.claim
    evidence = unstruck_evidence(state, case.options.struck)
    sources = [claim, case.post.text, case.post.description or "", *(page.text for page in evidence)]
    urls = [url for page in state.read_pages for url in (page.url, page.hit.url)]
    checked = check_rationale(judgment["rationale"], [page.number for page in evidence], sources, urls)
    grounded = [page for page in state.read_pages if page.number not in case.options.struck]
    about = {"claim": claim, "holds": _HOLDS[judgment["verdict"]]} if claim else {}
    return about | {
        "hateful": None if claim else judgment["verdict"] == "HATE",
        "category": None,
        "reason": checked.text,
        "confidence": judgment["confidence"],
        "ungrounded": not grounded,
        "cited": list(checked.cited),
        "evidence": [page.number for page in evidence],
        "pages": len(state.read_pages),
        "rounds": len(state.rounds),
        "sufficient": bool(state.rounds) and state.rounds[-1].is_sufficient,
        "unfounded": {
            "citations": list(checked.unknown),
            "addresses": len(checked.addresses),
            "quotes": list(checked.quotes),
        },
    }


# ── The next steps ────────────────────────────────────────────────────────────


def _next_in_round(case: InvestigationCase, state: Walk, turns: Mapping[str, SavedTurn]) -> list[Step]:
    """Return the steps that the current round still needs; none if it is done."""
    if not state.rounds:
        return []
    current = state.rounds[-1]
    for steps in (
        _searches(case, current, turns),
        _choice(case, current),
        _fetches(case, current, state),
        _readings(case, current, turns),
        _weighing(case, current, state),
    ):
        if steps:
            return steps
    return []


def _next_round(case: InvestigationCase, state: Walk) -> list[Step]:
    """Return the step that asks for new queries, if they are needed, allowed, and may still lead to a page."""
    if state.rounds:
        last = state.rounds[-1]
        spent = len(state.pages) >= case.options.pages or state.size >= case.options.bytes
        if last.is_sufficient or not last.may_go_on or spent or len(state.rounds) > case.options.reformulations:
            return []
    number = len(state.rounds) + 1
    if case.options.retrieval is Retrieval.MODEL_URLS:
        shape = actions.visit_pages(case.options.pages_at_once)
        return [_ask(case, f"urls.{number}", "urls", {"log": _log(case, state)}, shape)]
    fields = {"log": _log(case, state), "operators": _OPERATORS.get(case.engine.partition(":")[0], _OPERATORS[LOCAL])}
    shape = actions.search_web(state.queries)
    return [_ask(case, f"queries.{number}", "queries", fields, shape, queries=state.queries)]


def _searches(case: InvestigationCase, current: Round, turns: Mapping[str, SavedTurn]) -> list[Step]:
    steps = []
    for at, query in enumerate(current.queries, 1):
        if (key := f"search.{current.number}.{at}") not in turns:
            steps.append(_search(case, key, query))
    return steps


def _search(case: InvestigationCase, key: str, query: str) -> Step:
    at_home = case.engine.partition(":")[0] == LOCAL
    search = partial(local_documents.search_documents, case.project) if at_home else partial(_search_web, case.engine)
    work = partial(search, query, HITS_A_QUERY)
    return Step(key, SEARCHER, (), kind=StepKind.SEARCH, optional=True, work=work, at_home=at_home)


def _search_web(engine: str, query: str, count: int) -> dict[str, Any]:
    return search_steps.search(wiring_web.search_engine(engine), query, count)


def _choice(case: InvestigationCase, current: Round) -> list[Step]:
    if current.selected or not current.hits:
        return []
    rows = [
        f"{hit.id}. {hit.domain}\n{hit.title or '(no title)'}\n{hit.snippet or '(no description)'}"
        for hit in current.hits
    ]
    shape = actions.select_pages({hit.id for hit in current.hits}, case.options.pages_at_once)
    fields = {"hits": case.post.fenced_as("page", "\n\n".join(rows)), "most": str(case.options.pages_at_once)}
    return [
        _ask(case, f"select.{current.number}", "select", fields, shape, read="\n".join(rows), hits=len(current.hits))
    ]


def _fetches(case: InvestigationCase, current: Round, state: Walk) -> list[Step]:
    """Return the steps that fetch the selected pages, all at once.

    Pages that were read before count against the limit of bytes.
    """
    if state.size >= case.options.bytes:
        return []
    return [_fetch(case, page) for page in current.pages if not page.asked]


def _fetch(case: InvestigationCase, page: Page) -> Step:
    url = page.hit.url
    at_home = local_documents.is_document_address(url) and case.options.retrieval is Retrieval.SEARCH
    work = partial(local_documents.document_page, case.project, url) if at_home else partial(_fetch_web, url)
    return Step(f"fetch.{page.key}", FETCHER, (), kind=StepKind.FETCH, optional=True, work=work, at_home=at_home)


def _fetch_web(url: str) -> dict[str, Any]:
    return search_steps.fetch(wiring_web.page_fetcher(), url)


def _readings(case: InvestigationCase, current: Round, turns: Mapping[str, SavedTurn]) -> list[Step]:
    steps = []
    for page in current.pages:
        if not page.is_readable:
            continue
        for number, (key, window) in enumerate(zip(page.read_keys(), page.windows, strict=True), 1):
            if key in turns:
                continue
            fields = {
                "page": case.post.fenced_as("page", window.text),
                "source": f"{page.domain}, part {number} of {len(page.windows)}",
            }
            steps.append(_ask(case, key, "read", fields, actions.extract_evidence(), read=window.text, optional=True))
    return steps


def _weighing(case: InvestigationCase, current: Round, state: Walk) -> list[Step]:
    """Return the step about the first page that is read and not weighed; pages are weighed one after the other."""
    for page in current.pages:
        if page.read and page.weighed is None:
            fields = {
                "evidence": _evidence(case, [page]) or "(Nothing on this page bears on it.)",
                "log": _log(case, state),
                "opening": str(actions.CONFIRMED),
            }
            shape = actions.reconfirm_text(case.text, claimed=bool(case.options.claim))
            return [_ask(case, f"weigh.{page.key}", "weigh", fields, shape, evidence=len(page.kept))]
    return []


def _all_searches_failed(state: Walk, turns: Mapping[str, SavedTurn]) -> GiveUp | None:
    """Return the failure if all searches failed, since the run has then found nothing to judge by.

    Returns None otherwise.
    """
    failed = [turn for key, turn in turns.items() if key.startswith("search.") and turn.reason]
    searched = sum(round_.searched for round_ in state.rounds)
    if not state.rounds or len(failed) < searched or not failed or searched < len(state.rounds[-1].queries):
        return None
    if state.pages or any(round_.hits for round_ in state.rounds):
        return None
    return GiveUp(Reason(failed[0].reason), failed[0].detail)


# ── Questions ─────────────────────────────────────────────────────────────────


def _ask(
    case: InvestigationCase,
    key: str,
    template: str,
    fields: dict[str, str],
    shape: Any,
    *,
    read: str = "",
    optional: bool = False,
    **context: Any,
) -> Step:
    form = "_short" if case.options.instructions is Instructions.SHORT else ""
    if claim := case.options.claim:
        form, fields = "_claim", fields | {"claim": case.post.fenced_as("comment", claim)}
        context |= {"text": claim, "claimed": True}
    step = case.post.step(
        key,
        ModelRole.INVESTIGATOR,
        NAME,
        f"{template}{form}",
        fields,
        shape=shape,
        temperature=case.options.temperature,
        max_tokens=_JUDGED if template == "verdict" else _ASKED,
        context={"ask": template, "opening": actions.opening_of(case.text)} | context,
        optional=optional,
    )
    return replace(step, reasks=actions.REASKS, suspect=step.suspect or bool(read and case.post.suspects(read)))


def _verdict(case: InvestigationCase, state: Walk) -> Step:
    evidence = unstruck_evidence(state, case.options.struck)
    # The earlier judgments used all the evidence, so the judgment of the rest does not see them.
    log = (
        "(A person has gone through the evidence and taken some of it out.)"
        if case.options.struck
        else _log(case, state)
    )
    fields = {
        "evidence": _evidence(case, evidence) or "(There is none.)",
        "log": log,
        "opening": str(actions.CONFIRMED),
    }
    shape = actions.final_judgment(case.text, claimed=bool(case.options.claim))
    return _ask(case, "verdict", "verdict", fields, shape, evidence=len(evidence))


def _evidence(case: InvestigationCase, pages: Sequence[Page]) -> str:
    """Return the evidence for a prompt: numbered by us, with the words of others fenced."""
    return "\n\n".join(
        f"[{page.number}] {page.domain}\n"
        + "\n".join(
            f"- {passage.stance}, relevance {passage.relevance} of 3: {case.post.fenced_as('quote', passage.quote)}\n"
            f"  Its bearing, as noted: {case.post.fenced_as('note', passage.bearing)}"
            for passage in page.kept
        )
        for page in pages
        if page.kept
    )


def _log(case: InvestigationCase, state: Walk) -> str:
    """Return the research log: queries, findings and judgments so far. It is fenced, since it repeats others' words."""
    lines = []
    for round_ in state.rounds:
        lines.append(f"Round {round_.number}: " + ("; ".join(round_.queries) or "pages named from memory"))
        if not round_.pages and round_.selected:
            lines.append("  no result was worth reading")
        for page in round_.pages:
            lines.append(f"  {page.domain}: {_happened(page)}")
    return case.post.fenced_as("note", "\n".join(lines)) if lines else "(Nothing has been done yet.)"


def _happened(page: Page) -> str:
    if page.fault:
        return f"not read. {page.fault}"
    if page.copy_of:
        return "the same text as a page read before"
    if page.weighed:
        judgment = page.weighed
        return f"{judgment['judgment']}, confidence {judgment['confidence']:g}. {judgment['effect']}"
    return f"evidence [{page.number}]" if page.number else "nothing that bears on it"
