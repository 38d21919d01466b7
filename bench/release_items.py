"""Release 100,000 labelled gold items and print how long it took and how much memory it took (design section 13).

    .venv/bin/python bench/release_items.py [--items 100000] [--json]

The script works in a temporary folder; DATABASE_URL may name an *empty* PostgreSQL database instead of the SQLite file.
Goals: at most 20 s and 300 MB for the release with hashes and card, 10 s for the file of a search with labels (JSON
lines, as the page of items gives it). `references`: the same rows read by Django's querysets and written as JSON, and
read from the database alone. The ratios are of processor seconds; those of the release contain its start.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from importlib import import_module
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=100_000)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--export", action="store_true", help=argparse.SUPPRESS)  # the script calls itself
    options = parser.parse_args()
    if options.export:
        print(json.dumps(exported()))
        return
    with tempfile.TemporaryDirectory() as folder:
        os.environ["VAR_DIR"] = folder
        os.environ["MEDIA_ROOT"] = f"{folder}/media"
        os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
        manage("migrate", "--verbosity", "0")
        subprocess.run([sys.executable, "bench/data/fill_gold.py", str(options.items)], check=True, cwd=ROOT)
        began, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
        release = json.loads(manage("release", "bench", "--out", f"{folder}/out", "--json"))
        seconds = time.monotonic() - began
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        peak = after.ru_maxrss  # the largest child so far; filling takes less memory
        began = time.monotonic()
        check = json.loads(manage("check_release", f"{folder}/out", "--json"))
        check_seconds = time.monotonic() - began
        export = json.loads(python("bench/release_items.py", "--export"))
        references = json.loads(python("bench/references/bare_rows.py", "release", "bench"))
        for name in ("bare", "database"):
            references[f"of_{name}"] = round(references[name]["processor"] / cpu, 3)
        goal = 20 * options.items / 100_000
        figures = {
            "items": release["items"],
            "release_seconds": round(seconds, 1),
            "cpu_seconds": round(cpu, 1),
            "items_per_second": round(release["items"] / seconds),
            "peak_mb": round(peak / 1024),
            "megabytes": round(sum(path.stat().st_size for path in Path(folder, "out").rglob("*")) / 2**20),
            "check_seconds": round(check_seconds, 1),
            "export_seconds": export["seconds"],
            "export_processor": export["processor"],
            "references": references,
            "ok": check["ok"] and seconds <= goal and export["seconds"] <= goal / 2 and peak <= 300 * 1024,
        }
    print(json.dumps(figures) if options.json else "\n".join(f"{name}: {value}" for name, value in figures.items()))
    sys.exit(not figures["ok"])


def exported() -> dict[str, float]:
    """Read the file that the page of items gives an admin: every item with its labels, as JSON lines."""
    sys.path.insert(0, str(ROOT))
    import_module("django").setup()
    models = import_module("annotation.models")
    project = models.Project.objects.get(slug="bench")
    admin = models.Membership.objects.create(project=project, pseudonym="admin", administers=True, reviews=True)
    began, spent = time.monotonic(), time.process_time()
    size = sum(map(len, import_module("annotation.items.export").as_jsonl(admin, {})))
    assert size > 100 * project.items.count()
    return {"seconds": round(time.monotonic() - began, 1), "processor": round(time.process_time() - spent, 1)}


def manage(*arguments: str) -> str:
    return python("manage.py", *arguments)


def python(*arguments: str) -> str:
    run = [sys.executable, *arguments]
    return subprocess.run(
        run, check=True, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ).stdout


if __name__ == "__main__":
    main()
