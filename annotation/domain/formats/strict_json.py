"""JSON read strictly and in pieces: input that other readers change silently is refused here.

Refused: NaN and infinities, numbers of more than 40 digits, repeated keys, more than 32 levels, NUL and lone surrogates
in any string.
"""

import json
import math
import re
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO

from annotation.domain.formats.base import BadValue, RowError, Unreadable
from annotation.domain.formats.lines import PIECE, read_pieces

DEPTH = 32
HOPELESS = 1_000  # levels at which reading the file stops: no real file is nested so deep
DIGITS = 40
# A string without an end matches up to the end of the text. `*+` never backtracks, so the time is linear in the text.
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*+"?|[\[\]{}]', re.DOTALL)
_SUSPECT = re.compile(r"\\u0000|\\u[dD][89a-fA-F]|\x00")
_OUTSIDE = re.compile(r'["\[\]{},]')
_INSIDE = re.compile(r'["\[\]{}]')
_NOT_BLANK = re.compile(r"[^ \t\r\n]")
_STRING_END = re.compile(r'["\\]')


def parse(source: str) -> Any:
    """Return the one JSON value in `source`. Raises BadValue with a stable code."""
    if _too_deep(source):
        raise BadValue("too_deep", f"The JSON is nested more than {DEPTH} levels deep.", limit=DEPTH)
    try:
        value = _decoder.decode(source)
    except json.JSONDecodeError as fault:
        raise BadValue("invalid_json", f"Not valid JSON: {fault.msg} at character {fault.pos + 1}.") from fault
    except RecursionError as fault:
        raise BadValue("too_deep", f"The JSON is nested more than {DEPTH} levels deep.", limit=DEPTH) from fault
    if _SUSPECT.search(source):
        _check_strings(value)
    return value


def check_text(text: str, field: str = "") -> None:
    """Raise BadValue for characters that the database cannot store: NUL and lone surrogates."""
    if "\x00" in text:
        raise BadValue("nul_character", "A text holds the NUL character (U+0000), which cannot be stored.", field)
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError as fault:
            reason = "A text holds half of a surrogate pair, not a character."
            raise BadValue("invalid_unicode", reason, field) from fault


def entries(stream: BinaryIO, limit: int) -> Iterator[tuple[int, str, str]]:
    """Yield the entries of the one object or array that a file consists of, without loading the file.

    An entry is (line on which it begins, key or "" in an array, JSON source of the value). `limit` is the maximum
    length of an entry in characters.
    Raises Unreadable if the outer structure of the file is broken.
    """
    yield from _Walk(stream, limit).entries()


def entries_below(
    stream: BinaryIO, limit: int, enters: Callable[[tuple[str, ...]], bool]
) -> Iterator[tuple[int, tuple[str, ...], str]]:
    """Yield the entries of the one object of a file as (line, path, JSON source), without loading the file.

    A path is the keys from the outermost one, "" for an entry of an array. `enters` says of a path whether the entries
    of its object or array are yielded in its place. Raises Unreadable if the structure is broken.
    """
    walk = _Walk(stream, limit)
    yield from walk.below((), enters)
    if walk.peek():
        raise walk.broken("something follows after its end")


def objects(stream: BinaryIO, limit: int) -> Iterator[tuple[int, str]]:
    """Yield (line on which it begins, JSON source) of objects that stand one after another, as `jq` writes them.

    Raises Unreadable.
    """
    yield from _Walk(stream, limit).objects()


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) != len(pairs):
        repeated = _doubled(key for key, _ in pairs)
        raise BadValue("duplicate_key", f"The key {repeated[:80]!r} stands twice in one object.", field=repeated[:80])
    return values


def _doubled(keys: Iterator[str]) -> str:
    """Return the first repeated key; the caller knows that there is one."""
    earlier_keys: set[str] = set()
    while (key := next(keys)) not in earlier_keys:
        earlier_keys.add(key)
    return key


def _constant(name: str) -> float:
    raise BadValue("not_finite", f"{name} is not a number JSON knows.")


def _float(digits: str) -> float:
    if len(digits) > DIGITS:
        raise BadValue("number_too_long", f"A number has {len(digits):,} characters; at most {DIGITS}.", limit=DIGITS)
    number = float(digits)
    if not math.isfinite(number):
        raise BadValue("not_finite", f"{digits} is too large for a number.")
    return number


def whole_number(digits: str) -> int:
    """Return a whole number. Raises BadValue for one of so many digits that reading it is slow or refused."""
    if len(digits) > DIGITS:
        raise BadValue("number_too_long", f"A number has {len(digits):,} digits; at most {DIGITS}.", limit=DIGITS)
    return int(digits)


_decoder = json.JSONDecoder(
    object_pairs_hook=_pairs, parse_constant=_constant, parse_float=_float, parse_int=whole_number
)


def _too_deep(source: str) -> bool:
    """Return whether the JSON is nested more than DEPTH levels deep; brackets inside strings do not count."""
    if source.count("[") + source.count("{") <= DEPTH:
        return False
    depth = 0
    for token in _TOKEN.finditer(source):  # lazily: only the first levels of a JSON bomb are read
        if token[0] in "[{":
            depth += 1
            if depth > DEPTH:
                return True
        elif token[0] in "]}":
            depth -= 1
    return False


def _check_strings(value: Any) -> None:
    if isinstance(value, str):
        check_text(value)
    elif isinstance(value, list):
        for part in value:
            _check_strings(part)
    elif isinstance(value, dict):
        for key, part in value.items():
            check_text(key)
            _check_strings(part)


class _Walk:
    """A cursor over the characters of a file; it keeps little more than one entry in memory."""

    def __init__(self, stream: BinaryIO, limit: int) -> None:
        self.pieces = read_pieces(stream)
        self.limit = limit
        self.buffer, self.at = "", 0
        self.line, self.counted = 1, 0  # the line of the character at `counted`
        self.entry = 0

    def entries(self) -> Iterator[tuple[int, str, str]]:
        opening = self.next_character()
        if opening not in ("{", "["):
            raise self.broken("it is neither an object nor an array")
        closing = "}" if opening == "{" else "]"
        if self.peek() == closing:
            self.at += 1
        else:
            yield from self.until(closing)
        if self.peek():
            raise self.broken("something follows after its end")

    def objects(self) -> Iterator[tuple[int, str]]:
        while opening := self.peek():
            if opening != "{":
                raise self.broken("something that is no object stands between its objects")
            yield self.line_here(), self.value()

    def until(self, closing: str) -> Iterator[tuple[int, str, str]]:
        earlier_keys: set[str] = set()
        while True:
            self.peek()
            self.entry += 1
            line, key = self.line_here(), ""
            if closing == "}":
                key = self.key(line)
                if key in earlier_keys:
                    reason = f"The key {key[:80]!r} stands twice in the file."
                    raise Unreadable(RowError(line, "duplicate_key", reason, key[:80], entry=self.entry))
                earlier_keys.add(key)
            yield line, key, self.value()
            mark = self.next_character()
            if mark == closing:
                return
            if mark != ",":
                raise self.broken("an entry is not followed by a comma")

    def below(
        self, path: tuple[str, ...], enters: Callable[[tuple[str, ...]], bool]
    ) -> Iterator[tuple[int, tuple[str, ...], str]]:
        closing = {"{": "}", "[": "]"}.get(self.next_character(), "")
        if not closing:
            raise self.broken("it is neither an object nor an array")
        mark = self.peek()
        self.at += mark == closing
        while mark != closing:
            self.peek()
            line = self.line_here()
            place = (*path, self.key(line) if closing == "}" else "")
            if enters(place) and self.peek() in ("{", "["):
                yield from self.below(place, enters)
            else:
                yield line, place, self.value()
            mark = self.next_character()
            if mark not in (",", closing):
                raise self.broken("an entry is not followed by a comma")

    def key(self, line: int) -> str:
        if self.peek() != '"':
            raise self.broken("an entry has no key")
        try:
            key = parse(self.value())
        except BadValue as fault:
            raise Unreadable(fault.at(line, entry=self.entry)) from fault
        if self.next_character() != ":":
            raise self.broken("a key is not followed by a colon")
        return str(key)

    def value(self) -> str:
        """Return the source of the value at the cursor, and move the cursor behind it."""
        self.peek()
        self.forget()
        start = position = self.at
        depth = 0
        while True:
            index = self.search(_INSIDE if depth else _OUTSIDE, position)
            mark = self.buffer[index]
            position = index + 1
            if mark == '"':
                position = self.string_end(position)
            elif mark in "[{":
                depth += 1
                if depth > HOPELESS:
                    reason = f"The JSON is nested more than {DEPTH} levels deep."
                    raise self.unreadable("too_deep", reason, DEPTH)
            elif depth == 0:  # the comma or bracket after a number, true, false or null
                position = index
                break
            else:
                depth -= 1
            if depth == 0:
                break
        self.at = position
        return self.buffer[start:position]

    def string_end(self, position: int) -> int:
        while True:
            index = self.search(_STRING_END, position)
            if self.buffer[index] == '"':
                return index + 1
            position = index + 2

    def search(self, pattern: re.Pattern[str], position: int) -> int:
        while True:
            match = pattern.search(self.buffer, position)
            if match:
                return match.start()
            position = max(position, len(self.buffer))
            if len(self.buffer) - self.at > self.limit:
                reason = f"An entry is longer than {self.limit:,} characters."
                raise self.unreadable("entry_too_long", reason, self.limit)
            if not self.more():
                raise self.broken("it ends in the middle of an entry; was it cut off?")

    def peek(self) -> str:
        while True:
            match = _NOT_BLANK.search(self.buffer, self.at)
            if match:
                self.at = match.start()
                return match.group()
            self.at = len(self.buffer)
            if not self.more():
                return ""

    def next_character(self) -> str:
        character = self.peek()
        self.at += 1
        return character

    def line_here(self) -> int:
        self.line += self.buffer.count("\n", self.counted, self.at)
        self.counted = self.at
        return self.line

    def forget(self) -> None:
        if self.at > PIECE:
            self.line_here()
            self.buffer, self.at, self.counted = self.buffer[self.at :], 0, 0

    def more(self) -> bool:
        piece = next(self.pieces, "")
        self.buffer += piece
        return bool(piece)

    def broken(self, problem: str) -> Unreadable:
        return self.unreadable("invalid_json", f"The file is not one whole JSON value: {problem}.")

    def unreadable(self, code: str, reason: str, limit: int | None = None) -> Unreadable:
        return Unreadable(RowError(self.line_here(), code, reason, limit=limit, entry=self.entry))
