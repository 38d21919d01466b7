import os
import sys
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from config.server import supervisor


class Command(BaseCommand):
    help = "Run web server, worker and beat together until Ctrl+C. For one machine; larger sites run them apart."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("address", nargs="?", default="127.0.0.1:8000", help="host:port (default %(default)s)")
        parser.add_argument("--web-workers", type=int, default=int(os.environ.get("WEB_CONCURRENCY", "2")))
        parser.add_argument("--threads", type=int, default=64, help="runs the worker performs at a time")
        parser.add_argument("--no-worker", action="store_true", help="only the web server")

    def handle(self, *args: Any, **options: Any) -> None:
        host, _, port = options["address"].rpartition(":")
        if not (host and port.isascii() and port.isdigit() and 0 < int(port) < 65536):
            raise CommandError(f"Give the address as host:port, not {options['address']!r}.")
        if "LISTEN_FDS" not in os.environ and not supervisor.is_free(host.strip("[]"), int(port)):
            raise CommandError(
                f"Port {port} on {host} is taken, perhaps by a site still running. Stop it, or choose another: "
                f"make demo PORT={(int(port) + 1) % 65536 or 8001}"
            )
        settings.QUEUE_TMP.mkdir(parents=True, exist_ok=True)
        command = [
            *(sys.executable, "-m", "config.server.supervisor", options["address"]),
            *("--web-workers", str(options["web_workers"]), "--threads", str(options["threads"])),
            *(["--no-worker"] if options["no_worker"] else []),
        ]
        os.chdir(settings.BASE_DIR)
        os.execve(sys.executable, command, {**os.environ, "TMPDIR": str(settings.QUEUE_TMP)})
