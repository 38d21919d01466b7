"""Where tasks wait, and which worker takes them."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

import migrated_database
from annotation.core.jobs import TASK
from annotation.operations.job_kinds import JOB_KINDS
from config import queues
from config.celery import app
from config.environment import env
from config.queues import Queues, Work
from runs.tasks import perform_run

ROOT = Path(__file__).resolve().parents[2]


def test_the_names_of_the_tasks_are_those_of_the_site():
    assert (TASK, perform_run.name) == (queues.JOB_TASK, queues.RUN_TASK)
    assert queues._OF_JOBS.keys() <= JOB_KINDS.keys()


@pytest.mark.parametrize(
    ("task", "args", "work"),
    [
        (perform_run.name, (1,), Work.RUNS),
        (TASK, ("import", 1), Work.IMPORTS),
        (TASK, ("picture_reading", 1), Work.IMPORTS),
        (TASK, ("release", 1), Work.RELEASES),
        (TASK, ("competence", 1), Work.FIGURES),
        (TASK, ("figures", 1), Work.FIGURES),
        (TASK, ("bulk_change", 1), Work.REST),
        (TASK, (), Work.REST),
        ("config.tasks.sweep", (), Work.REST),
    ],
)
def test_each_kind_of_work_waits_apart(task, args, work):
    assert queues.work_of(task, args) is work


def test_celery_sends_tasks_there_and_the_old_queue_takes_the_rest():
    def sent_to(task, *args):
        return app.amqp.router.route({}, task, args)["queue"].name

    assert sent_to(TASK, "import", 1) == f"{settings.QUEUES.default}-imports"
    assert sent_to(perform_run.name, 1) == f"{settings.QUEUES.default}-runs"
    assert sent_to("config.tasks.sweep") == sent_to(TASK, "bulk_change", 1) == settings.QUEUES.default


def test_sites_on_one_broker_have_queues_of_their_own():
    one, two = Queues("one"), Queues("two")
    assert not set(one.names.values()) & set(two.names.values())
    assert one.of(["runs", "rest"]) == ["one-runs", "one"]


def test_a_setting_names_known_work_and_a_sound_prefix():
    assert env.several("W", among=set(Work), environ={}) == sorted(Work)
    assert env.several("W", among=set(Work), environ={"W": "runs, imports"}) == ["runs", "imports"]
    with pytest.raises(ImproperlyConfigured, match="not 'debates'"):
        env.several("W", among=set(Work), environ={"W": "runs,debates"})
    with pytest.raises(ImproperlyConfigured, match="must match"):
        env.matching("P", "[a-z]+", default="a", environ={"P": "a b"})


BROKER = """
import django
django.setup()
from config.celery import app
print(app.connection_for_read().as_uri(include_password=True), app.connection_for_write().as_uri(include_password=True))
"""


def test_celery_signs_in_with_the_password_of_redis(tmp_path):
    """Celery itself reads the variable CELERY_BROKER_URL, which has no password here."""
    (tmp_path / "password").write_text("of/its:own\n")
    environ = os.environ | {
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "VAR_DIR": str(tmp_path),
        "CELERY_BROKER_URL": "redis://queue:6379/0",
        "REDIS_PASSWORD_FILE": str(tmp_path / "password"),
    }
    run = [sys.executable, "-c", BROKER]
    shown = subprocess.run(run, cwd=ROOT, env=environ, check=True, capture_output=True, text=True).stdout.split()
    assert shown == ["redis://:of%2Fits%3Aown@queue:6379/0"] * 2


LISTEN = """
import json, django
django.setup()
from celery.apps.worker import Worker
from celery.signals import celeryd_after_setup
from config.celery import app
worker = app.Worker(pool="solo", queues=%r)
celeryd_after_setup.send(sender=worker.hostname, instance=worker, conf=app.conf)
print(json.dumps(sorted(app.amqp.queues.consume_from)))
"""


@pytest.mark.parametrize(
    ("setting", "option", "taken"),
    [
        ("", None, ["own", "own-figures", "own-imports", "own-releases", "own-runs"]),
        ("imports,rest", None, ["own", "own-imports"]),
        ("imports", ["own-runs"], ["own-runs"]),
    ],
)
def test_a_worker_takes_what_its_setting_says_and_its_option_goes_first(tmp_path, setting, option, taken):
    environ = {
        **os.environ,
        **migrated_database.make_site(tmp_path),
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "DATABASE_URL": "",
        "CELERY_BROKER_URL": "memory://",
        "QUEUE_PREFIX": "own",
        "WORKER_QUEUES": setting,
    }
    listening = [sys.executable, "-c", LISTEN % option]
    done = subprocess.run(listening, cwd=ROOT, env=environ, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr[-1000:]
    assert json.loads(done.stdout.splitlines()[-1]) == taken
