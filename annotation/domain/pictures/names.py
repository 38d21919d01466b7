"""Names of pictures, as two programs spell them: one with backslashes, `%20` or capitals, the other without."""

import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Mapping
from urllib.parse import unquote


def composed_name(name: str) -> str:
    """Return a name in composed letters, in which names of every system are compared."""
    return unicodedata.normalize("NFC", name)


def likeness(name: str) -> str:
    """Return what a name has in common with its other spellings: slashes, case, percent signs, letters, blanks."""
    path = unquote(composed_name(name)).replace("\\", "/")
    parts = (part.strip() for part in path.split("/"))
    return composed_name("/".join(part for part in parts if part not in ("", ".")).casefold())


class PictureNames:
    """The names of files, found by any spelling that only one of them has."""

    def __init__(self, names: Iterable[str]) -> None:
        self._exact = {composed_name(name): name for name in names}
        alike: dict[str, list[str]] = defaultdict(list)
        for name in self._exact.values():
            alike[likeness(name)].append(name)
        self._alike: Mapping[str, list[str]] = alike

    def exact(self, name: str) -> str | None:
        """Return the file of exactly this name. Returns None if there is none."""
        return self._exact.get(composed_name(name))

    def alike(self, name: str) -> str | None:
        """Return the only file that this name may mean. Returns None if there is none, or if there are several."""
        files = self._alike.get(likeness(name), ())
        return files[0] if len(files) == 1 else None
