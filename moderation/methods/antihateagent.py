"""AntiHateAgent: queries, pages, evidence, a judgment that cites it (design section 8; paper, section 3, Appendix C).

In each round: queries, their searches at once, a choice among the results, the chosen pages at once, all their windows
at once, then page by page the text reconfirmed and the judgment brought up to date. Not enough: new queries, up to the
limit. The verdict rests on the post; evidence informs it. URLs come from search results alone (threats PI8).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from moderation import documents
from moderation.domain.investigation import actions
from moderation.domain.investigation.actions import Instructions, InvestigationOptions, Retrieval
from moderation.domain.investigation.pages import check_rationale
from moderation.domain.investigation.walk import Page, Round, Walk, standing, walk
from moderation.methods import describing, evidence_end
from moderation.methods.post import Post, is_there, post_of
from providers import reaching, wiring_web
from providers.reaching import FETCHER, SEARCHER
from providers.roles import ModelRole
from providers.searching import GOOGLE, LOCAL
from runs.domain.states import Reason
from runs.method import Finish, GiveUp, Limits, Outcome, SavedTurn, Step, StepKind
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
class Case:
    """A post under investigation. `engine` is what the run planned to search with (`engine:web`)."""

    post: Post
    options: InvestigationOptions
    engine: str
    project: Any

    @property
    def text(self) -> str:
        """What is reconfirmed: the claim that is checked, else the post's words or its picture's description."""
        return self.options.claim or self.post.text or self.post.description or ""


class AntiHateAgent:
    """The investigation. Calls on the critical path of one round: queries, choice, reading, one a page, verdict."""

    name = NAME
    limits = LIMITS

    def case(self, run: Run) -> Case | None:
        """The post and what was chosen for this run."""
        post = post_of(run)
        if post is None:
            return None
        options = InvestigationOptions.model_validate(run.options)
        return Case(post, options, run.model_plan.get(SEARCHER, ""), run.project)

    def still_wanted(self, run: Run) -> bool:
        """Whether the item is still there."""
        return is_there(run)

    def next_steps(self, case: Case, turns: Mapping[str, SavedTurn]) -> Sequence[Step] | Finish | GiveUp:
        """What comes next: see the module."""
        if case.post.picture is not None:
            if describing.KEY not in turns:
                return [describing.describe(case.post)]
            case = replace(case, post=case.post.in_words(describing.in_words(turns[describing.KEY].value)))
        found = walk(turns, case.options)
        if found.verdict is not None:
            return Finish(outcome(case, found))
        if case.options.retrieval is Retrieval.NONE:
            return [_verdict(case, found)]
        if fault := _all_searches_failed(found, turns):
            return fault
        steps = _next_in_round(case, found, turns) or _next_round(case, found)
        room = case.options.steps - len(turns) - 1
        if not steps or len(steps) > room:
            return [_verdict(case, found)]
        return steps

    def settle(self, run: Run, outcome: Outcome) -> bool:
        """Keep the evidence, whatever came of the run, and compare the verdict with the people's."""
        return evidence_end.settle(run, outcome)


_HOLDS = {"TRUE": True, "FALSE": False, "OPEN": None}


def outcome(case: Case, found: Walk) -> dict[str, Any]:
    """What the run ends with: the verdict, and what it rests on."""
    said, claim = found.verdict or {}, case.options.claim
    kept = standing(found, case.options.struck)
    sources = [claim, case.post.text, case.post.description or "", *(page.text for page in kept)]
    urls = [url for page in found.read_pages for url in (page.url, page.hit.url)]
    checked = check_rationale(said["rationale"], [page.number for page in kept], sources, urls)
    grounded = [page for page in found.read_pages if page.number not in case.options.struck]
    about = {"claim": claim, "holds": _HOLDS[said["verdict"]]} if claim else {}
    return about | {
        "hateful": None if claim else said["verdict"] == "HATE",
        "category": None,
        "reason": checked.text,
        "confidence": said["confidence"],
        "ungrounded": not grounded,
        "cited": list(checked.cited),
        "evidence": [page.number for page in kept],
        "pages": len(found.read_pages),
        "rounds": len(found.rounds),
        "sufficient": bool(found.rounds) and found.rounds[-1].is_sufficient,
        "unfounded": {
            "citations": list(checked.unknown),
            "addresses": len(checked.addresses),
            "quotes": list(checked.quotes),
        },
    }


# ── What comes next ───────────────────────────────────────────────────────────


def _next_in_round(case: Case, found: Walk, turns: Mapping[str, SavedTurn]) -> list[Step]:
    """What the round under way still needs; nothing where it is done."""
    if not found.rounds:
        return []
    this = found.rounds[-1]
    for steps in (
        _searches(case, this, turns),
        _choice(case, this),
        _fetches(case, this, found),
        _readings(case, this, turns),
        _weighing(case, this, found),
    ):
        if steps:
            return steps
    return []


def _next_round(case: Case, found: Walk) -> list[Step]:
    """New queries, where they are needed, allowed, and could still lead to a page."""
    if found.rounds:
        last = found.rounds[-1]
        spent = len(found.pages) >= case.options.pages or found.size >= case.options.bytes
        if last.is_sufficient or not last.may_go_on or spent or len(found.rounds) > case.options.reformulations:
            return []
    number = len(found.rounds) + 1
    if case.options.retrieval is Retrieval.MODEL_URLS:
        shape = actions.visit_pages(case.options.pages_at_once)
        return [_ask(case, f"urls.{number}", "urls", {"log": _log(case, found)}, shape)]
    fields = {"log": _log(case, found), "operators": _OPERATORS.get(case.engine.partition(":")[0], _OPERATORS[LOCAL])}
    shape = actions.search_web(found.queries)
    return [_ask(case, f"queries.{number}", "queries", fields, shape, queries=found.queries)]


def _searches(case: Case, this: Round, turns: Mapping[str, SavedTurn]) -> list[Step]:
    steps = []
    for at, query in enumerate(this.queries, 1):
        if (key := f"search.{this.number}.{at}") not in turns:
            steps.append(_search(case, key, query))
    return steps


def _search(case: Case, key: str, query: str) -> Step:
    at_home = case.engine.partition(":")[0] == LOCAL
    search = partial(documents.search, case.project) if at_home else partial(_search_web, case.engine)
    work = partial(search, query, HITS_A_QUERY)
    return Step(key, SEARCHER, (), kind=StepKind.SEARCH, optional=True, work=work, at_home=at_home)


def _search_web(engine: str, query: str, count: int) -> dict[str, Any]:
    return reaching.search(wiring_web.engine(engine), query, count)


def _choice(case: Case, this: Round) -> list[Step]:
    if this.selected or not this.hits:
        return []
    rows = [
        f"{hit.id}. {hit.domain}\n{hit.title or '(no title)'}\n{hit.snippet or '(no description)'}" for hit in this.hits
    ]
    shape = actions.select_pages({hit.id for hit in this.hits}, case.options.pages_at_once)
    fields = {"hits": case.post.fenced_as("page", "\n\n".join(rows)), "most": str(case.options.pages_at_once)}
    return [_ask(case, f"select.{this.number}", "select", fields, shape, read="\n".join(rows), hits=len(this.hits))]


def _fetches(case: Case, this: Round, found: Walk) -> list[Step]:
    """The chosen pages, all at once; what was read before counts against the limit of bytes."""
    if found.size >= case.options.bytes:
        return []
    return [_fetch(case, page) for page in this.pages if not page.asked]


def _fetch(case: Case, page: Page) -> Step:
    url = page.hit.url
    at_home = documents.is_address(url) and case.options.retrieval is Retrieval.SEARCH
    work = partial(documents.page, case.project, url) if at_home else partial(_fetch_web, url)
    return Step(f"fetch.{page.key}", FETCHER, (), kind=StepKind.FETCH, optional=True, work=work, at_home=at_home)


def _fetch_web(url: str) -> dict[str, Any]:
    return reaching.fetch(wiring_web.fetcher(), url)


def _readings(case: Case, this: Round, turns: Mapping[str, SavedTurn]) -> list[Step]:
    steps = []
    for page in this.pages:
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


def _weighing(case: Case, this: Round, found: Walk) -> list[Step]:
    """The first page of the round that is read and not weighed: one after the other, each on the last's judgment."""
    for page in this.pages:
        if page.read and page.weighed is None:
            fields = {
                "evidence": _evidence(case, [page]) or "(Nothing on this page bears on it.)",
                "log": _log(case, found),
                "opening": str(actions.CONFIRMED),
            }
            shape = actions.reconfirm_text(case.text, claimed=bool(case.options.claim))
            return [_ask(case, f"weigh.{page.key}", "weigh", fields, shape, evidence=len(page.kept))]
    return []


def _all_searches_failed(found: Walk, turns: Mapping[str, SavedTurn]) -> GiveUp | None:
    """A run all of whose searches came to nothing does not judge as if it had looked."""
    failed = [turn for key, turn in turns.items() if key.startswith("search.") and turn.reason]
    searched = sum(each.searched for each in found.rounds)
    if not found.rounds or len(failed) < searched or not failed or searched < len(found.rounds[-1].queries):
        return None
    if found.pages or any(each.hits for each in found.rounds):
        return None
    return GiveUp(Reason(failed[0].reason), failed[0].detail)


# ── Questions ─────────────────────────────────────────────────────────────────


def _ask(
    case: Case,
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


def _verdict(case: Case, found: Walk) -> Step:
    kept = standing(found, case.options.struck)
    # The judgments on the way rested on everything: they are no part of a judgment over the rest.
    log = (
        "(A person has gone through the evidence and taken some of it out.)"
        if case.options.struck
        else _log(case, found)
    )
    fields = {
        "evidence": _evidence(case, kept) or "(There is none.)",
        "log": log,
        "opening": str(actions.CONFIRMED),
    }
    shape = actions.final_judgment(case.text, claimed=bool(case.options.claim))
    return _ask(case, "verdict", "verdict", fields, shape, evidence=len(kept))


def _evidence(case: Case, pages: Sequence[Page]) -> str:
    """Evidence for a prompt: numbered by us, the strangers' words fenced."""
    return "\n\n".join(
        f"[{page.number}] {page.domain}\n"
        + "\n".join(
            f"- {kept.stance}, relevance {kept.relevance} of 3: {case.post.fenced_as('quote', kept.quote)}\n"
            f"  Its bearing, as noted: {case.post.fenced_as('note', kept.bearing)}"
            for kept in page.kept
        )
        for page in pages
        if page.kept
    )


def _log(case: Case, found: Walk) -> str:
    """The research log: what was asked, what was found, how the judgment moved. Fenced: it repeats strangers' words."""
    lines = []
    for each in found.rounds:
        lines.append(f"Round {each.number}: " + ("; ".join(each.queries) or "pages named from memory"))
        if not each.pages and each.selected:
            lines.append("  no result was worth reading")
        for page in each.pages:
            lines.append(f"  {page.domain}: {_happened(page)}")
    return case.post.fenced_as("note", "\n".join(lines)) if lines else "(Nothing has been done yet.)"


def _happened(page: Page) -> str:
    if page.fault:
        return f"not read. {page.fault}"
    if page.copy_of:
        return "the same text as a page read before"
    if page.weighed:
        said = page.weighed
        return f"{said['judgment']}, confidence {said['confidence']:g}. {said['effect']}"
    return f"evidence [{page.number}]" if page.number else "nothing that bears on it"
