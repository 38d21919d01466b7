"""The proxy's configuration, run by Caddy: certificate, what it tells the site, and what a stopped web server costs."""

import http.server
import json
import shutil
import socket
import ssl
import subprocess
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from absent import skip_or_fail
from deployment import ROOT
from worker_processes import free_port, listens, wait_until

pytestmark = pytest.mark.slow

CADDYFILE = str(ROOT / "deploy/proxy/Caddyfile")


class Echo(http.server.BaseHTTPRequestHandler):
    """A web server that answers with what it was told, and closes no connection by itself."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        body = json.dumps(dict(self.headers.items())).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.do_GET()

    def log_message(self, *words: object) -> None:
        """Write no log."""


@contextmanager
def web_server(port: int) -> Iterator[None]:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Echo)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class Proxy:
    """Caddy with the site's configuration on free ports, and a certificate that it signs itself."""

    def __init__(self, folder: Path) -> None:
        program = shutil.which("caddy")
        if program is None:
            skip_or_fail("caddy is not installed")
        self.web, self.http, self.https, self.health = (free_port() for _ in range(4))
        self.root = folder / "caddy/pki/authorities/local/root.crt"
        self.url = f"https://localhost:{self.https}"
        environ = {
            "SITE_URL": self.url,
            "WEB": f"127.0.0.1:{self.web}",
            "HTTP_PORT": str(self.http),
            "HTTPS_PORT": str(self.https),
            "HEALTH_PORT": str(self.health),
            "XDG_DATA_HOME": str(folder),
            "XDG_CONFIG_HOME": str(folder),
            "HOME": str(folder),
        }
        command = [program, "run", "--config", CADDYFILE, "--adapter", "caddyfile"]
        self.log = folder / "caddy.log"
        with self.log.open("w") as log:
            self.process = subprocess.Popen(command, env=environ, stderr=log)
        wait_until(lambda: listens(self.https) and self.root.is_file(), "Caddy", 60)
        # Caddy listens before it has signed the certificate of the site.
        wait_until(self.has_certificate, "the certificate", 60)

    def has_certificate(self) -> bool:
        trusted = ssl.create_default_context(cafile=str(self.root))
        try:
            with socket.create_connection(("localhost", self.https), timeout=5) as connection:
                trusted.wrap_socket(connection, server_hostname="localhost").close()
        except OSError:
            return False
        return True

    def answer(self, path: str = "/", data: bytes | None = None, **headers: str) -> Any:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        request = urllib.request.Request(self.url + path, data, named)
        trusted = ssl.create_default_context(cafile=str(self.root))
        with urllib.request.urlopen(request, timeout=40, context=trusted) as answer:
            return json.load(answer)


@pytest.fixture(scope="module")
def proxy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Proxy]:
    proxy = Proxy(tmp_path_factory.mktemp("caddy"))
    yield proxy
    proxy.process.terminate()
    proxy.process.wait(30)


def test_the_site_learns_who_asks_and_how_and_nobody_can_claim_to_be_another(proxy: Proxy) -> None:
    with web_server(proxy.web):
        told = proxy.answer(X_Forwarded_For="203.0.113.9", X_Forwarded_Proto="http")
    assert told["X-Forwarded-For"] in ("127.0.0.1", "::1")
    assert told["X-Forwarded-Proto"] == "https"
    assert told["Host"] == f"localhost:{proxy.https}"


def test_http_leads_to_https(proxy: Proxy) -> None:
    class Stay(urllib.request.HTTPRedirectHandler):
        def redirect_request(self, *args: object) -> None:
            return None

    with pytest.raises(urllib.error.HTTPError) as moved:
        urllib.request.build_opener(Stay).open(f"http://localhost:{proxy.http}/p/", timeout=10)
    assert (moved.value.code, moved.value.headers["Location"]) == (308, "https://localhost/p/")


def test_the_proxy_says_that_it_lives_while_web_is_away(proxy: Proxy) -> None:
    with urllib.request.urlopen(f"http://127.0.0.1:{proxy.health}/", timeout=10) as answer:
        assert answer.status == 200


def test_no_address_of_a_request_that_the_site_does_not_answer_is_in_the_log(proxy: Proxy) -> None:
    with socket.create_server(("127.0.0.1", proxy.web)) as web, pytest.raises(urllib.error.HTTPError, match="502"):
        closes = threading.Thread(target=lambda: web.accept()[0].close())
        closes.start()
        try:
            proxy.answer("/invite/a-secret/?next=a-secret", b"accept=1", Referer=f"{proxy.url}/invite/a-secret/")
        finally:
            closes.join()
    lines = proxy.log.read_text("utf-8")
    assert '"status":502' in lines
    assert "a-secret" not in lines


def test_a_page_waits_for_a_web_server_that_starts(proxy: Proxy) -> None:
    answers: list[Any] = []
    reader = threading.Thread(target=lambda: answers.append(proxy.answer("/p/")))
    reader.start()
    time.sleep(1.5)
    assert answers == [] and reader.is_alive()
    with web_server(proxy.web):
        reader.join(30)
    assert len(answers) == 1


def test_a_form_arrives_whole(proxy: Proxy) -> None:
    with web_server(proxy.web):
        assert proxy.answer("/submit", b"x" * 3_000_000)["Content-Length"] == "3000000"
