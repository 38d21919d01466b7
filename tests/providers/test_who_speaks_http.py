"""No module beside the known five imports an HTTP client or a socket: every request passes one of two guards."""

import ast
from pathlib import Path

from django.conf import settings

APPS = ("annotation", "config", "generation", "moderation", "providers", "runs")
CLIENTS = {
    "aiohttp",
    "ftplib",
    "http.client",
    "httpcore",
    "httpcore2",
    "httpx",
    "httpx2",
    "requests",
    "smtplib",
    "socket",
    "urllib.request",
    "urllib3",
}
KNOWN = {
    "providers/http/transport.py",  # model providers and search engines, at addresses of the server's settings
    "providers/vendors/openai.py",
    "providers/vendors/dashscope.py",
    "providers/http/fetch.py",  # everything else …
    "providers/http/pinned.py",  # … with its connections
}


def test_no_other_module_imports_an_http_client() -> None:
    found = {
        str(path.relative_to(settings.BASE_DIR)): clients
        for app in APPS
        for path in (Path(settings.BASE_DIR) / app).rglob("*.py")
        if (clients := _imported(path) & CLIENTS)
    }
    known_others = {path: clients for path, clients in found.items() if path not in KNOWN}
    # A host's own name is no request.
    assert {path: clients for path, clients in known_others.items() if clients != {"socket"} or _connects(path)} == {}
    assert set(found) >= KNOWN


def _imported(path: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return names | {name.partition(".")[0] for name in names if not name.startswith(("http.", "urllib."))}


def _connects(path: str) -> bool:
    text = (Path(settings.BASE_DIR) / path).read_text(encoding="utf-8")
    return "create_connection" in text or ".connect(" in text or "getaddrinfo" in text
