"""Threads of imageboards, as 4chan's API gives them: posts whose texts are HTML."""

from collections.abc import Iterator, Mapping
from html.parser import HTMLParser
from itertools import count
from typing import Any, BinaryIO

from annotation.domain.formats.base import BadValue, Limits, Reading, RowError
from annotation.domain.sources.pages import pages
from annotation.domain.sources.posts import Left, Posts, Record, Values, given, moment_of, object_at, others

_ABOUT = ("board", "name", "trip", "capcode", "country", "country_name", "board_flag")

_READ = frozenset({"no", "sub", "com", "resto", "time", "now", "tim", "ext", "filename", "deleted", "id", *_ABOUT})


def is_imageboard(thread: Any) -> bool:
    """Return whether an object is a thread, or a page of a catalog, which has the first post of each."""
    posts = _posts_of(thread) if isinstance(thread, dict) else None
    first = posts[0] if isinstance(posts, list) and posts else None
    return isinstance(first, dict) and "no" in first and bool(first.keys() & {"com", "resto", "time", "now"})


def _posts_of(thread: Mapping[str, Any]) -> Any:
    return thread.get("posts", thread.get("threads"))


def imageboard_posts(stream: BinaryIO, reading: Reading) -> Posts:
    return Posts(_records(stream, reading.limits), _post, reading)


def _records(stream: BinaryIO, limits: Limits) -> Iterator[Record | RowError]:
    entries = count(1)
    for page in pages(stream, limits):
        if isinstance(page, RowError):
            yield page
            continue
        line, thread = page
        posts = _posts_of(thread)
        if not isinstance(posts, list):
            yield BadValue("bad_value", "A thread has a list of posts.", "posts").at(line)
            continue
        for post in posts:
            board = {"board": thread["board"]} if "board" in thread else {}
            yield line, next(entries), {**board, **post} if isinstance(post, dict) else post


def _post(record: Any) -> Values | Left:
    post = object_at(record)
    if post.get("deleted") in (1, "1", True):
        return Left.REMOVED
    number, time = post.get("no"), post.get("time")
    parts = (text_of(post.get(name)) for name in ("sub", "com"))
    return given(
        {
            "id": number,
            "text": "\n\n".join(filter(None, parts)),
            "thread": str(post.get("resto") or number),
            "created_at": post.get("now") if time is None else moment_of(time),
            **{name: post.get(name) for name in _ABOUT},
            "file": f"{post['tim']}{post.get('ext', '')}" if post.get("tim") else None,
            "filename": post.get("filename"),
            "poster_id": post.get("id"),
            **others(post, _READ, ()),
        }
    )


def text_of(html: Any) -> str:
    """Return what a piece of HTML says, with its breaks."""
    if not isinstance(html, str):
        return ""
    reader = _Text()
    reader.feed(html)
    reader.close()
    return "".join(reader.pieces).strip()


class _Text(HTMLParser):
    """The text of a comment. Marks of quotations and spoilers are left out, what they hold stays."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.pieces: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in ("br", "p"):
            self.pieces.append("\n")

    def handle_data(self, data: str) -> None:
        self.pieces.append(data)
