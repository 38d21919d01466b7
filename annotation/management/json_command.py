"""Commands that people read and programs parse: with --json, stdout holds exactly one JSON value."""

import json
import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import DatabaseError

from annotation.core import database_faults, disk_faults, stored_files
from annotation.domain.one_line import NotOneLine
from annotation.management.site_counts import counts_in_words

MOST_THREADS = 1_000
"""The most threads that a command may be given by --threads."""
_NO_PLACE = (FileNotFoundError, FileExistsError, NotADirectoryError, IsADirectoryError, PermissionError)
_UNDEFINED_TABLE = "42P01"
"""PostgreSQL's code for a table that does not exist."""


class JsonParser(CommandParser):
    """The parser of a command: with --json, what it refuses is one JSON value on stdout too."""

    def error(self, message: str) -> Any:
        """Say what is wrong with the arguments. Exits with code 2; raises CommandError where a program calls."""
        if self.called_from_command_line and "--json" in sys.argv:
            sys.stdout.write(f"{json.dumps({'error': message}, ensure_ascii=False)}\n")
        super().error(message)


class JsonCommand(BaseCommand):
    """A command whose answer is one value.

    A subclass writes `answer(**options)`, which returns a value that JSON can hold and raises CommandError with one
    clear sentence on failure, and may override `show`. Logs and progress (`self.say`) go to stderr. A value with
    "ok": false, or other failure that still has a value, ends with exit code 1 when `failed` says so.
    """

    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the command's own arguments; call this first."""
        parser.add_argument("--json", action="store_true", dest="as_json", help="print one JSON value on stdout")

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        """Return the parser of the arguments."""
        parser = super().create_parser(prog_name, subcommand, **kwargs)
        parser.__class__ = JsonParser  # Django names the class of the parser itself
        return parser

    def answer(self, **options: Any) -> Any:
        """Do the work and return the value to print."""
        raise NotImplementedError

    def failed(self, value: Any) -> bool:
        """Whether a value means failure: an object that says "ok": false, or lists errors."""
        return isinstance(value, dict) and (value.get("ok") is False or bool(value.get("errors")))

    def show(self, value: Any) -> None:
        """Print the value for people; by default a line for every figure, and for its `site_counts` one before."""
        if isinstance(value, dict):
            if site := value.get("site"):
                self.stdout.write(counts_in_words(site))
            for name, figure in value.items():
                if name == "site":
                    continue
                self.stdout.write(f"{name.replace('_', ' ')}: {_in_words(figure)}")
        else:
            self.stdout.write(_in_words(value))

    def say(self, text: str) -> None:
        """Tell the person at the terminal about progress."""
        self.stderr.write(text)

    def handle(self, *args: Any, **options: Any) -> None:
        as_json = options.pop("as_json", False)
        for name in ("verbosity", "settings", "pythonpath", "traceback", "no_color", "force_color", "skip_checks"):
            options.pop(name, None)
        try:
            value = self._answer(options)
        except CommandError as error:
            if as_json:
                self._print_json({"error": str(error), **getattr(error, "more", {})})
            raise
        if as_json:
            self._print_json(value)
        else:
            self.show(value)
        if self.failed(value):
            sys.exit(1)

    def _answer(self, options: dict[str, Any]) -> Any:
        """Return the answer.

        Raises CommandError if the disk takes nothing more, whatever the command made of that; if a file or folder
        cannot be used; if the storage of files is away or refuses; if a name is no single line; and if the database is
        away or has no tables yet.
        """
        if not 1 <= options.get("threads", 1) <= MOST_THREADS:
            raise CommandError(f"--threads is a number from 1 to {MOST_THREADS:,}.")
        try:
            return self.answer(**options)
        except (CommandError, OSError, DatabaseError, NotOneLine) as fault:
            if disk_faults.is_disk_fault(fault):
                raise CommandError(disk_faults.disk_sentence()) from fault
            if isinstance(fault, NotOneLine):
                raise CommandError(fault.sentence) from fault
            if isinstance(fault, stored_files.StoreAway):
                raise CommandError(f"{fault}. See MEDIA_BUCKET, MEDIA_ENDPOINT and the two keys.") from fault
            if isinstance(fault, _NO_PLACE) and fault.filename:
                sentence = f"{fault.filename} cannot be used: {fault.strerror}. Name another file or folder."
                raise CommandError(sentence) from fault
            if isinstance(fault, DatabaseError) and _has_no_tables(fault):
                raise CommandError("The database has no tables yet: run `manage.py migrate`.") from fault
            if sentence := database_faults.away_sentence(fault):
                raise CommandError(sentence) from fault
            raise

    def _print_json(self, value: Any) -> None:
        self.stdout.write(json.dumps(value, ensure_ascii=False, allow_nan=False, default=str))


def _has_no_tables(fault: DatabaseError) -> bool:
    return str(fault).startswith("no such table") or getattr(fault.__cause__, "sqlstate", "") == _UNDEFINED_TABLE


def _in_words(figure: Any) -> str:
    if isinstance(figure, dict | list | tuple):
        return json.dumps(figure, ensure_ascii=False, default=str)
    return "-" if figure is None else str(figure)
