"""The files of a finished evaluation: report as JSON and Markdown, tables as CSV, drawings as SVG, every answer."""

import csv
import io
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from annotation.domain.spreadsheets import neutralized
from moderation import evaluating
from moderation.domain.evaluation.rendering import csv_rows, markdown
from moderation.domain.evaluation.table_shapes import Table
from moderation.domain.evaluation.tables import tables_of
from moderation.evaluation_pictures import drawings
from moderation.models import Evaluation
from moderation.weighing import ends_of

REPORT_JSON, REPORT_MARKDOWN, ANSWERS = "report.json", "report.md", "answers.jsonl"


def write(evaluation: Evaluation, folder: Path) -> list[str]:
    """Write all files of a finished evaluation into the folder, which is made; answers their names."""
    assert evaluation.report is not None
    folder.mkdir(parents=True, exist_ok=True)
    tables = tables_of(evaluation.report)
    (folder / REPORT_JSON).write_text(json.dumps(evaluation.report, ensure_ascii=False, indent=1) + "\n", "utf-8")
    (folder / REPORT_MARKDOWN).write_text(markdown(evaluation.report), "utf-8")
    for table in tables:
        (folder / f"{table.key}.csv").write_bytes(table_csv(table))
    drawn = list(drawings(evaluation.report))
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


def table_csv(table: Table) -> bytes:
    """The table with every digit, safe to open in a spreadsheet."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerows([_safe(row) for row in csv_rows(table)])
    return b"\xef\xbb\xbf" + out.getvalue().encode(errors="replace")


def answers(evaluation: Evaluation) -> Iterator[dict[str, Any]]:
    """Every answer with its gold, without the texts; lines of one arm and repeat are again `--predictions`."""
    arms = evaluating.arms(evaluation)
    ends = ends_of(evaluation, arms, evaluating.runs_of(evaluation))
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


def _safe(row: Sequence[Any]) -> list[Any]:
    return [neutralized(value) if isinstance(value, str) else value for value in row]
