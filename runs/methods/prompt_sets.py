"""Prompt sets: folders of prompts with a title and a version.

A set is `<app>/prompts/<set>/` or `PROMPTS_DIR/<app>/<set>/`. It has a file `set.toml` with `title` and `version`, and
its prompts as `<method>/<role>.md`. A prompt that a set lacks is the one of the set `careful`.
"""

import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from django.apps import apps
from django.conf import settings
from django.utils.translation import gettext as _

CAREFUL = "careful"
"""The set that every run uses unless another is chosen."""
_ABOUT = "set.toml"
_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,39}\Z")
_MOST_TITLE, _MOST_VERSION = 60, 20


@dataclass(frozen=True)
class PromptSet:
    """A prompt set: the name of its folder, its title, and its version as its author writes it."""

    name: str
    title: str
    version: str


class BadPromptSet(ValueError):
    """A prompt set that does not exist or cannot be used; the message says which one and why."""


def prompt_sets(app: str) -> dict[str, PromptSet]:
    """Return the app's sets by name, `careful` first. Folders whose `set.toml` is wrong are left out."""
    names = {path.parent.name for folder in _folders(app) for path in Path(folder).glob(f"*/{_ABOUT}")}
    sets = {}
    for name in sorted(names, key=lambda name: (name != CAREFUL, name)):
        try:
            sets[name] = prompt_set(app, name)
        except BadPromptSet:
            continue
    return sets


def prompt_set(app: str, name: str) -> PromptSet:
    """Return the set of this name.

    Raises BadPromptSet.
    """
    if not is_prompt_set(app, name):
        names = {"name": name[:40], "known": ", ".join(prompt_sets(app))}
        raise BadPromptSet(_("There is no prompt set %(name)s; there are %(known)s.") % names)
    path = next(path for path in _abouts(app, name) if os.path.isfile(path))
    try:
        about = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        about = {}
    title, version = _line(about, "title", _MOST_TITLE), _line(about, "version", _MOST_VERSION)
    if not title or not version:
        sentence = _("The prompt set %(name)s cannot be used: its set.toml needs a title and a version, each a text.")
        raise BadPromptSet(sentence % {"name": name})
    return PromptSet(name, title, version)


def is_prompt_set(app: str, name: str) -> bool:
    """Return whether the app has a set of this name."""
    return bool(_NAME.match(name)) and any(os.path.isfile(path) for path in _abouts(app, name))


def prompt_folders(app: str, name: str) -> Iterator[str]:
    """Yield the folders in which the prompts of this set are looked for, in order; for "" those without sets.

    The site's own folder comes before ours. A file that lies there without a set replaces the one of `careful`.
    """
    own, shipped = _folders(app)
    if name and name != CAREFUL:
        yield f"{own}/{name}"
        yield f"{shipped}/{name}"
    if name:
        yield f"{own}/{CAREFUL}"
    yield own
    yield f"{shipped}/{CAREFUL}" if name else shipped


def _folders(app: str) -> tuple[str, str]:
    """Return the site's own folder for the app's prompts, and ours."""
    return f"{settings.PROMPTS_DIR}/{app}", f"{apps.get_app_config(app).path}/prompts"


def _abouts(app: str, name: str) -> tuple[str, ...]:
    return tuple(f"{folder}/{name}/{_ABOUT}" for folder in _folders(app))


def _line(about: Mapping[str, object], key: str, most: int) -> str:
    """Return a text of one line, at most `most` characters; empty if it is something else."""
    value = about.get(key)
    return " ".join(value.split())[:most] if isinstance(value, str) else ""
