"""AntiHateAgent: queries, pages, evidence, a judgment that cites it (design section 8; paper, section 3, Appendix C).

A round asks for queries, searches for all of them at once, selects results, fetches all selected pages at once, reads
all their windows at once, and then, page by page, reconfirms the text and updates the judgment. If all that was read is
not enough, another round follows, up to the limit. Near a limit the steps that still fit are taken, and the verdict
rests on what they brought. The verdict is about the post; evidence only informs it. URLs come from search results only
(threats PI8).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from moderation.domain.antihateagent.actions import InvestigationOptions, Retrieval
from moderation.domain.antihateagent.limits import Action, steps_that_fit
from moderation.domain.antihateagent.protocol import Page, Round, Walk, walk
from moderation.domain.antihateagent.relevance import relevant_windows
from moderation.methods import local_documents, picture_description, second_reader
from moderation.methods.antihateagent import outcome as investigation_outcome
from moderation.methods.antihateagent import questions, searching
from moderation.methods.antihateagent.questions import NAME, InvestigationCase
from moderation.methods.post_case import post_of
from moderation.methods.post_method import PostMethod
from providers import wiring_web
from providers.roles import ModelRole
from providers.search import steps as search_steps
from providers.search.steps import FETCHER, SEARCHER
from runs.methods.method import LIMIT_KEY, Finish, GiveUp, Limits, Outcome, SavedTurn, Step, StepKind
from runs.models import Run

ROLES = (ModelRole.INVESTIGATOR, ModelRole.DESCRIBER)
LIMITS = Limits(calls=150, tokens=1_200_000, seconds=3600)

Turns = Mapping[str, SavedTurn]


@dataclass(frozen=True)
class _Plan:
    """The next steps before the verdict; none if it is time for it. `limit` names the option that cut them."""

    steps: Sequence[Step]
    limit: str = ""


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
        engines = searching.engines_for(run.model_plan.get(SEARCHER, ""), options, run.project)
        return InvestigationCase(post, options, engines, run.project)

    def next_steps(self, case: InvestigationCase, turns: Turns) -> Sequence[Step] | Finish | GiveUp:
        """Return the next steps: describe, query, search, select, fetch, read and weigh, then judge."""
        if _wants_description(case, turns) and LIMIT_KEY not in turns:
            return [picture_description.describe_step(case.post)]
        case = _in_words(case, turns)
        state = walk(turns, case.options)
        if "verdict" in turns:
            return _end(case, state, turns)
        steps = [] if LIMIT_KEY in turns else _plan(case, state, turns).steps
        return steps or [questions.verdict_question(case, state)]

    def closing_step(self, case: InvestigationCase, turns: Turns) -> Step | None:
        """Return the verdict on what was read so far, with which the run can end when a limit of it comes near."""
        if "verdict" in turns:
            return super().closing_step(case, turns)
        if LIMIT_KEY in turns:
            return None
        case = _in_words(case, turns)
        return questions.verdict_question(case, walk(turns, case.options))

    def settle(self, run: Run, outcome: Outcome) -> bool:
        """Store the evidence, whatever the run's result, and compare the verdict with people's."""
        return investigation_outcome.store_evidence(run, outcome)


def _end(case: InvestigationCase, state: Walk, turns: Turns) -> Sequence[Step] | Finish | GiveUp:
    before = {key: turn for key, turn in turns.items() if key not in ("verdict", second_reader.KEY)}
    limit = _limit(case, state, before)
    judged = second_reader.verdict_in(turns["verdict"], questions.verdict_form(case)) or {}
    state.verdict = judged.get("action_input", {})
    outcome = partial(investigation_outcome.outcome_of, case, state, limit)
    if case.options.claim:  # of a claim nobody concludes that it is hateful
        return Finish(outcome())
    reason, role = state.verdict.get("rationale", ""), ModelRole.INVESTIGATOR
    return second_reader.after_verdict(case.post, turns, "verdict", role, reason, outcome)


def _wants_description(case: InvestigationCase, turns: Turns) -> bool:
    return case.post.picture is not None and picture_description.KEY not in turns


def _in_words(case: InvestigationCase, turns: Turns) -> InvestigationCase:
    """Return the case with its picture in words, which are empty as long as no model described it."""
    if case.post.picture is None:
        return case
    turn = turns.get(picture_description.KEY)
    description = picture_description.description_text(turn.value) if turn else ""
    return replace(case, post=case.post.in_words(description))


# ── The next steps ────────────────────────────────────────────────────────────


def _plan(case: InvestigationCase, state: Walk, turns: Turns) -> _Plan:
    """Return what comes next before the verdict, as far as the limit of steps allows it."""
    if case.options.retrieval is Retrieval.NONE:
        return _Plan([])
    room = case.options.steps - len(turns) - 1
    unread = sum(page.is_readable and bool(page.windows) and not page.parts_read for page in state.pages)
    limit = ""
    for action, steps in _needed_steps(case, state, turns):
        fitting = steps[: steps_that_fit(action, room, unread)]
        if fitting:
            return _Plan(fitting)
        if steps:
            limit = "steps"
    return _Plan([], limit or _spent(case, state))


def _limit(case: InvestigationCase, state: Walk, turns: Turns) -> Mapping[str, str] | None:
    """Return the limit that the investigation ended at and what is said of it.

    Returns None if it had done what it wanted to.
    """
    if LIMIT_KEY in turns:
        reached = turns[LIMIT_KEY].value
        return {"name": str(reached["limit"]), "detail": str(reached["detail"])}
    limit = _plan(case, state, turns).limit
    return {"name": limit, "detail": f"{limit}: {getattr(case.options, limit):,}"} if limit else None


def _needed_steps(case: InvestigationCase, state: Walk, turns: Turns) -> Iterator[tuple[Action, Sequence[Step]]]:
    """Yield the kinds of steps that the current round still needs, in their order, then those of the next round."""
    if state.rounds:
        current = state.rounds[-1]
        yield Action.SEARCH, searching.next_searches(current, case.engines, state.engines_out, case.project)
        if current.hits and not current.selected:
            yield Action.SELECT, [questions.choice_question(case, current)]
        yield Action.FETCH, _fetches(case, current, state)
        yield Action.READ, _readings(case, current, turns)
        yield Action.WEIGH, _weighing(case, current, state)
    if _wants_another_round(case, state):
        if case.options.retrieval is Retrieval.MODEL_URLS:
            yield Action.ASK_FOR_URLS, [questions.urls_question(case, state)]
        else:
            yield Action.ASK_FOR_QUERIES, [questions.queries_question(case, state)]


def _wants_another_round(case: InvestigationCase, state: Walk) -> bool:
    """Return whether new queries are needed, allowed, and may still lead to a page."""
    if not state.rounds:
        return True
    if state.is_sufficient or not state.rounds[-1].may_go_on or len(state.rounds) > case.options.reformulations:
        return False
    if case.options.retrieval is Retrieval.SEARCH and not set(case.engines) - state.engines_out:
        return False
    return not _spent(case, state)


def _spent(case: InvestigationCase, state: Walk) -> str:
    """Return the limit of pages or bytes that is used up although what was read is not enough; else an empty text."""
    if state.is_sufficient:
        return ""
    if state.size >= case.options.bytes:
        return "bytes"
    return "pages" if len(state.pages) >= case.options.pages else ""


def _fetches(case: InvestigationCase, current: Round, state: Walk) -> list[Step]:
    """Return the steps that fetch the selected pages, all at once.

    Pages that were read before count against the limit of bytes.
    """
    if state.size >= case.options.bytes:
        return []
    return [_fetch(case, page, current.queries) for page in current.pages if not page.requested]


def _fetch(case: InvestigationCase, page: Page, queries: Sequence[str]) -> Step:
    url = page.hit.url
    at_home = local_documents.is_document_address(url) and case.options.retrieval is Retrieval.SEARCH
    about = "\n".join([case.text, case.post.text or "", *queries])
    read = partial(_fetch_web, url, about, case.options.windows)
    work = partial(local_documents.document_page, case.project, url) if at_home else read
    return Step(f"fetch.{page.key}", FETCHER, (), kind=StepKind.FETCH, optional=True, work=work, at_home=at_home)


def _fetch_web(url: str, about: str, most: int) -> dict[str, Any]:
    """Return the page, with the places of the windows that are worth reading, best first."""
    answer = search_steps.fetch(wiring_web.page_fetcher(), url)
    chosen = relevant_windows(answer["text"], most, about)
    return answer | {"windows": [(window.start, window.start + len(window.text)) for window in chosen]}


def _readings(case: InvestigationCase, current: Round, turns: Turns) -> list[Step]:
    """Return the steps that read the windows: the first of every page, then the second …, should not all fit."""
    unread = [
        (number, page)
        for page in current.pages
        if page.is_readable
        for number, key in enumerate(page.read_keys(), 1)
        if key not in turns
    ]
    return [
        questions.reading_question(case, page, number)
        for number, page in sorted(unread, key=lambda numbered: numbered[0])
    ]


def _weighing(case: InvestigationCase, current: Round, state: Walk) -> list[Step]:
    """Return the step about the first page that is read and not weighed; pages are weighed one after the other."""
    unweighed = (page for page in current.pages if page.is_read_through and page.weighed is None)
    return [questions.weighing_question(case, state, page) for page in [*unweighed][:1]]
