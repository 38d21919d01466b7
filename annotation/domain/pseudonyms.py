"""A check whether a pseudonym reveals the person who uses it."""

import re
import unicodedata
from collections.abc import Iterable

SHORTEST = 3
"""The minimum length of a part of a name: shorter parts occur in many words by chance."""
_PARTS = re.compile(r"[\W_]+")


def gives_away(pseudonym: str, names: Iterable[str]) -> bool:
    """Return whether the pseudonym looks like one of the person's names or e-mail addresses.

    Case, accents and marks make no difference. A name, or a part of it, is searched in the pseudonym, and the pseudonym
    in the name. Of an address only the part before the @ is used.
    """
    plain = _plain(pseudonym)
    for name in names:
        before, _at, _after = name.partition("@")
        plain_name = _plain(before)
        if plain_name and (plain_name == plain or (len(plain) >= SHORTEST and plain in plain_name)):
            return True
        if any(len(part) >= SHORTEST and part in plain for part in (plain_name, *map(_plain, _PARTS.split(before)))):
            return True
    return False


def _plain(text: str) -> str:
    """Return only the letters and digits, without case and accents."""
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return "".join(character for character in decomposed if character.isalnum())
