"""The questions of an investigation to its model, with what the model is shown of pages, evidence and the log."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from pydantic import BaseModel

from moderation.domain.antihateagent import actions
from moderation.domain.antihateagent.actions import Instructions, InvestigationOptions
from moderation.domain.antihateagent.doubts import Doubt
from moderation.domain.antihateagent.page_windows import Window, page_number
from moderation.domain.antihateagent.protocol import KeptPassage, Page, Round, Walk, unstruck_evidence
from moderation.domain.tongue import Tongue
from moderation.methods.antihateagent import searching
from moderation.methods.post_case import Post
from providers.roles import ModelRole
from runs.methods.method import Step

NAME = "antihateagent"

_QUESTION_TOKENS, _VERDICT_TOKENS = 1500, 2000  # tokens
_STRUCK = "(A person has gone through the evidence and taken some of it out.)"
_BEGINS, _ENDS = "⟪", "⟫"
_NO_SEARCH = "No search was possible, so nothing could be read."


@dataclass(frozen=True)
class InvestigationCase:
    """A post under investigation. `engines` are those that the run may ask (`engine:web`), the planned one first."""

    post: Post
    options: InvestigationOptions
    engines: tuple[str, ...]
    project: UUID

    @property
    def text(self) -> str:
        """The text to reconfirm: the claim, else the post's text, else the description of its picture."""
        return self.options.claim or self.post.text or self.post.description or ""

    @property
    def tongue(self) -> Tongue:
        """The language of the rationale."""
        return self.options.language.spoken_about(self.text)


def queries_question(case: InvestigationCase, state: Walk) -> Step:
    """Return the question for the queries of the next round."""
    engine = next((name for name in case.engines if name not in state.engines_out), "")
    fields = {"log": _log(case, state), "operators": searching.operators_of(engine)}
    shape = actions.search_web(state.queries)
    return _ask(case, f"queries.{len(state.rounds) + 1}", "queries", fields, shape, queries=state.queries)


def urls_question(case: InvestigationCase, state: Walk) -> Step:
    """Return the question for addresses from memory (an ablation)."""
    shape = actions.visit_pages(case.options.pages_at_once)
    return _ask(case, f"urls.{len(state.rounds) + 1}", "urls", {"log": _log(case, state)}, shape)


def choice_question(case: InvestigationCase, current: Round) -> Step:
    """Return the question which results to read."""
    rows = [
        f"{hit.id}. {hit.domain}\n{hit.title or '(no title)'}\n{hit.snippet or '(no description)'}"
        for hit in current.hits
    ]
    shape = actions.select_pages({hit.id for hit in current.hits}, case.options.pages_at_once)
    fields = {"hits": case.post.fenced_as("page", "\n\n".join(rows)), "most": str(case.options.pages_at_once)}
    return _ask(case, f"select.{current.number}", "select", fields, shape, read="\n".join(rows), hits=len(current.hits))


def reading_question(case: InvestigationCase, page: Page, number: int) -> Step:
    """Return the question for the evidence in a window of a page; `number` counts from 1."""
    window = page.windows[number - 1]
    source = source_lines(page)
    fields = {
        "page": case.post.fenced_as("page", window.text),
        "source": case.post.fenced_as("page", source),
        "part": f"{_part(page, window)}part {number} of {len(page.windows)}{_comments_in(page, window)}",
    }
    key, shape = page.read_keys()[number - 1], actions.extract_evidence()
    return _ask(case, key, "read", fields, shape, read=f"{source}\n{window.text}", optional=True)


def weighing_question(case: InvestigationCase, state: Walk, page: Page) -> Step:
    """Return the question how a page that was read changes the judgment, and whether all that was read is enough."""
    pages = state.pages
    fields = {
        "earlier": _evidence(case, pages[: pages.index(page)]) or "(There is none.)",
        "evidence": _evidence(case, [page]) or "(Nothing on this page bears on it.)",
        "log": _log(case, state),
        "opening": str(actions.CONFIRMED),
    }
    shape = actions.reconfirm_text(case.text, claimed=bool(case.options.claim))
    return _ask(case, f"weigh.{page.key}", "weigh", fields, shape, evidence=len(page.passages))


def verdict_question(case: InvestigationCase, state: Walk) -> Step:
    """Return the question for the verdict, over all evidence that no person removed."""
    evidence = unstruck_evidence(state, case.options.struck)
    fields = {
        "evidence": _evidence(case, evidence) or "(There is none.)",
        # The earlier judgments used all the evidence, so the judgment of the rest does not see them.
        "log": _STRUCK if case.options.struck else _log(case, state),
        "opening": str(actions.CONFIRMED),
    }
    is_read = bool(case.post.reader) and not case.options.claim
    return _ask(case, "verdict", "verdict", fields, verdict_form(case), optional=is_read, evidence=len(evidence))


def verdict_form(case: InvestigationCase) -> type[BaseModel]:
    """Return the form of the verdict, or of what is said of a claim."""
    return actions.final_judgment(case.text, claimed=bool(case.options.claim))


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
    fields |= {"language": case.tongue.english_name}
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
        max_tokens=_VERDICT_TOKENS if template == "verdict" else _QUESTION_TOKENS,
        context={"ask": template, "opening": actions.opening_of(case.text)} | context,
        optional=optional,
    )
    return replace(step, reasks=actions.REASKS, suspect=step.suspect or bool(read and case.post.suspects(read)))


def _evidence(case: InvestigationCase, pages: Sequence[Page]) -> str:
    """Return the evidence for a prompt: numbered by us, the words of others fenced, each passage in its sentence."""
    shown = [
        f"[{page.number}] {case.post.fenced_as('page', source_lines(page))}\n"
        + "\n".join(
            f"- {passage.stance}, relevance {passage.relevance} of 3{_cited_page(page, passage)}{_doubted(passage)}: "
            f"{case.post.fenced_as('quote', _in_its_sentence(page, passage))}\n"
            f"  Its bearing, as noted: {case.post.fenced_as('note', passage.bearing)}"
            for passage in page.passages
        )
        for page in pages
        if page.passages
    ]
    return "\n\n".join([*([_MARKED] if shown else []), *shown])


_MARKED = f"Each passage stands between {_BEGINS} and {_ENDS}, in the rest of its sentence on the page."
_DOUBTED = {
    Doubt.DENIED: "beside it the page denies this or judges it false",
    Doubt.QUOTED: "the page quotes somebody else here",
    Doubt.RATED: "this is the claim that the page rates, see above",
    Doubt.COMMENT: "a reader's comment, not the page's own words",
}


def _doubted(passage: KeptPassage) -> str:
    return "".join(f"; {_DOUBTED[doubt]}" for doubt in passage.doubts)


def _in_its_sentence(page: Page, passage: KeptPassage) -> str:
    before, after = page.text[passage.sentence.start : passage.start], page.text[passage.end : passage.sentence.end]
    return f"{before}{_BEGINS}{passage.quote}{_ENDS}{after}"


def source_lines(page: Page) -> str:
    """Return what a page states of itself, a line each, and when it was fetched. It is a stranger's text."""
    stated, review = page.source, page.source.get("claim_review") or {}
    lines = {
        "Domain": page.domain,
        "Title": page.title,
        "Publisher": stated.get("publisher"),
        "Author": stated.get("author"),
        "Published": stated.get("published"),
        "Changed": stated.get("changed"),
        "Language": page.language,
        "Fetched": page.fetched_at[:10],
    }
    if review:
        lines |= {"Rates the claim": review.get("claim"), "As": review.get("rating")}
    if stated.get("paywall"):
        lines["Paywall"] = "its whole text is for those who pay"
    return "\n".join(f"{name}: {value or 'not said'}" for name, value in lines.items())


def _part(page: Page, window: Window) -> str:
    """Return the pages of a PDF that a window is of, as a phrase; empty for what has no pages."""
    first, last = page_number(page.text, window.start), page_number(page.text, window.start + len(window.text))
    if not first:
        return ""
    return f"page {first}, " if first == last else f"pages {first} to {last}, "


def _comments_in(page: Page, window: Window) -> str:
    """Return which part of a window its readers wrote, as a phrase; empty if none."""
    if not page.comments_at or window.start + len(window.text) <= page.comments_at:
        return ""
    if window.start >= page.comments_at:
        return ", all of it readers' comments under the page"
    own = page.comments_at - window.start
    return f", its first {own:,} characters the page's own words, the rest readers' comments under it"


def _cited_page(page: Page, passage: KeptPassage) -> str:
    number = page_number(page.text, passage.start)
    return f", page {number}" if number else ""


def _log(case: InvestigationCase, state: Walk) -> str:
    """Return the research log: queries, findings and judgments so far. It is fenced, since it repeats others' words."""
    lines = []
    for round_ in state.rounds:
        lines.append(f"Round {round_.number}: " + ("; ".join(round_.queries) or "pages named from memory"))
        if round_.failed:
            lines.append(f"  no search engine answered: {'; '.join(round_.failed)}")
        if not round_.pages and round_.selected:
            lines.append("  no result was worth reading")
        for page in round_.pages:
            lines.append(f"  {page.domain}: {_page_outcome(page)}")
    if state.was_search_impossible:
        lines.append(_NO_SEARCH)
    return case.post.fenced_as("note", "\n".join(lines)) if lines else "(Nothing has been done yet.)"


def _page_outcome(page: Page) -> str:
    if page.fault:
        return f"not read. {page.fault}"
    if page.copy_of:
        return "the same text as a page read before"
    if page.weighed:
        judgment = page.weighed
        return f"{judgment['judgment']}, confidence {judgment['confidence']:g}. {judgment['effect']}"
    if not page.parts_read:
        return "not read yet"
    return f"evidence [{page.number}]" if page.number else "nothing that bears on it"
