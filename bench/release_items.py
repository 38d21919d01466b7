"""Release 100,000 labelled gold items and print how long it took and how much memory it took (design section 13).

    .venv/bin/python bench/release_items.py [--items 100000] [--json]

The script works in a temporary folder; DATABASE_URL may name an *empty* PostgreSQL database instead of the SQLite file.
Goals: at most 30 s (and 3 s for the start) and 300 MB for the release with hashes and card.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=100_000)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["VAR_DIR"] = folder
        os.environ["MEDIA_ROOT"] = f"{folder}/media"
        os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
        manage("migrate", "--verbosity", "0")
        subprocess.run([sys.executable, "bench/fill_gold.py", str(options.items)], check=True, cwd=ROOT)
        began, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
        release = json.loads(manage("release", "bench", "--out", f"{folder}/out", "--json"))
        seconds = time.monotonic() - began
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        peak = after.ru_maxrss  # the largest child so far; filling takes less memory
        began = time.monotonic()
        check = json.loads(manage("check_release", f"{folder}/out", "--json"))
        figures = {
            "items": release["items"],
            "release_seconds": round(seconds, 1),
            "cpu_seconds": round(cpu, 1),
            "items_per_second": round(release["items"] / seconds),
            "peak_mb": round(peak / 1024),
            "megabytes": round(sum(path.stat().st_size for path in Path(folder, "out").rglob("*")) / 2**20),
            "check_seconds": round(time.monotonic() - began, 1),
            "ok": check["ok"] and seconds <= 30 * options.items / 100_000 + 3 and peak <= 300 * 1024,
        }
    print(json.dumps(figures) if options.json else "\n".join(f"{name}: {value}" for name, value in figures.items()))
    sys.exit(not figures["ok"])


def manage(*arguments: str) -> str:
    run = [sys.executable, "manage.py", *arguments]
    return subprocess.run(
        run, check=True, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ).stdout


if __name__ == "__main__":
    main()
