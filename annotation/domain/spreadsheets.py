"""Cells of CSV files that people open in a spreadsheet: nothing in them may run (threats B118).

A cell that a spreadsheet would read as a formula gets an apostrophe in front, which spreadsheets show as text.
The rule is reversible: `restored(neutralized(cell)) == cell` for every string.
"""

import re

# What a spreadsheet takes for a formula, also in full width and behind blanks or apostrophes; and a leading
# tab, return or line feed, which some programs strip before they look.
_RUNS = re.compile(r"['\s\u200b\ufeff]*[=+\-@\uff1d\uff0b\uff0d\uff20]|'*[\t\r\n]")


def neutralized(cell: str) -> str:
    """The cell as it is safe to open."""
    return f"'{cell}" if _RUNS.match(cell) else cell


def restored(cell: str) -> str:
    """The cell as it was before `neutralized`."""
    return cell[1:] if cell.startswith("'") and _RUNS.match(cell) else cell
