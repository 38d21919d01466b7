"""One line of `answers.jsonl`: how a run ended beside the known answer. `read_predictions` reads it back."""

from typing import Any

from moderation.domain.evaluation.answers import GivenAnswer, Gold, Question
from moderation.domain.evaluation.outcomes import RunEnd
from moderation.domain.predict.protocol import missing_perspectives
from moderation.domain.task import Task
from moderation.domain.verdicts import REASON_DISAGREES


def answer_line(gold: Gold, run_end: RunEnd, question: Question) -> dict[str, Any]:
    """Return the answer with the known one, without texts.

    A side is `hateful`, true or false; `label` and `gold` are always codes of categories, which may be hateful at 0.
    """
    answer = run_end.answer(question.task) or GivenAnswer()
    given = {"hateful": answer.hateful} if question.task is Task.BINARY else {"label": answer.label}
    return {
        "state": run_end.counted_as(question),
        **given,
        "refusal": answer.refused,
        "reason_code": run_end.reason or None,
        "reason": run_end.explanation,
        **({"way": run_end.way, "rounds": run_end.rounds} if run_end.way else {}),
        "calls": run_end.calls,
        "tokens": run_end.tokens,
        "gold": gold.label,
        "gold_hateful": gold.hateful,
        **({"gold_categories": list(gold.labels)} if gold.labels else {}),
        **_votes(run_end),
        **_disagreement(run_end),
        **({"read_by": run_end.read_by} if run_end.read_by else {}),
        **_troubles(run_end),
    }


def _votes(run_end: RunEnd) -> dict[str, Any]:
    """Return the vote of each perspective, and why some are missing; nothing for methods without perspectives."""
    if not run_end.stances:
        return {}
    votes = {row["perspective"]: row["stance"] for row in run_end.stances}
    return {"votes": votes, "missing": missing_perspectives(run_end.stances)}


def _disagreement(run_end: RunEnd) -> dict[str, Any]:
    """Return the figures of the disagreement inside the debate, null where undefined; nothing without a debate."""
    figures = {name.value: getattr(figure, "value", None) for name, figure in run_end.disagreement.items()}
    return {"disagreement": figures} if figures else {}


def _troubles(run_end: RunEnd) -> dict[str, Any]:
    """Return what went wrong: with searches, at a limit, or in a reason that concludes the opposite of the verdict."""
    troubles = {
        "no_search": run_end.no_search,
        "faults": list(run_end.faults),
        "limit": run_end.limit,
        "contradicted": REASON_DISAGREES in run_end.warnings,
    }
    return {name: value for name, value in troubles.items() if value}
