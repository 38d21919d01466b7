"""Settings of the web server, which `config.server.web` gives to gunicorn.

`serve` and the Docker image both start it this way, so that they cannot differ. Options on the command line go first.
"""

import os
import sys
from pathlib import Path
from typing import Any

from django.core.exceptions import ImproperlyConfigured

from config import start
from config.environment import env
from config.server.supervisor import READY_PIPE

wsgi_app = "config.wsgi:application"
# The site is loaded once, before the processes fork: they share its memory.
preload_app = True
# Several threads a process: a slow page delays nobody else. A slow client holds none of them.
worker_class = "config.server.web_worker.WebWorker"
with start.or_one_sentence():
    workers = env.web_concurrency()
    threads = env.web_threads()
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

_FITS, _OTHER_SITE, _LACKS_MIGRATIONS, _DATABASE_AWAY = 0, 3, 4, 5


def on_starting(server: Any) -> None:
    """Do not start on the key, files or database of another site. Called once, before the processes fork.

    It is asked in a child: connections that are opened here would be shared by all processes. A server whose database
    lacks migrations starts, and says so at `/readyz` and on its pages.
    """
    from config import pending_migrations  # noqa: PLC0415 (needs Django, which the server has set up by now)

    child = os.fork()
    if child == 0:
        os._exit(_look_at_the_site())
    seen = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if seen == _OTHER_SITE:
        sys.exit(1)
    if seen in (_FITS, _LACKS_MIGRATIONS):
        pending_migrations.begin_with(some_missing=seen == _LACKS_MIGRATIONS)


def _look_at_the_site() -> int:
    from config import operator_warnings, pending_migrations, shared_parts  # noqa: PLC0415 (need Django too)

    try:
        shared_parts.check_at_start()
    except ImproperlyConfigured as fault:
        print(f"The web server does not start. {fault}", file=sys.stderr, flush=True)
        return _OTHER_SITE
    operator_warnings.note_at_start()
    found = pending_migrations.note_at_start()
    if found is None:
        return _DATABASE_AWAY
    return _LACKS_MIGRATIONS if found.missing else _FITS


def when_ready(server: Any) -> None:
    """Tell the supervisor that the site is loaded and the socket is listened to."""
    if number := os.environ.pop(READY_PIPE, ""):
        os.write(int(number), b"ready")
        os.close(int(number))
