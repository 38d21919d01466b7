"""A database that lacks migrations, or is newer than the code, is told where operators look (threats F49)."""

import pytest
from django.core import checks
from django.core.management import call_command
from django.db import OperationalError, connection
from django.db.migrations.recorder import MigrationRecorder
from django.template.loader import render_to_string
from django.test import RequestFactory

import builders
from config import pending_migrations
from config.web import context_processors, error_pages
from runs.models import WorkerLoad

pytestmark = pytest.mark.django_db

LAST = ("runs", "0008_the_queues_that_a_worker_reads")
NAME = ".".join(LAST)


@pytest.fixture(autouse=True)
def nothing_seen(monkeypatch):
    for name, value in (("missing", None), ("at", float("-inf")), ("migrating", False)):
        monkeypatch.setattr(pending_migrations._Seen, name, value)


@pytest.fixture
def behind():
    """A database on which the last migration of an app was not applied."""
    MigrationRecorder(connection).record_unapplied(*LAST)


def test_f49_readiness_is_refused_with_the_names_and_checks_say_what_to_do(client, behind):
    answer = client.get("/readyz")
    assert (answer.status_code, answer.json()) == (503, {"database": "ok", "missing_migrations": [NAME]})
    (warning,) = pending_migrations.check(databases=["default"])
    assert warning.msg == f"The database lacks 1 migration of this version: {NAME}. Run `manage.py migrate`."
    assert pending_migrations.check() == []  # without --database nothing connects


def test_the_check_is_one_of_the_checks_of_databases(behind):
    ids = [message.id for message in checks.run_checks(databases=["default"], tags=[checks.Tags.database])]
    assert "interplay.W003" in ids


def test_once_nothing_is_missing_readiness_costs_one_statement_and_pages_none(client, django_assert_num_queries):
    assert client.get("/readyz").status_code == 200
    with django_assert_num_queries(1):
        assert client.get("/readyz").json() == {"database": "ok"}
    with django_assert_num_queries(0):
        assert pending_migrations.known_missing() == []


def test_while_some_are_missing_it_is_asked_rarely_and_it_ends_by_itself(
    client, behind, monkeypatch, django_assert_num_queries
):
    now = [1000.0]
    monkeypatch.setattr(pending_migrations.time, "monotonic", lambda: now[0])
    assert client.get("/readyz").status_code == 503
    MigrationRecorder(connection).record_applied(*LAST)
    with django_assert_num_queries(1):
        assert client.get("/readyz").status_code == 503
    now[0] += pending_migrations.AGAIN_SECONDS + 1
    assert client.get("/readyz").status_code == 200


def test_a_page_that_fails_for_a_missing_table_says_so_and_another_fault_is_not_called_that(behind):
    def answered(fault):
        try:
            raise fault
        except OperationalError:
            return error_pages.server_error(RequestFactory().get("/"))

    for text in ("no such table: runs_new", "no such column: runs_run.new", "table runs_run has no column named new"):
        answer = answered(OperationalError(text))
        assert answer.status_code == 503 and "manage.py migrate" in answer.text
        assert answer["Retry-After"] == "60"
    assert "manage.py migrate" not in answered(OperationalError("database is locked")).text
    MigrationRecorder(connection).record_applied(*LAST)
    assert "manage.py migrate" not in answered(OperationalError("no such table: a_fault_of_ours")).text


def test_health_says_what_is_missing_and_does_not_call_the_database_away(client, behind, monkeypatch):
    def fails(*_, **__):
        raise OperationalError("no such column: runs_workerload.queues")

    monkeypatch.setattr(WorkerLoad.objects, "filter", fails)
    monkeypatch.setattr("config.queue_readers._BEGUN", -1000.0)
    answer = client.get("/healthz").json()
    assert answer == {"database": "ok", "worker": "unknown", "missing_migrations": [NAME]}


def test_staff_reads_it_on_every_page_once_it_is_known_and_nobody_else_does(behind):
    request = RequestFactory().get("/")
    request.resolver_match = None
    for is_staff, shown in ((True, [NAME]), (False, [])):
        request.user = builders.make_user(is_staff=is_staff)
        pending_migrations.begin_with(some_missing=True)  # what the start of the web server saw
        assert context_processors.site(request)["missing_migrations"] == shown
    banner = render_to_string("_migrations_banner.html", {"missing_migrations": [NAME]})
    assert NAME in banner and "manage.py migrate" in banner


def test_a_start_writes_it_to_the_log_once(behind, caplog):
    found = pending_migrations.note_at_start()
    assert found is not None and found.missing == [NAME]
    assert caplog.text.count("Run `manage.py migrate`") == 1


def test_a_database_that_is_newer_than_the_code_is_told_and_serves(client, caplog):
    MigrationRecorder(connection).record_applied("runs", "0099_of_the_next_version")
    MigrationRecorder(connection).record_applied("an_app_that_was_removed", "0001_initial")
    found = pending_migrations.note_at_start()
    assert found == pending_migrations.Difference(unknown=["runs.0099_of_the_next_version"])
    assert "newer version than the code, which does not know runs.0099_of_the_next_version" in caplog.text
    assert client.get("/readyz").status_code == 200


def test_what_a_migration_of_ours_replaced_is_not_unknown():
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM django_migrations")
        assert cursor.fetchone()[0] > 10
    replaced = pending_migrations.MigrationExecutor(connection).loader.disk_migrations[("runs", "0001_schema")].replaces
    for app, name in replaced:
        MigrationRecorder(connection).record_applied(app, name)
    assert pending_migrations.difference() == pending_migrations.Difference()


def test_many_are_shortened():
    sentences = pending_migrations.Difference(missing=[f"runs.{n:04}" for n in range(8)]).sentences()
    assert sentences == [
        "The database lacks 8 migrations of this version: runs.0000, runs.0001, runs.0002, runs.0003, runs.0004 and 3 "
        "more. Run `manage.py migrate`."
    ]


def test_the_command_that_applies_them_is_not_warned_of_them(behind, capsys):
    call_command("migrate", "--plan", verbosity=1, skip_checks=False)
    captured = capsys.readouterr()
    assert "interplay.W003" not in captured.err and LAST[1] in captured.out
