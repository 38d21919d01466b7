import re
from pathlib import Path

import pytest
from django.conf import settings

from config.environment import env_database
from config.server import connections, crowd, gunicorn_config, web_worker
from config.web import body_limits

ROOT = Path(settings.BASE_DIR)
GUIDE = (ROOT / "docs" / "operators.md").read_text(encoding="utf-8")


def test_the_operators_guide_names_every_variable_that_the_settings_or_the_web_server_read():
    places = [ROOT / "config/settings.py", ROOT / "config/environment/env.py", *(ROOT / "config/server").glob("*.py")]
    source = "".join(place.read_text(encoding="utf-8") for place in places)
    read = set(re.findall(r"\b(?:env(?:_\w+)?\.\w+|whole|text|flag)\(\s*[\"']([A-Z_]+)[\"']", source))
    assert {"WEB_CONCURRENCY", "WEB_THREADS", "CONNECTIONS_PER_ADDRESS", "TRUSTED_PROXIES"} <= read
    assert sorted(name for name in read if f"`{name}`" not in GUIDE) == []


def test_variables_that_may_lie_in_a_file_are_marked_as_such():
    source = (ROOT / "config" / "settings.py").read_text(encoding="utf-8")
    secrets = set(re.findall(r"env\w*\.(?:secrets?|server_url)\(\s*[\"']([A-Z_]+)[\"']", source))
    marked = set(re.findall(r"`([A-Z_]+)` 🔑", GUIDE))
    assert secrets | {"DATABASE_URL"} == marked


@pytest.mark.parametrize(
    "page",
    [
        "README.md",
        "SECURITY.md",
        "CONTRIBUTING.md",
        *sorted(str(path.relative_to(ROOT)) for path in (ROOT / "docs").glob("*.md")),
    ],
)
def test_every_link_between_the_documents_leads_somewhere(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    links = [link for link in re.findall(r"\]\(([^)#]+)", text) if "://" not in link]
    assert [link for link in links if not ((ROOT / page).parent / link).exists()] == []


def test_the_limits_of_the_web_server_in_the_guide_are_those_of_the_code():
    proxy = (ROOT / "deploy/proxy/Caddyfile").read_text(encoding="utf-8")
    waits = int(re.findall(r"response_header_timeout (\d+)s", proxy)[0])
    lines = [
        f"| there within {connections.HEAD_SECONDS:.0f} s, at most {web_worker._LONGEST_HEAD // 1024} kB |",
        f"| {connections.LEAST_RATE // 1024} kB a second over {connections.SLOW_SECONDS:.0f} s | 408 |",
        f"| ends after {gunicorn_config.keepalive} s; a page",
        f"| closes it after {gunicorn_config.keepalive} s |",
        f"| closes it after {connections.HEAD_SECONDS:.0f} s |",
        f"others wait in line, up to {gunicorn_config.backlog:,} |",
        f"| after some {gunicorn_config.max_requests:,} answers, and at a stop |",
        f"what was asked is answered, for {gunicorn_config.graceful_timeout} s |",
        f"{crowd.MOST_LENT_THREADS} at most)",
        f"| connections of one process | {gunicorn_config.worker_connections:,} |",
        f"| {web_worker._ANSWER_WAITING // 2**20} MB in `TMPDIR`; then its thread waits",
        f"| any other body, in a project too | {body_limits.SMALL // 1024} kB |",
        f"{settings.DATA_UPLOAD_MAX_MEMORY_SIZE // 2**20} MB | 413 before it is read |",
        f"{waits} s in the Caddyfile",
    ]
    assert [line for line in lines if line not in GUIDE] == []
    assert "lock_timeout=5s" in env_database.SESSION_OPTIONS and "A lock is waited for 5 s" in GUIDE


def test_each_way_that_was_tried_has_a_test_that_exists_or_a_day_and_says_what_was_seen():
    table = GUIDE.partition("## What was tried")[2].partition("\n## ")[0]
    rows = [line.strip("| ").split(" | ") for line in table.splitlines() if line.startswith("| ")][2:]
    assert len(rows) > 20 and all(len(row) == 3 for row in rows)
    for _way, tried, _seen in rows:
        tests = re.findall(r"`([\w/]+\.py)`", tried)
        assert tests or re.search(r"\d{4}-\d\d-\d\d$", tried), tried
        assert [test for test in tests if not (ROOT / "tests" / test).exists()] == []
