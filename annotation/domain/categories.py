"""Categories by code, name or alias, and the sets of categories that a project may have.

A file cannot add a category. An unknown one is refused; the error lists the allowed categories and, if one is similar,
suggests it (threats B30, B31).
"""

import difflib
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from annotation.domain.known_words import known_words
from annotation.domain.one_line import check_line
from annotation.domain.refusal import Refusal
from annotation.domain.refusal import gettext_noop as _
from annotation.domain.text_rules import BadText, is_blank, read_text
from annotation.domain.votes import Category

NAME_LIMIT = 60
DEFINITION_LIMIT = 2_000
CODE_LIMIT = 9_999
KEYS = "0123456789adefhimovtw"
"""Keys a category may have. B C G J K L N P Q R S U X Y Z are already used on the annotator page or the desk.

T folds a long text and W asks the glossary, unless a category has the key: they are given away last.
"""
CATEGORY_LIMIT = len(KEYS)
COLOURS = ("green", "orange", "pink", "blue", "amber", "sky", "yellow", "grey", "violet", "brown")
"""Colours that are legible in both themes. A category without one of its own has that at its code's last digit."""
_FIELDS = frozenset({"code", "name", "hateful", "aliases", "definition", "key", "colour", "retired"})

DEFAULT_CATEGORIES = (
    Category(0, "NotHate", False, (), "Attacks nobody for belonging to a protected group.", "0"),
    Category(1, "Racist", True, (), "Attacks people for their origin, skin colour, ethnicity or nationality.", "1"),
    Category(2, "Sexist", True, (), "Attacks people for their sex or gender.", "2"),
    Category(3, "Homophobic", True, ("Homophobe",), "Attacks people for whom they love or desire.", "3"),
    Category(
        4, "Religion", True, ("Religious", "Religious Hate"), "Attacks people for their faith or lack of it.", "4"
    ),
    Category(5, "OtherHate", True, (), "Attacks people for another protected trait, such as disability or age.", "5"),
)


class UnknownCategory(ValueError):
    """The value is no code, name or alias of a category of the project."""

    code = "unknown_label"

    def __init__(self, value: object, categories: Sequence[Category]) -> None:
        self.value = value
        self.allowed = tuple(f"{category.code} {category.name}" for category in categories)
        near = nearest(value, categories)
        self.suggestion = near.name if near else None
        hint = f" Did you mean {near.name!r}?" if near else ""
        self.sentence = f"{_shown(value)} is no category of this project.{hint} Allowed: {', '.join(self.allowed)}."
        super().__init__(self.sentence)


class BadCategories(Refusal):
    """A set of categories that a project cannot have; `sentence` says what to change."""

    code = "bad_categories"


def read_category(value: object, categories: Sequence[Category]) -> Category:
    """Return the category with this code, name, alias or known word (`known_words.py`).

    Upper and lower case are equal. Everything else must match exactly, so that a stray space or a look-alike character
    never becomes a label silently.
    Raises UnknownCategory if none matches.
    """
    match = None
    if isinstance(value, int) and not isinstance(value, bool):
        match = next((category for category in categories if category.code == value), None)
    elif isinstance(value, str):
        match = _by_word(value, categories)
    if match is None:
        raise UnknownCategory(value, categories)
    return match


def _by_word(word: str, categories: Sequence[Category]) -> Category | None:
    for category in categories:
        if word == str(category.code) or word.casefold() in {name.casefold() for name in names(category)}:
            return category
    known = known_words(categories)
    return next((category for category in categories if word in known[category.code]), None)


def names(category: Category) -> Iterator[str]:
    """Yield the name and then the aliases of a category."""
    yield category.name
    yield from category.aliases


def nearest(value: object, categories: Sequence[Category]) -> Category | None:
    """Return the category that was most likely meant. Returns None if none is similar."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    plain_value = _plain(str(value))
    if not plain_value or _is_no_code(str(value)):
        return None
    written: dict[str, Category] = {}
    for category in categories:
        for word in (str(category.code), f"{category.code}.0", *names(category)):
            written.setdefault(_plain(word), category)
    if plain_value in written:
        return written[plain_value]
    close = difflib.get_close_matches(plain_value, written, n=1, cutoff=0.6)
    return written[close[0]] if close else None


def _is_no_code(written: str) -> bool:
    """Return whether this is a number that no code is: below 0, or a fraction."""
    with suppress(ValueError):
        return float(written) < 0 or not float(written).is_integer()
    return False


def _plain(word: str) -> str:
    """Return only the letters, digits and dots of a word, normalized, in lower case.

    Typing slips then make no difference.
    """
    return "".join(char for char in unicodedata.normalize("NFKC", word).casefold() if char.isalnum() or char == ".")


def read_categories(rows: Iterable[Mapping[str, Any]]) -> tuple[Category, ...]:
    """Read a project's categories from rows; sort them by code. Their places are those of the rows.

    A row is `{code, name, hateful, aliases?, definition?, key?, colour?, retired?}`. A missing key becomes the code if
    that is one digit, else the first free key; retired categories have none.
    Raises BadCategories.
    """
    read = [_read_row(number, row) for number, row in enumerate(rows, start=1)]
    offered = sum(not category.retired for category in read)
    if not 2 <= offered <= CATEGORY_LIMIT:
        raise BadCategories(
            _("A project has 2 to %(most)s categories; this list has %(count)s."), most=CATEGORY_LIMIT, count=offered
        )
    _refuse_doubles(_("Two categories share the code %(value)s."), [str(category.code) for category in read])
    _refuse_doubles(
        _("Two categories share the name or alias %(value)s."),
        [word for category in read for word in {name.casefold() for name in names(category)}],
    )
    _refuse_doubles(_("Two categories share the key %(value)s."), [category.key for category in read if category.key])
    _refuse_foreign_codes(read)
    return tuple(_with_keys(sorted(read, key=lambda category: category.code)))


def _read_row(number: int, row: Mapping[str, Any]) -> Category:
    if not isinstance(row, Mapping):
        raise BadCategories(_("Category %(number)s must be an object with code, name and hateful."), number=number)
    code = _code(number, row.get("code"))
    unknown = sorted(set(row) - _FIELDS)
    if unknown:
        raise BadCategories(
            _("Category %(code)s has an unknown field: %(field)s."), code=code, field=_shown(unknown[0])
        )
    retired = _flag(code, "retired", row.get("retired", False))
    return Category(
        code=code,
        name=_word(code, "name", row.get("name"), NAME_LIMIT),
        hateful=_flag(code, "hateful", row.get("hateful")),
        aliases=_aliases(code, row.get("aliases", [])),
        definition=_word(code, "definition", row["definition"], DEFINITION_LIMIT) if row.get("definition") else "",
        key="" if retired else _key(code, row.get("key", "")),
        place=number,
        colour=_colour(code, row.get("colour", "")),
        retired=retired,
    )


def _code(number: int, value: object) -> int:
    if isinstance(value, str) and value.isdecimal():
        raise BadCategories(
            _("Category %(number)s: its code is a text. Write it as a number, without quotes."), number=number
        )
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= CODE_LIMIT:
        raise BadCategories(
            _("Category %(number)s needs a code: a whole number from 0 to %(most)s."),
            number=number,
            most=f"{CODE_LIMIT:,}",
        )
    return value


def _flag(code: int, field: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise BadCategories(_("Category %(code)s needs %(field)s: true or false."), code=code, field=field)
    return value


def _colour(code: int, value: object) -> str:
    if value and value not in COLOURS:
        raise BadCategories(
            _("Category %(code)s: a colour is one of %(allowed)s."), code=code, allowed=", ".join(COLOURS)
        )
    return str(value or "")


def _word(code: int, field: str, value: object, limit: int) -> str:
    if not isinstance(value, str) or is_blank(value):
        raise BadCategories(_("Category %(code)s needs a %(field)s that can be read."), code=code, field=field)
    try:
        read_text(value, limit)
        if field != "definition":
            check_line(value)
    except BadText as fault:
        raise BadCategories(
            _("Category %(code)s, %(field)s: %(reason)s"), code=code, field=field, reason=fault
        ) from fault
    if field != "definition" and value != value.strip():
        raise BadCategories(
            _("Category %(code)s, %(field)s: remove the spaces around %(value)s."),
            code=code,
            field=field,
            value=_shown(value),
        )
    return value


def _aliases(code: int, value: object) -> tuple[str, ...]:
    if not isinstance(value, list | tuple):
        raise BadCategories(_("Category %(code)s: aliases must be a list of words."), code=code)
    return tuple(_word(code, "alias", alias, NAME_LIMIT) for alias in value)


def _key(code: int, value: object) -> str:
    if value and (not isinstance(value, str) or value not in KEYS):
        raise BadCategories(
            _("Category %(code)s: a key is one of %(allowed)s; other letters already do something else."),
            code=code,
            allowed=KEYS,
        )
    return str(value or "")


def _refuse_doubles(pattern: str, values: Sequence[str]) -> None:
    earlier_values: set[str] = set()
    for value in values:
        if value in earlier_values:
            raise BadCategories(pattern, value=_shown(value))
        earlier_values.add(value)


def _refuse_foreign_codes(categories: Sequence[Category]) -> None:
    """Refuse a numeric name that is not the category's own code: it would make files ambiguous."""
    for category in categories:
        for word in names(category):
            if word.isdecimal() and word != str(category.code):
                raise BadCategories(_("%(word)s is a number, but not the code of its category."), word=_shown(word))


def _with_keys(categories: Sequence[Category]) -> Iterator[Category]:
    keyless = [category for category in categories if not category.key and not category.retired]
    used_keys = {category.key for category in categories if category.key}
    free = iter(key for key in KEYS if key not in used_keys | {str(category.code) for category in keyless})
    for category in categories:
        if category not in keyless:
            yield category
            continue
        key = _own_digit(category, used_keys) or next(free)
        used_keys.add(key)
        yield replace(category, key=key)


def _own_digit(category: Category, used_keys: set[str]) -> str:
    digit = str(category.code)
    return digit if len(digit) == 1 and digit not in used_keys else ""


def _shown(value: object) -> str:
    """Return the value as a short text that is safe to print, at most 60 characters and an ellipsis."""
    text = repr(value)
    return text if len(text) <= 60 else text[:60] + "…"
