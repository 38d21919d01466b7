import json
import os
import subprocess
import sys
from pathlib import Path

from django.core.checks import WARNING, run_checks

import migrated_database

ROOT = Path(__file__).resolve().parents[2]


def manage(*arguments: str, **environ: str) -> "subprocess.CompletedProcess[str]":
    """Run a command as an operator would: only PATH and what the test names is set."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG", "INTERPLAY_ENV") if name in os.environ}
    return subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=ROOT,
        env={**kept, **environ},
        capture_output=True,
        text=True,
        timeout=120,
        umask=0o022,
    )


def test_an_https_address_makes_a_site_that_passes_the_deployment_checks(tmp_path):
    site = {"VAR_DIR": str(tmp_path), "SITE_URL": "https://labels.example.org"}
    check = ("check", "--deploy", "--fail-level", "WARNING")
    done = manage(*check, **site, OPERATOR_CONTACT="abuse@example.org")
    assert done.returncode == 0, done.stderr


def test_the_deployment_checks_warn_where_nobody_is_named(settings):
    settings.DEBUG, settings.OPERATOR_CONTACT = False, ""
    warned = [warning for warning in run_checks(include_deployment_checks=True) if "OPERATOR_CONTACT" in warning.msg]
    assert [warning.msg.partition(":")[0] for warning in warned] == ["OPERATOR_CONTACT is not set"]
    assert warned[0].level >= WARNING


def test_commands_run_with_no_variable_set_and_with_json_print_one_value(tmp_path):
    migrated_database.make_site(tmp_path)
    done = manage("alive", "--json", VAR_DIR=str(tmp_path))
    assert json.loads(done.stdout) == {"ok": False, "seen": None, "unread_queues": ["interplay"]}
    assert done.returncode == 1


def test_the_sweep_says_what_it_swept(tmp_path):
    migrated_database.make_site(tmp_path)
    done = manage("sweep", "--json", VAR_DIR=str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert set(json.loads(done.stdout).values()) <= {0}


def test_debug_and_demo_are_off_unless_asked_for(tmp_path):
    script = "from django.conf import settings; print(settings.DEBUG, settings.DEMO)"
    done = manage("shell", "-v", "0", "-c", script, VAR_DIR=str(tmp_path))
    assert done.stdout.strip() == "False False"


def test_an_organisation_account_is_offered_once_its_provider_is_named(tmp_path):
    migrated_database.make_site(tmp_path)
    script = (
        "from django.test import Client\n"
        "page = Client().get('/accounts/login/', headers={'host': '127.0.0.1'})\n"
        "print('Campus sign-in' in page.text, '/accounts/oidc/oidc/login/' in page.text)\n"
        "print(page['Content-Security-Policy'])"
    )
    done = manage(
        *("shell", "-v", "0", "-c", script),
        VAR_DIR=str(tmp_path),
        OIDC_SERVER_URL="https://id.example.org/realms/lab",
        OIDC_NAME="Campus sign-in",
        OIDC_CLIENT_ID="interplay",
        OIDC_CLIENT_SECRET="hush-hush",
    )
    assert done.stdout.startswith("True True\n"), done.stderr
    assert "form-action 'self' https://id.example.org" in done.stdout


def test_l29_what_the_site_writes_is_readable_by_its_own_account_alone(tmp_path):
    folder = tmp_path / "site"
    folder.mkdir(mode=0o755)
    script = (
        "from django.core.files.base import ContentFile\n"
        "from django.core.files.storage import default_storage\n"
        "from django.db import connection\n"
        "connection.cursor().execute('CREATE TABLE a (b)')\n"
        "default_storage.save('releases/1/manifest.json', ContentFile(b'{}'))"
    )
    done = manage("shell", "-v", "0", "-c", script, VAR_DIR=str(folder))
    assert done.returncode == 0, done.stderr
    written = [folder, *folder.rglob("*")]
    assert {"interplay.sqlite3", "manifest.json", "secret_key"} <= {path.name for path in written}
    for path in written:
        assert not path.stat().st_mode & 0o077, path
