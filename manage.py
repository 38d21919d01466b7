#!/usr/bin/env python
"""Interplay's commands; `manage.py help` lists them."""

import sys

from django.core.management import execute_from_command_line
from django.db import DatabaseError

from annotation.core.database_faults import away_sentence
from config import served_database, start


def main() -> None:
    """Run the command named on the command line; no variable needs to be set."""
    if not any(argument.startswith("--settings") for argument in sys.argv):
        start.read_settings()
        _stay_on_the_database_of_the_site()
        start.warn_of_root()
    try:
        execute_from_command_line(sys.argv)
    except DatabaseError as fault:  # of Django's own commands; ours say it themselves
        sentence = "" if "--traceback" in sys.argv else away_sentence(fault)
        if not sentence:
            raise
        sys.exit(f"CommandError: {sentence}")


def _stay_on_the_database_of_the_site() -> None:
    """Stop any command that would use another database than the site; one option of every command allows it."""
    if served_database.ANYWAY in sys.argv:
        sys.argv.remove(served_database.ANYWAY)
    else:
        served_database.guard_command()


if __name__ == "__main__":
    main()
