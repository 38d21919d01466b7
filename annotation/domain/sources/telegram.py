"""Exports of Telegram: `result.json` of one chat, or of all, beside a folder of photos."""

from collections.abc import Iterator, Mapping
from typing import Any, BinaryIO

from annotation.domain.formats import strict_json
from annotation.domain.formats.base import BadValue, Limits, Reading, RowError
from annotation.domain.sources.posts import Left, Posts, Record, Values, given, moment_of, object_at, others

_ABOUT = ("forwarded_from", "via_bot", "media_type", "edited")

_READ = frozenset(
    {"id", "type", "text", "photo", "from", "actor", "from_id", "actor_id", "date", "date_unixtime"}
    | {"reply_to_message_id", "reactions", "edited_unixtime", *_ABOUT}
)
_BESIDE = frozenset({"text_entities"})
"""The text again, in pieces."""


def is_telegram(keys: frozenset[str], message: Any) -> bool:
    """Return whether an object with these keys, and this first message, is an export."""
    is_message = isinstance(message, dict) and {"id", "type", "date"} <= message.keys()
    return "messages" in keys and is_message


def enters(path: tuple[str, ...]) -> bool:
    """Return whether the messages stand somewhere below this place of an export."""
    return path[-1:] in (("messages",), ("chats",), ("list",)) or path[-2:] == ("list", "")


def telegram_posts(stream: BinaryIO, reading: Reading) -> Posts:
    return Posts(_records(stream, reading.limits), _post, reading)


def _records(stream: BinaryIO, limits: Limits) -> Iterator[Record | RowError]:
    chat: dict[str, Any] = {}
    entry = 0
    for line, path, source in strict_json.entries_below(stream, limits.entry_chars, enters):
        is_message = path[-2:] == ("messages", "")
        entry += is_message
        try:
            if path[-1] in ("name", "type", "id") or is_message:
                value = strict_json.parse(source)
        except BadValue as fault:
            yield fault.at(line, entry=entry)
            continue
        if is_message:
            yield line, entry, (value, dict(chat))
        elif path[-1] in ("name", "type", "id"):
            chat[path[-1]] = value


def _post(record: Any) -> Values | Left:
    message, chat = object_at(record[0]), record[1]
    if message.get("type") != "message":
        return Left.SERVICE
    return given(
        {
            "id": _id_in(chat, message.get("id")),
            "text": _text(message.get("text")),
            "image": _photo(message.get("photo")),
            "chat": chat.get("name"),
            "author": message.get("from") or message.get("actor"),
            "author_id": message.get("from_id") or message.get("actor_id"),
            "created_at": moment_of(message.get("date_unixtime") or message.get("date")),
            "reply_to": _id_in(chat, message.get("reply_to_message_id")),
            **{name: message.get(name) for name in _ABOUT},
            "reactions": message.get("reactions"),
            **others(message, _READ, _BESIDE),
        }
    )


def _id_in(chat: Mapping[str, Any], number: Any) -> str | None:
    """Return the id of a message: its number is its own only in its chat."""
    if number is None:
        return None
    return f"{chat['id']}:{number}" if "id" in chat else str(number)


def _text(text: Any) -> str:
    """Return a text, which Telegram divides where it is bold, linked and so on."""
    parts = text if isinstance(text, list) else [text]
    return "".join(str(part.get("text", "")) if isinstance(part, dict) else part or "" for part in parts)


def _photo(path: Any) -> str | None:
    """Return the path of a photo; a sentence in parentheses stands where it was not exported."""
    return path if isinstance(path, str) and not path.startswith("(") else None
