"""`make bench`: run the benchmarks of design section 13 one after the other, and print which figures reach their goals.

    .venv/bin/python -m bench [claim_and_submit import_items release_items runs …] [--json]

If DATABASE_URL names a PostgreSQL server, each script gets an empty database there (created and dropped); otherwise a
SQLite file. Absolute times depend on the machine; ratios are measured within one run.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
from psycopg import sql

ROOT = Path(__file__).resolve().parent.parent


def main() -> None:
    known = sorted(path.stem for path in Path(__file__).parent.glob("*.py") if takes_part(path))
    parser = argparse.ArgumentParser(
        prog="bench", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"which: {', '.join(known)}; default: all")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if unknown := set(options.names) - set(known):
        parser.error(f"no such bench: {', '.join(sorted(unknown))}")
    figures = {}
    for name in options.names or known:
        figures[name] = measure(name)
        if not options.json:
            show(name, figures[name])
    if options.json:
        print(json.dumps(figures))
    sys.exit(not all(result.get("ok") for result in figures.values()))


def takes_part(path: Path) -> bool:
    """Return whether a script is a benchmark: benchmarks take --json, the other files are parts of them."""
    return path.stem != "__main__" and 'add_argument("--json"' in path.read_text(encoding="utf-8")


def measure(name: str) -> dict[str, object]:
    with empty_database(name) as environment:
        command = [sys.executable, f"bench/{name}.py", "--json"]
        completed = subprocess.run(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True, check=False)
    try:
        figures = json.loads(completed.stdout)
        assert isinstance(figures, dict)
    except (ValueError, AssertionError):
        return {"ok": False, "fault": f"ended with {completed.returncode} and no figures"}
    return figures


@contextmanager
def empty_database(name: str) -> Iterator[dict[str, str]]:
    """Yield the environment of one script. With PostgreSQL it names an empty database, which is dropped afterwards."""
    address = os.environ.get("DATABASE_URL", "")
    if not address.startswith("postgres"):
        yield dict(os.environ)
        return
    parts = urlsplit(address)
    database = f"bench_{name}_{os.getpid()}_{int(time.time())}"
    with psycopg.connect(address, autocommit=True) as server:
        server.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(database)))
        try:
            yield os.environ | {"DATABASE_URL": parts._replace(path=f"/{database}").geturl()}
        finally:
            server.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(database)))


def show(name: str, figures: dict[str, object]) -> None:
    print(f"{name}: {'holds' if figures.get('ok') else 'DOES NOT HOLD'}")
    for figure, value in figures.items():
        if figure != "ok":
            print(f"  {figure.replace('_', ' ')}: {value}")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
