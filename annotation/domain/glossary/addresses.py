"""Addresses of pages, files and mailboxes in a text: their parts are names that somebody else gave."""

import re
from bisect import bisect_right

_LONGEST_SCHEME = 20
"""Letters of the longest name of a protocol: without a limit each letter of a long run is read as its beginning."""
_REST = (
    r"(?:[!#-;=?-~]|(?<=[/=?&#])[^\x00-\x7f\s，。！？；：、”»]+"
    r"|(?<=[\w-])[^\x00-\x7f\s，。！？；：、”»]{1,2}(?=[\s/?#&=.]|$))+"
)
"""What follows in an address. Other scripts belong to it only behind / = ? & #, or where a name ends in one or two of
their characters: Chinese goes on right behind an address."""
_DOMAIN = (
    r"(?<![\w.@-])(?:[a-zA-Z0-9-]{1,63}\.){1,5}"
    r"(?:com|org|net|edu|gov|info|io|co|me|eu|uk|us|de|fr|es|it|nl|pl|ru|in|kr|cn|jp|tw|hk)/"
)
"""A page whose protocol is left out: example.com/page."""
_ADDRESS = re.compile(
    rf"(?:[a-zA-Z][a-zA-Z+.-]{{0,{_LONGEST_SCHEME}}}://|www\.|(?<!\S)/[\w.-]{{1,60}}/(?=\w)|{_DOMAIN}){_REST}"
    r"|(?<![\w.+-])[\w.+-]{1,64}@[a-zA-Z0-9-]{1,63}(?:\.[a-zA-Z0-9-]{1,63}){1,8}"
)


class Addresses:
    """The places of the addresses of a text."""

    def __init__(self, text: str) -> None:
        may_hold = "." in text or "/" in text
        spans = [address.span() for address in _ADDRESS.finditer(text)] if may_hold else []
        self._starts, self._ends = [start for start, _end in spans], [end for _start, end in spans]

    def hold(self, start: int, end: int) -> bool:
        """Return whether a place lies inside an address."""
        at = bisect_right(self._starts, start) - 1
        return at >= 0 and end <= self._ends[at]
