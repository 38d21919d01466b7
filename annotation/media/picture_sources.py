"""Where the pictures of an import are found: in a folder, in an archive, or nowhere."""

import os
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Protocol

from annotation.domain.formats.zip_archives import Archive, BadArchive
from annotation.domain.pictures.decoding import BadPicture
from annotation.domain.pictures.names import PictureNames, likeness


class PictureSource(Protocol):
    """A place that holds pictures by the names that a table gives them."""

    complete: bool
    """Whether a name without a file is an error (a ZIP that should hold all) or a picture to come (a folder)."""
    renamed: dict[str, str]
    """Names that were found, by the names that were asked for, where the two are spelled in different ways."""

    def find(self, name: str) -> str | None:
        """Return the key of the file with this name.

        Returns None if there is none.
        """

    def read(self, key: str, limit: int) -> bytes:
        """Return the file's bytes.

        Raises BadPicture if the file is larger than `limit` or damaged.
        """


class PictureFolder:
    """Pictures under one folder; nothing outside it is ever read."""

    complete = False

    def __init__(self, root: Path) -> None:
        self.root = root.resolve()
        self.renamed: dict[str, str] = {}

    def find(self, name: str) -> str | None:
        parts = PurePosixPath(name).parts
        for candidate in (name, str(PurePosixPath(*parts[1:])) if parts[:1] == (self.root.name,) else ""):
            if candidate and (path := self._inside(candidate)):
                return path
        alike = self._names.alike(name) or self._names.alike(likeness(name).removeprefix(f"{self.root.name}/"))
        path = self._inside(alike) if alike else None
        if alike and path:
            self.renamed[name] = alike
        return path

    def _inside(self, name: str) -> str | None:
        path = (self.root / name).resolve()
        return str(path) if path.is_relative_to(self.root) and path.is_file() else None

    @cached_property
    def _names(self) -> PictureNames:
        """All files below the folder; they are listed once a name is not there as it is written."""
        paths = (Path(folder, name) for folder, _folders, names in os.walk(self.root) for name in names)
        inside = (path.relative_to(self.root).as_posix() for path in paths)
        return PictureNames(name for name in inside if name.isprintable())  # others cannot be told

    def read(self, key: str, limit: int) -> bytes:
        with open(key, "rb") as file:
            content = file.read(limit + 1)
        if len(content) > limit:
            raise BadPicture("picture_too_large", f"The picture has more than {limit:,} bytes.", 413, limit)
        return content


class PictureArchive:
    """Pictures in a ZIP, found from its root or from the table's folder."""

    def __init__(self, archive: Archive, table: str = "", *, complete: bool = True) -> None:
        self.archive, self.complete = archive, complete
        self.folder = str(PurePosixPath(table).parent) if "/" in table else ""
        self.renamed: dict[str, str] = {}
        self._names = PictureNames(name for name in archive.members if name != table)

    def find(self, name: str) -> str | None:
        beside = f"{self.folder}/{name}"
        exact = self._names.exact(name) or self._names.exact(beside)
        if exact:
            return exact
        alike = self._names.alike(name) or self._names.alike(beside)
        if alike:
            self.renamed[name] = alike
        return alike

    def read(self, key: str, limit: int) -> bytes:
        try:
            return self.archive.read(key, limit)
        except BadArchive as fault:
            code = "picture_too_large" if fault.code == "member_too_large" else fault.code
            raise BadPicture(code, fault.sentence, fault.status, fault.limit) from fault


class NoPictures:
    """The source of a table without pictures."""

    complete = False

    def __init__(self) -> None:
        self.renamed: dict[str, str] = {}

    def find(self, name: str) -> str | None:
        return None

    def read(self, key: str, limit: int) -> bytes:
        raise KeyError(key)
