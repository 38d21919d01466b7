"""The times that processes have to end agree with one another and with what the documents tell operators."""

import re
from pathlib import Path

from django.conf import settings

from config.server import gunicorn_config, supervisor

ROOT = Path(__file__).resolve().parents[3]


def stop_grace_period(service):
    compose = (ROOT / "docker-compose.yml").read_text()
    section = compose.split(f"\n  {service}:\n")[1].split("\n\n")[0]
    return int(re.search(r"stop_grace_period: (\d+)s", section)[1])


def test_the_supervisor_waits_longer_than_pages_and_runs_need():
    assert gunicorn_config.graceful_timeout < supervisor.STOP_SECONDS
    assert settings.RUN_GRACE_SECONDS < supervisor.STOP_SECONDS


def test_the_service_manager_waits_longer_than_the_supervisor():
    guide = (ROOT / "docs/operators.md").read_text()
    assert int(re.search(r"TimeoutStopSec=(\d+)", guide)[1]) > supervisor.STOP_SECONDS
    assert f"ends within {supervisor.STOP_SECONDS:.0f} s" in guide


def test_containers_have_the_time_that_their_process_takes():
    assert stop_grace_period("web") > gunicorn_config.graceful_timeout
    assert stop_grace_period("worker") > settings.RUN_GRACE_SECONDS


def test_the_image_and_serve_start_the_web_server_with_the_same_settings():
    image = (ROOT / "Dockerfile").read_text()
    command = [word.strip(' "') for word in re.findall(r"CMD \[(.+)\]", image)[-1].split(",")]
    bind = command[command.index("--bind") + 1]
    assert command == [word for word in supervisor.web_command(bind)[2:] if word not in ("--workers", "2")]
