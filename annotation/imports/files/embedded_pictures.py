"""Pictures inside a table or a shard, stored in a temporary folder while the file is read."""

import secrets
from collections.abc import Callable
from pathlib import Path
from typing import IO

from annotation.domain.formats.base import BadValue
from annotation.domain.formats.zip_archives import shown
from annotation.domain.pictures.decoding import BadPicture

_COPY = 1 << 20


class InlinePictures:
    """A source of pictures that the reader of the table fills. Names from the file are never used as paths."""

    complete = False

    def __init__(self, folder: Path, largest: int, total: int) -> None:
        """Take the folder and the limits in bytes: `largest` for one picture, `total` for all."""
        self._folder, self._largest, self._left = folder, largest, total
        self._places: dict[str, Path] = {}
        self.renamed: dict[str, str] = {}

    def keep(self, name: str, content: bytes | IO[bytes]) -> str:
        """Store a picture under a name and return the name.

        Raises BadValue if it is too large or the name is used already.
        """
        if name in self._places:
            raise BadValue("duplicate_member", f"The picture {shown(name)} stands there twice.", "image")
        place = self._folder / secrets.token_hex(16)
        size = 0
        with place.open("xb") as out:
            if isinstance(content, bytes):
                size = out.write(content)
            else:
                while size <= self._largest and (block := content.read(_COPY)):
                    size += out.write(block)
        self._left -= size
        if size > self._largest or self._left < 0:
            place.unlink()
            reason = "The picture is too large." if size > self._largest else "The pictures are too large together."
            raise BadValue("picture_too_large", reason, "image", self._largest)
        self._places[name] = place
        return name

    def keep_of(self, file: str) -> Callable[[str, bytes | IO[bytes]], str]:
        """Return `keep` for the pictures of one of several files, whose names it begins with `file`."""
        return lambda name, content: self.keep(f"{file}{name}", content)

    def find(self, name: str) -> str | None:
        place = self._places.get(name)
        return str(place) if place else None

    def read(self, key: str, limit: int) -> bytes:
        content = Path(key).read_bytes()
        if len(content) > limit:
            raise BadPicture("picture_too_large", f"The picture has more than {limit:,} bytes.", 413, limit)
        return content
