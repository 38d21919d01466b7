"""How long each test takes, from `tests/durations.json`: which tests are quick, and which files begin first.

`pytest --store-durations` measures what it runs and writes it there: file → function → seconds of its longest case with
its fixtures, where that is more than `QUICK`. What is not in the file is quick, new tests too. The rest of the file
stays, so that several runs fill it. A number stays too while the new one is within half and double of it.

A loaded machine tells nearly the same as an idle one: the time for which a test was ready but had no processor does not
count. Fixtures of the session do not count either, since any selection of tests pays for them once.
"""

import json
import re
import time
from collections import defaultdict
from collections.abc import Generator
from functools import cache
from itertools import chain
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FILE = ROOT / "tests" / "durations.json"
QUICK = 0.04
"""The longest case of a quick test, in seconds."""

Durations = dict[str, dict[str, float]]


@cache
def known() -> Durations:
    """Return file → function → seconds of its longest case, of all that are not quick."""
    durations: Durations = json.loads(FILE.read_text(encoding="utf-8"))
    return durations


def place(nodeid: str) -> tuple[str, str]:
    """Return the file and the function of a test."""
    file, _colons, name = nodeid.partition("::")
    return file, name.partition("[")[0]


def is_quick(nodeid: str) -> bool:
    """Return whether a test takes at most `QUICK` seconds."""
    file, name = place(nodeid)
    return name not in known().get(file, {})


def seconds_of(file: Path) -> float:
    """Return the seconds of the tests of a file that are not quick, one case of each."""
    return sum(known().get(file.relative_to(ROOT).as_posix(), {}).values())


def merged(old: Durations, seconds_by_case: dict[str, float]) -> Durations:
    """Return the durations after a run; a test that was not run keeps what it had."""
    longest: defaultdict[tuple[str, str], float] = defaultdict(float)
    for nodeid, seconds in seconds_by_case.items():
        longest[place(nodeid)] = max(longest[place(nodeid)], seconds)
    new = {file: dict(tests) for file, tests in old.items()}
    for (file, name), seconds in longest.items():
        before = new.setdefault(file, {}).pop(name, QUICK)
        is_as_before = before / 2 <= seconds <= before * 2 and name in old.get(file, {})
        if is_as_before or seconds > QUICK:
            new[file][name] = before if is_as_before else float(f"{seconds:.1g}")
    return {file: tests for file, tests in new.items() if tests}


def present(durations: Durations) -> Durations:
    """Return the durations without those of tests that are no longer in their files."""
    sources = {file: (ROOT / file).read_text(encoding="utf-8") for file in durations if (ROOT / file).is_file()}
    left = {
        file: {name: seconds for name, seconds in tests.items() if _stands_in(sources[file], name)}
        for file, tests in durations.items()
        if file in sources
    }
    return {file: tests for file, tests in left.items() if tests}


def _stands_in(source: str, name: str) -> bool:
    function = name.rpartition("::")[2]
    return re.search(rf"\b{re.escape(function)}\b", source) is not None


class Clock:
    """Makes the duration of each report what the test itself takes."""

    def __init__(self) -> None:
        self._of_the_session = 0.0
        self._of_several_tests: dict[pytest.FixtureDef[object], float] = {}
        self._without_processor = _without_processor()

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef[object]) -> Generator[None, object, object]:
        """Note what a fixture takes that several tests share, with those that it begins."""
        before, counted = _now(), self._of_the_session
        try:
            return (yield)
        finally:
            seconds = _now() - before
            if fixturedef.scope == "session":
                self._of_the_session = counted + seconds
            elif fixturedef.scope != "function":
                self._of_several_tests[fixturedef] = seconds - (self._of_the_session - counted)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Function, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Correct the phase that just ended: any test of a file may be the one that pays for what they share."""
        report = yield
        waited = _without_processor()
        report.duration -= waited - self._without_processor + self._of_the_session
        self._of_the_session, self._without_processor = 0.0, waited
        if call.when == "setup":
            shared = chain.from_iterable(item._fixtureinfo.name2fixturedefs.values())
            report.duration = max(report.duration, *(self._of_several_tests.get(one, 0.0) for one in shared))
        report.duration = max(report.duration, 0.0)
        return report


class Recorder:
    """Writes the durations that the processes of a run report."""

    def __init__(self) -> None:
        self._seconds_by_case: defaultdict[str, float] = defaultdict(float)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Add what a phase of a case took."""
        self._seconds_by_case[report.nodeid] += report.duration

    def pytest_sessionfinish(self) -> None:
        """Write the file."""
        durations = present(merged(known(), self._seconds_by_case))
        FILE.write_text(json.dumps(durations, indent=0, sort_keys=True) + "\n", encoding="utf-8")


def _now() -> float:
    return time.perf_counter() - _without_processor()


def _without_processor() -> float:
    """Return the seconds for which this thread was ready but had no processor, 0 where the system does not say."""
    try:
        return int(Path("/proc/thread-self/schedstat").read_text(encoding="ascii").split()[1]) / 1e9
    except OSError:
        return 0.0
