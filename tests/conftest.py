"""Rules for every test: no network, no files of the site, append-only tables stay guarded."""

import gc
import os
import re
import socket
from collections.abc import Callable, Iterator
from functools import wraps
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as site_settings
from django.db import connection
from django.test import Client, TransactionTestCase, override_settings
from django.utils import translation
from hypothesis import HealthCheck
from hypothesis import settings as hypothesis_settings

import api_schema
import durations
import migrated_database
import reversed_rows
import second_tries
from absent import skip_or_fail
from annotation.core import jobs, stored_files
from both_ends import BothEnds
from config.server import gc_freeze
from config.web import rate_limit_table
from config.web import rate_limits as web_rate_limits
from empty_database import empty
from providers import learnt_facts
from runs.queue import lease_keeper, model_facts


class NetworkUsed(RuntimeError):
    """A test tried to reach another machine."""


def _is_here(host: Any) -> bool:
    if host in (None, "", b"", "localhost", b"localhost"):
        return True
    try:
        return ip_address(host.decode() if isinstance(host, bytes) else host).is_loopback
    except ValueError:
        return False


def _guarded_connect(connect: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(connect)
    def guarded(self: socket.socket, address: Any) -> Any:
        if self.family in (socket.AF_INET, socket.AF_INET6) and not _is_here(address[0]):
            raise NetworkUsed(f"connect to {address!r}")
        return connect(self, address)

    return guarded


def _guarded_lookup(lookup: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(lookup)
    def guarded(host: Any, *args: Any, **kwargs: Any) -> Any:
        if not _is_here(host):
            raise NetworkUsed(f"look up {host!r}")
        return lookup(host, *args, **kwargs)

    return guarded


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--store-durations", action="store_true", help="write what the tests take to tests/durations.json")
    parser.addoption("--reversed-rows", action="store_true", help="turn round the rows that no query put in order")


def pytest_configure(config: pytest.Config) -> None:
    """Block the network before tests are collected: only loopback is left, by address or as localhost."""
    config.pluginmanager.register(_Marks())
    config.pluginmanager.register(second_tries)
    if config.option.reversed_rows:
        reversed_rows.install()
    if config.option.store_durations:
        config.pluginmanager.register(durations.Clock())
        if not hasattr(config, "workerinput"):
            config.pluginmanager.register(durations.Recorder())
    # No deadline: the time of an example depends on the machine, not on the property.
    for profile, examples in (("quick", 20), ("ci", 100)):
        hypothesis_settings.register_profile(
            profile,
            hypothesis_settings.default,
            max_examples=examples,
            deadline=None,
            suppress_health_check=[HealthCheck.too_slow],
        )
    hypothesis_settings.load_profile("ci" if os.environ.get("CI") else "quick")
    socket.socket.connect = _guarded_connect(socket.socket.connect)  # type: ignore[method-assign]
    socket.socket.connect_ex = _guarded_connect(socket.socket.connect_ex)  # type: ignore[method-assign]
    socket.getaddrinfo = _guarded_lookup(socket.getaddrinfo)
    socket.gethostbyname = _guarded_lookup(socket.gethostbyname)


_WITHOUT_DATABASE = re.compile(r"/tests/(?:providers|\w+/domain)(?:/|$)")
"""Rules and providers know no database (the import contracts in `pyproject.toml`), and so do their tests."""
_OF_BROWSERS = re.compile(r"/tests/browser(?:/|$)")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Import no file whose tests all have a mark that is left out: with its libraries that takes long."""
    expression = config.option.markexpr
    left_out = set() if " or " in expression else set(re.findall(r"\bnot (\w+)", expression))
    if expression.startswith("quick"):
        left_out |= {"slow", "browser"}
    path = collection_path.as_posix()
    places = {"browser": _OF_BROWSERS, "no_database": _WITHOUT_DATABASE, "once": _SHOWN_OR_ASKED}
    if any(places[mark].search(path) for mark in left_out & places.keys()):
        return True
    if not left_out & {"slow", "once"} or collection_path.suffix != ".py":
        return None
    marks = "|".join(sorted(left_out | ({"faults"} if "slow" in left_out else set())))
    of_all = re.compile(rf"^pytestmark = (?:\[[^\]]*)?pytest\.mark\.(?:{marks})\b", re.M)
    return True if of_all.search(collection_path.read_text(encoding="utf-8")) else None


class _Marks:
    """Marks that depend on others.

    A test without database fixtures gets `no_database`; a test marked `faults`, which kills processes, gets `slow`; a
    test that takes a moment gets `quick`; a test of a page, of the API or of how a model is asked gets `once`.
    """

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        for item in items:
            if not item.get_closest_marker("django_db") and _DATABASE.isdisjoint(getattr(item, "fixturenames", ())):
                item.add_marker("no_database")
            elif _WITHOUT_DATABASE.search(item.path.as_posix()):
                raise pytest.UsageError(f"{item.nodeid} uses a database: it belongs beside what knows one")
            if item.get_closest_marker("faults"):
                item.add_marker("slow")
            if _SHOWN_OR_ASKED.search(item.path.as_posix()):
                item.add_marker("once")
            if durations.is_quick(item.nodeid) and not any(map(item.get_closest_marker, _NEVER_QUICK)):
                item.add_marker("quick")


# What these ask of a database, tests of the functions behind them ask of each, and so do the walks through all pages
# and API calls (tests/whole_site/test_every_page.py, test_api_schema_truth.py, test_hostile_requests.py).
_SHOWN_OR_ASKED = re.compile(
    r"/tests/(?:.*/test_(?!key_|every_)\w+_(?:pages?|over_the_wire|on_each_family)\.py"
    r"|(?:\w+/api|config/web|generation/practice|moderation/(?:hatexscore|methods|perspectives))/|config/test_media_bucket\.py)"
)
_NEVER_QUICK = ("slow", "browser", "train")
_DATABASE = frozenset({"db", "transactional_db", "django_db_setup", "live_server"})


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Move files with slow tests to the front, the longest first, so that no worker is left with one at the end."""
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: (item.path not in slow, -durations.seconds_of(item.path) if item.path in slow else 0))


def pytest_collection_finish() -> None:
    """Exempt the loaded code and the collected tests from garbage collection, and collect seldom, which saves time."""
    gc_freeze.freeze_loaded_objects()
    gc.set_threshold(100_000, 20, 20)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> BothEnds | None:
    """Begin with both ends where whole files are shared out; return None where xdist chooses (`--dist worksteal`)."""
    return BothEnds(config, log) if config.getvalue("dist") == "loadfile" else None


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Print what was broken on purpose and how it ended, where the tests of faults are asked for (`make faults`)."""
    if "faults" not in config.option.markexpr:
        return
    terminalreporter.section("faults")
    for outcome in ("passed", "failed", "error"):
        for report in terminalreporter.stats.get(outcome, ()):
            name = report.nodeid.rpartition("::")[2].removeprefix("test_").replace("_", " ")
            # A file that cannot be read has a report without these.
            terminalreporter.line(f"{outcome:7} {getattr(report, 'duration', 0.0):6.1f} s  {name}")
            for fault, times in getattr(report, "user_properties", ()):
                terminalreporter.line(
                    f"{'':18}{times} × {fault}" if isinstance(times, int) else f"{'':18}{fault}: {times}"
                )


@pytest.fixture(scope="session")
def django_db_keepdb(
    request: pytest.FixtureRequest, django_db_modify_db_settings: None, django_db_blocker: Any
) -> Iterator[bool]:
    """Start with a copy of the migrated database; then migrating it has nothing to do."""
    if request.config.getvalue("reuse_db"):
        yield True
        return
    if not migrated_database.is_file():
        with django_db_blocker.unblock():
            connection.settings_dict["TEST"]["TEMPLATE"] = migrated_database.postgresql_template()
        yield False
        return
    name = Path(connection.settings_dict["TEST"]["NAME"])
    name.parent.mkdir(parents=True, exist_ok=True)
    migrated_database.begin_with(name)
    yield True
    for path in (name, *(name.with_name(name.name + end) for end in ("-wal", "-shm", "-journal"))):
        path.unlink(missing_ok=True)


@pytest.fixture(autouse=True, scope="session")
def _flush_past_triggers() -> Iterator[None]:
    """Empty the database between transactional tests although some tables are append-only.

    Inside a test the tables stay guarded.
    """
    flush = TransactionTestCase._fixture_teardown  # type: ignore[attr-defined]
    TransactionTestCase._fixture_teardown = lambda self: empty(connection)  # type: ignore[attr-defined]
    yield
    TransactionTestCase._fixture_teardown = flush  # type: ignore[attr-defined]


@pytest.fixture(autouse=True, scope="session")
def _files_of_tests_outlive_no_machine() -> Iterator[None]:
    """Let files reach the disk when the system sees fit: a sync takes 4 ms, and processes of their own keep theirs."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda _handle: None)
        yield


@pytest.fixture(autouse=True, scope="session")
def _api_answers_are_as_described() -> Iterator[None]:
    """Hold every answer of the API, whichever test asks for it, against the API's own description."""
    request = Client.request

    @wraps(request)
    def checked(self: Client, **environ: Any) -> Any:
        answer = request(self, **environ)
        if environ["PATH_INFO"].startswith("/api/v1/") and answer.status_code not in (405, 500):
            operation = api_schema.operation_at(environ["REQUEST_METHOD"].lower(), environ["PATH_INFO"])
            assert operation is None or api_schema.disagreements(operation, answer) == []
        return answer

    Client.request = checked
    yield
    Client.request = request


@pytest.fixture(autouse=True)
def _clean_start(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Iterator[None]:
    """Begin each test with folders of its own, in the site's language, knowing nothing of models from tests before.

    One fixture for all of it, and one change of the settings: thousands of tests pay for each.
    """
    stored_files._Expected.marker = None  # a test before may have started a worker, which remembers its own folder
    web_rate_limits.counters.cache_clear()
    translation.activate(site_settings.LANGUAGE_CODE)  # a test before may have asked for a page in another language
    learnt_facts.site_facts.take_new()
    learnt_facts.site_facts.know([])
    learnt_facts.site_facts._in_a_row.clear()
    model_facts.Reading.at = None
    folder = tmp_path_factory.getbasetemp() / f"files-{abs(hash(request.node.nodeid)):x}"  # created at the first write
    with override_settings(
        MEDIA_ROOT=folder / "media",
        RATE_LIMITS_FOLDER=folder / "limits",
        DEMO_LOGINS=folder / "demo_logins.json",
        SERVED_DATABASE=folder / "served_database.json",
    ):
        yield


@pytest.fixture(autouse=True, scope="session")
def _no_thread_for_leases() -> Iterator[None]:
    """Leave the leases of runs in this process unrenewed: its thread would outlive the test that starts it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lease_keeper.KEEPER, "start", lambda: None)
        yield


@pytest.fixture(autouse=True, scope="session")
def _no_signs_of_life() -> Iterator[None]:
    """Let no job in this process beat: on SQLite a beat waits 20 s for the transaction that the test is in."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(jobs, "BEAT_SECONDS", 3600.0)
        patch.setattr(jobs, "PATIENCE", 3600.0)  # however busy the machine is, a page carries its small jobs out
        yield


@pytest.fixture
def rate_limits(settings: Any) -> dict[str, rate_limit_table.Rate]:
    """Switch the site's rate limits on; other tests run without them."""
    settings.RATE_LIMITS = dict(rate_limit_table.LIMITS)
    return rate_limit_table.LIMITS


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Return the folder of real data sets next to the repository. If it is missing, tests skip, and fail in CI."""
    folder = Path(site_settings.BASE_DIR).parent / "shared" / "data"
    if not folder.is_dir():
        skip_or_fail(f"The published data sets are not next to the repository ({folder}).")
    return folder
