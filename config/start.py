"""How a process begins: with the settings, or with one sentence that says which of them makes no sense."""

import json
import os
import pwd
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from config.environment import env, env_file


@contextmanager
def or_one_sentence() -> Iterator[None]:
    """Read the site's environment file; end with exit code 1 and one sentence if a setting is refused inside.

    With --json on the command line the sentence is a JSON value on stdout too.
    """
    try:
        env_file.read()
        yield
    except ImproperlyConfigured as fault:
        sentence = str(fault)
    except OSError as fault:  # the folder of the key, for example, may be read and not be written
        sentence = f"{fault.filename or 'A file of the site'} cannot be used: {fault.strerror or fault}."
    else:
        return
    if "--json" in sys.argv:
        print(json.dumps({"error": sentence}, ensure_ascii=False), flush=True)
    sys.exit(sentence)


def read_settings() -> None:
    """Read the settings, and print what was mended in them; end the process with one sentence if one is refused."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    with or_one_sentence():
        _ = settings.DEBUG  # reading one reads them all
    for sentence in env.mended:
        print(sentence, file=sys.stderr, flush=True)


def warn_of_root() -> None:
    """Say to whom VAR_DIR belongs where root runs a command: files that root makes there are closed to the site.

    It goes on: some commands need root's rights elsewhere, such as a backup onto a disk of its own.
    """
    owner = settings.VAR_DIR.stat().st_uid
    if os.geteuid() != 0 or owner == 0:
        return
    try:
        name = pwd.getpwuid(owner).pw_name
    except KeyError:  # an account of a container
        name = f"#{owner}"
    sentence = (
        f"root runs this, and {settings.VAR_DIR} belongs to {name}. Files made there now may be closed to the site"
    )
    print(f"Warning: {sentence}: sudo -u '{name}' before the command.", file=sys.stderr, flush=True)
