"""256 runs, 64 at a time, one worker, a model that answers in 200 ms: how near to the ideal (design section 13).

    .venv/bin/python bench/runs.py [--json]

Three figures: 256 runs of eight questions in a row (as deep as a debate), one burst of 64 such runs, and 256 priors
of one question each, where the work around the call weighs most. Works in a folder of its own; DATABASE_URL may name
an *empty* PostgreSQL database, CELERY_BROKER_URL a broker. Wanted: 80 % of the ideal, 75 % for the burst; the priors
are for information.
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
AT_ONCE, DELAY, TURNS = 64, 0.2, 8
WANTED, WANTED_BURST = 0.80, 0.75


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        os.environ |= {
            "VAR_DIR": name,
            "TMPDIR": name,
            "DJANGO_SETTINGS_MODULE": "config.settings",
            "PYTHONPATH": str(ROOT),
            "OPENAI_API_KEY": "unused",
            "MODEL_TEXT": "openai:wire-sensible",
            "MODEL_CALLS_AT_ONCE": str(AT_ONCE),
            "RUN_BELLS": str(AT_ONCE),
            "LOG_LEVEL": "WARNING",
        }
        server = start("tests/wire/server.py", "--port", "0", "--delay", str(DELAY), stdout=subprocess.PIPE)
        assert server.stdout
        os.environ["OPENAI_BASE_URL"] = server.stdout.readline().decode().strip().partition("=")[2]
        manage("migrate", "--verbosity", "0")
        celery = ["-m", "celery", "-A", "config.celery", "worker", "-P", "threads", "-c", str(AT_ONCE)]
        worker = start(*celery, "-l", "ERROR", "-I", "bench.chain_method", stdout=subprocess.DEVNULL)
        try:
            time.sleep(6)  # a worker that is awake: its start is not part of the figure
            figures = measured(worker.pid)
        finally:
            for process in (worker, server):
                os.killpg(process.pid, signal.SIGKILL)
    figures["ok"] = figures["runs"]["of_ideal"] >= WANTED and figures["burst"]["of_ideal"] >= WANTED_BURST
    print(json.dumps(figures) if options.json else "\n".join(f"{name}: {value}" for name, value in figures.items()))
    sys.exit(not figures["ok"])


def measured(worker: int) -> dict[str, Any]:
    shell("from bench.chain_method import queue; queue(2)")  # connections, prompts and SDK are loaded
    wait_for("chain", 2, 1.0)
    figures = {}
    for name, count in (("runs", 256), ("burst", AT_ONCE)):
        before = cpu_seconds(worker)
        shell(f"from bench.chain_method import queue; queue({count}, alone=True)")
        figures[name] = wait_for("chain", count, count / AT_ONCE * TURNS * DELAY)
        figures[name]["cpu_ms_a_call"] = round(1000 * (cpu_seconds(worker) - before) / count / TURNS, 2)
    posts = Path(os.environ["VAR_DIR"]) / "posts.csv"
    rows = [f"p-{number},Post {number}: a remark about weeds and roses in a garden." for number in range(256)]
    posts.write_text("\n".join(["id,text", *rows]), encoding="utf-8")
    manage("create_project", "garden", "--json")
    manage("import_items", "garden", str(posts), "--json")
    manage("compute_priors", "garden", "--no-wait", "--json")
    figures["priors"] = wait_for("prior", 256, 256 / AT_ONCE * DELAY)
    return figures


def wait_for(method: str, count: int, ideal: float) -> dict[str, Any]:
    """Wait until all runs of the method have ended; how long it took by the database's clock."""
    until = time.monotonic() + 120
    while time.monotonic() < until:
        time.sleep(ideal)
        found = json.loads(shell(f"from bench.chain_method import figures; figures({method!r})"))
        if not found["left"] and found["done"] == count:
            return {
                "runs": count,
                "seconds": round(found["seconds"], 2),
                "ideal": ideal,
                "of_ideal": round(ideal / found["seconds"], 3),
            }
    raise SystemExit(f"The runs of {method} did not end: {found}")


def cpu_seconds(pid: int) -> float:
    """The processor time of a process so far (Linux; 0 elsewhere): on a busy machine it says more than the clock."""
    try:
        spent = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(spent[11]) + int(spent[12])) / os.sysconf("SC_CLK_TCK")


def start(*arguments: str, **more: Any) -> "subprocess.Popen[bytes]":
    return subprocess.Popen([sys.executable, *arguments], cwd=ROOT, start_new_session=True, **more)


def manage(*arguments: str) -> str:
    done = subprocess.run([sys.executable, "manage.py", *arguments], cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{' '.join(arguments[:2])} failed:\n{done.stderr[-2000:]}")
    return done.stdout.strip().splitlines()[-1] if done.stdout.strip() else ""


def shell(code: str) -> str:
    return manage("shell", "--no-imports", "-c", code)


if __name__ == "__main__":
    main()
