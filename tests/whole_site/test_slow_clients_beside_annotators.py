"""Slow clients at the real site while people label, directly and through the proxy that we ship (threat F41)."""

import http.client
import json
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import migrated_database
from absent import skip_or_fail
from deployment import ROOT
from worker_processes import free_port, listens, wait_until

pytestmark = [pytest.mark.faults, pytest.mark.slow, pytest.mark.once]

CLIENTS, PEOPLE, ALONE, SECONDS = 500, 30, 3, 4
ADDRESSES = {"many": [f"127.0.0.{number}" for number in range(2, 10)], "one": ["127.0.0.1"]}
"""Of the slow clients. Those of one address share it with the people who label."""
FILL = f"import json, site_visitors; print(json.dumps(site_visitors.fill('slow', 3000, {PEOPLE})))"


class Site:
    """The web server as it is shipped with a database of its own, and Caddy before it where that is asked for."""

    def __init__(self, folder: Path, way: str) -> None:
        tests = f"{ROOT}:{ROOT / 'tests/support'}"
        own = {"RATE_LIMITED": "off", "LOG_LEVEL": "ERROR", "PYTHONPATH": tests, "TMPDIR": str(folder)}
        self.folder, self.web, self.running = folder, free_port(), list[subprocess.Popen[bytes]]()
        self.environ = {**migrated_database.make_site(folder), **own, "DJANGO_SETTINGS_MODULE": "config.settings"}
        if way == "caddy":
            self.environ["TRUSTED_PROXIES"] = "1"
        self.filled = json.loads(self._python("-c", f"import django; django.setup(); {FILL}"))
        self.start(sys.executable, "-m", "config.server.web", "--bind", f"0.0.0.0:{self.web}")
        self.port = self.web if way == "direct" else self._proxy()
        wait_until(self.answers, "the site", 120)

    def start(self, *command: str, **environ: str) -> None:
        process = subprocess.Popen(command, cwd=ROOT, env=self.environ | environ, stderr=subprocess.DEVNULL)
        self.running.append(process)

    def _proxy(self) -> int:
        caddy, port = shutil.which("caddy"), free_port()
        if caddy is None:
            skip_or_fail("caddy is not installed")
        ports = {"HTTP_PORT": str(port), "HTTPS_PORT": str(free_port()), "HEALTH_PORT": str(free_port())}
        places = {"XDG_DATA_HOME": str(self.folder), "XDG_CONFIG_HOME": str(self.folder), "HOME": str(self.folder)}
        config = ("--config", str(ROOT / "deploy/proxy/Caddyfile"), "--adapter", "caddyfile")
        web = {"SITE_URL": f"http://localhost:{port}", "WEB": f"127.0.0.1:{self.web}"}
        self.start(caddy, "run", *config, **ports, **places, **web)
        wait_until(lambda: listens(port), "Caddy", 60)
        return port

    def answers(self) -> bool:
        """Return whether the site is there. Fails if one of its processes has ended."""
        assert all(process.poll() is None for process in self.running), "a process of the site has ended"
        return self.lives() == 200

    def lives(self) -> int:
        """Return the status of the health check. Returns 0 if there is no answer in the time of Kubernetes' file."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        try:
            connection.request("GET", "/livez", headers={"Host": f"localhost:{self.port}"})
            return connection.getresponse().status
        except OSError:
            return 0
        finally:
            connection.close()

    def attacked(self, **plan: Any) -> dict[str, Any]:
        common = {"port": self.port, "clients": CLIENTS, "seconds": SECONDS, "pages": [self._long_page()]}
        return json.loads(
            self._python(str(ROOT / "tests/support/slow_clients.py"), json.dumps(self.filled | common | plan))
        )

    def _long_page(self) -> str:
        return "/static/drf_spectacular_sidecar/redoc/bundles/redoc.standalone.js"

    def stored(self) -> int:
        count = "import django; django.setup(); from annotation.models import Label; print(Label.objects.count())"
        return int(self._python("-c", count))

    def _python(self, *arguments: str) -> str:
        command = [sys.executable, *arguments]
        return subprocess.run(
            command, cwd=ROOT, env=self.environ, stdout=subprocess.PIPE, check=True, text=True, timeout=300
        ).stdout

    def end(self) -> None:
        for process in reversed(self.running):
            process.terminate()
            process.wait(60)


class HealthChecks(threading.Thread):
    """Asks every second whether the site lives."""

    def __init__(self, site: Site) -> None:
        super().__init__()
        self.site, self.over, self.statuses = site, threading.Event(), list[int]()

    def run(self) -> None:
        while not self.over.wait(1):
            self.statuses.append(self.site.lives())

    def __enter__(self) -> "HealthChecks":
        self.start()
        return self

    def __exit__(self, *_fault: object) -> None:
        self.over.set()
        self.join()


@pytest.fixture(params=["direct", "caddy"])
def site(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Site]:
    site = Site(tmp_path, request.param)
    yield site
    site.end()


def test_500_slow_clients_stop_nobody_from_labelling(
    site: Site, record_property: Callable[[str, object], None]
) -> None:
    acknowledged, alone = 0, dict[str, Any]()
    tries = [([kind], "many") for kind in ("heads", "bodies", "readers", "silent")]
    for kinds, addresses in [*tries, (["heads", "bodies", "readers", "silent"], "one")]:
        with HealthChecks(site) as checks:
            met = site.attacked(kinds=kinds, addresses=ADDRESSES[addresses], alone=0 if alone else ALONE)
        alone, attacked = met.get("undisturbed", alone), met["attacked"]
        assert alone["refused"] == attacked["refused"] == []
        assert met["connected"] >= CLIENTS and attacked["acknowledged"]
        # One late answer restarts nothing (the files ask four or six times). A site that is held gives none at all.
        assert set(checks.statuses) - {0} == {200} and checks.statuses.count(0) <= 1
        acknowledged += len(set(attacked["acknowledged"]))
        name = f"{' and '.join(kinds)} of {addresses}: p95 alone and attacked, ms; labels attacked"
        figures = f"{alone['p95'] * 1000:.0f}, {attacked['p95'] * 1000:.0f}; {len(attacked['acknowledged'])}"
        record_property(name, figures)
    assert site.stored() >= acknowledged > 0
