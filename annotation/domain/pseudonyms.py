"""Whether a pseudonym would tell who is behind it."""

import re
import unicodedata
from collections.abc import Iterable

SHORTEST = 3
"""Characters below which a part of a name tells nothing: it may stand in any word by chance."""
_PARTS = re.compile(r"[\W_]+")


def gives_away(pseudonym: str, names: Iterable[str]) -> bool:
    """Whether the pseudonym looks like one of the person's names or e-mail addresses.

    Case, accents and marks make no difference. A name, or a part of it, is looked for in the pseudonym and the
    pseudonym in the name; of an address the part before the @ counts.
    """
    said = _plain(pseudonym)
    for name in names:
        before, _at, _after = name.partition("@")
        whole = _plain(before)
        if whole and (whole == said or (len(said) >= SHORTEST and said in whole)):
            return True
        if any(len(part) >= SHORTEST and part in said for part in (whole, *map(_plain, _PARTS.split(before)))):
            return True
    return False


def _plain(text: str) -> str:
    """Letters and digits alone, without case and accents."""
    apart = unicodedata.normalize("NFKD", text.casefold())
    return "".join(mark for mark in apart if mark.isalnum())
