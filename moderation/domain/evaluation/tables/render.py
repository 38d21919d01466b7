"""Tables as text: cells for people, Markdown, and rows for CSV with all digits."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from moderation.domain.evaluation.tables.report_tables import tables_of
from moderation.domain.evaluation.tables.table import (
    Column,
    ColumnForm,
    EvaluationTable,
    Phrase,
    Report,
    Value,
    gettext_noop,
)

NOTHING = "–"
NO_MODEL = gettext_noop(
    "No language model was used: the built-in keyword baseline answered, by cues in the text alone."
)
NO_MODEL_IN = gettext_noop(
    "%(arm)s: no language model was used; the built-in keyword baseline answered, by cues in the text alone."
)
NO_EXAMPLES = gettext_noop(
    "%(arm)s: these perspectives have no examples and are measured by their criteria alone: %(perspectives)s. Examples "
    "belong to the perspectives of a project: import them there, and name the project (--project)."
)
CONTRADICTED = gettext_noop("%(arm)s: verdicts whose own reason concludes the opposite: %(count)s.")
NO_SEARCH = gettext_noop("%(arm)s: runs that could not search and judged the post alone: %(count)s.")
ENDED_EARLY = gettext_noop(
    "%(arm)s: runs that ended early, at a limit, with a verdict on what they had until then: %(count)s."
)


def format_cell(value: Value, form: ColumnForm) -> str:
    """Return a value as text for people; a spread as mean and deviation."""
    if value is None:
        return NOTHING
    if isinstance(value, Mapping):
        mean = format_cell(value["mean"], form)
        return mean if value["sd"] is None else f"{mean} (± {format_cell(value['sd'], form)})"
    if isinstance(value, Phrase):
        return value
    return _FORMATS[form](value)


_FORMATS: Mapping[ColumnForm, Callable[[Any], str]] = {
    ColumnForm.COUNT: "{:,}".format,
    ColumnForm.PERCENT: lambda share: f"{100 * share:.2f}",
    ColumnForm.PERCENT1: lambda share: f"{100 * share:.1f}",
    ColumnForm.SHARE: "{:.3f}".format,
    ColumnForm.P: lambda p: "< 0.0001" if p < 0.0001 else f"{p:.4f}",
    ColumnForm.MONEY: "{:.4f}".format,
    ColumnForm.SECONDS: "{:,.1f} s".format,
    ColumnForm.TEXT: str,
}


def formatted_rows(table: EvaluationTable) -> list[list[str]]:
    """Return the rows as text for people."""
    return [
        [format_cell(value, column.form) for value, column in zip(row, table.columns, strict=True)]
        for row in table.rows
    ]


def csv_rows(table: EvaluationTable) -> list[list[Any]]:
    """Return header and rows with all digits; a spread takes two columns."""
    spreads = [
        any(isinstance(row[at], Mapping) and row[at]["sd"] is not None for row in table.rows) for at in _at(table)
    ]
    header = [title for column, wide in zip(table.columns, spreads, strict=True) for title in _titles(column, wide)]
    rows = [
        [part for value, wide in zip(row, spreads, strict=True) for part in _parts(value, wide)] for row in table.rows
    ]
    return [header, *rows]


def markdown(report: Report) -> str:
    """Return the whole report as one Markdown document."""
    lines = [f"# {report['name']}", "", *_about(report), ""]
    for table in tables_of(report):
        lines += [f"## {table.title}", "", *_markdown_table(table), "", table.note, ""]
    return "\n".join(lines)


def _about(report: Report) -> list[str]:
    task = {"six": "one of the categories", "binary": "hateful or not"}[report["task"]]
    lines = [f"- Question: {task}. Repeats: {report['repeats']}. Began: {report['began'][:10]}."]
    for dataset in report["datasets"]:
        left_out = ", ".join(f"{count:,} {reason}" for reason, count in dataset["left_out"].items())
        more = f"; left out: {left_out}" if left_out else ""
        lines.append(f"- {dataset['name']}: {dataset['items']:,} items, {dataset['hateful']:,} hateful{more}.")
    for arm in report["arms"]:
        models = ", ".join(f"{role} {name}" for role, name in arm["plan"].items())
        lines.append(f"- {arm['name']}: {models}.{_prompts(arm)}")
    lines += [f"- **{remark}**" for remark in remarks_of(report)]
    return lines


def _prompts(arm: Mapping[str, Any]) -> str:
    """Return the sentence about the arm's prompts; empty in reports from before there were prompt sets."""
    chosen = arm.get("prompt_set") or {}
    return f" Prompts: {chosen['name']}, version {chosen['version']}." if chosen.get("name") else ""


def remarks_on_examples(arms: Iterable[tuple[str, Sequence[str]]]) -> list[Phrase]:
    """Return a sentence for each arm (name, perspectives without examples) that has such perspectives."""
    return [Phrase.of(NO_EXAMPLES, arm=arm, perspectives=", ".join(codes)) for arm, codes in arms if codes]


_REMARKS = {"no_search": NO_SEARCH, "contradicted": CONTRADICTED, "ended_early": ENDED_EARLY}
"""What is counted of an arm's runs, and what is said of it."""


def remarks_of(report: Report) -> list[Phrase]:
    """Return the sentences about the arms of a finished report: the baseline, examples, searches, limits.

    Older reports may have none.
    """
    arms = report["arms"]
    built_in = [arm["name"] for arm in arms if arm["no_language_model"]]
    return [
        *(
            [Phrase.of(NO_MODEL)]
            if len(built_in) == len(arms)
            else (Phrase.of(NO_MODEL_IN, arm=name) for name in built_in)
        ),
        *remarks_on_examples((arm["name"], arm.get("without_examples", ())) for arm in arms),
        *(
            Phrase.of(sentence, arm=arm["name"], count=arm[key])
            for key, sentence in _REMARKS.items()
            for arm in arms
            if arm.get(key)
        ),
    ]


def _markdown_table(table: EvaluationTable) -> list[str]:
    rule = ["---" if column.form is ColumnForm.TEXT else "---:" for column in table.columns]
    rows = [[column.title for column in table.columns], rule, *formatted_rows(table)]
    return ["| " + " | ".join(_escaped(text) for text in row) + " |" for row in rows]


def _escaped(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def _at(table: EvaluationTable) -> range:
    return range(len(table.columns))


def _titles(column: Column, wide: bool) -> list[str]:
    return [column.title, f"{column.title} sd"] if wide else [column.title]


def _parts(value: Value, wide: bool) -> Sequence[Any]:
    mean, sd = (value["mean"], value["sd"]) if isinstance(value, Mapping) else (value, None)
    return [mean, sd] if wide else [mean]
