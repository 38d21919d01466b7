"""Categories as cells of a file name them: by name, code, short form, or only hateful or not."""

from collections.abc import Sequence
from contextlib import suppress

from annotation.domain.categories import DEFAULT_CATEGORIES, UnknownCategory, names, read_category
from annotation.domain.category_sets import BadSet, as_stored, check_together, parts_of
from annotation.domain.choices import Choose
from annotation.domain.formats.base import BadValue
from annotation.domain.votes import Category

_BINARY_WORDS = {"hateful": True, "not_hateful": False}


class CategoryReader:
    """A reader of cells as categories of one project. It remembers what it has read."""

    def __init__(self, categories: Sequence[Category], choose: Choose) -> None:
        self.by_code = {category.code: category for category in categories}
        self._categories = categories
        self._choose = choose
        self._by_word: dict[str, Category] = {}
        self._by_cell: dict[str, tuple[Category, ...]] = {}

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

    def several(self, written: str, field: str) -> tuple[Category, ...]:
        """Return the categories that a cell names, by code: several only where the project takes several.

        Raises BadValue.
        """
        read = self._by_cell.get(written)
        if read is None:
            read = self._by_cell[written] = self._read_cell(written, field)
        return read

    def _read_cell(self, written: str, field: str) -> tuple[Category, ...]:
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

    def codes(self, written: str | None) -> tuple[int, ...]:
        """Return the codes of a cell that was read before, as rows keep them: none for fewer than two categories."""
        return tuple(as_stored(category.code for category in self._by_cell.get(written or "", ())))

    def code_or_side(self, written: str, field: str) -> tuple[int | None, bool]:
        """Return the code of a cell's first category and its side, or the side for `hateful` and `not_hateful`.

        Raises BadValue.
        """
        try:
            category = self.several(written, field)[0]
        except BadValue:
            if written not in _BINARY_WORDS:
                raise
            return None, _BINARY_WORDS[written]
        return category.code, category.hateful

    def knows(self, written: str) -> bool:
        """Return whether a label is a category's name, or names a side."""
        try:
            self.code_or_side(written, "")
        except BadValue:
            return False
        return True

    def of_side(self, written: str, field: str) -> Category:
        """Return a category. `hateful` and `not_hateful` count only if the project has one category on that side.

        Raises BadValue.
        """
        code, hateful = self.code_or_side(written, field)
        if code is not None:
            return self.by_code[code]
        matches = [category for category in self._categories if category.hateful == hateful]
        if len(matches) != 1:
            reason = (
                f"The file only says {written}, but the project has {len(matches)} such categories. Import the label "
                "as intended, where hateful or not is enough."
            )
            raise BadValue("binary_label", reason, field)
        return matches[0]

    def one_or_side(self, written: str, field: str) -> tuple[int | None, bool]:
        """Return a category's code and side, or only the side. Raises BadValue, also for several categories."""
        code_and_side = self.code_or_side(written, field)
        if self.codes(written):
            raise BadValue("one_category", "A view of the text or the picture alone is one category.", field)
        return code_and_side
