"""Half characters: surrogates without their other half, as a limit of tokens leaves them of an emoji."""

import re
from typing import Any

_HALF = re.compile(r"[\ud800-\udfff]")


def whole(text: str) -> str:
    """Return the text with its pairs of surrogates joined and half ones replaced by U+FFFD."""
    if text.isascii() or not _HALF.search(text):
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def whole_texts(value: Any) -> Any:
    """Return a value of JSON with all its texts whole."""
    if isinstance(value, str):
        return whole(value)
    if isinstance(value, list):
        return [whole_texts(part) for part in value]
    if isinstance(value, dict):
        return {whole(name): whole_texts(part) for name, part in value.items()}
    return value
