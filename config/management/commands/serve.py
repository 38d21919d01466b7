import errno
import os
import sys
from typing import Any

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation.management.json_command import MOST_THREADS
from config.environment import env, env_file
from config.server import supervisor


class Command(BaseCommand):
    help = "Run web server, worker and beat together until Ctrl+C. For one machine; larger sites run them apart."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("address", nargs="?", default="127.0.0.1:8000", help="host:port (default %(default)s)")
        parser.add_argument(
            "--web-workers", type=int, help="processes of the web server (default WEB_CONCURRENCY, or 2)"
        )
        parser.add_argument("--threads", type=int, default=64, help="runs the worker performs at a time")
        parser.add_argument("--no-worker", action="store_true", help="only the web server")

    def handle(self, *args: Any, **options: Any) -> None:
        host, _, port = options["address"].rpartition(":")
        if not (host and port.isascii() and port.isdigit() and 0 < int(port) < 65536):
            raise CommandError(f"Give the address as host:port, not {options['address']!r}.")
        web_workers = options["web_workers"]
        try:
            web_workers = env.web_concurrency() if web_workers is None else web_workers
        except ImproperlyConfigured as fault:
            raise CommandError(str(fault)) from None
        if not 1 <= web_workers <= env.MOST_WEB_WORKERS:
            raise CommandError(f"--web-workers is a number from 1 to {env.MOST_WEB_WORKERS:,}.")
        if not 1 <= options["threads"] <= MOST_THREADS:
            raise CommandError(f"--threads is a number from 1 to {MOST_THREADS:,}.")
        if "LISTEN_FDS" not in os.environ:
            _require_free(host.strip("[]"), int(port))
        settings.QUEUE_TMP.mkdir(parents=True, exist_ok=True)
        command = [
            *(sys.executable, "-m", "config.server.supervisor", options["address"]),
            *("--web-workers", str(web_workers), "--threads", str(options["threads"])),
            *(["--no-worker"] if options["no_worker"] else []),
        ]
        os.chdir(settings.BASE_DIR)
        # What comes from the file is read anew by each process: after a change of it a reload (USR2) is enough.
        given = {name: value for name, value in os.environ.items() if name not in env_file.loaded}
        os.execve(sys.executable, command, {**_own_address(host, port), **given, "TMPDIR": str(settings.QUEUE_TMP)})


def _own_address(host: str, port: str) -> dict[str, str]:
    """Return the site's address where nobody gave one: links and citations name the port that it is served on."""
    is_told = bool(os.environ.get("SITE_URL")) or port == "8000"
    return {} if is_told or host not in ("127.0.0.1", "localhost") else {"SITE_URL": f"http://{host}:{port}"}


def _require_free(host: str, port: int) -> None:
    """Raise CommandError if no server can listen there."""
    try:
        supervisor.listening_socket(host, port).close()
    except OSError as fault:
        if fault.errno == errno.EADDRINUSE:
            sentence = f"Port {port} on {host} is taken, perhaps by a site still running. Stop it, or choose another: "
            sentence += f"make demo PORT={(port + 1) % 65536 or 8001}"
        elif fault.errno == errno.EACCES:
            sentence = f"Port {port} on {host} may not be used by this account. Choose one from 1024 on."
        else:
            sentence = f"{host} is no address of this machine that can be listened on: {fault.strerror}."
        raise CommandError(sentence) from None
