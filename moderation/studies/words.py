"""The estimate of a study in words, for the terminal and for programs."""

from dataclasses import asdict
from typing import Any

from moderation.studies.estimate import StudyEstimate
from runs.domain.expected_cost import ExpectedSpending


def estimate_lines(estimate: StudyEstimate) -> list[str]:
    """Return one line about the whole study, one for each of its lines, and one about what is assumed."""
    total = estimate.total
    head = (
        f"{len(estimate.lines)} lines on {estimate.items:,} items, repeats: {estimate.repeats}. "
        f"{total.runs:,} runs, at most {total.calls:,} calls without retries; {_spending(total, estimate.currency)}."
    )
    lines = [head]
    for line in estimate.lines:
        shared = ", judges the debate of another line" if line.shared else ""
        spending = f"at most {line.spending.calls:,} calls, {_spending(line.spending, estimate.currency)}"
        lines.append(f"- {line.name}: {spending}{shared}")
    if total.unpriced:
        lines.append(f"MODEL_PRICES has no price of {', '.join(total.unpriced)}.")
    if total.assumed:
        lines.append("Where no earlier call says how many tokens a role takes, 1,500 in and 400 out are assumed.")
    if estimate.goes_beyond_budget:
        lines.append(f"The project's budget leaves {estimate.calls_left:,} calls: the study may stop before its end.")
    return lines


def estimate_as_json(estimate: StudyEstimate) -> dict[str, Any]:
    """Return the estimate for programs, with its lines in words."""
    return {
        "items": estimate.items,
        "repeats": estimate.repeats,
        "currency": estimate.currency,
        "calls_left": estimate.calls_left,
        "total": asdict(estimate.total),
        "arms": [{"name": line.name, "shared": line.shared, **asdict(line.spending)} for line in estimate.lines],
        "lines": estimate_lines(estimate),
    }


def _spending(spending: ExpectedSpending, currency: str) -> str:
    tokens = f"about {spending.input_tokens:,} tokens in and {spending.output_tokens:,} out"
    return tokens if spending.cost is None else f"{tokens}, {spending.cost:,.2f} {currency}"
