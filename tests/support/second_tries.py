"""Tests that passed at a second try: printed at the end with their reasons, and no more than `ALLOWED` in a run."""

from typing import Any

import pytest

ALLOWED = 3


def _second_tries(config: pytest.Config) -> list[Any]:
    """Return the reports of first tries that failed; none in a process that only runs tests for another."""
    reporter: Any = config.pluginmanager.get_plugin("terminalreporter")
    return [] if reporter is None or hasattr(config, "workerinput") else reporter.stats.get("rerun", [])


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail a run in which too many tests needed a second try."""
    if session.exitstatus == pytest.ExitCode.OK and len(_second_tries(session.config)) > ALLOWED:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Print which tests needed a second try, and why."""
    reports = _second_tries(config)
    if not reports:
        return
    terminalreporter.section("second tries")
    for report in reports:
        terminalreporter.line(f"{report.nodeid} ({report.when}): {_reason(report)}")
    if len(reports) > ALLOWED:
        terminalreporter.line(f"{len(reports)} second tries; a run with more than {ALLOWED} fails.", red=True)


def _reason(report: Any) -> str:
    crash = getattr(report.longrepr, "reprcrash", None)
    return (crash.message if crash else str(report.longrepr)).strip().partition("\n")[0]
