"""Tables as text: cells for people, Markdown, and rows for CSV with every digit."""

from collections.abc import Mapping, Sequence
from typing import Any

from moderation.domain.evaluation.table_shapes import Column, Form, Report, Table, Value
from moderation.domain.evaluation.tables import tables_of

NOTHING = "–"
NO_MODEL = "No language model was used: the built-in keyword baseline answered, by cues in the text alone."


def cell(value: Value, form: Form) -> str:
    """A value as people read it; a spread as mean and deviation."""
    if value is None:
        return NOTHING
    if isinstance(value, Mapping):
        mean = cell(value["mean"], form)
        return mean if value["sd"] is None else f"{mean} (± {cell(value['sd'], form)})"
    match form:
        case Form.COUNT:
            return f"{value:,}"
        case Form.PERCENT:
            return f"{100 * value:.2f}"
        case Form.PERCENT1:
            return f"{100 * value:.1f}"
        case Form.SHARE:
            return f"{value:.3f}"
        case Form.P:
            return "< 0.0001" if value < 0.0001 else f"{value:.4f}"
        case Form.MONEY:
            return f"{value:.4f}"
        case Form.SECONDS:
            return f"{value:,.1f} s"
        case Form.TEXT:
            return str(value)


def written(table: Table) -> list[list[str]]:
    """The rows as people read them."""
    return [[cell(value, column.form) for value, column in zip(row, table.columns, strict=True)] for row in table.rows]


def csv_rows(table: Table) -> list[list[Any]]:
    """Header and rows with every digit; a spread takes two columns."""
    spreads = [
        any(isinstance(row[at], Mapping) and row[at]["sd"] is not None for row in table.rows) for at in _at(table)
    ]
    header = [title for column, wide in zip(table.columns, spreads, strict=True) for title in _titles(column, wide)]
    rows = [
        [part for value, wide in zip(row, spreads, strict=True) for part in _parts(value, wide)] for row in table.rows
    ]
    return [header, *rows]


def markdown(report: Report) -> str:
    """The whole report as one document."""
    lines = [f"# {report['name']}", "", *_about(report), ""]
    for table in tables_of(report):
        lines += [f"## {table.title}", "", *_markdown_table(table), "", table.note, ""]
    return "\n".join(lines)


def _about(report: Report) -> list[str]:
    task = {"six": "one of the categories", "binary": "hateful or not"}[report["task"]]
    lines = [f"- Question: {task}. Repeats: {report['repeats']}. Began: {report['began'][:10]}."]
    for dataset in report["datasets"]:
        left = ", ".join(f"{count:,} {why}" for why, count in dataset["left_out"].items())
        more = f"; left out: {left}" if left else ""
        lines.append(f"- {dataset['name']}: {dataset['items']:,} items, {dataset['hateful']:,} hateful{more}.")
    for arm in report["arms"]:
        models = ", ".join(f"{role} {name}" for role, name in arm["plan"].items())
        lines.append(f"- {arm['name']}: {models}.")
    if any(arm["no_language_model"] for arm in report["arms"]):
        lines.append(f"- **{NO_MODEL}**")
    return lines


def _markdown_table(table: Table) -> list[str]:
    rule = ["---" if column.form is Form.TEXT else "---:" for column in table.columns]
    rows = [[column.title for column in table.columns], rule, *written(table)]
    return ["| " + " | ".join(_escaped(each) for each in row) + " |" for row in rows]


def _escaped(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def _at(table: Table) -> range:
    return range(len(table.columns))


def _titles(column: Column, wide: bool) -> list[str]:
    return [column.title, f"{column.title} sd"] if wide else [column.title]


def _parts(value: Value, wide: bool) -> Sequence[Any]:
    mean, sd = (value["mean"], value["sd"]) if isinstance(value, Mapping) else (value, None)
    return [mean, sd] if wide else [mean]
