"""What `make mutants` reads and counts."""

from pathlib import Path

import pytest
from cosmic_ray.work_item import TestOutcome as Outcome
from cosmic_ray.work_item import WorkerOutcome, WorkResult
from django.conf import settings

from mutants import changed_line, count, listed_survivors, nearest_tests, typed_spans

ROOT = Path(settings.BASE_DIR)
DIFF = "--- mutation diff ---\n--- a/m.py\n+++ b/m.py\n@@ -1 +1 @@\n same\n-    if a < 2:\n+    if a <= 2:"


def result(outcome: Outcome | None, worker: WorkerOutcome = WorkerOutcome.NORMAL) -> WorkResult:
    return WorkResult(worker_outcome=worker, test_outcome=outcome, diff=DIFF)


def test_a_survivor_is_listed_with_its_module_its_line_and_a_reason() -> None:
    page = "- `a/domain/b.py`: `x = 1`: nobody can see it.\n- `a/domain/c.py`: `y = 2`:\n- `x = 3`: no module.\n"
    assert listed_survivors(page) == {("a/domain/b.py", "x = 1")}


def test_the_page_lists_only_modules_that_exist() -> None:
    page = (ROOT / "docs" / "mutants.md").read_text(encoding="utf-8")
    assert not [module for module, _ in listed_survivors(page) if not (ROOT / module).is_file()]


def test_a_mutant_is_named_by_the_line_it_adds_or_takes_away() -> None:
    assert changed_line(DIFF) == "if a <= 2:"
    assert changed_line("--- a/m.py\n+++ b/m.py\n@@ -1 +0,0 @@\n-    @property") == "-@property"
    assert changed_line("--- a/m.py\n+++ b/m.py\n@@ -1 +0,0 @@\n-\n-    @property") == "-@property"


def test_annotations_are_found_and_values_are_not() -> None:
    # Columns count from 0: `int | None` of the parameter is 9 to 19, `str` of the result is 24 to 27.
    assert sorted(typed_spans("def f(a: int | None) -> str:\n    return a | 1\n")) == [
        ((1, 9), (1, 19)),
        ((1, 24), (1, 27)),
    ]


def test_what_decorates_a_class_is_left_to_mypy():
    source = "@dataclass(frozen=True)\nclass A:\n    n: int = 1\n"
    assert ((1, 1), (1, 23)) in typed_spans(source)


def test_only_what_was_run_counts_and_only_what_is_not_listed_is_reported() -> None:
    results = [result(Outcome.KILLED), result(Outcome.SURVIVED), result(None, WorkerOutcome.SKIPPED)]
    counted = count("m.py", results, set())
    assert (counted.mutants, counted.survived, counted.unexplained) == (2, 1, ("if a <= 2:",))
    assert counted.row() == "| m.py | 2 | 1 | 1 | 50.0 % |"
    assert count("m.py", results, {("m.py", "if a <= 2:")}).unexplained == ()


def test_a_mutant_that_could_not_be_run_is_no_number() -> None:
    with pytest.raises(RuntimeError, match="m.py"):
        count("m.py", [result(Outcome.INCOMPETENT, WorkerOutcome.EXCEPTION)], set())


@pytest.mark.parametrize(
    ("module", "tests"),
    [
        ("annotation/domain/votes.py", "tests/annotation/domain/test_votes.py"),
        ("moderation/domain/hatexscore/quotations.py", "tests/moderation/domain/hatexscore"),
        ("runs/domain/states.py", "tests/runs"),
    ],
)
def test_a_module_is_tested_by_its_mirrored_file_or_the_nearest_folder(module: str, tests: str) -> None:
    assert nearest_tests(module, ROOT) == tests
