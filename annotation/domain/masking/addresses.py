"""Mail addresses, web addresses and handles."""

import re
from collections.abc import Iterator

from annotation.domain.masking.spans import Place, Places, whole

_LETTER = r"[a-z0-9\u00c0-\u024f\u0400-\u04ff]"
_LABEL = rf"{_LETTER}(?:[a-z0-9\u00c0-\u024f\u0400-\u04ff-]{{0,61}}{_LETTER})?"
_HOST = rf"{_LABEL}(?:\.{_LABEL}){{0,7}}\.(?:[a-z]{{2,24}}|\u0440\u0444|\ud55c\uad6d)"
_LOCAL = r"[a-z0-9\u00c0-\u024f._%+-]{1,64}"
_AT_WORD = "at|@|arroba|arobase|chiocciola|klammeraffe|ät|собака|골뱅이|アット"
_DOT_WORD = r"dot|\.|point|punkt|punto|ponto|точка|nokta|점|点|點|ドット"
_AT = rf"(?: ?[\[({{<] ?(?:{_AT_WORD}) ?[\])}}>] ?| (?:{_AT_WORD}) |골뱅이)"
_DOT_IN_BRACKETS = rf" ?[\[({{<] ?(?:{_DOT_WORD}) ?[\])}}>] ?"
_DOT = rf"(?:{_DOT_IN_BRACKETS}| (?:{_DOT_WORD}) |\.)"
_ENDINGS = "com|net|org|info|edu|gov|io|co|kr|cn|jp|tw|de|ch|fr|es|it|pt|nl|pl|ru|uk|ca|br|mx|ar|tr"
"""Endings after words for signs: "be", "me", "to" and "in" are also words."""
_EMAIL = re.compile(
    rf"(?<![a-z0-9._%+-]){_LOCAL}@(?:{_HOST}|[a-z][a-z0-9-]{{2,40}}(?![\w.]))"
    rf"|(?<![a-z0-9._%+-]){_LOCAL}{_AT}{_LABEL}(?:{_DOT}{_LABEL}){{0,3}}"
    rf"(?: (?:{_DOT_WORD}) (?:{_ENDINGS})|(?:{_DOT_IN_BRACKETS}|\.)[a-z]{{2,24}})(?![a-z0-9])",
    re.IGNORECASE,
)
_MORE_BEFORE = re.compile(rf"(?:{_LOCAL} (?:dot|point|punkt|punto|ponto|точка|점) ){{1,3}}\Z", re.IGNORECASE)
_HAS_AT = re.compile(rf"\b(?:{_AT_WORD})\b|골뱅이|アット", re.IGNORECASE)
_LONGEST_LOCAL = 80


def emails(text: str) -> Places:
    """Return the mail addresses, also those written to hide from programs: "name (at) host (dot) org"."""
    if "@" not in text and not _HAS_AT.search(text):
        return []
    found = (found.span() for found in _EMAIL.finditer(text) if re.search("[a-z]", found.group(), re.IGNORECASE))
    return [(_with_words_before(text, start), end) for start, end in found]


def _with_words_before(text: str, start: int) -> int:
    """Return where an address begins whose first part has words for points: "dana dot kim at …"."""
    before = max(0, start - _LONGEST_LOCAL)
    more = _MORE_BEFORE.search(text[before:start])
    return before + more.start() if more else start


_WITH_SCHEME = re.compile(r"\b(?:https?://|www\.)[^\s<>\"“”「」『』，。、）]+", re.IGNORECASE)
_SUFFIXES = (
    "com|net|org|info|biz|edu|gov|int|io|co|me|tv|cc|app|dev|ai|gg|ly|xyz|site|shop|online|club|blog|news|live|link"
    "|kr|cn|jp|tw|hk|de|at|ch|fr|es|it|pt|nl|be|pl|cz|se|no|fi|dk|ru|ua|uk|ie|eu|us|ca|au|nz|br|mx|ar|in|tr|to|be|su"
)
_BARE = re.compile(
    rf"(?<![a-z0-9@./-])(?:{_LABEL}\.){{1,5}}(?:{_SUFFIXES})(?![a-z0-9-]|\.[a-z0-9])"
    r"(?:/[^\s<>\"“”「」『』，。、）\uac00-\ud7a3\u3041-\u30ff\u4e00-\u9fff]*)?"
)
_SHORTEST = 6
"""Characters of an address without a scheme; "it.is" and "e.g" are none."""
_END = ".,;:!?)'’"


def urls(text: str) -> Places:
    """Return the web addresses, with a scheme or without."""
    return whole([*_schemed(text), *_bare(text)])


def _schemed(text: str) -> Iterator[Place]:
    for found in _WITH_SCHEME.finditer(text):
        yield found.start(), found.start() + len(found.group().rstrip(_END))


def _bare(text: str) -> Iterator[Place]:
    if "." not in text:
        return
    for found in _BARE.finditer(text):
        written = found.group().rstrip(_END)
        host = written.split("/")[0]
        if len(host) >= _SHORTEST and (written == written.lower() or "/" in written):
            yield found.start(), found.start() + len(written)


_HANDLE = re.compile(
    r"(?<![A-Za-z0-9_@/.])@(?=\w{0,50}[^\W\d_])[\w.]{0,49}\w|(?<![\w/])/?u/[A-Za-z0-9_-]{3,20}(?![\w-])"
)


def handles(text: str) -> Places:
    """Return the names of accounts: "@name", "u/name". A sign without letters is a face or a price."""
    return [found.span() for found in _HANDLE.finditer(text)]
