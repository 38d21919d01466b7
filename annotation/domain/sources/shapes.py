"""Which platform a file comes from, by its shape: the keys of its first record, or its header."""

from collections.abc import Sequence
from contextlib import suppress
from itertools import islice
from typing import Any, BinaryIO

from annotation.domain.formats import strict_json
from annotation.domain.formats.base import LIMITS, BadValue, Format, Unreadable
from annotation.domain.sources import feather, packed
from annotation.domain.sources.exported_tables import is_google_form, is_meta_content
from annotation.domain.sources.imageboard import is_imageboard
from annotation.domain.sources.reddit import is_reddit
from annotation.domain.sources.telegram import enters, is_telegram
from annotation.domain.sources.x import is_x

_LISTS = frozenset({"data", "posts", "messages"})
_LOOKED_AT = 40
"""Entries of the first object that are looked at; platforms put few before their posts."""


def packed_format(head: bytes) -> Format | None:
    """Return the format of a file that is no text, by its first bytes. Returns None if it is none of these."""
    if head.startswith(packed.MAGIC):
        return Format.REDDIT
    return Format.FEATHER if head.startswith((feather.MAGIC, feather.FIRST_MAGIC, feather.STREAM_MAGIC)) else None


def table_format(header: Sequence[str]) -> Format | None:
    """Return the service that a table was exported from. Returns None for any other table."""
    if is_meta_content(header):
        return Format.META_CONTENT
    return Format.GOOGLE_FORMS if is_google_form(header) else None


def object_format(stream: BinaryIO) -> Format | None:
    """Return the platform that a file of JSON comes from, by its first object. Returns None for any other file."""
    keys, lists = _beginning(stream)
    if is_telegram(frozenset(keys), lists.get("messages")):
        return Format.TELEGRAM
    return record_format({**keys, **{name: [first] for name, first in lists.items()}})


def record_format(record: Any) -> Format | None:
    """Return the platform that an object of a line comes from. Returns None for any other object."""
    kinds = ((Format.X, is_x), (Format.IMAGEBOARD, is_imageboard), (Format.REDDIT, is_reddit))
    return next((format for format, is_kind in kinds if is_kind(record)), None)


def _beginning(stream: BinaryIO) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the first keys of the first object with their values, and the first entry of its lists of posts.

    Of a broken file they are those before the fault.
    """
    keys: dict[str, Any] = {}
    lists: dict[str, Any] = {}
    looking = strict_json.entries_below(stream, LIMITS.entry_chars, _looks_into)
    with suppress(BadValue, Unreadable):
        for _line, path, source in islice(looking, _LOOKED_AT):
            _note(path[1:] if path[0] == "" else path, strict_json.parse(source), keys, lists)
    return keys, lists


def _note(place: tuple[str, ...], value: Any, keys: dict[str, Any], lists: dict[str, Any]) -> None:
    match place:
        case (key,):
            keys.setdefault(key, value)
        case (*_places, name, ""):
            lists.setdefault(name, value)
            keys.setdefault(name, None)
        case (outer, key) if outer in _LISTS:
            if isinstance(part := keys.setdefault(outer, {}), dict):
                part[key] = value


def _looks_into(path: tuple[str, ...]) -> bool:
    return path == ("",) or path[-1] in _LISTS or enters(path)
