"""What is said to operators of an environment that can be read and yet is not what they meant."""

import logging
import os
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Warning
from django.urls import URLPattern, URLResolver, get_resolver

from config.environment import env, env_file

log = logging.getLogger(__name__)

_ALIKE, _ALIKE_IN_FILE = 0.85, 0.75
"""How near a name must be to one of ours. In the site's own file nearly all names are meant for the site."""
_OF_OTHERS = ("OTEL_", "PYTHON", "LC_")


def misspelt(environ: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Return the names that nothing reads and that look like one of ours, with that one."""
    ours = {*env.NAMES, env_file.VARIABLE}
    found = {}
    for name in environ.keys() - ours:
        stem = name.removesuffix("_FILE")
        if name.startswith(_OF_OTHERS):
            continue
        if stem in ours:  # a setting that may not lie in a file
            found[name] = stem
            continue
        alike = _ALIKE_IN_FILE if name in env_file.loaded else _ALIKE
        if near := get_close_matches(name, sorted(ours), n=1, cutoff=alike):
            found[name] = near[0]
    return dict(sorted(found.items()))


def _sentences() -> list[str]:
    return [
        f"The variable {name} is not read. Is {near} meant?"
        if name != f"{near}_FILE"
        else f"The variable {name} is not read: {near} may not lie in a file."
        for name, near in misspelt().items()
    ]


def note_at_start() -> None:
    """Write it to the log of a web server or worker that starts."""
    for sentence in _sentences():
        log.warning("%s", sentence)


def check(**_kwargs: Any) -> list[CheckMessage]:
    """Say it in `manage.py check`."""
    return [Warning(sentence, id="interplay.W004") for sentence in _sentences()]


def check_admin_path(**_kwargs: Any) -> list[CheckMessage]:
    """Refuse an ADMIN_PATH that begins as other pages do: one of the two could never be opened."""
    first = settings.ADMIN_PATH.partition("/")[0]
    if first not in _first_words(get_resolver().url_patterns):
        return []
    return [Error(f"ADMIN_PATH begins with {first}, as other pages do. Take another word.", id="interplay.E001")]


def _first_words(patterns: Iterable[URLPattern | URLResolver]) -> set[str]:
    """Return the first words of all addresses but those of the site's administration."""
    words = set()
    for pattern in patterns:
        route = str(pattern.pattern).removeprefix("^")
        if isinstance(pattern, URLResolver) and not route:
            words |= _first_words(pattern.url_patterns)
        elif getattr(pattern, "app_name", "") != "admin":
            words.add(route.partition("/")[0])
    return words
