"""Prompts as text files: `<method>/<role>.md` in `<app>/prompts/`, in `PROMPTS_DIR/<app>/`, or in a set of either.

`prompt_sets.py` says what a set is. A line of three dashes separates the system message from the user message. Fields
are `$name`, filled by `string.Template`: a missing field raises, and braces of JSON or of a post's text are safe.
"""

import hashlib
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from string import Template

from providers.messages import Message, Part, Text
from providers.prompt_fencing import FENCING_RULE, code_line
from runs.methods.prompt_sets import CAREFUL, is_prompt_set, prompt_folders


@dataclass(frozen=True)
class Prompt:
    """A template; `digest` is the SHA-256 of its text, saved with every turn that used it."""

    name: str
    system: Template
    user: Template
    digest: str

    def messages(self, fields: Mapping[str, str], *further: Part, nonce: str) -> tuple[Message, Message]:
        """Return the two messages, filled; the field `rule` is the rule about what `nonce` fences.

        `further` parts (pictures) stand behind the field `post`, or behind the user's text if it has none. What changes
        from round to round then follows them, and a provider needs to read post and picture only once.
        """
        system = _filled(self.system, {"rule": FENCING_RULE, **fields})
        return (
            Message.of("system", f"{system}\n\n{code_line(nonce)}"),
            Message("user", tuple(self._user_parts(fields, further))),
        )

    def bare_messages(self, fields: Mapping[str, str]) -> tuple[Message, ...]:
        """Return the messages, filled, without any rule of ours: for a model that was trained on these words alone.

        There is no system message if that part of the file is empty.
        """
        system, user = _filled(self.system, fields), _filled(self.user, fields)
        return (*([Message.of("system", system)] if system else ()), Message.of("user", user))

    def _user_parts(self, fields: Mapping[str, str], further: tuple[Part, ...]) -> Iterator[Part]:
        template = self.user.template
        post = _POST.search(template) if further else None
        end = post.end() if post else len(template)
        yield Text(_filled(Template(template[:end]), fields))
        yield from further
        if after := _filled(Template(template[end:]), fields):
            yield Text(after)


_POST = re.compile(r"(?<!\$)\$(?:post\b|\{post\})")


def _filled(template: Template, fields: Mapping[str, str]) -> str:
    return template.substitute(fields).strip()


class BadPrompt(ValueError):
    """A prompt file that cannot be used; the message says which one and why."""


def load_prompt(app: str, method: str, role: str, prompt_set: str = "") -> Prompt:
    """Return the prompt of a role; the site's own file wins if there is one.

    With a set, a file that the set lacks is taken from `careful`.

    Raises BadPrompt, also if the set does not exist any more.
    """
    if prompt_set not in ("", CAREFUL) and not is_prompt_set(app, prompt_set):
        raise BadPrompt(f"The prompt set {prompt_set} is not on this site any more.")
    # Called for every model call: string paths cost a tenth of Path objects.
    for folder in prompt_folders(app, prompt_set):
        path = f"{folder}/{method}/{role}.md"
        if os.path.isfile(path):
            return _read(path, os.stat(path).st_mtime_ns)
    raise BadPrompt(f"There is no prompt {method}/{role}.md.")


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
