"""The table of coverage and cost: how many items were answered, and what the answers took."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from moderation.domain.evaluation.tables.table import Column, ColumnForm, EvaluationTable, Phrase, Report, Value
from moderation.domain.evaluation.tables.table import gettext_noop as _

_STATE_NAMES = {
    "succeeded": _("Succeeded"),
    "refused": _("Refused"),
    "unreadable": _("Unusable answer"),
    "failed": _("Failed"),
    "cancelled": _("Cancelled"),
    "missing": _("Missing"),
}


def coverage_table(report: Report) -> Iterator[EvaluationTable]:
    """Return the table of how every run ended, and of calls, tokens, time and money."""
    states = ("succeeded", "refused", "unreadable", "failed", "cancelled", "missing")
    columns = [Column(_("Method")), Column(_("Data set")), Column(_("Asked"), ColumnForm.COUNT)]
    columns += [Column(_STATE_NAMES[state], ColumnForm.COUNT) for state in states]
    columns += [
        Column(_("Coverage"), ColumnForm.PERCENT),
        Column(_("Calls"), ColumnForm.COUNT),
        Column(_("Retries"), ColumnForm.COUNT),
    ]
    columns += [
        Column(_("Tokens in"), ColumnForm.COUNT),
        Column(_("Of these cached"), ColumnForm.COUNT),
        Column(_("Tokens out"), ColumnForm.COUNT),
        Column(_("Of these thinking"), ColumnForm.COUNT),
        Column(_("Time"), ColumnForm.SECONDS),
    ]
    columns += [Column(Phrase.of(_("Cost, %(currency)s"), currency=report["currency"]), ColumnForm.MONEY)]
    rows = []
    for result in report["results"]:
        coverage, spent = result["coverage"], result["spent"]
        answered = coverage["succeeded"] + coverage["refused"] + coverage["unreadable"]
        row = [result["arm"], result["dataset"], coverage["asked"], *(coverage[state] for state in states)]
        row += [answered / coverage["asked"] if coverage["asked"] else None, spent["calls"], spent["retries"]]
        rows.append([*row, *_used(spent)])
        if "explanations" in result:
            rows.append(_scoring_spent(result))
    spendings = [result["spent"] for result in report["results"]]
    spendings += [result["explanations"]["spent"] for result in report["results"] if "explanations" in result]
    yield EvaluationTable(
        "coverage", _("Coverage and cost"), columns, rows, _spending_note(spendings, report["currency"])
    )


def _spending_note(spendings: Sequence[Mapping[str, Any]], currency: str) -> str:
    """Return what has to be known to read the spending: missing prices and temperatures, and what caching saved."""
    note = Phrase.of(
        _("Time is the sum over runs, which go side by side. Coverage: answered, refused or unreadable, of asked.")
    )
    more = []
    if unpriced := sorted({name for spent in spendings for name in spent["unpriced"]}):
        more.append(Phrase.of(_("The site knows no price of %(models)s."), models=", ".join(unpriced)))
    if without := sorted({role for spent in spendings for role in spent.get("without_temperature", ())}):
        sentence = _("Asked without a temperature, which their models do not take: %(roles)s.")
        more.append(Phrase.of(sentence, roles=", ".join(without)))
    if saved := sum(spent.get("saved") or 0.0 for spent in spendings):
        sentence = _("Prompts that the providers had read shortly before cost %(saved)s %(currency)s less.")
        more.append(Phrase.of(sentence, saved=f"{saved:.4g}", currency=currency))
    for phrase in more:
        note = Phrase.of("%(note)s %(more)s", note=note, more=phrase)
    return note


def _scoring_spent(result: Mapping[str, Any]) -> list[Value]:
    """Return the row about the cost of scoring an arm's explanations."""
    explanations = result["explanations"]
    counts, spent = explanations["counts"], explanations["spent"]
    total, failed = sum(counts.values()), counts.get("failed", 0)
    row: list[Value] = [Phrase.of(_("%(arm)s: scores"), arm=result["arm"]), result["dataset"], total]
    row += [counts.get("scored", 0), counts.get("refused", 0), counts.get("unreadable", 0) + counts.get("no_text", 0)]
    row += [failed, 0, 0, (total - failed) / total if total else None, spent["calls"], spent["retries"]]
    return [*row, *_used(spent)]


def _used(spent: Mapping[str, Any]) -> list[Value]:
    """Return tokens, time and cost; older reports do not know which tokens were cached or of thinking."""
    cached, thinking = spent.get("cached_tokens", 0), spent.get("thinking_tokens", 0)
    return [spent["input_tokens"], cached, spent["output_tokens"], thinking, spent["seconds"], spent["cost"]]
