"""Prompts as text files: `<app>/prompts/<method>/<role>.md`, or the file of the same name below PROMPTS_DIR.

A line of three dashes separates the system message from the user message. Fields are `$name`, filled by
`string.Template`: a missing field raises, and braces of JSON examples or of a post's text are safe.
"""

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from string import Template

from django.apps import apps
from django.conf import settings

from providers.messages import Message, Part, Text


@dataclass(frozen=True)
class Prompt:
    """A template; `digest` is the SHA-256 of its text, saved with every turn that used it."""

    name: str
    system: Template
    user: Template
    digest: str

    def messages(self, fields: Mapping[str, str], *further: Part) -> tuple[Message, Message]:
        """Return the two messages, filled; `further` parts (pictures) follow the user's text."""
        return (
            Message.of("system", self.system.substitute(fields).strip()),
            Message("user", (Text(self.user.substitute(fields).strip()), *further)),
        )


class BadPrompt(ValueError):
    """A prompt file that cannot be used; the message says which one and why."""


def load_prompt(app: str, method: str, role: str) -> Prompt:
    """Return the prompt of a role; the site's own file wins if there is one."""
    # Called for every model call: string paths cost a tenth of Path objects.
    path = f"{settings.PROMPTS_DIR}/{app}/{method}/{role}.md"
    if not os.path.isfile(path):
        path = f"{apps.get_app_config(app).path}/prompts/{method}/{role}.md"
    return _read(path, os.stat(path).st_mtime_ns)


@lru_cache(maxsize=256)
def _read(name: str, _changed: int) -> Prompt:
    path = Path(name)
    text = path.read_text(encoding="utf-8")
    system, dashes, user = text.partition("\n---\n")
    if not dashes:
        raise BadPrompt(f"{path.name} needs a line of three dashes between the system's part and the user's.")
    for part in (Template(system), Template(user)):
        if not part.is_valid():
            raise BadPrompt(f"{path.name} has a $ that begins no field; write $$ for the sign itself.")
    digest = hashlib.sha256(text.encode()).hexdigest()
    return Prompt(path.stem, Template(system), Template(user), digest)
