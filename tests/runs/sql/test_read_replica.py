"""A standby of PostgreSQL, made as operators make one: what is read from it, and what never is."""

import json
import math
import subprocess
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

import migrated_database
from absent import skip_or_fail
from config.environment import env_database
from postgresql_cluster import Standby, program
from runs.sql import read_replica
from runs.sql.read_replica import Router, from_replica, lag, reads_from
from worker_processes import environment, wait_until

ITEMS = 30
LATE = "import replica_reading; replica_reading.impatient(); "


class Site:
    """A site with a primary and a standby; each call is a process of its own."""

    def __init__(self, folder: Path) -> None:
        self.primary = migrated_database.cluster()
        self.standby = Standby(self.primary)
        tests = f"{settings.BASE_DIR}:{settings.BASE_DIR / 'tests/support'}"
        urls = {"DATABASE_URL": self.primary.url, "DATABASE_REPLICA_URL": self.standby.url}
        self.environ = environment(folder, "memory://", PYTHONPATH=tests, METRICS_TOKEN="of-tests", **urls)

    def ran(self, *arguments: str) -> "subprocess.CompletedProcess[str]":
        done = subprocess.run(
            [sys.executable, *arguments],
            env=self.environ,
            cwd=settings.BASE_DIR,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert done.returncode == 0, done.stdout[-1000:] + done.stderr[-2000:]
        return done

    def called(self, name: str, *values: object, first: str = "") -> Any:
        call = f"import replica_reading; {first}print(json.dumps(replica_reading.{name}(*{values!r})))"
        return json.loads(self.ran("-c", f"import json, django; django.setup(); {call}").stdout.splitlines()[-1])

    def remove(self) -> None:
        self.standby.remove()
        self.primary.remove()


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    if not program("initdb"):
        skip_or_fail("the programs of PostgreSQL's server are not installed")
    site = Site(tmp_path_factory.mktemp("replica"))
    assert site.called("fill", ITEMS) == ITEMS
    yield site
    site.remove()


pytestmark = pytest.mark.once


@pytest.mark.slow
def test_files_and_figures_are_read_from_the_replica_and_say_the_same(site: Site) -> None:
    file, figures = site.called("file_of_items"), site.called("figures")
    assert file["primary"] == 0 and file["replica"] >= 2
    assert figures["primary"] == 0 and figures["replica"] >= 2
    without = site.environ.pop("DATABASE_REPLICA_URL")
    try:
        plain = site.ran("-c", PLAIN).stdout.splitlines()[-1]
    finally:
        site.environ["DATABASE_REPLICA_URL"] = without
    assert json.loads(plain) == file["value"]


PLAIN = """
import hashlib, json, django
django.setup()
from annotation.items import export
from annotation.models import Membership
admin = Membership.objects.select_related("project", "user").get(user__username="the-admin")
content = b"".join(export.as_csv(admin, {}))
print(json.dumps([hashlib.sha256(content).hexdigest(), content.count(b"Post ")]))
"""


@pytest.mark.slow
def test_what_writes_reads_where_it_writes(site: Site) -> None:
    assert site.called("inside_a_transaction") == {"value": 1, "primary": 1, "replica": 0}
    assert site.called("change_what_the_replica_gave") == ["replica", "default", "Changed."]
    assert "read-only transaction" in site.called("write_to_the_replica")


@pytest.mark.slow
def test_a_replica_that_is_behind_is_not_read(site: Site) -> None:
    """Somebody who has just changed a post, and loads the file of posts, finds the change in it."""
    wait_until(lambda: site.called("lag") == "0.0", "the standby, which a busy machine delays", 60)
    site.standby.pause()
    try:
        with site.primary.connect() as server:
            server.execute("UPDATE annotation_item SET text = 'Post 1, later.' WHERE external_id = 'i-1'")
        digest = site.called("file_of_items", first=LATE)
        assert 0 < float(site.called("lag")) < 600
    finally:
        site.standby.resume()
    assert (digest["primary"] > 0, digest["replica"]) == (True, 0)
    caught_up = site.called("file_of_items")
    assert (caught_up["primary"], caught_up["value"]) == (0, digest["value"])


@pytest.mark.slow
def test_without_its_replica_the_site_reads_the_primary(site: Site) -> None:
    before = site.called("file_of_items")["value"]
    site.standby.stop()
    try:
        away = site.called("file_of_items")
        assert (away["value"], away["replica"]) == (before, 0)
        assert site.called("lag") == "+Inf"
        assert site.called("figures")["primary"] >= 2
    finally:
        site.standby.start()


def test_without_a_replica_a_block_changes_nothing() -> None:
    with from_replica():
        assert reads_from() == "default"
    assert lag() is None
    router = Router()
    assert (router.db_for_read(None), router.db_for_write(None)) == ("default", "default")
    assert router.allow_migrate("default", "annotation") and not router.allow_migrate("replica", "annotation")


class Answers:
    """A replica that gives these answers, one after the other."""

    settings = (read_replica.REPLICA,)

    def __init__(self, *answers: object) -> None:
        self.answers = list(answers)

    def __getitem__(self, name: str) -> "Answers":
        return self

    def cursor(self) -> Any:
        return nullcontext(self)

    def execute(self, *query: object) -> None:
        pass

    def fetchone(self) -> tuple[object]:
        return (self.answers.pop(0),)


@pytest.mark.parametrize(
    ("waits", "answers", "seconds"),
    [
        (1, [True], 0),
        (1, [False, False, True], 0),  # what was written just now was on its way
        (0, [False, 7.5], 7.5),
        (0, [False, None], math.inf),  # it has replayed nothing since its start
        (1, [None], math.inf),  # no standby
    ],
)
def test_a_replica_is_late_once_a_change_is_not_there_within_a_moment(
    monkeypatch: pytest.MonkeyPatch, waits: float, answers: list[object], seconds: float
) -> None:
    monkeypatch.setattr(read_replica, "connections", replica := Answers(*answers))
    monkeypatch.setattr(read_replica, "_written_up_to", lambda: "0/1")
    monkeypatch.setattr(read_replica, "_ON_ITS_WAY", waits)
    assert (lag(), replica.answers) == (seconds, [])


def test_a_replica_needs_postgresql_on_both_sides() -> None:
    sqlite, postgresql = ({"ENGINE": name} for name in ("django.db.backends.sqlite3", "config.postgresql"))
    copy = {"R": "postgres://reader@copy/site", "DATABASE_PASSWORD": "a password"}
    assert env_database.replica("R", of=sqlite, environ={}) == {}
    with pytest.raises(ImproperlyConfigured, match="R needs a standby of PostgreSQL"):
        env_database.replica("R", of=sqlite, environ=copy)
    with pytest.raises(ImproperlyConfigured, match="R needs a standby"):
        env_database.replica("R", of=postgresql, environ={"R": "sqlite:///copy"})
    entry = env_database.replica("R", of=postgresql, environ=copy)["replica"]
    assert (entry["HOST"], entry["PASSWORD"], entry["TEST"]) == ("copy", "a password", {"MIRROR": "default"})
    assert "default_transaction_read_only=on" in str(entry["OPTIONS"])
