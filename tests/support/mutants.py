"""Count how many small faults in the rules of `domain/` the nearest tests notice (`make mutants`).

cosmic-ray changes one place of a module at a time, in a copy under var/, never in the checkout. The tests run in a fork
of this process, which has loaded pytest and its plugins, and without Django where they need none: a mutant takes half a
second. docs/mutants.md says what is counted and lists the survivors that no test can notice.
"""

import ast
import os
import re
import shutil
import signal
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from difflib import unified_diff
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, NamedTuple

import cosmic_ray.plugins
import pytest
from cosmic_ray.mutating import use_mutation
from cosmic_ray.work_db import WorkDB, use_db
from cosmic_ray.work_item import TestOutcome as Outcome
from cosmic_ray.work_item import WorkerOutcome, WorkResult

ROOT = Path(__file__).resolve().parents[2]
COPY = ROOT / "var" / "mutants" / "tree"
PYTEST = ("-x", "-q", "-p", "no:cacheprovider", "-p", "no:unraisableexception", "-n", "0", "--hypothesis-seed=0")
WITH_DJANGO = ("--hypothesis-profile=quick",)
WITHOUT = ("-p", "no:django", "--noconftest", "-o", "addopts=--import-mode=importlib")
"""No unknown setting (Django's) is an error then."""
_LISTED = re.compile(r"^- `(?P<module>[^`]+\.py)`: `(?P<line>[^`]+)`: \S")


class Count(NamedTuple):
    """The mutants of one module; `unexplained` holds the changed lines of survivors that the page does not list."""

    module: str
    mutants: int
    survived: int
    unexplained: tuple[str, ...]

    def row(self) -> str:
        share = 100 * self.survived / self.mutants if self.mutants else 0.0
        return f"| {self.module} | {self.mutants} | {self.mutants - self.survived} | {self.survived} | {share:.1f} % |"


def listed_survivors(page: str) -> set[tuple[str, str]]:
    """Return module and changed line of each survivor that the page lists with a reason."""
    return {(match["module"], match["line"]) for line in page.splitlines() if (match := _LISTED.match(line))}


def changed_line(diff: str) -> str:
    """Return the first line that the mutant adds; if it only removes one, that line after a -."""
    lines = [line for line in diff.splitlines() if line[:1] in "+-" and not line.startswith(("+++", "---"))]
    added = [line[1:].strip() for line in lines if line.startswith("+")]
    return added[0] if added else f"-{next(filter(None, (line[1:].strip() for line in lines)), '')}"


def typed_spans(source: str) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Return start and end, as (line, column), of annotations and of what decorates classes (`frozen=True`).

    mypy checks them, tests do not.
    """
    owners = list(ast.walk(ast.parse(source)))
    nodes = [getattr(owner, name, None) for owner in owners for name in ("annotation", "returns")]
    nodes += [decorator for owner in owners if isinstance(owner, ast.ClassDef) for decorator in owner.decorator_list]
    return [((n.lineno, n.col_offset), (n.end_lineno, n.end_col_offset)) for n in nodes if n is not None]


def nearest_tests(module: str, root: Path) -> str:
    """Return the mirrored test file of a module, or the nearest folder of tests that exists."""
    mirrored = Path("tests", module).with_name(f"test_{Path(module).name}")
    return str(next(path for path in (mirrored, *mirrored.parents) if (root / path).exists()))


def skip_pointless(session: WorkDB, source: str, skipped_operators: str) -> None:
    """Mark mutants of what mypy checks and of the skipped operators, so that they are neither run nor counted."""
    spans = typed_spans(source)
    for item in list(session.pending_work_items):
        mutation = item.mutations[0]
        is_typed = any(start <= mutation.start_pos < end for start, end in spans)
        if is_typed or re.match(skipped_operators, mutation.operator_name):
            session.set_result(item.job_id, WorkResult(worker_outcome=WorkerOutcome.SKIPPED))


def count(module: str, results: Iterable[WorkResult], listed: set[tuple[str, str]]) -> Count:
    """Count the mutants that were run and those that survived. Raises RuntimeError if one could not be run."""
    run = [result for result in results if result.worker_outcome is not WorkerOutcome.SKIPPED]
    if any(result.worker_outcome is not WorkerOutcome.NORMAL for result in run):
        raise RuntimeError(f"{module}: a mutant could not be run")
    lines = [changed_line(result.diff) for result in run if result.test_outcome is Outcome.SURVIVED]
    return Count(module, len(run), len(lines), tuple(line for line in lines if (module, line) not in listed))


def pass_in_a_fork(arguments: Sequence[str], seconds: int) -> bool:
    """Return whether the tests pass in a fork of this process. Tests that take longer do not."""
    child = os.fork()
    if child == 0:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        os.dup2(nowhere, 2)
        signal.alarm(seconds)
        os._exit(pytest.main([*PYTEST, *arguments]))
    return os.waitpid(child, 0)[1] == 0


def results(pending: Iterable[Any], arguments: Sequence[str], seconds: int) -> Iterator[WorkResult]:
    """Yield what the tests say of each mutant."""
    for item in pending:
        mutation = item.mutations[0]
        operator = cosmic_ray.plugins.get_operator(mutation.operator_name)(**mutation.operator_args)
        with use_mutation(mutation.module_path, operator, mutation.occurrence) as (before, after):
            outcome = Outcome.SURVIVED if pass_in_a_fork(arguments, seconds) else Outcome.KILLED
        diff = "\n".join(unified_diff(before.split("\n"), after.split("\n"), lineterm=""))
        yield WorkResult(worker_outcome=WorkerOutcome.NORMAL, test_outcome=outcome, diff=diff)


def run_module(module: str, rules: dict[str, Any], listed: set[tuple[str, str]]) -> Count:
    """Run the nearest tests against each mutant. Raises RuntimeError if they fail without any."""
    session, config = COPY.parent / "session.sqlite", COPY.parent / "session.toml"
    session.unlink(missing_ok=True)
    config.write_text(
        f"[cosmic-ray]\nmodule-path = '{module}'\ntimeout = 1.0\nexcluded-modules = []\ntest-command = ''\n"
        "[cosmic-ray.distributor]\nname = 'local'\n"
    )
    subprocess.run([sys.executable, "-m", "cosmic_ray.cli", "init", config, session], check=True)
    ways = ([*way, nearest_tests(module, COPY)] for way in (WITHOUT, WITH_DJANGO))
    arguments = next((way for way in ways if pass_in_a_fork(way, rules["timeout"])), None)
    if arguments is None:
        raise RuntimeError(f"{module}: its tests fail without a mutant")
    with use_db(str(session), WorkDB.Mode.open) as opened:
        skip_pointless(opened, Path(module).read_text(encoding="utf-8"), rules["skipped-operators"])
        return count(module, results(list(opened.pending_work_items), arguments, rules["timeout"]), listed)


def copy_tree() -> None:
    """Copy the files that git tracks, or would track, to a fresh folder under var/."""
    shutil.rmtree(COPY.parent, ignore_errors=True)
    names = subprocess.check_output(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, text=True).splitlines()
    for name in (name for name in names if (ROOT / name).is_file()):
        (COPY / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, COPY / name)


def main(modules: Sequence[str]) -> int:
    """Print the table; return 1 if more than the allowed share survived without a reason on the page."""
    rules = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["mutants"]
    listed = listed_survivors((ROOT / "docs" / "mutants.md").read_text(encoding="utf-8"))
    copy_tree()
    os.chdir(COPY)
    for plugin in entry_points(group="pytest11"):
        plugin.load()
    paths = (path for path in sorted(ROOT.glob("*/domain/**/*.py")) if path.name != "__init__.py")
    print("| module | mutants | killed | survived | share |\n|---|---|---|---|---|", flush=True)
    counts = []
    for module in modules or [str(path.relative_to(ROOT)) for path in paths]:
        counts.append(run_module(module, rules, listed))
        print(counts[-1].row(), flush=True)
        for line in counts[-1].unexplained:  # at once and beside the table: the other modules may take hours
            print(f"survived, not listed: {module}: {line}", file=sys.stderr, flush=True)
    unexplained = sum(len(entry.unexplained) for entry in counts)
    return int(unexplained > rules["allowed-share"] * sum(entry.mutants for entry in counts))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
