"""Dumps of Reddit: a submission or a comment on each line, alone or packed with Zstandard."""

from collections.abc import Iterator, Mapping
from typing import Any, BinaryIO

from annotation.domain.formats import strict_json
from annotation.domain.formats.base import BadValue, Limits, Reading, RowError, Unreadable
from annotation.domain.formats.jsonl import array_or_lines, object_of
from annotation.domain.sources.packed import is_packed, unpacked
from annotation.domain.sources.posts import Left, Posts, Record, Values, given, moment_of, object_at, others, unescaped

_GONE = frozenset({"[removed]", "[deleted]", "[deleted by user]", "[removed by reddit]", "[ removed by reddit ]"})
_ABOUT = ("subreddit", "score", "num_comments", "parent_id", "link_id", "permalink", "over_18", "link_flair_text")

_READ = frozenset(
    {
        "id",
        "name",
        "body",
        "title",
        "selftext",
        "author",
        "created_utc",
        "url",
        "is_self",
        "removed_by_category",
        *_ABOUT,
    }
)


def is_reddit(record: Any) -> bool:
    """Return whether a record is a submission or a comment."""
    return (
        isinstance(record, dict)
        and {"subreddit", "author", "created_utc"} <= record.keys()
        and bool(record.keys() & {"body", "selftext", "title"})
    )


def reddit_posts(stream: BinaryIO, reading: Reading) -> Posts:
    """Return the posts of a dump. Raises Unreadable if it is packed and cannot be unpacked, or holds something else."""
    source = unpacked(stream) if is_packed(stream) else stream
    return Posts(_records(source, reading.limits), _post, reading)


def _records(stream: BinaryIO, limits: Limits) -> Iterator[Record | RowError]:
    is_first = True
    for line, entry, text in array_or_lines(stream, limits):
        try:
            record = strict_json.parse(text) if entry else object_of(text)
        except BadValue as fault:
            yield fault.at(line, entry=entry)
            continue
        if is_first and not is_reddit(record):
            reason = "The file is no dump of Reddit. If it is packed, unpack it first, so that its own shape is read."
            raise Unreadable(RowError(1, "unknown_format", reason))
        is_first = False
        yield line, entry, record


def _post(record: Any) -> Values | Left:
    record = object_at(record)
    parts = [record.get(name) for name in (("body",) if "body" in record else ("title", "selftext"))]
    if record.get("removed_by_category") or any(_is_gone(part) for part in parts):
        return Left.REMOVED
    kind = "t1" if "body" in record else "t3"
    author = record.get("author")
    about = {name: record.get(name) for name in _ABOUT}
    return given(
        {
            "id": record.get("name") or f"{kind}_{record.get('id', '')}",
            "text": "\n\n".join(unescaped(part) for part in parts if part and isinstance(part, str)),
            "author": None if _is_gone(author) else author,
            "created_at": moment_of(record.get("created_utc")),
            **about,
            "url": _link(record),
            **others(record, _READ),
        }
    )


def _is_gone(text: Any) -> bool:
    return isinstance(text, str) and text.strip().lower() in _GONE


def _link(record: Mapping[str, Any]) -> Any:
    """Return the address that a submission links to; a submission of text links to itself."""
    return None if record.get("is_self") else record.get("url")
