"""How a process begins: with the settings, or with one sentence that says which of them makes no sense."""

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured


@contextmanager
def or_one_sentence() -> Iterator[None]:
    """End the process with exit code 1 and one sentence if a setting is refused inside.

    With --json on the command line the sentence is a JSON value on stdout too.
    """
    try:
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
    """Read the settings; end the process with one sentence if one of them is refused."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    with or_one_sentence():
        _ = settings.DEBUG  # reading one reads them all
