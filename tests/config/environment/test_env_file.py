"""One file gives every process of the site its environment, with the syntax of systemd (threats F48)."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

import migrated_database
from config.environment import env_file


@pytest.fixture(autouse=True)
def nothing_loaded(monkeypatch):
    monkeypatch.setattr(env_file, "loaded", set())


# What systemd 252 makes of the same lines, printed by its generator for environment.d.
@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("A=plain", "plain"),
        ("  A = spaces around \t", "spaces around"),
        ("A=", ""),
        ("A=a # is no comment", "a # is no comment"),
        ("A=postgres://u:p%23w@h/n?sslmode=require", "postgres://u:p%23w@h/n?sslmode=require"),
        ("A=$HOME and ${HOME}", "$HOME and ${HOME}"),
        ('A="two words"', "two words"),
        ("A='one $PATH \\n \"quoted\"'", 'one $PATH \\n "quoted"'),
        ('A="a \\"b\\" \\$c \\` \\\\ \\n"', 'a "b" $c ` \\ \\n'),
        ("A=a\\b\\\\c", "ab\\c"),
        ("A=a\"b'c", "a\"b'c"),
        ("A='a' \"b\" c", "abc"),
        ("A=one \\\n  two", "one   two"),
        ('A="one \\\ntwo\nthree"', "one two\nthree"),
        ("A=kept\\ ", "kept "),
        ("# A=not\n; A=nor this\n\nA=this", "this"),
        ("A=first\nA=last", "last"),
    ],
)
def test_a_line_means_what_it_means_to_systemd(line, value):
    assert env_file.parse(line, "here") == {"A": value}
    assert env_file.parse(f"{line}\nB=c\n", "here") == {"A": value, "B": "c"}


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("A=b\nhush-hush", "here, line 2: write NAME=value"),
        ("export A=hush-hush", "here, line 1: write NAME=value, without export before it"),
        ("A-B=hush-hush", "here, line 1: write NAME=value"),
        ("=hush-hush", "here, line 1: write NAME=value"),
        ("\nA='hush-hush\nB=c", "here, line 2: this quotation mark is never closed"),
        ('A="hush-hush\\"', "here, line 1: this quotation mark is never closed"),
    ],
)
def test_what_is_no_assignment_is_named_by_its_line_and_never_repeated(text, sentence):
    with pytest.raises(ImproperlyConfigured) as refused:
        env_file.parse(text, "here")
    assert sentence in str(refused.value) and "hush" not in str(refused.value)


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "interplay.env"
    path.write_text("SITE_URL=https://labels.example.org\nDATABASE_PASSWORD='a b'\nLOG_LEVEL=ERROR\n")
    path.chmod(0o640)
    return path


def test_what_the_process_has_already_goes_first_also_when_it_is_empty_or_names_a_file(file):
    environ = {"INTERPLAY_ENV": str(file), "SITE_URL": "", "DATABASE_PASSWORD_FILE": "/run/secrets/password"}
    env_file.read(environ)
    assert environ["SITE_URL"] == "" and environ["LOG_LEVEL"] == "ERROR" and "DATABASE_PASSWORD" not in environ
    assert env_file.loaded == {"LOG_LEVEL"}


def test_the_usual_file_is_read_unless_the_variable_names_another_one_or_none(file, tmp_path):
    environ: dict[str, str] = {}
    env_file.read(environ, default=file)
    assert environ["DATABASE_PASSWORD"] == "a b"
    for named in ("", " "):
        none = {"INTERPLAY_ENV": named}
        env_file.read(none, default=file)
        assert none == {"INTERPLAY_ENV": named}
    nothing: dict[str, str] = {}
    env_file.read(nothing, default=tmp_path / "absent")
    assert nothing == {}


def test_a_file_that_is_named_and_cannot_be_read_stops_with_its_name(tmp_path):
    for path, reason in ((tmp_path / "absent", "No such file or directory"), (tmp_path, "Is a directory")):
        with pytest.raises(ImproperlyConfigured, match=f"INTERPLAY_ENV names {path}, which cannot be read: {reason}"):
            env_file.read({"INTERPLAY_ENV": str(path)})
    (tmp_path / "bytes").write_bytes(b"A=\xff")
    with pytest.raises(ImproperlyConfigured, match="it is not UTF-8"):
        env_file.read({"INTERPLAY_ENV": str(tmp_path / "bytes")})


def test_a_file_that_everybody_reads_is_said(file, capsys):
    env_file.read({"INTERPLAY_ENV": str(file)})
    assert capsys.readouterr().err == ""
    file.chmod(0o644)
    env_file.read({"INTERPLAY_ENV": str(file)})
    assert f"chmod o-r {file}" in capsys.readouterr().err


def test_the_usual_file_of_another_account_is_said_where_no_database_is_named(file, capsys, monkeypatch):
    monkeypatch.setattr(env_file.os, "access", lambda *_: False)
    environ: dict[str, str] = {}
    env_file.read(environ, default=file)
    assert environ == {} and f"may not read {file}" in capsys.readouterr().err
    env_file.read({"DATABASE_URL_FILE": "/run/secrets/url"}, default=file)  # systemd has read it for this process
    assert capsys.readouterr().err == ""


READS = "from django.conf import settings; print(settings.SITE_URL)"
WAYS = {
    "command": ("manage.py", "shell", "-v", "0", "-c", READS),
    "worker": ("-c", f"import config.celery; {READS}"),
    "web": ("-c", f"import config.wsgi; {READS}"),
}


@pytest.mark.parametrize("way", WAYS)
def test_f48_each_process_reads_it(tmp_path, file, way):
    environ = {**migrated_database.make_site(tmp_path), "INTERPLAY_ENV": str(file)}
    done = subprocess.run(
        [sys.executable, *WAYS[way]], cwd=settings.BASE_DIR, env=environ, capture_output=True, text=True, timeout=120
    )
    assert (done.returncode, done.stdout.strip()) == (0, "https://labels.example.org"), done.stderr[-2000:]


def test_the_web_server_reads_its_own_numbers_there(tmp_path, file):
    file.write_text("WEB_THREADS=0\n")
    kept = {"PATH": os.environ["PATH"], "VAR_DIR": str(tmp_path), "INTERPLAY_ENV": str(file)}
    for command in (("-m", "config.server.web", "--check-config"), ("manage.py", "check")):
        done = subprocess.run(
            [sys.executable, *command], cwd=settings.BASE_DIR, env=kept, capture_output=True, text=True, timeout=120
        )
        assert done.returncode == 1 and done.stderr.startswith("WEB_THREADS must be a whole number"), done.stderr


def test_make_demo_reads_no_file():
    assert "demo: export INTERPLAY_ENV :=\n" in Path(settings.BASE_DIR, "Makefile").read_text()
