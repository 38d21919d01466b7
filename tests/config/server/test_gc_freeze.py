"""What web processes and workers load at the start is walked by no later collection."""

import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
pytestmark = pytest.mark.no_database
WEB_PROCESS = "import config.wsgi"
WORKER = "import config.celery; from celery.signals import worker_ready; worker_ready.send(None)"
STARTS = pytest.mark.parametrize("start", [WEB_PROCESS, WORKER])
CODE = """
import gc, sys, types
own = gc.get_threshold()
import config
assert gc.get_threshold() != own
%s
print(gc.get_freeze_count() > 10_000, len(gc.get_objects()) < 10_000)
print(gc.get_threshold() == own)
print([sys.modules.get(name).__class__ is types.ModuleType for name in ('numpy', 'krippendorff')])
"""


@cache
def printed(start: str) -> list[str]:
    """Return what a process that was started so prints about itself: what is set aside, its threshold, its modules."""
    done = subprocess.run([sys.executable, "-c", CODE % start], cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


@STARTS
def test_a_process_that_has_started_sets_aside_what_it_loaded(start: str) -> None:
    assert printed(start)[0].split() == ["True", "True"]


@STARTS
def test_a_process_that_has_started_collects_as_often_as_python_does(start: str) -> None:
    assert printed(start)[1].split() == ["True"]


def test_figures_on_pages_wait_for_no_library() -> None:
    assert printed(WEB_PROCESS)[2] == "[True, True]"
