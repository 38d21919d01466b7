"""docker-compose.yml keeps to its schema and to the site; tests/deploy/test_processes.py runs what it starts."""

import re
import subprocess
import sys

import pytest
import yaml
from django.core.management import get_commands

import deployment
from config.queues import Work
from deployment import ROOT

COMPOSE = deployment.compose()
SERVICES = COMPOSE["services"]
SITE = deployment.site_services()
LASTING = {name: service for name, service in SERVICES.items() if service["restart"] != "no"}


def test_compose_takes_these_files():
    files = ["docker-compose.yml", *map(str, (ROOT / "deploy/compose").glob("*.yml"))]
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.compose-spec", *files]
    checked = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    assert checked.returncode == 0, checked.stdout


@pytest.mark.parametrize("name", SERVICES)
def test_a_service_has_no_more_rights_than_it_needs(name):
    service = SERVICES[name]
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"] and service.get("cap_add", []) in ([], ["NET_BIND_SERVICE"])
    assert service["security_opt"] == ["no-new-privileges:true"]
    user = service.get("user") or re.search(r"^USER (\S+)", (ROOT / "deploy/proxy/Dockerfile").read_text(), re.M)[1]
    assert int(user.partition(":")[0]) > 0
    limits = service["deploy"]["resources"]["limits"]
    assert limits["memory"] and 0 < limits["pids"] <= 512


@pytest.mark.parametrize("name", LASTING)
def test_a_service_that_stays_has_a_health_check(name):
    assert LASTING[name].get("healthcheck", {}).get("test") or name == "web", "only that of web is the image's"


def test_the_image_asks_web_at_its_own_port_whether_it_is_ready(client):
    image = (ROOT / "Dockerfile").read_text()
    check = re.search(r"HEALTHCHECK .*\n +CMD (.+)", image)[1]
    port, path = re.search(r"'127\.0\.0\.1', (\d+)", check)[1], re.search(r"GET (\S+) HTTP", check)[1]
    assert SITE["web"]["command"][-1] == f"0.0.0.0:{port}"
    assert path == "/readyz"


@pytest.mark.django_db
def test_the_addresses_that_are_asked_exist(client):
    assert [client.get(path, headers={"host": "localhost"}).status_code for path in ("/livez", "/readyz")] == [200, 200]


@pytest.mark.parametrize("name", SITE)
def test_every_variable_is_one_that_the_settings_read(name):
    environment = SITE[name]["environment"]
    assert deployment.unknown(set(environment)) == []
    assert deployment.secrets() & set(environment) <= {"DATABASE_URL", "CELERY_BROKER_URL", "REDIS_URL"}
    addresses = [environment[key] for key in ("DATABASE_URL", "CELERY_BROKER_URL", "REDIS_URL")]
    assert [address for address in addresses if re.search(r"//[^/]*:[^/]*@", address)] == [], "a password in the open"


@pytest.mark.parametrize("name", SERVICES)
def test_every_secret_is_a_file_that_the_service_gets(name):
    service = SERVICES[name]
    files = {value for key, value in service.get("environment", {}).items() if key.endswith("_FILE")}
    text = yaml.safe_dump([service.get("command"), service.get("healthcheck")])
    paths = {path for path in files if path.startswith("/run/secrets/")} | set(re.findall(r"/run/secrets/\w+", text))
    assert paths == {f"/run/secrets/{secret}" for secret in service.get("secrets", ())}
    assert {path.rpartition("/")[2] for path in paths} <= set(COMPOSE["secrets"])


def test_secrets_stay_out_of_the_repository_and_of_the_image():
    assert all(secret["file"].startswith("./secrets/") for secret in COMPOSE["secrets"].values())
    assert "secrets/" in (ROOT / ".gitignore").read_text().splitlines()
    assert "secrets" in (ROOT / ".dockerignore").read_text().splitlines()


def test_the_image_holds_the_site_and_its_licences_and_nothing_that_only_builds_or_tests_it():
    left_out = set((ROOT / ".dockerignore").read_text().split())
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, check=True, capture_output=True, text=True).stdout.split()
    copied = {name.partition("/")[0] for name in listed} - left_out
    apps = {"annotation", "config", "generation", "moderation", "providers", "runs", "vocabulary"}
    assert {name for name in copied if (ROOT / name).is_dir()} == apps | {"locale", "static", "templates"}
    assert {"LICENSE", "THIRD_PARTY.md", "manage.py", "pyproject.toml", "requirements.lock"} <= copied
    assert {".git", ".venv", "var", "secrets", ".env"} <= left_out


def test_all_wait_until_the_database_is_migrated():
    for name, service in SITE.items():
        waits = {other: how["condition"] for other, how in service["depends_on"].items()}
        migrated = (
            {}
            if name in ("migrate", "backup")
            else {"migrate": "service_completed_successfully", "queue": "service_healthy"}
        )
        assert waits == {"database": "service_healthy"} | migrated
    assert "migrate" in get_commands() and "alive" in get_commands()
    assert SITE["migrate"]["command"] == ["python", "manage.py", "migrate"]


def test_the_workers_together_take_all_work_and_each_kind_waits_at_one():
    taken = [
        work
        for service in SITE.values()
        if "worker" in service["command"]
        for work in service["environment"]["WORKER_QUEUES"].split(",")
    ]
    assert sorted(taken) == sorted(Work)


def test_health_checks_of_workers_look_at_the_file_that_they_touch():
    for name in ("runs", "worker"):
        assert SITE[name]["environment"]["WORKER_HEARTBEAT_FILE"] in SITE[name]["healthcheck"]["test"][1]


def test_the_site_writes_where_it_may():
    image = (ROOT / "Dockerfile").read_text()
    folder = re.search(r"VAR_DIR=(\S+)", image)[1]
    assert re.search(r"TMPDIR=(\S+)", image)[1].startswith(f"{folder}/")
    assert all(f"site:{folder}" in service["volumes"] and "/tmp" in service["tmpfs"] for service in SITE.values())


def test_the_proxy_reads_no_other_variable_than_it_gets_and_knows_web():
    caddyfile = (ROOT / "deploy/proxy/Caddyfile").read_text()
    needed = set(re.findall(r"\{\$(\w+)\}", caddyfile))
    assert needed == set(SERVICES["proxy"]["environment"])
    assert re.search(r"\{\$WEB:(\S+)\}", caddyfile)[1] == "web:" + SITE["web"]["command"][-1].rpartition(":")[2]
    health = re.search(r"\{\$HEALTH_PORT:(\d+)\}", caddyfile)[1]
    assert SERVICES["proxy"]["healthcheck"]["test"][-1] == f"http://127.0.0.1:{health}/"
    assert SERVICES["proxy"]["environment"].keys() <= deployment.variables()
