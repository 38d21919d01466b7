"""Categories as cells of a file name them: by name, code, short form, or only hateful or not."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Self

from annotation.domain.categories import DEFAULT_CATEGORIES, UnknownCategory, names, read_category
from annotation.domain.category_sets import BadSet, as_stored, check_together, parts_of
from annotation.domain.choices import Choose
from annotation.domain.formats.base import BadValue
from annotation.domain.votes import Category

_BINARY_WORDS = {"hateful": True, "not_hateful": False}


@dataclass(frozen=True)
class Named:
    """What a cell names: categories of the project, or only whether it is hateful."""

    written: str
    hateful: bool
    categories: tuple[Category, ...]
    """By code; none where the cell names only the side."""
    of_side: tuple[Category, ...] = ()
    """The project's categories of the side that is named alone."""

    @property
    def first(self) -> Category | None:
        """The category that rows keep as theirs."""
        return self.categories[0] if self.categories else None

    @property
    def code(self) -> int | None:
        """The code of that category."""
        return self.categories[0].code if self.categories else None

    @property
    def codes(self) -> tuple[int, ...]:
        """The codes as rows keep them: none for fewer than two categories."""
        return tuple(as_stored(category.code for category in self.categories))

    def category(self, field: str) -> Category:
        """Return a category. A side counts only if the project has one category on it. Raises BadValue."""
        if self.categories:
            return self.categories[0]
        if len(self.of_side) != 1:
            reason = (
                f"The file only says {self.written}, but the project has {len(self.of_side)} such categories. Import "
                "the label as intended, where hateful or not is enough."
            )
            raise BadValue("binary_label", reason, field)
        return self.of_side[0]

    def alone(self, field: str) -> Self:
        """Return it, if it is one category or a side. Raises BadValue for several."""
        if len(self.categories) > 1:
            raise BadValue("one_category", "A view of the text or the picture alone is one category.", field)
        return self


class CategoryReader:
    """A reader of cells as categories of one project. It remembers what it has read."""

    def __init__(self, categories: Sequence[Category], choose: Choose) -> None:
        self.by_code = {category.code: category for category in categories}
        self._categories = categories
        self._choose = choose
        self._by_word: dict[str, Category] = {}
        self._by_cell: dict[str, Named] = {}

    def category(self, written: str, field: str) -> Category:
        category = self._by_word.get(written)
        if category is None:
            try:
                category = read_category(written, self._categories)
            except UnknownCategory as fault:
                category = self._by_usual_name(written) or self._by_decimal_code(written)
                if category is None:
                    raise BadValue("unknown_label", fault.sentence, field) from fault
            self._by_word[written] = category
        return category

    def _by_usual_name(self, written: str) -> Category | None:
        """Return the project's category for another name of a default category (Homophobe, Homophobic).

        Returns None if there is none.
        """
        with suppress(UnknownCategory):
            for name in names(read_category(written, DEFAULT_CATEGORIES)):
                with suppress(UnknownCategory):
                    return None if written.isdecimal() else read_category(name, self._categories)
        return None

    def _by_decimal_code(self, written: str) -> Category | None:
        """Return the category of a code that a program wrote as `1.0`. Returns None if it is none."""
        whole, point, rest = written.partition(".")
        if not point or not whole.isdecimal() or rest.strip("0"):
            return None
        return next((category for category in self._categories if category.code == int(whole)), None)

    def read_cell(self, written: str, field: str) -> Named:
        """Return what a cell names: several categories only where the project takes several. Raises BadValue."""
        named = self._by_cell.get(written)
        if named is None:
            named = self._by_cell[written] = self._named(written, field)
        return named

    def _named(self, written: str, field: str) -> Named:
        try:
            categories = self._categories_of(written, field)
        except BadValue:
            if written not in _BINARY_WORDS:
                raise
            hateful = _BINARY_WORDS[written]
            of_side = tuple(category for category in self._categories if category.hateful == hateful)
            return Named(written, hateful, (), of_side)
        return Named(written, categories[0].hateful, categories)

    def _categories_of(self, written: str, field: str) -> tuple[Category, ...]:
        try:
            return (self.category(written, field),)
        except BadValue:
            parts = parts_of(written)
            if len(parts) < 2 or (self._choose is Choose.ONE and not all(map(self._is_category, parts))):
                raise
        by_code = {category.code: category for category in (self.category(part, field) for part in parts)}
        read = tuple(by_code[code] for code in sorted(by_code))
        try:
            check_together(read, self._choose)
        except BadSet as bad:
            raise BadValue(bad.code, bad.sentence, field) from bad
        return read

    def _is_category(self, written: str) -> bool:
        try:
            return bool(self.category(written, ""))
        except BadValue:
            return False

    def knows(self, written: str) -> bool:
        """Return whether a label is a category's name, or names a side."""
        try:
            self.read_cell(written, "")
        except BadValue:
            return False
        return True
