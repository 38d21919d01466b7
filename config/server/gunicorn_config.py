"""Settings of the web server: `gunicorn --config python:config.server.gunicorn_config`.

`serve` and the Docker image both start it this way, so that they cannot differ. Options on the command line go first.
"""

import os
from pathlib import Path
from typing import Any

wsgi_app = "config.wsgi:application"
# The site is loaded once, before the processes fork: they share its memory.
preload_app = True
# Eight threads a process: a slow page delays nobody else.
worker_class = "gthread"
workers = int(os.environ.get("WEB_CONCURRENCY", "2"))
threads = 8
timeout = 120
# Less than STOP_SECONDS of the supervisor and than stop_grace_period in docker-compose.yml.
graceful_timeout = 30
keepalive = 5
backlog = 2048
max_requests = 20_000
max_requests_jitter = 2_000
loglevel = "warning"
control_socket_disable = True
worker_tmp_dir = "/dev/shm" if Path("/dev/shm").is_dir() else None  # noqa: S108  # in memory, so a full disk stops no worker; mkstemp draws the file's name

READY_PIPE = "INTERPLAY_READY_PIPE"
"""Environment variable: the number of a pipe's end that is closed when the server can answer."""


def when_ready(server: Any) -> None:
    """Tell the supervisor that the site is loaded and the socket is listened to."""
    if number := os.environ.pop(READY_PIPE, ""):
        os.write(int(number), b"ready")
        os.close(int(number))
