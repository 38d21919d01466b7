"""The web server: `python -m config.server.web --bind 127.0.0.1:8000`. What stands after it are options of gunicorn.

gunicorn reads WEB_CONCURRENCY itself as it is loaded, before any settings of the site, and ends in a traceback where it
is no number. So it is read here first, and gunicorn gets the number.
"""

import os
import sys

from config import start
from config.environment import env

CONFIG = "python:config.server.gunicorn_config"


def main() -> None:
    """Become gunicorn with the settings of the site."""
    with start.or_one_sentence():
        processes = env.web_concurrency()
    command = [sys.executable, "-m", "gunicorn", "--config", CONFIG, *sys.argv[1:]]
    os.execve(sys.executable, command, {**os.environ, "WEB_CONCURRENCY": str(processes)})


if __name__ == "__main__":
    main()
