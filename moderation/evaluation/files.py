"""The files of a finished evaluation: report as JSON and Markdown, tables as CSV, charts as SVG, all answers."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from annotation.core.csv_response import csv_file
from moderation.domain.evaluation.outcomes import RunEnd
from moderation.domain.evaluation.render import csv_rows, markdown
from moderation.domain.evaluation.report_tables import tables_of
from moderation.domain.evaluation.table import EvaluationTable
from moderation.domain.predict.protocol import missing_perspectives
from moderation.evaluation.arms import stored_arms
from moderation.evaluation.charts import svg_charts
from moderation.evaluation.report import outcomes_by_arm
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
    """Yield every answer with the known one, without texts. The lines of one arm and repeat work as `--predictions`."""
    arms = stored_arms(evaluation)
    ends = outcomes_by_arm(evaluation, arms, evaluation.runs())
    cases = list(evaluation.cases.order_by("id"))
    for arm in arms:
        for number, repeat in enumerate(ends[arm.method, arm.variant]):
            for case in cases:
                run_end = repeat.get(str(case.public_id))
                if run_end is None:
                    continue
                answer = run_end.label if evaluation.task == "six" else run_end.hateful
                yield (
                    {
                        "id": case.external_id,
                        "dataset": case.dataset,
                        "arm": arm.name,
                        "repeat": number,
                        "state": run_end.state,
                        "label": int(answer) if answer is not None else None,
                        "refusal": run_end.state == "refused",
                        "reason_code": run_end.reason or None,
                        "reason": run_end.explanation,
                        **({"way": run_end.way, "rounds": run_end.rounds} if run_end.way else {}),
                        "calls": run_end.calls,
                        "tokens": run_end.tokens,
                        "gold": case.gold_label if evaluation.task == "six" else int(case.gold_hateful),
                        **({"gold_categories": case.gold_labels} if case.gold_labels else {}),
                    }
                    | _votes(run_end)
                    | _troubles(run_end)
                )


def _votes(run_end: RunEnd) -> dict[str, Any]:
    """Return the vote of each perspective, and why some are missing; nothing for methods without perspectives."""
    if not run_end.stances:
        return {}
    votes = {row["perspective"]: row["stance"] for row in run_end.stances}
    return {"votes": votes, "missing": missing_perspectives(run_end.stances)}


def _troubles(run_end: RunEnd) -> dict[str, Any]:
    """Return what went wrong with the run's searches and the limit that it ended at; nothing if all went well."""
    troubles = {"no_search": run_end.no_search, "faults": list(run_end.faults), "limit": run_end.limit}
    return {name: value for name, value in troubles.items() if value}
