"""Cells of CSV files that are safe to open in a spreadsheet: no cell is run as a formula (threats B118).

What a spreadsheet would read as a formula gets an apostrophe in front; the spreadsheet then shows it as text. So it is
at the start of a cell, and inside it after a semicolon, a tab or a line break: a spreadsheet that takes these for the
separator begins a cell there. The rule is reversible: `restored(neutralized(cell)) == cell` for every string.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from pydantic_core import to_json

# Invisible characters that a program may strip before it looks at the next character.
_UNSEEN = (
    r"\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u2800\u3164"
    r"\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e01ef"
)
# The start of a formula for a spreadsheet: one of its signs, also in full width or small form, after blanks, invisible
# characters or apostrophes; or a leading tab, carriage return or line feed.
_SIGNS = "=+-@\uff1d\uff0b\uff0d\uff20\ufe66\ufe62\ufe63\ufe6b"
_SIGN_SET = frozenset(_SIGNS)
_RUNS = re.compile(rf"['\s{_UNSEEN}]*[{re.escape(_SIGNS)}]|'*[\t\r\n]")
_SEPARATORS = ";\t\r\n"
# From a separator to the next sign or letter. Each stretch is read once, so the cost is linear.
_BETWEEN = re.compile(rf"""[{_SEPARATORS}][;'"\s{_UNSEEN}]*+""")


def neutralized(cell: str) -> str:
    """Return the cell in a form that is safe to open in a spreadsheet."""
    return ("'" if _RUNS.match(cell) else "") + _BETWEEN.sub(_marked, cell)


def restored(cell: str) -> str:
    """Return the cell as it was before `neutralized`."""
    if cell.startswith("'") and _RUNS.match(cell):
        cell = cell[1:]
    return _BETWEEN.sub(_unmarked, cell)


def _marked(between: re.Match[str]) -> str:
    end = _after_separator(between)
    return f"{between[0][:end]}'{between[0][end:]}" if end else between[0]


def _unmarked(between: re.Match[str]) -> str:
    end = _after_separator(between)
    return between[0][:end] + between[0][end:].removeprefix("'") if end else between[0]


def _after_separator(between: re.Match[str]) -> int:
    """Return the place after the last separator before a sign. Returns 0 if no sign follows."""
    if between.string[between.end() : between.end() + 1] not in _SIGN_SET:
        return 0
    return max(map(between[0].rfind, _SEPARATORS)) + 1


def cell(value: Any) -> str:
    """Return a value as a safe cell: empty for None, true or false, JSON for lists and mappings."""
    return _FORMS.get(type(value), _as_string)(value)


def cells(values: Iterable[Any]) -> list[str]:
    """Return many values as safe cells. This path is fast, because a release has tens of millions of cells."""
    form = _FORMS.get
    return [form(type(value), _as_string)(value) for value in values]


def plain_cells(values: Iterable[Any]) -> list[str]:
    """Return many values as cells for programs: as `cells`, with texts as they are. A spreadsheet may run them."""
    return [_PLAIN.get(type(value), str)(value) for value in values]


def _as_string(value: Any) -> str:
    return neutralized(str(value)) if isinstance(value, str) else str(value)


_FORMS: Mapping[type, Callable[[Any], str]] = {
    type(None): lambda _value: "",
    bool: lambda value: "true" if value else "false",
    int: str,
    float: str,
    str: neutralized,
    list: lambda value: neutralized(to_json(value).decode()) if value else "[]",
    dict: lambda value: neutralized(to_json(value).decode()),
}
_PLAIN: Mapping[type, Callable[[Any], str]] = {
    **_FORMS,
    str: str,
    list: lambda value: to_json(value).decode(),
    dict: lambda value: to_json(value).decode(),
}
