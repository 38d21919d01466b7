"""Texts that a program decoded wrongly before they came here: UTF-8 read as another encoding, and stored so.

Nothing is changed: whoever imports such a text is shown how it would read.
"""

import re
from collections.abc import Callable

_HIGH = "[\x80-\xbf]"
_SURE = re.compile(
    rf"[\xc2\xc3]{_HIGH}|[\xe2-\xed]{_HIGH}{{2}}|\xef[\xbc-\xbf]{_HIGH}|\xf0\x9f{_HIGH}{{2}}"  # Latin, Han …
    rf"|(?:[\xc4-\xdf]{_HIGH}){{2}}|(?:[\xe0\xe1]{_HIGH}{{2}}){{2}}"  # Greek, Cyrillic, Arabic, Thai …
)
"""UTF-8 as Latin-1 letters. One letter alone of the second line may be meant as it stands: É»."""
_LETTER = re.compile(rf"[\xc2-\xdf]{_HIGH}|[\xe0-\xef]{_HIGH}{{2}}|[\xf0-\xf4]{_HIGH}{{3}}")
_LATIN_OF = {
    ord(character): number for number in range(0x80, 0xA0) if (character := bytes([number]).decode("cp1252", "ignore"))
}
"""What Windows-1252 has in place of the control characters of Latin-1."""
_MAY_BE_LATIN = re.compile("[\xc2-\xf0]")
"""How a text that `_SURE` finds begins at some place: few texts of other scripts have such a letter."""


def _read_as(encoding: str, leads: bytes) -> re.Pattern[str]:
    """Return runs of letters that may be UTF-8 read in an encoding, by the first bytes of the letters it may hold.

    Any other run is no UTF-8 of the expected letters, so that nothing needs to be encoded to know it.
    """
    pairs = [bytes([lead, *after]) for lead in leads for after in ((), *((high,) for high in range(0x80, 0xC0)))]
    first = {
        read for pair in pairs if len(read := pair.decode(encoding, "ignore")) == 1 and read.encode(encoding) == pair
    }
    return re.compile(rf"(?<![^\x00-\x7f])[{''.join(sorted(first))}][^\x00-\x7f]{{2,}}")


_OTHERS = (
    ("cp1251", _read_as("cp1251", b"\xc2\xd0\xd1\xd2\xe2"), re.compile(r"[А-Яа-яЁёІіЇїЄєҐґЎў–—’“”«»…№]{2,}")),
    (
        "gb18030",
        _read_as("gb18030", bytes(range(0xE2, 0xF0))),
        re.compile(r"[一-鿿가-힣぀-ヿ，。！？：；、“”]{2,}"),
    ),
)
"""Other encodings, and what a text may become that was read in them."""
_AROUND = 30


def would_read(text: str) -> str:
    """Return the text as it would read if it was encoded twice; the text itself if nothing looks so."""
    if text.isascii():
        return text
    if _MAY_BE_LATIN.search(text) and _SURE.search(latin := text.translate(_LATIN_OF)):
        return _as_written(latin, text)
    for encoding, runs, expected in _OTHERS:
        read = runs.sub(_decoder(encoding, expected), text)
        if read != text:
            return read
    return text


def _as_written(latin: str, text: str) -> str:
    parts, at = [], 0
    for found in _LETTER.finditer(latin):
        parts += [text[at : found.start()], _utf8(found[0].encode("latin-1")) or text[found.start() : found.end()]]
        at = found.end()
    return "".join((*parts, text[at:]))


def _decoder(encoding: str, expected: re.Pattern[str]) -> Callable[[re.Match[str]], str]:
    def decoded(run: re.Match[str]) -> str:
        try:
            read = _utf8(run[0].encode(encoding))
        except UnicodeEncodeError:
            return run[0]
        return read if expected.fullmatch(read) else run[0]

    return decoded


def _utf8(raw: bytes) -> str:
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return ""


def example(text: str) -> tuple[str, str] | None:
    """Return a passage of a text that was encoded twice, and how it would read. Returns None for other texts."""
    read = would_read(text)
    if read == text:
        return None
    first = next(place for place, pair in enumerate(zip(text, read, strict=False)) if pair[0] != pair[1])
    begin = max(0, first - _AROUND // 2)
    return text[begin : begin + _AROUND], read[begin : begin + _AROUND]
