"""Second tries are told at the end of a run, and too many fail it."""

import subprocess
import sys
from pathlib import Path

import pytest

SUITE = """
import pytest

tried = set()

@pytest.mark.flaky(reruns=1)
@pytest.mark.parametrize("number", range({tests}))
def test_at_second(number):
    first = number not in tried
    tried.add(number)
    assert not first, f"key {{number}} was dropped\\nand more"
"""


@pytest.mark.parametrize(("tests", "processes", "code"), [(3, 0, 0), (4, 0, 1), (4, 1, 1)])
def test_more_than_three_fail_a_run_and_each_is_told_with_its_reason(tmp_path, tests, processes, code):
    (tmp_path / "test_it.py").write_text(SUITE.format(tests=tests))
    plugins = ("-p", "no:django", "-p", "no:cacheprovider", "-p", "no:schemathesis", "-p", "second_tries")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", *plugins, "-n", str(processes), "-c", "/dev/null", "test_it.py"],
        cwd=tmp_path,
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(Path(__file__).parents[1] / "support")},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == code, done.stdout + done.stderr
    for number in range(tests):
        assert f"test_at_second[{number}] (call): AssertionError: key {number} was dropped\n" in done.stdout
    assert ("more than 3 fails" in done.stdout) is (code == 1)
    assert f"{tests} passed" in done.stdout
