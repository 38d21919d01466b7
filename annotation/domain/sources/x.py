"""Posts of X (Twitter) as version 2 of its API gives them: pages with `data`, `includes` and `errors`."""

from collections.abc import Iterator, Mapping
from itertools import count
from typing import Any, BinaryIO

from annotation.domain.formats.base import Limits, Reading, RowError
from annotation.domain.sources.pages import pages
from annotation.domain.sources.posts import Left, Posts, Record, Values, given, object_at, others, unescaped

_ABOUT = ("author_id", "created_at", "lang", "conversation_id", "in_reply_to_user_id", "possibly_sensitive")
_READ = frozenset({"id", "text", "note_tweet", "referenced_tweets", "public_metrics", *_ABOUT})
_ASKED = frozenset({"id", "ids"})
"""The parameters that name posts somebody asked for; errors of others are about posts that these mention."""


_PAGE = frozenset({"data", "includes", "errors", "meta", "__twarc"})
_MARKS = frozenset(_ABOUT) - {"created_at", "lang"} | {"edit_history_tweet_ids", "public_metrics", "referenced_tweets"}


def is_x(page: Any) -> bool:
    """Return whether an object is a page of posts: other files call a list of posts `data` too."""
    posts = page.get("data") if isinstance(page, dict) else None
    first = posts[0] if isinstance(posts, list) and posts else posts
    if not isinstance(first, dict) or not {"id", "text"} <= first.keys() or not page.keys() <= _PAGE:
        return False
    return (
        bool(_MARKS & first.keys()) or first.keys() == {"id", "text"} or (page.keys() & {"includes", "meta"} != set())
    )


def x_posts(stream: BinaryIO, reading: Reading) -> Posts:
    return Posts(_records(stream, reading.limits), _post, reading)


def _records(stream: BinaryIO, limits: Limits) -> Iterator[Record | RowError]:
    entries = count(1)
    for page in pages(stream, limits):
        if isinstance(page, RowError):
            yield page
            continue
        line, answer = page
        data = answer.get("data") or []
        includes = _by_key(answer.get("includes"))
        for post in data if isinstance(data, list) else [data]:
            yield line, next(entries), (post, includes)
        for error in answer.get("errors") or []:
            if isinstance(error, dict) and error.get("resource_type") == "tweet" and error.get("parameter") in _ASKED:
                yield line, next(entries), Left.REMOVED


def _by_key(includes: Any) -> Mapping[str, Mapping[str, Any]]:
    """Return users by their ids, and media by their keys."""
    known = includes if isinstance(includes, dict) else {}
    found = {}
    for kind, key in (("users", "id"), ("media", "media_key")):
        rows = [row for row in known.get(kind) or [] if isinstance(row, dict)]
        found[kind] = {str(row.get(key)): row for row in rows}
    return found


def _post(record: Any) -> Values | Left:
    if isinstance(record, Left):
        return record
    post, includes = object_at(record[0]), record[1]
    author = includes["users"].get(str(post.get("author_id")), {})
    long_text = _part(post, "note_tweet").get("text")
    return given(
        {
            "id": post.get("id"),
            "text": unescaped(long_text or post.get("text")),
            "author": author.get("username"),
            **{name: post.get(name) for name in _ABOUT},
            "referenced": [
                f"{one.get('type')}:{one.get('id')}"
                for one in post.get("referenced_tweets") or []
                if isinstance(one, dict)
            ],
            **_part(post, "public_metrics"),
            "media_url": next(_pictures(post, includes["media"]), None),
            **others(post, _READ),
        }
    )


def _part(post: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    part = post.get(name)
    return part if isinstance(part, dict) else {}


def _pictures(post: Mapping[str, Any], media: Mapping[str, Any]) -> Iterator[str]:
    """Yield the addresses of the post's pictures; they are fetched only where somebody names the column."""
    for key in _part(post, "attachments").get("media_keys") or []:
        about = media.get(str(key), {})
        if address := about.get("url") or about.get("preview_image_url"):
            yield address
