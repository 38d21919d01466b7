"""What web processes and workers load at the start is walked by no later collection."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
pytestmark = pytest.mark.no_database
STARTS = pytest.mark.parametrize(
    "start",
    [
        "import config.wsgi",
        "import config.celery; from celery.signals import worker_ready; worker_ready.send(None)",
    ],
)


@STARTS
def test_a_process_that_has_started_sets_aside_what_it_loaded(start: str) -> None:
    told = f"import gc; {start}; print(gc.get_freeze_count() > 10_000, len(gc.get_objects()) < 10_000)"
    done = subprocess.run([sys.executable, "-c", told], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "True"]


@STARTS
def test_a_process_that_has_started_collects_as_often_as_python_does(start: str) -> None:
    told = f"import gc; own = gc.get_threshold(); import config; assert gc.get_threshold() != own; {start}; "
    code = f"{told}print(gc.get_threshold() == own)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True"]


def test_figures_on_pages_wait_for_no_library() -> None:
    loaded = "sys.modules[name].__class__ is types.ModuleType"
    code = f"import sys, types, config.wsgi; print([{loaded} for name in ('numpy', 'krippendorff')])"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[True, True]"
