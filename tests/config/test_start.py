"""Every way to begin a process ends with one sentence and code 1 where a setting makes no sense."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings

from worker_processes import free_port

COMMANDS = {
    "check": ("manage.py", "check"),
    "migrate": ("manage.py", "migrate"),
    "serve": ("manage.py", "serve", "127.0.0.1:1"),
    "help": ("manage.py", "help"),
    "web": ("-m", "config.server.web", "--bind", "127.0.0.1:0"),
    "worker": ("-m", "celery", "-A", "config.celery", "worker"),
    "beat": ("-m", "celery", "-A", "config.celery", "beat"),
}


def begun(folder: Path, *command: str, **environ: str) -> "subprocess.CompletedProcess[str]":
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    return subprocess.run(
        [sys.executable, *command],
        cwd=settings.BASE_DIR,
        env={**kept, "VAR_DIR": str(folder), **environ},
        capture_output=True,
        text=True,
        timeout=120,
    )


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(("name", "value"), [("DEBUG", "foo"), ("TIME_ZONE", "Mars/Phobos"), ("VAR_DIR", "/proc/x")])
def test_a_refused_setting_is_one_sentence(tmp_path, command, name, value):
    done = begun(tmp_path, *COMMANDS[command], **{name: value})
    assert done.returncode == 1
    assert done.stderr.startswith(f"{name} ") and done.stderr.count("\n") == 1, done.stderr
    assert done.stdout == ""


def test_with_json_the_sentence_is_a_json_value(tmp_path):
    done = begun(tmp_path, "manage.py", "alive", "--json", DEBUG="foo")
    assert done.returncode == 1 and json.loads(done.stdout)["error"].startswith("DEBUG must be on or off")


def test_a_key_that_cannot_be_read_is_named(tmp_path):
    (tmp_path / "secret_key").mkdir()
    done = begun(tmp_path, "manage.py", "check")
    assert done.returncode == 1
    assert done.stderr == f"{tmp_path}/secret_key cannot be used: Is a directory.\n"


@pytest.mark.parametrize(
    ("command", "name", "value"),
    [
        (command, name, value)
        for command in ("serve", "web")
        for name in ("WEB_CONCURRENCY", "WEB_THREADS")
        for value in ("abc", "0", "-3", "1001")
    ],
)
def test_a_number_of_the_web_server_that_makes_no_sense_is_named(tmp_path, command, name, value):
    arguments = COMMANDS[command] if command == "web" else ("manage.py", "serve", f"127.0.0.1:{free_port()}")
    done = begun(tmp_path, *arguments, **{name: value})
    assert done.returncode == 1
    assert f"{name} must be a whole number from 1 to 1000, not {value!r}." in done.stderr
    assert "Traceback" not in done.stderr and done.stderr.count("\n") == 1


@pytest.mark.parametrize("value", ["", " 3 "])
def test_the_web_server_takes_the_numbers_that_the_settings_take(tmp_path, value):
    done = begun(tmp_path, *COMMANDS["web"], "--check-config", WEB_CONCURRENCY=value)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize(("option", "value"), [("--web-workers", "0"), ("--threads", "0"), ("--threads", "-1")])
def test_serve_refuses_a_number_that_would_serve_nothing(tmp_path, option, value):
    done = begun(tmp_path, "manage.py", "serve", f"127.0.0.1:{free_port()}", option, value)
    assert done.returncode == 1 and done.stderr == f"CommandError: {option} is a number from 1 to 1,000.\n"


@pytest.mark.parametrize("host", ["999.1.1.1", "192.0.2.1", "[2001:db8::1]"])
def test_serve_says_that_an_address_is_not_of_this_machine(tmp_path, host):
    done = begun(tmp_path, "manage.py", "serve", f"{host}:{free_port()}")
    assert done.returncode == 1 and "is no address of this machine" in done.stderr and "taken" not in done.stderr


@pytest.mark.parametrize("command", [("alive", "--json"), ("sweep", "--json"), ("audit", "x", "--json"), ("migrate",)])
def test_a_database_that_is_away_is_named_with_its_reason(tmp_path, command):
    port = free_port()
    address = f"postgres://who:hush-hush@127.0.0.1:{port}/labels"
    done = begun(tmp_path, "manage.py", *command, DATABASE_URL=address)
    sentence = f"The database labels on 127.0.0.1, port {port} cannot be reached: Connection refused. See DATABASE_URL."
    assert done.returncode == 1 and done.stderr.endswith(f"CommandError: {sentence}\n")
    assert "Traceback" not in done.stderr and "hush-hush" not in done.stderr
    assert done.stdout == ("" if "--json" not in command else json.dumps({"error": sentence}) + "\n")


@pytest.mark.parametrize("command", ["alive", "migrate"])
def test_a_database_file_that_cannot_be_opened_is_named(tmp_path, command):
    done = begun(tmp_path, "manage.py", command, DATABASE_URL=f"sqlite:///{tmp_path}/no/folder")
    assert done.returncode == 1
    reason = "cannot be used: unable to open database file. See DATABASE_URL and VAR_DIR."
    assert done.stderr == f"CommandError: The database {tmp_path}/no/folder {reason}\n"


def test_a_sweep_of_a_database_without_tables_says_what_to_do(tmp_path):
    done = begun(tmp_path, "manage.py", "sweep", "--json")
    assert done.returncode == 1 and done.stdout.count("\n") == 1
    assert done.stderr == "CommandError: The database has no tables yet: run `manage.py migrate`.\n"
