#!/usr/bin/env python
"""Interplay's commands; `manage.py help` lists them."""

import sys

from django.core.management import execute_from_command_line
from django.db import DatabaseError

from annotation.core.database_faults import away_sentence
from config import start


def main() -> None:
    """Run the command named on the command line; no variable needs to be set."""
    if not any(argument.startswith("--settings") for argument in sys.argv):
        start.read_settings()
    try:
        execute_from_command_line(sys.argv)
    except DatabaseError as fault:  # of Django's own commands; ours say it themselves
        sentence = "" if "--traceback" in sys.argv else away_sentence(fault)
        if not sentence:
            raise
        sys.exit(f"CommandError: {sentence}")


if __name__ == "__main__":
    main()
