"""Settings of the web server, which `config.server.web` gives to gunicorn.

`serve` and the Docker image both start it this way, so that they cannot differ. Options on the command line go first.
"""

import os
import sys
from pathlib import Path
from typing import Any

from django.core.exceptions import ImproperlyConfigured

from config import env, start
from config.server.supervisor import READY_PIPE

wsgi_app = "config.wsgi:application"
# The site is loaded once, before the processes fork: they share its memory.
preload_app = True
# Several threads a process: a slow page delays nobody else. A slow client holds none of them.
worker_class = "config.server.web_worker.WebWorker"
with start.or_one_sentence():
    workers = env.web_concurrency()
    threads = env.whole("WEB_THREADS", default=8, least=1, most=1000)
    env.connections_per_address()
timeout = 120
# Less than STOP_SECONDS of the supervisor and than stop_grace_period in docker-compose.yml.
graceful_timeout = 30
keepalive = 30
backlog = 2048
worker_connections = 2000
max_requests = 20_000
max_requests_jitter = 2_000
loglevel = "warning"
if os.environ.get("LOG_FORMAT", "").strip() == "json":
    # No handler of its own: once the site is loaded, its handler writes these lines too.
    logconfig_dict = {"loggers": {"gunicorn.error": {"level": "WARNING", "handlers": [], "propagate": True}}}
control_socket_disable = True
worker_tmp_dir = "/dev/shm" if Path("/dev/shm").is_dir() else None  # noqa: S108  # in memory, so a full disk stops no worker; mkstemp draws the file's name

_OTHER_SITE = 3


def on_starting(server: Any) -> None:
    """Do not start on the key, files or database of another site. Called once, before the processes fork.

    It is asked in a child: connections that are opened here would be shared by all processes.
    """
    child = os.fork()
    if child == 0:
        os._exit(_shared_parts_fit())
    if os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == _OTHER_SITE:
        sys.exit(1)


def _shared_parts_fit() -> int:
    from config import shared_parts  # noqa: PLC0415 (needs Django, which the server has set up by now)

    try:
        shared_parts.check_at_start()
    except ImproperlyConfigured as fault:
        print(f"The web server does not start. {fault}", file=sys.stderr, flush=True)
        return _OTHER_SITE
    return 0


def when_ready(server: Any) -> None:
    """Tell the supervisor that the site is loaded and the socket is listened to."""
    if number := os.environ.pop(READY_PIPE, ""):
        os.write(int(number), b"ready")
        os.close(int(number))
