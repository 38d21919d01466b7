"""Every way to begin a process ends with one sentence and code 1 where a setting makes no sense."""

import json
import os
import subprocess
import sys
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.management import CommandError, call_command

from config import start
from config.environment import env
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
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG", "INTERPLAY_ENV") if name in os.environ}
    return subprocess.run(
        [sys.executable, *command],
        cwd=settings.BASE_DIR,
        env={**kept, "VAR_DIR": str(folder), **environ},
        capture_output=True,
        text=True,
        timeout=120,
    )


@pytest.mark.parametrize(
    ("command", "name", "value"),
    [
        *((command, "TIME_ZONE", "Mars/Phobos") for command in COMMANDS),
        ("check", "DEBUG", "foo"),
        ("web", "VAR_DIR", "/proc/x"),
    ],
)
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


@pytest.mark.parametrize(("name", "value"), [("WEB_CONCURRENCY", "abc"), ("WEB_THREADS", "0")])
@pytest.mark.parametrize("command", ["serve", "web"])
def test_a_number_of_the_web_server_that_makes_no_sense_is_named(tmp_path, command, name, value):
    arguments = COMMANDS[command] if command == "web" else ("manage.py", "serve", f"127.0.0.1:{free_port()}")
    done = begun(tmp_path, *arguments, **{name: value})
    assert done.returncode == 1
    assert f"{name} must be a whole number from 1 to 1000, not {value!r}." in done.stderr
    assert "Traceback" not in done.stderr and done.stderr.count("\n") == 1


@pytest.mark.parametrize("value", ["abc", "0", "-3", "1001"])
@pytest.mark.parametrize("read", [env.web_concurrency, env.web_threads])
def test_both_numbers_of_the_web_server_are_from_1_to_1000(read, value):
    names = dict.fromkeys(("WEB_CONCURRENCY", "WEB_THREADS"), value)
    with pytest.raises(ImproperlyConfigured, match=f"must be a whole number from 1 to 1000, not {value!r}."):
        read(environ=names)


@pytest.mark.parametrize("value", ["", " 3 "])
def test_the_web_server_takes_the_numbers_that_the_settings_take(tmp_path, value):
    done = begun(tmp_path, *COMMANDS["web"], "--check-config", WEB_CONCURRENCY=value)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize(("option", "value"), [("--web-workers", "0"), ("--threads", "0"), ("--threads", "-1")])
def test_serve_refuses_a_number_that_would_serve_nothing(monkeypatch, option, value):
    monkeypatch.setattr(os, "execve", None)  # it would take this process
    with pytest.raises(CommandError, match=f"^{option} is a number from 1 to 1,000.$"):
        call_command("serve", f"127.0.0.1:{free_port()}", option, value)


@pytest.mark.parametrize(
    ("told", "expected"), [("", "http://127.0.0.1:{}"), ("http://labels.example.org", "http://labels.example.org")]
)
def test_a_site_on_another_port_names_that_port_in_its_links(monkeypatch, told, expected):
    """Citations and invitations of `make run PORT=8001` led to port 8000."""
    started = []
    monkeypatch.setattr(os, "execve", lambda _program, _command, environ: started.append(environ["SITE_URL"]))
    monkeypatch.setattr(os, "chdir", lambda _folder: None)
    monkeypatch.delenv("SITE_URL", raising=False)
    if told:
        monkeypatch.setenv("SITE_URL", told)
    port = free_port()
    call_command("serve", f"127.0.0.1:{port}")
    assert started == [expected.format(port)]


SERVE_AT = """
import sys, django
django.setup()
from django.core.management import CommandError, call_command
for host in sys.argv[2:]:
    try:
        call_command("serve", f"{host}:{sys.argv[1]}")
    except CommandError as refused:
        print(refused)
"""


def test_serve_says_that_an_address_is_not_of_this_machine(tmp_path):
    """One process for all: names are looked up as outside of tests, and a start that is not refused ends it."""
    hosts = ("999.1.1.1", "192.0.2.1", "[2001:db8::1]")
    port = str(free_port())
    done = begun(tmp_path, "-c", SERVE_AT, port, *hosts, DJANGO_SETTINGS_MODULE="config.settings")
    told = done.stdout.splitlines()
    assert len(told) == len(hosts), done.stderr
    for host, sentence in zip(hosts, told, strict=True):
        assert f"{host.strip('[]')} is no address of this machine" in sentence


@pytest.mark.parametrize("command", [("audit", "x", "--json"), ("migrate",)])
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


@pytest.mark.parametrize(("runs", "owner", "is_told"), [(0, 4242, True), (0, 0, False), (1000, 4242, False)])
def test_root_is_told_to_whom_the_folder_belongs(monkeypatch, capsys, runs, owner, is_told):
    monkeypatch.setattr(start.os, "geteuid", lambda: runs)
    monkeypatch.setattr(start, "settings", SimpleNamespace(VAR_DIR=SimpleNamespace(stat=partial(_owned, owner))))
    start.warn_of_root()
    told = capsys.readouterr().err
    assert ("belongs to #4242" in told and "sudo -u '#4242'" in told) if is_told else told == ""


def _owned(owner):
    return SimpleNamespace(st_uid=owner)


def test_a_sweep_of_a_database_without_tables_says_what_to_do(tmp_path):
    done = begun(tmp_path, "manage.py", "sweep", "--json")
    assert done.returncode == 1 and done.stdout.count("\n") == 1
    assert done.stderr == "CommandError: The database has no tables yet: run `manage.py migrate`.\n"


def test_what_was_mended_in_a_key_is_told_at_the_start(tmp_path):
    done = begun(tmp_path, "manage.py", "check", OPENAI_API_KEY="\ufeffsk-abc-canary")
    assert done.returncode == 0
    assert done.stderr.startswith("OPENAI_API_KEY has a byte-order mark around its key: it is used without.\n")
    assert "canary" not in done.stderr + done.stdout
