"""Import 100,000 items and print how fast it was and how much memory it took (design section 13).

    .venv/bin/python bench/import_items.py [--items 100000] [--json]

Four imports: posts with an intended category; the same as a workbook (xlsx); posts with two priors each as well; posts
with three labels each, which close them. The script works in a temporary folder; DATABASE_URL may name an *empty*
PostgreSQL database instead of the SQLite file. Goals on PostgreSQL for the first import: 12,000 posts a second, 300 MB.
The others have no goal: a workbook is unpacked first, and priors and labels are three and seven rows a post.
`--plain` measures the first only.

`references`: the same rows of the first import by Django's `bulk_create`, without a check, and the bare rows into the
database. The ratios are of processor seconds, which say more than the clock on a busy machine; the import's contain
its start.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import openpyxl

ROOT = Path(__file__).resolve().parent.parent
CATEGORIES = [
    {"code": 0, "name": "NotHate", "hateful": False},
    {"code": 1, "name": "Racist", "hateful": True},
    {"code": 2, "name": "Sexist", "hateful": True},
]
WANTED_RATE, WANTED_MB = 12_000, 300


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=100_000)
    parser.add_argument("--plain", action="store_true", help="no workbook, no priors, no labels")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        os.environ["VAR_DIR"] = name
        os.environ["MEDIA_ROOT"] = f"{name}/media"
        os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
        manage("migrate", "--verbosity", "0")
        (folder / "categories.json").write_text(json.dumps(CATEGORIES))
        figures = {"plain": measured(folder, "plain", options.items, plain_rows(options.items))}
        figures["references"] = references(folder / "plain.jsonl", "plain", figures["plain"]["processor_seconds"])
        if not options.plain:
            figures |= {
                "workbook": measured(folder, "workbook", options.items, plain_rows(options.items), as_workbook),
                "priors": measured(folder, "priors", options.items, prior_rows(options.items)),
                "labelled": measured(folder, "labelled", options.items, labelled_rows(options.items)),
            }
    plain = figures["plain"]
    figures["ok"] = plain["items_per_second"] >= WANTED_RATE and plain["peak_mb"] <= WANTED_MB
    print(json.dumps(figures) if options.json else "\n".join(f"{name}: {value}" for name, value in figures.items()))
    sys.exit(not figures["ok"])


def text(number: int) -> str:
    return f"Post {number}: a remark about weeds and roses in a garden, and then some more words to fill a usual post."


def plain_row(number: int) -> dict[str, Any]:
    return {"id": f"i-{number}", "text": text(number), "intended": number % 3, "source": "sample"}


def plain_rows(count: int) -> Iterator[dict[str, Any]]:
    return map(plain_row, range(count))


def prior_rows(count: int) -> Iterator[dict[str, Any]]:
    for number in range(count):
        yield plain_row(number) | {
            "text_label": 0,
            "text_explanation": "A remark about a garden; no group is named.",
            "text_model": "sample",
            "image_label": number % 3,
            "image_explanation": "A fence and some roses.",
            "image_model": "sample",
        }


def labelled_rows(count: int) -> Iterator[dict[str, Any]]:
    for number in range(count):
        labels = [{"annotator": f"a{(number + seat) % 40}", "category": number % 3} for seat in range(3)]
        yield {"id": f"i-{number}", "text": text(number), "labels": labels}


Rows = Iterator[dict[str, Any]]


def as_lines(folder: Path, slug: str, rows: Rows) -> Path:
    file = folder / f"{slug}.jsonl"
    with file.open("w") as lines:
        for row in rows:
            lines.write(json.dumps(row) + "\n")
    return file


def as_workbook(folder: Path, slug: str, rows: Rows) -> Path:
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet("Posts")
    for number, row in enumerate(rows):
        if not number:
            sheet.append(list(row))
        sheet.append(list(row.values()))
    file = folder / f"{slug}.xlsx"
    book.save(file)
    return file


def measured(
    folder: Path, slug: str, count: int, rows: Rows, written: Callable[[Path, str, Rows], Path] = as_lines
) -> dict[str, Any]:
    """Import the rows in a child process. Return rate and memory, including the start of the process."""
    file = written(folder, slug, rows)
    manage("create_project", slug, "--categories", str(folder / "categories.json"), "--json")
    began = time.monotonic()
    child = subprocess.Popen(
        [sys.executable, "manage.py", "import_items", slug, str(file), "--json"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert child.stdout is not None
    result = json.loads(child.stdout.read())
    _, status, usage = os.wait4(child.pid, 0)
    seconds = time.monotonic() - began
    if status != 0 or result["items"] != count:
        raise SystemExit(f"The import failed: {result}")
    return {
        "items": count,
        "seconds": round(seconds, 1),
        "items_per_second": round(count / seconds),
        "processor_seconds": round(usage.ru_utime + usage.ru_stime, 1),
        "peak_mb": round(usage.ru_maxrss / 1024),
    }


def references(file: Path, slug: str, processor_seconds: float) -> dict[str, Any]:
    """Return what bare Django and the database need for the same rows, and the shares of their speed."""
    run = [sys.executable, "bench/references/bare_rows.py", "import", str(file), slug]
    found: dict[str, Any] = json.loads(subprocess.run(run, check=True, cwd=ROOT, stdout=subprocess.PIPE).stdout)
    for name in ("bare", "database"):
        found[f"of_{name}"] = round(found[name]["processor"] / processor_seconds, 3)
    return found


def manage(*arguments: str) -> None:
    run = [sys.executable, "manage.py", *arguments]
    subprocess.run(run, check=True, cwd=ROOT, stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL)


if __name__ == "__main__":
    main()
