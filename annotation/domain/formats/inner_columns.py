"""Columns inside the objects of a row: `record.text` is the part `text` of the object in `record`.

Answers of platforms and exports of tools put a post into such objects. Where somebody names a part as a column, the
objects on its way are opened: all their parts are columns, called by their paths.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from annotation.domain.formats.base import BadValue, Mapped
from annotation.domain.sources.text_names import is_text_name

_DEEPEST = 4


def inner_paths(mapped: Mapped, first: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the columns that are named by a path into an object, as the first row has it.

    A path of labels that leads to a list stays closed: it holds labels of several people.
    """
    content = [name for name in (mapped.text, mapped.image, mapped.id) if "." in name and name not in first]
    opened = unfolded(first, content)
    labels = (mapped.label, mapped.annotator, *mapped.raters, *mapped.category_columns, *mapped.answer_columns)
    paths = [name for name in labels if "." in name and name not in opened]
    return (*content, *(path for path in paths if not isinstance(unfolded(opened, [path]).get(path, []), list)))


def unfolded(values: Mapping[str, Any], paths: Sequence[str]) -> dict[str, Any]:
    """Return the values with the objects on these paths opened."""
    opened = dict(values)
    for path in paths:
        while path not in opened and (head := _object_on(path, opened)):
            parts = ((f"{head}.{name}", part) for name, part in opened.pop(head).items())
            opened.update((name, part) for name, part in parts if name not in opened)
    return opened


def _object_on(path: str, values: Mapping[str, Any]) -> str:
    return next((head for head in prefixes(path) if isinstance(values.get(head), dict)), "")


def prefixes(path: str) -> Iterator[str]:
    """Yield what stands before each point of a path, the longest first."""
    while (place := path.rfind(".")) > 0:
        path = path[:place]
        yield path


def text_paths(record: Mapping[str, Any], depth: int = _DEEPEST) -> list[str]:
    """Return the paths to parts of an object that are called as people call the text; lists are not looked into."""
    return [path for path in _texts_in(record, depth) if "." in path]


def _texts_in(record: Mapping[str, Any], depth: int) -> Iterable[str]:
    for name, value in record.items():
        if isinstance(value, dict) and depth:
            yield from (f"{name}.{path}" for path in _texts_in(value, depth - 1))
        elif isinstance(value, str) and value and is_text_name(name):
            yield name


def with_paths(fault: BadValue, first: Mapping[str, Any]) -> BadValue:
    """Return the fault of a file without a column for the text, with the places inside where one seems to stand."""
    inside = text_paths(first) if fault.code == "missing_column" else []
    reason = f"{fault.reason} Inside stand: {', '.join(inside[:6])}." if inside else fault.reason
    return BadValue(fault.code, reason, fault.field, fault.limit)
