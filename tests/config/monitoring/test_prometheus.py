"""A real Prometheus reads a running site, and every query of the dashboard and of the alerts has an answer."""

import json
import shutil
import subprocess
import sys
import time
import urllib.parse
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.conf import settings

import migrated_database
from absent import skip_or_fail
from promql import ALERTS, alerts, queries_of_the_dashboard
from worker_processes import free_port, listens, wait_until

pytestmark = [pytest.mark.slow, pytest.mark.once]

ROOT = Path(settings.BASE_DIR)
TOKEN = "a-token-that-only-prometheus-has"
SCRAPES = 6
VISITS = 20
RATE_INTERVAL = "30s"
"""What Grafana puts in place of `$__rate_interval`: at least four scrapes."""
COUNT = """
import time
from datetime import timedelta
import django
django.setup()
from django.utils import timezone
from annotation.core import signals as acts
from annotation.models import Label, Seat
from config.monitoring import counters
from providers.messages import Reply, Usage
from runs import signals as runs
from runs.models import Pause, Run
Pause.objects.create(provider="lab", detail="no quota", until=timezone.now() + timedelta(hours=1))
run = Run(method="arcade")
for _ in range(20):
    acts.seat_claimed.send(Seat, ahead=False)
    acts.label_stored.send(Label, closed=True)
    reply = Reply("yes", "lab:m", Usage(100, 50), seconds=0.7)
    runs.call_ended.send(Run, run=run, role="judge", model="lab:m", outcome="ok", reply=reply)
    runs.call_ended.send(Run, run=run, role="judge", model="lab:m", outcome="refused", reply=None)
    runs.call_ended.send(Run, run=run, role="judge", model="lab:m", outcome="timeout", reply=None)
    runs.run_ended.send(Run, run=run, state="succeeded", seconds=1.0)
    counters.REQUESTS.labels("annotation:submit", "POST", 500).inc()
    counters.REQUESTS.labels("none", "GET", 404).inc()
    counters.REQUEST_SECONDS.labels("annotation:submit").observe(0.3)
    time.sleep(0.4)
"""
"""A third process of the site, which counts what takes long to bring about: labels, model calls, failures, refusals."""


@pytest.fixture
def programs() -> None:
    for program in ("prometheus", "promtool"):
        if not shutil.which(program):
            skip_or_fail(f"{program} is not installed (Debian's package prometheus).")


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    site = migrated_database.make_site(tmp_path)
    return {**site, "LOG_LEVEL": "WARNING", "METRICS_TOKEN": TOKEN, "MODEL_PRICES": "lab:m=2/10"}


@pytest.fixture
def site(environ: dict[str, str]) -> Iterator[int]:
    """The port of a running site: two web processes, a worker and beat."""
    port = free_port()
    serve = [sys.executable, "manage.py", "serve", f"127.0.0.1:{port}", "--threads", "4"]
    process = subprocess.Popen(serve, cwd=ROOT, env=environ)
    wait_until(lambda: listens(port), "the site", 180)
    yield port
    process.terminate()
    process.wait(120)


@pytest.fixture
def prometheus(programs: None, site: int, tmp_path: Path) -> Iterator[int]:
    """The port of a Prometheus that reads the site every second."""
    port, folder = free_port(), tmp_path / "prometheus"
    folder.mkdir()
    (folder / "token").write_text(TOKEN)
    shutil.copy(ALERTS, folder / "alerts.yml")
    (folder / "prometheus.yml").write_text(f"""
global: {{scrape_interval: 1s, evaluation_interval: 1s}}
rule_files: [alerts.yml]
scrape_configs:
  - job_name: interplay
    metrics_path: /metrics
    authorization: {{credentials_file: token}}
    static_configs: [{{targets: ["127.0.0.1:{site}"]}}]
""")
    subprocess.run(["promtool", "check", "config", "prometheus.yml"], cwd=folder, check=True, capture_output=True)
    options = ["--config.file=prometheus.yml", "--storage.tsdb.path=data", f"--web.listen-address=127.0.0.1:{port}"]
    process = subprocess.Popen(["prometheus", *options, "--log.level=warn"], cwd=folder)
    wait_until(lambda: listens(port), "Prometheus", 90)
    yield port
    process.terminate()
    process.wait(30)


def asked(port: int, path: str, **parameters: str) -> Any:
    address = f"http://127.0.0.1:{port}/api/v1/{path}?{urllib.parse.urlencode(parameters)}"
    with urllib.request.urlopen(address, timeout=30) as answer:
        content = json.load(answer)
    assert content["status"] == "success"
    return content["data"]


def values(port: int, query: str) -> list[float]:
    return [float(row["value"][1]) for row in asked(port, "query", query=query)["result"]]


def test_the_rules_of_the_alerts_are_read(programs):
    subprocess.run(["promtool", "check", "rules", str(ALERTS)], check=True, capture_output=True)


def test_each_alert_is_given_when_it_should_be_and_not_before(programs):
    cases = Path(__file__).with_name("alerts_test.yml")
    done = subprocess.run(["promtool", "test", "rules", cases.name], cwd=cases.parent, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    tried = yaml.safe_load(cases.read_text(encoding="utf-8"))["tests"]
    given = {case["alertname"] for test in tried for case in test["alert_rule_test"] if case.get("exp_alerts")}
    assert given == {rule["alert"] for rule in alerts()}


def test_every_query_of_the_dashboard_has_an_answer(prometheus, site, environ):
    counting = subprocess.Popen(
        [sys.executable, "-c", COUNT], cwd=ROOT, env={**environ, "DJANGO_SETTINGS_MODULE": "config.settings"}
    )
    visits = 0
    while counting.poll() is None or visits <= VISITS:
        with urllib.request.urlopen(f"http://127.0.0.1:{site}/livez", timeout=30):
            visits += 1
            time.sleep(0.1)
    assert counting.returncode == 0
    wait_until(lambda: values(prometheus, "max(interplay_sweep_age_seconds) < 90") != [], "a sweep", 180)
    wait_until(lambda: values(prometheus, f"count_over_time(up[1m]) >= {SCRAPES}") != [], "some scrapes", 90)
    assert values(prometheus, "up") == [1]
    # The sums are those of all processes, and nothing is lost with the one that has ended.
    assert values(prometheus, "sum(interplay_labels_total)") == [20]
    # 20 × (100 × 2 + 50 × 10) / 1,000,000
    assert values(prometheus, "sum(interplay_model_spend_total)") == [pytest.approx(0.014)]
    assert values(prometheus, 'interplay_http_requests_total{view="livez",status="200"}')[0] > VISITS
    asked_for = ((title, query) for title, query, _legend in queries_of_the_dashboard())
    unanswered = [(title, query) for title, query in asked_for if "replica" not in query]  # this site has none
    until = time.monotonic() + 90  # a slow machine has its figures a few scrapes later
    while unanswered and time.monotonic() < until:
        unanswered = [
            (title, query)
            for title, query in unanswered
            if not values(prometheus, query.replace("$__rate_interval", RATE_INTERVAL))
        ]
    assert unanswered == []
    groups = asked(prometheus, "rules")["groups"]
    assert [rule["name"] for group in groups for rule in group["rules"]] == [rule["alert"] for rule in alerts()]
    assert {rule["health"] for group in groups for rule in group["rules"]} == {"ok"}
