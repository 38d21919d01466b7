"""The files of a finished evaluation: report as JSON and Markdown, tables as CSV, charts as SVG, all answers."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from annotation.domain.columns.items import INJECTED
from annotation.pages.csv_response import csv_file
from moderation.domain.evaluation.answer_lines import answer_line
from moderation.domain.evaluation.answers import Question
from moderation.domain.evaluation.tables.render import csv_rows, markdown
from moderation.domain.evaluation.tables.report_tables import tables_of
from moderation.domain.evaluation.tables.table import EvaluationTable
from moderation.domain.task import Task
from moderation.evaluation.arms import stored_arms
from moderation.evaluation.charts import svg_charts
from moderation.evaluation.report import counted_by, gold_of, outcomes_by_arm
from moderation.models import Evaluation

REPORT_JSON, REPORT_MARKDOWN, ANSWERS = "report.json", "report.md", "answers.jsonl"


def write_report_files(evaluation: Evaluation, folder: Path) -> list[str]:
    """Write all files of a finished evaluation into the folder, and create it if needed. Return the files' names.

    The files of a report that stood there go first: tables of two evaluations side by side could be taken for one.
    """
    assert evaluation.report is not None
    folder.mkdir(parents=True, exist_ok=True)
    _remove_earlier_report(folder)
    tables = tables_of(evaluation.report)
    (folder / REPORT_JSON).write_text(json.dumps(evaluation.report, ensure_ascii=False, indent=1) + "\n", "utf-8")
    (folder / REPORT_MARKDOWN).write_text(markdown(evaluation.report), "utf-8")
    for table in tables:
        (folder / f"{table.key}.csv").write_bytes(table_csv(table))
    charts = list(svg_charts(evaluation.report))
    for name, svg in charts:
        (folder / name).write_text(svg, "utf-8")
    with (folder / ANSWERS).open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in answers(evaluation))
    return [
        REPORT_JSON,
        REPORT_MARKDOWN,
        *(f"{table.key}.csv" for table in tables),
        *(name for name, _svg in charts),
        ANSWERS,
    ]


def _remove_earlier_report(folder: Path) -> None:
    try:
        report = json.loads((folder / REPORT_JSON).read_text("utf-8"))
        names = [f"{table.key}.csv" for table in tables_of(report)] + [name for name, _svg in svg_charts(report)]
    except (
        OSError,
        ValueError,
        LookupError,
        TypeError,
        AttributeError,
    ):  # none, or one that this version does not know
        return
    for name in names:
        (folder / Path(name).name).unlink(missing_ok=True)


def table_csv(table: EvaluationTable) -> bytes:
    """Return the table as CSV with all digits. A spreadsheet cannot run its cells as formulas."""
    return csv_file(csv_rows(table))


def answers(evaluation: Evaluation) -> Iterator[dict[str, Any]]:
    """Yield every answer with the known one and the mark of samples, without texts.

    The lines of one arm and repeat work as `--predictions`.
    """
    arms = stored_arms(evaluation)
    ends = outcomes_by_arm(evaluation, arms, evaluation.runs())
    cases = list(evaluation.cases.order_by("id"))
    question = Question.about(Task(evaluation.task), counted_by(evaluation, cases))
    for arm in arms:
        for number, repeat in enumerate(ends[arm.method, arm.variant]):
            for case in cases:
                if (run_end := repeat.get(str(case.public_id))) is not None:
                    named: dict[str, Any] = {
                        "id": case.external_id,
                        "dataset": case.dataset,
                        "arm": arm.name,
                        "repeat": number,
                    }
                    named[INJECTED] = case.item_id is not None and case.subset == INJECTED
                    yield named | answer_line(gold_of(case), run_end, question)
