"""Whether a pseudonym would tell who is behind it."""

import re
import unicodedata
from collections.abc import Iterable

SHORTEST = 3
"""Characters below which a part of a name tells nothing: it may stand in any word by chance."""


def gives_away(pseudonym: str, names: Iterable[str]) -> bool:
    """Whether the pseudonym looks like one of the person's names or e-mail addresses.

    Case, accents, marks and the order of a name's parts make no difference. A name is looked for in the pseudonym
    and the other way round; of an address the part before the @ counts too.
    """
    said = _plain(pseudonym)
    for name in names:
        for part in _parts(name):
            plain = _plain(part)
            if plain and (plain == said or (len(plain) >= SHORTEST and plain in said)):
                return True
            if len(said) >= SHORTEST and said in plain:
                return True
    return False


def _parts(name: str) -> list[str]:
    before, at, _after = name.partition("@")
    return [name, before, *re.split(r"[^\w]+|_", before)] if at else [name, *re.split(r"[^\w]+|_", name)]


def _plain(text: str) -> str:
    """Letters and digits alone, without case and accents."""
    apart = unicodedata.normalize("NFKD", text.casefold())
    return "".join(mark for mark in apart if mark.isalnum())
