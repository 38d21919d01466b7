"""Whatever is stored as a moment goes by the database's clock, whichever machine stores it (threats F24, F33)."""

import ast
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import psycopg
import pytest
from django.apps import apps
from django.conf import settings as site
from django.db import connection
from django.db.models import DateTimeField
from django.db.models.functions import Now
from django.utils import timezone

from runs.sql import database_time

APPS = ("annotation", "moderation", "generation", "runs", "config")
PLANS = {"expires_at", "delete_after", "due_at", "resume_at", "lease_until", "until", "idle_until"}
"""Moments to come. They are counted from the same clock."""
GIVEN = {
    "posted_at",  # as people record it
    "at",
    "began_at",
    "used_at",
    "happened_at",
    "fetched_at",
    "published_at",
    "read_until",
    "created_at",
    "since",
    "not_before",
}
"""Moments without a default here or there: whoever stores the row says them, by the same clock or a file's word."""


@pytest.fixture(autouse=True)
def unknown(monkeypatch):
    monkeypatch.setattr(database_time, "_known", None)


def learnt(ahead: float, took: float = 0.0) -> datetime:
    """Learn that the database is so many seconds ahead of us, and return what it said."""
    moment, answered = datetime.now(UTC) + timedelta(seconds=ahead), time.monotonic()
    database_time.learn(moment, answered - took, answered)
    return moment


@pytest.mark.parametrize("ahead", [3 * 3600, -2 * 86_400, 0])
def test_django_and_all_who_ask_it_get_the_database_s_time(ahead):
    moment = learnt(ahead)
    assert abs(timezone.now() - moment) < timedelta(seconds=60) and timezone.now() >= moment
    assert timezone.localdate() == timezone.localtime(timezone.now()).date()


def test_a_clock_that_is_set_meanwhile_changes_nothing(monkeypatch):
    moment = learnt(0)
    monkeypatch.setattr(time, "time", lambda: 0.0)
    assert timedelta(0) <= database_time.now() - moment < timedelta(seconds=60)


def test_a_slow_answer_does_not_replace_a_quick_one_until_that_is_old(monkeypatch):
    exact = learnt(1000, took=0.001)
    learnt(2000, took=3.0)
    assert database_time.now() - exact < timedelta(seconds=60)
    monkeypatch.setattr(database_time, "_OLD", -1.0)
    learnt(2000, took=3.0)
    assert database_time.now() - exact > timedelta(seconds=900)


@pytest.mark.django_db
@pytest.mark.skipif(connection.vendor == "sqlite", reason="SQLite has this machine's clock")
def test_each_new_connection_tells_the_time():
    with psycopg.connect(**connection.get_connection_params()) as new:
        connection._configure_connection(new)  # type: ignore[attr-defined]  # as Django and its pool call it
    assert database_time._known is not None
    assert abs(database_time.now() - datetime.now(UTC)) < timedelta(seconds=60)  # the server is on this machine


def test_every_moment_that_a_model_stores_by_itself_is_the_database_s():
    fields = [
        field
        for model in apps.get_models(include_auto_created=True)
        if model._meta.app_label in APPS
        for field in model._meta.local_fields
        if isinstance(field, DateTimeField)
    ]
    assert len(fields) > 100
    for field in fields:
        if field.has_default():
            assert field.default is timezone.now is database_time.now, field
        elif field.has_db_default():
            assert isinstance(field.db_default, Now), field
        elif not (field.auto_now_add or field.auto_now or field.null):
            assert field.name in PLANS | GIVEN, f"{field}: say where its moment comes from"


def test_nobody_asks_this_machine_for_a_moment():
    """Providers know no database: when a page was fetched is said by the worker. Durations go by monotonic clocks."""
    asked = []
    for path in (path for app in APPS for path in (Path(site.BASE_DIR) / app).rglob("*.py")):
        if "coarl" in path.parts:  # a program of a lab, which is no part of the site
            continue
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in (
                "datetime.now", "datetime.utcnow", "datetime.today", "date.today",
            ):  # fmt: skip
                asked.append(str(path.relative_to(site.BASE_DIR)))
    assert sorted(set(asked)) == ["runs/sql/database_time.py"]
