"""Sets of categories, in projects where an answer may name several (K-MHaS).

Rows keep a set in two columns: its lead category, and the codes of all of them where there are several. The lead is the
one with the lowest code: codes never change, so that the lead of a set is the same before and after a change of the
page's order. All categories of a set are hateful, or none is.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence

from annotation.domain.categories import UnknownCategory, read_category
from annotation.domain.choices import Choose
from annotation.domain.votes import Category

SEPARATOR = ";"
"""Between the categories of a set in a cell, as releases write it."""
_SEPARATORS = (SEPARATOR, ",", "#", "|")
"""Those that imports read: K-MHaS has a comma, a CSV from doccano a number sign."""


class BadSet(ValueError):
    """Categories that cannot be chosen together; `sentence` says why."""

    def __init__(self, code: str, sentence: str) -> None:
        super().__init__(sentence)
        self.code = code
        self.sentence = sentence


def as_stored(codes: Iterable[int]) -> list[int]:
    """Return the codes for the second column of a row: sorted, each once; an empty list for fewer than two."""
    stored = sorted(set(codes))
    return stored if len(stored) > 1 else []


def codes_of(lead: int | None, stored: Sequence[int]) -> tuple[int, ...]:
    """Return all codes of a row from its two columns; no code where it has no category."""
    return tuple(stored) or (() if lead is None else (lead,))


def further_of(lead: Category, stored: Sequence[int]) -> tuple[Category, ...]:
    """Return the categories of a row beside its lead. For the rules, code and side are enough; both are known."""
    return tuple(Category(code, "", lead.hateful) for code in stored if code != lead.code)


def check_together(categories: Collection[Category], choose: Choose) -> None:
    """Raise BadSet if the project takes one category only, or if a hateful one stands beside one that is not."""
    if len(categories) < 2:
        return
    if choose is Choose.ONE:
        raise BadSet("one_category", "This project takes one category for a post, not several.")
    if len({category.hateful for category in categories}) > 1:
        names = ", ".join(category.name for category in categories)
        raise BadSet("mixed_categories", f"A post is hateful or not: {names} cannot be chosen together.")


def parts_of(written: str) -> list[str]:
    """Return the categories that a cell names, by the first separator that it has."""
    separator = next((mark for mark in _SEPARATORS if mark in written), SEPARATOR)
    return [part.strip() for part in written.split(separator) if part.strip()]


def read_set(written: str, categories: Sequence[Category], choose: Choose) -> list[Category]:
    """Return the categories that a cell names, by code. A name may hold a comma if it is the whole cell.

    Raises UnknownCategory, and BadSet for categories that cannot stand together.
    """
    try:
        return [read_category(written, categories)]
    except UnknownCategory:
        parts = parts_of(written)
        if choose is Choose.ONE or len(parts) < 2:
            raise
    read = {part.code: part for part in (read_category(part, categories) for part in parts)}
    together = [read[code] for code in sorted(read)]
    check_together(together, choose)
    return together


def mapped(written: str, values: Mapping[str, str]) -> str:
    """Return a written category, or each of several, as the mapping of values says; others stay as written.

    Capitals count only where the mapping has a value in both.
    """
    if (whole := _looked_up(written, values)) is not None:
        return whole
    parts = parts_of(written)
    found = [_looked_up(part, values) for part in parts]
    if not any(part is not None for part in found):
        return written
    return SEPARATOR.join(part if new is None else new for part, new in zip(parts, found, strict=True))


def _looked_up(written: str, values: Mapping[str, str]) -> str | None:
    if (exact := values.get(written)) is not None:
        return exact
    folded = written.strip().casefold()
    return next((meant for value, meant in values.items() if value.strip().casefold() == folded), None)
