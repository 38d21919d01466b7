"""Measure agreement with intervals, quality of annotators and influence of priors at 100,000 items.

    .venv/bin/python bench/analytics.py [--items 100000] [--json]

The three reports are read one after the other, as their pages read them, in one process that has started. `of_bare`
and `of_database` compare their processor seconds with reading the same labels once: as Django's objects, and as rows.
Goal: 5 s together by the clock. DATABASE_URL may name an *empty* PostgreSQL database instead of the SQLite file.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from importlib import import_module
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

WANTED = 5.0
REPORTS = (
    ("agreement", "annotation.analytics.agreement.labels", "read_agreement"),
    ("quality", "annotation.analytics.quality.annotators", "read_quality"),
    ("influence", "annotation.analytics.influence.figures", "read_influence"),
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--items", type=int, default=100_000)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {"VAR_DIR": folder, "DJANGO_SETTINGS_MODULE": "config.settings", "LOG_LEVEL": "WARNING"}
        python("manage.py", "migrate", "--verbosity", "0")
        python("bench/data/fill_gold.py", str(options.items))
        references = json.loads(python("bench/references/bare_rows.py", "labels", "bench"))
        figures = measured()
    figures["of_bare"] = round(references["bare"]["processor"] / figures["processor_seconds"], 3)
    figures["of_database"] = round(references["database"]["processor"] / figures["processor_seconds"], 3)
    figures["ok"] = figures["seconds"] <= WANTED
    print(json.dumps(figures) if options.json else "\n".join(f"{name}: {value}" for name, value in figures.items()))
    sys.exit(not figures["ok"])


def measured() -> dict[str, Any]:
    """Read the three reports of the project `bench`. Return the seconds of each and of all."""
    import_module("django").setup()
    project = import_module("annotation.models").Project.objects.get(slug="bench")
    import_module("config.late_modules").load("numpy", "krippendorff")
    each: dict[str, float] = {}
    spent = time.process_time()
    for name, module, function in REPORTS:
        read = getattr(import_module(module), function)
        began = time.monotonic()
        read(project)
        each[name] = round(time.monotonic() - began, 2)
    spent = time.process_time() - spent
    import_module("django.db").connection.close()
    return {"seconds": round(sum(each.values()), 2), "processor_seconds": round(spent, 2), "each": each}


def python(*arguments: str) -> str:
    return subprocess.run([sys.executable, *arguments], check=True, cwd=ROOT, stdout=subprocess.PIPE, text=True).stdout


if __name__ == "__main__":
    main()
