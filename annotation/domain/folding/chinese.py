"""Traditional and simplified Chinese characters, by OpenCC."""

from functools import lru_cache
from importlib import import_module
from typing import Any


@lru_cache(maxsize=1)
def _converter() -> Any:
    return import_module("opencc").OpenCC("t2s")


def simplified(char: str) -> str:
    """Return the simplified form of one character."""
    return SIMPLIFIED[ord(char)]


class _Simplified(dict[int, str]):
    """The simplified form of each character, by its code point, as `str.translate` reads it."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        shown = char
        if 0x3400 <= code <= 0x9FFF or 0xF900 <= code <= 0xFAFF or code >= 0x20000:
            converted: str = _converter().convert(char)
            shown = converted if len(converted) == 1 else char
        if len(self) < 65_536:
            self[code] = shown
        return shown


SIMPLIFIED = _Simplified()
