"""Weigh the annotator's page: bytes and requests of a first visit, and of a later one whose files the browser keeps.

    .venv/bin/python bench/page_weight.py [--json]

The page is asked for as a browser asks (gzip), then each file that it names. Bytes are those of the bodies as they are
sent. Warm are the page, and files that may not be kept for a year. `reply_kb` is the next post as the page's script
gets it after an answer. Goals: 60 KB and 8 requests cold, 8 KB warm. The script works in a temporary folder;
DATABASE_URL may name an *empty* PostgreSQL database.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any
from uuid import uuid4

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

COLD_KB, COLD_REQUESTS, WARM_KB = 60, 8, 8
_NAMED = re.compile(r'<(?:link|script|img)\b[^>]*?\s(?:href|src)="([^"]+)"')


@dataclass(frozen=True)
class Sent:
    """One response: its path, the bytes that are sent, and whether a browser keeps it for a year."""

    path: str
    size: int
    kept: bool


Get = Callable[[str], tuple[bytes, bytes, bool]]
"""Returns a response's content, the bytes that are sent for it, and whether a browser may keep it for a year."""


def weigh(get: Get, page: str) -> list[Sent]:
    """Return what a first visit of the page asks for, the page first."""
    content, sent, _ = get(page)
    responses = [Sent(page, len(sent), kept=False)]
    for path in dict.fromkeys(named_files(content.decode())):
        _, sent, kept = get(path)
        responses.append(Sent(path, len(sent), kept))
    return responses


def named_files(page: str) -> Iterator[str]:
    """Yield the addresses of the site's files that a page names: styles, scripts, icons, pictures."""
    return (path for path in _NAMED.findall(page) if path.startswith("/"))


def figures_of(responses: list[Sent]) -> dict[str, Any]:
    return {
        "cold_kb": round(sum(sent.size for sent in responses) / 1024, 1),
        "cold_requests": len(responses),
        "warm_kb": round(sum(sent.size for sent in responses if not sent.kept) / 1024, 1),
        "each_kb": {sent.path: round(sent.size / 1024, 1) for sent in responses},
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {"VAR_DIR": folder, "DJANGO_SETTINGS_MODULE": "bench.references.bare_site", "COLLECTING": "on"}
        os.environ |= {"LOG_LEVEL": "WARNING", "BENCH_PEOPLE": "1"}
        for command in (("migrate",), ("collectstatic", "--no-input")):
            subprocess.run([sys.executable, "manage.py", *command, "--verbosity", "0"], check=True, cwd=ROOT)
        figures = measured()
    print(json.dumps(figures) if options.json else "\n".join(f"{name}: {value}" for name, value in figures.items()))
    sys.exit(not figures["ok"])


def measured() -> dict[str, Any]:
    """Fill a small project and weigh its page."""
    project = import_module("bench.data.fill_open").fill(20)
    client = import_module("django.test").Client(headers={"host": "127.0.0.1", "accept-encoding": "gzip, br"})
    client.cookies["sessionid"] = project["people"][0]["session"]

    def get(path: str) -> tuple[bytes, bytes, bool]:
        return received(client.get(path))

    page = f"/p/{project['slug']}/label/"
    figures = figures_of(weigh(get, page))
    text = get(page)[0].decode()
    action = re.search(r'action="(/p/[^"]+/label/[0-9a-f-]{36}/)"', text)
    assert action
    answer = {"category": "0", "key": str(uuid4())}
    reply = client.post(action[1], answer, headers={"HX-Request": "true", "HX-Target": "bench"})
    figures["reply_kb"] = round(len(received(reply)[1]) / 1024, 1)
    import_module("django.db").connection.close()
    ok = figures["cold_kb"] <= COLD_KB and figures["cold_requests"] <= COLD_REQUESTS and figures["warm_kb"] <= WARM_KB
    return figures | {"ok": ok}


def received(response: Any) -> tuple[bytes, bytes, bool]:
    """Return content, bytes as sent, and whether they may be kept for a year, of a response of Django's test client."""
    assert response.status_code == 200, (response.status_code, response.content[:300])
    sent = response.getvalue()
    packed = response.headers.get("Content-Encoding", "")
    content = import_module({"gzip": "gzip", "br": "brotli"}[packed]).decompress(sent) if packed else sent
    return content, sent, "immutable" in response.headers.get("Cache-Control", "")


if __name__ == "__main__":
    main()
