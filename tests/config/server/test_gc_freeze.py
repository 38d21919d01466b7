"""What web processes and workers load at the start is walked by no later collection."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
pytestmark = pytest.mark.no_database


@pytest.mark.parametrize(
    "start",
    [
        "import config.wsgi",
        "import config.celery; from celery.signals import worker_ready; worker_ready.send(None)",
    ],
)
def test_a_process_that_has_started_sets_aside_what_it_loaded(start: str) -> None:
    told = f"import gc; {start}; print(gc.get_freeze_count() > 10_000, len(gc.get_objects()) < 10_000)"
    done = subprocess.run([sys.executable, "-c", told], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "True"]
