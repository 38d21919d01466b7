"""The files of a finished evaluation: report as JSON and Markdown, tables as CSV, drawings as SVG, every answer."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from annotation.core.csv_response import csv_file
from moderation.domain.evaluation.render import csv_rows, markdown
from moderation.domain.evaluation.report_tables import tables_of
from moderation.domain.evaluation.table import EvaluationTable
from moderation.evaluation import job
from moderation.evaluation.charts import svg_charts
from moderation.evaluation.report import outcomes_by_arm
from moderation.models import Evaluation

REPORT_JSON, REPORT_MARKDOWN, ANSWERS = "report.json", "report.md", "answers.jsonl"


def write_report_files(evaluation: Evaluation, folder: Path) -> list[str]:
    """Write all files of a finished evaluation into the folder, which is made; answers their names."""
    assert evaluation.report is not None
    folder.mkdir(parents=True, exist_ok=True)
    tables = tables_of(evaluation.report)
    (folder / REPORT_JSON).write_text(json.dumps(evaluation.report, ensure_ascii=False, indent=1) + "\n", "utf-8")
    (folder / REPORT_MARKDOWN).write_text(markdown(evaluation.report), "utf-8")
    for table in tables:
        (folder / f"{table.key}.csv").write_bytes(table_csv(table))
    drawn = list(svg_charts(evaluation.report))
    for name, svg in drawn:
        (folder / name).write_text(svg, "utf-8")
    with (folder / ANSWERS).open("w", encoding="utf-8") as out:
        out.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in answers(evaluation))
    return [
        REPORT_JSON,
        REPORT_MARKDOWN,
        *(f"{table.key}.csv" for table in tables),
        *(name for name, _svg in drawn),
        ANSWERS,
    ]


def table_csv(table: EvaluationTable) -> bytes:
    """Return the table with every digit, safe to open in a spreadsheet."""
    return csv_file(csv_rows(table))


def answers(evaluation: Evaluation) -> Iterator[dict[str, Any]]:
    """Every answer with its gold, without the texts; lines of one arm and repeat are again `--predictions`."""
    arms = job.arms(evaluation)
    ends = outcomes_by_arm(evaluation, arms, job.runs_of(evaluation))
    cases = list(evaluation.cases.order_by("id"))
    for arm in arms:
        for number, repeat in enumerate(ends[arm.method, arm.variant]):
            for case in cases:
                ended = repeat.get(str(case.public_id))
                if ended is None:
                    continue
                said = ended.label if evaluation.task == "six" else ended.hateful
                yield {
                    "id": case.external_id,
                    "dataset": case.dataset,
                    "arm": arm.name,
                    "repeat": number,
                    "state": ended.state,
                    "label": int(said) if said is not None else None,
                    "refusal": ended.state == "refused",
                    "reason_code": ended.reason or None,
                    "reason": ended.explanation,
                    "gold": case.gold_label if evaluation.task == "six" else int(case.gold_hateful),
                }
