#!/usr/bin/env python
"""Interplay's commands; `manage.py help` lists them."""

import os
import sys

from django.core.management import execute_from_command_line


def main() -> None:
    """Run the command named on the command line; no variable needs to be set."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
