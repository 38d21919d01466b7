"""Dumps of Reddit: a submission or a comment on each line, alone or packed with Zstandard."""

from collections.abc import Iterator, Mapping
from typing import Any, BinaryIO

from annotation.domain.formats import strict_json
from annotation.domain.formats.base import BadValue, Limits, Reading, RowError, Unreadable
from annotation.domain.formats.jsonl import object_of, object_sources
from annotation.domain.sources.packed import is_packed, unpacked
from annotation.domain.sources.posts import Left, Posts, Record, Values, given, moment_of, object_at, others, unescaped

_GONE = frozenset({"[removed]", "[deleted]", "[deleted by user]", "[removed by reddit]", "[ removed by reddit ]"})
_THINGS = ("Listing", "t1", "t3", "more")
_WORDS = frozenset({"body", "selftext", "title"})
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
    """Return whether a record is a submission or a comment, or an answer of the API that holds some."""
    if not isinstance(record, dict):
        return False
    if record.get("kind") in _THINGS:
        return isinstance(record.get("data"), dict)
    return {"subreddit", "author", "created_utc"} <= record.keys() and bool(record.keys() & _WORDS)


def reddit_posts(stream: BinaryIO, reading: Reading) -> Posts:
    """Return the posts of a dump. Raises Unreadable if it is packed and cannot be unpacked, or holds something else."""
    source = unpacked(stream) if is_packed(stream) else stream
    return Posts(_records(source, reading.limits), _post, reading)


def _records(stream: BinaryIO, limits: Limits) -> Iterator[Record | RowError]:
    is_first = True
    for line, entry, text in object_sources(stream, limits):
        try:
            record = strict_json.parse(text) if entry else object_of(text)
        except BadValue as fault:
            yield fault.at(line, entry=entry)
            continue
        if is_first and not is_reddit(record):
            reason = "The file is no dump of Reddit. If it is packed, unpack it first, so that its own shape is read."
            raise Unreadable(RowError(1, "unknown_format", reason))
        is_first = False
        yield from ((line, entry, post) for post in _posts_of(record))


def _posts_of(record: Any) -> Iterator[Any]:
    """Yield the posts of an answer of the API, each before the replies to it; another record is a post itself."""
    match record:
        case {"kind": "Listing", "data": {"children": [*children]}}:
            for child in children:
                yield from _posts_of(child)
        case {"kind": "t1" | "t3", "data": {} as post}:
            yield {name: value for name, value in post.items() if name != "replies"}
            yield from _posts_of(post["replies"]) if post.get("replies") else ()
        case {"kind": "more", "data": {}}:  # it stands for comments that were not loaded
            yield Left.SERVICE
        case _:
            yield record


def _post(record: Any) -> Values | Left:
    if isinstance(record, Left):
        return record
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
