"""`make bench`: measure what the site promises, and print one table: each number, its goal and its ratios, the commit.

    .venv/bin/python -m bench [claim_and_submit import_items …] [--json] [--small]
    .venv/bin/python -m bench --check [--rounds 3] [--accept] [NAME …]

Without names it runs the benches of the table (bench/promised_numbers.py); others, such as `hatexscore`, run by their
names and print their own figures. If DATABASE_URL names a PostgreSQL server, each script gets an empty database there
(created and dropped); otherwise a SQLite file. Absolute times depend on the machine; ratios are of one run.

`--small` takes fewer rows. `--check` (`make bench-check`) does so too: it runs the benches that have ratios several
times and compares the median of each ratio with bench/baseline.json; more than 15 % less fails. `--accept` writes the
medians there instead, with the commit.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psycopg
from psycopg import sql

from bench.comparison import compare, medians
from bench.promised_numbers import BENCHES, NUMBERS, ratios, table

ROOT = Path(__file__).resolve().parent.parent
BASELINE = ROOT / "bench" / "baseline.json"
SMALL: Mapping[str, Sequence[str]] = {
    "start": ("--times", "3"),
    "import_items": ("--items", "10000", "--plain"),
    "release_items": ("--items", "10000"),
    "analytics": ("--items", "10000"),
    "claim_and_submit": ("--seconds", "6", "--sizes", "1000,10000"),
}
"""What a bench is asked for less; the others have one size."""

Figures = dict[str, dict[str, Any]]


def main() -> None:
    known = sorted(path.stem for path in Path(__file__).parent.glob("*.py") if takes_part(path))
    parser = argparse.ArgumentParser(
        prog="bench", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"which: {', '.join(known)}; default: the table's")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--small", action="store_true", help="fewer rows")
    parser.add_argument("--items", help="the sizes that `scale` compares, as 10000,1000000")
    parser.add_argument("--check", action="store_true", help="compare the ratios with bench/baseline.json")
    parser.add_argument("--accept", action="store_true", help="write the ratios to bench/baseline.json")
    parser.add_argument("--rounds", type=int, default=3, help="of --check and --accept (default %(default)s)")
    options = parser.parse_args()
    if unknown := set(options.names) - set(known):
        parser.error(f"no such bench: {', '.join(sorted(unknown))}")
    if options.check or options.accept:
        sys.exit(checked(options))
    sizes = ("--items", options.items) if options.items else ()
    names = options.names or BENCHES
    figures = {name: measure(name, sizes) for name in ("scale",) if name in names}
    figures |= measure_all([name for name in names if name not in figures], small=options.small)
    if options.json:
        print(json.dumps({"commit": commit(), **figures}))
    else:
        show_all(figures)
    sys.exit(not all(result.get("ok") for result in figures.values()))


def checked(options: argparse.Namespace) -> int:
    """Measure the ratios several times. Write them down, or return 1 if one is lost or was not measured."""
    numbers = [number for number in NUMBERS if number.ratios and number.bench in (options.names or BENCHES)]
    names = tuple(dict.fromkeys(number.bench for number in numbers))
    rounds = [ratios(numbers, measure_all(names, small=True)) for _ in range(options.rounds)]
    stored = json.loads(BASELINE.read_text(encoding="utf-8")) if BASELINE.exists() else {"ratios": {}}
    if options.accept:
        accepted = stored["ratios"] | {name: round(ratio, 3) for name, ratio in medians(rounds).items()}
        text = json.dumps({"commit": commit(), "ratios": accepted}, indent=2, ensure_ascii=False)
        BASELINE.write_text(f"{text}\n", encoding="utf-8")
    titles = tuple(f"{number.title}: " for number in numbers)
    baseline = {name: ratio for name, ratio in stored["ratios"].items() if name.startswith(titles)}
    compared = compare(baseline, rounds)
    for one in compared:
        before, now = (f"{ratio:.3g}" if ratio is not None else "–" for ratio in (one.before, one.now))
        print(f"{one.name}: {before} → {now}  {one.standing}")
    return 0 if options.accept else int(any(one.fails for one in compared))


def measure_all(names: Sequence[str], *, small: bool) -> Figures:
    return {name: measure(name, SMALL.get(name, ()) if small else ()) for name in names}


def takes_part(path: Path) -> bool:
    """Return whether a script is a benchmark: benchmarks take --json, the other files are parts of them."""
    return path.stem != "__main__" and 'add_argument("--json"' in path.read_text(encoding="utf-8")


def measure(name: str, arguments: Sequence[str] = ()) -> dict[str, Any]:
    with empty_database(name) as environment:
        command = [sys.executable, f"bench/{name}.py", "--json", *arguments]
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


def commit() -> str:
    """Return the commit that is measured; with a plus sign if files differ from it."""
    git = ["git", "describe", "--always", "--dirty=+", "--exclude=*"]
    return subprocess.run(git, cwd=ROOT, capture_output=True, text=True, check=False).stdout.strip() or "no commit"


def show_all(figures: Figures) -> None:
    """Print the table, then the figures of benches that have no line in it (or their own table), and what failed."""
    if set(figures) & set(BENCHES):
        print("\n".join(table(NUMBERS, figures, commit())))
    for name, result in figures.items():
        if name not in BENCHES:
            show(name, result)
        elif "fault" in result:
            print(f"{name}: {result['fault']}")


def show(name: str, figures: Mapping[str, Any]) -> None:
    print(f"{name}: {'holds' if figures.get('ok') else 'DOES NOT HOLD'}")
    if "table" in figures:
        print("\n".join(figures["table"]))
        figures = {}
    for figure, value in figures.items():
        if figure != "ok":
            print(f"  {figure.replace('_', ' ')}: {value}")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
