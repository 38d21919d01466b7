#!/usr/bin/env python
"""Interplay's commands; `manage.py help` lists them."""

import sys

from django.core.management import execute_from_command_line

from config import start


def main() -> None:
    """Run the command named on the command line; no variable needs to be set."""
    if not any(argument.startswith("--settings") for argument in sys.argv):
        start.read_settings()
    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
