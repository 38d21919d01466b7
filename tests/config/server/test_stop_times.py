"""The times that processes have to end agree with one another and with what the documents tell operators."""

import re
from pathlib import Path

from django.conf import settings

import deployment
from config.server import gunicorn_config, supervisor

ROOT = Path(__file__).resolve().parents[3]


def stop_grace_period(service):
    return int(deployment.compose()["services"][service]["stop_grace_period"].removesuffix("s"))


def termination_grace_period(component):
    return deployment.pods()[component]["terminationGracePeriodSeconds"]


def test_the_supervisor_waits_longer_than_pages_and_runs_need():
    assert gunicorn_config.graceful_timeout < supervisor.STOP_SECONDS
    assert settings.RUN_GRACE_SECONDS < supervisor.STOP_SECONDS


def test_the_service_manager_waits_longer_than_the_supervisor():
    for unit in ("interplay.service", "interplay-worker@.service"):
        text = (ROOT / "deploy/systemd" / unit).read_text()
        assert int(re.search(r"TimeoutStopSec=(\d+)", text)[1]) > supervisor.STOP_SECONDS
    assert f"ends within {supervisor.STOP_SECONDS:.0f} s" in (ROOT / "docs/operators.md").read_text()


def test_containers_have_the_time_that_their_process_takes():
    assert stop_grace_period("web") > gunicorn_config.graceful_timeout
    assert stop_grace_period("runs") == stop_grace_period("worker") > supervisor.STOP_SECONDS
    assert termination_grace_period("runs") == termination_grace_period("worker") > supervisor.STOP_SECONDS


def test_a_pod_is_out_of_the_service_before_it_refuses_connections():
    before = int(deployment.pods()["web"]["containers"][0]["lifecycle"]["preStop"]["exec"]["command"][-1])
    assert termination_grace_period("web") > before + gunicorn_config.graceful_timeout


def test_the_image_and_serve_start_the_web_server_with_the_same_settings():
    image = (ROOT / "Dockerfile").read_text()
    command = [word.strip(' "') for word in re.findall(r"CMD \[(.+)\]", image)[-1].split(",")]
    bind = command[command.index("--bind") + 1]
    assert command[1:] == [word for word in supervisor.web_command(bind)[1:] if word not in ("--workers", "2")]
