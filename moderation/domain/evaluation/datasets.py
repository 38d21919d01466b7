"""Items with a known answer from rows of a file: published data sets by their columns, other files by a mapping.

A label is read in this order: by the caller's mapping, by the data set's convention, as a category of the project by
code or name, as a common word for hateful or not hateful. A label that is none of these is read as several, parted by
semicolons or commas.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from annotation.domain.categories import UnknownCategory, read_category
from annotation.domain.category_sets import SEPARATOR, as_stored, parts_of
from annotation.domain.formats.base import Format, LabelUse, Mapped, Row
from annotation.domain.formats.mapping import contradicting_gold
from annotation.domain.patterns import Pattern
from annotation.domain.votes import Category
from moderation.domain.evaluation.answers import Gold

HATEFUL, NOT_HATEFUL, SKIP = "hateful", "not_hateful", "skip"
"""The values that a label may be mapped to, besides a category; `skip` leaves the row out and counts it."""
ANY = "*"
"""Maps every label that has no entry of its own."""

_WORDS = {
    True: {"hateful", "hate", "hatespeech", "hate speech", "offensive", "toxic", "abusive"},
    False: {
        "not_hateful",
        "not hateful",
        "non-hateful",
        "nonhateful",
        "non-hate",
        "not hate",
        "normal",
        "none",
        "nothate",
    },
}


@dataclass(frozen=True)
class PublishedDataset:
    """A published data set: the columns that identify it, its mapping, and the meaning of its labels."""

    name: str
    columns: frozenset[str]
    mapped: Mapped = field(default_factory=Mapped)
    values: Mapping[str, str] = field(default_factory=dict)


def _columns(text: str, label: str, id: str = "", subset: str = "") -> Mapped:
    return Mapped(text=text, label=label, id=id, subset=subset, label_is=LabelUse.GOLD)


PUBLISHED_DATASETS = (
    PublishedDataset(
        "HateCheck",
        frozenset({"functionality", "case_id", "test_case", "label_gold"}),
        _columns("test_case", "label_gold", "case_id", "functionality"),
        {"hateful": HATEFUL, "non-hateful": NOT_HATEFUL},
    ),
    # PREDICT, Table 3: likely offensive and offensive are one class, hateful.
    PublishedDataset(
        "KODOLI",
        frozenset({"sentences", "abuse", "sentiment", "offensiveness"}),
        _columns("sentences", "offensiveness", "index"),
        {"OFFEN": HATEFUL, "LIKELY": HATEFUL, "NOT": NOT_HATEFUL},
    ),
    # Several labels are separated by commas; 8 stands alone and means that none of them applies.
    PublishedDataset(
        "K-MHaS", frozenset({"document", "label"}), _columns("document", "label"), {"8": NOT_HATEFUL, ANY: HATEFUL}
    ),
)
_HATEXPLAIN = {"hatespeech": HATEFUL, "normal": NOT_HATEFUL, "offensive": SKIP}
"""Offensive is neither hateful nor not hateful there; HateXScore leaves it out (section 4.1)."""


def recognized(header: Sequence[str]) -> PublishedDataset | None:
    """Return the published data set with these columns.

    Returns None if there is none.
    """
    names = {name.strip().lstrip("\ufeff") for name in header}
    return next((known for known in PUBLISHED_DATASETS if known.columns <= names), None)


def convention(format: Format, known: PublishedDataset | None) -> Mapping[str, str]:
    """Return the meaning of a file's labels by its convention."""
    if known:
        return known.values
    return _HATEXPLAIN if format is Format.HATEXPLAIN else {}


class NoGold(ValueError):
    """The label of a row cannot be used; the message says what to do."""


class ForeignCategories(ValueError):
    """The row contradicts the category that its code stands for here; the message says what to do."""


@dataclass(frozen=True)
class LeftOut:
    """A row that is left out on purpose."""

    why: str


class GoldReader:
    """A reader of the known answers of one file's rows."""

    def __init__(self, categories: Sequence[Category], own: Mapping[str, str], usual: Mapping[str, str]) -> None:
        self.categories, self.own, self.usual = categories, own, usual

    def gold(self, row: Row) -> Gold | LeftOut:
        """Return the row's known answer, or the reason why it is left out.

        Raises NoGold.
        Raises ForeignCategories if the file must come from a project with other categories.
        """
        if row.undecided:
            return LeftOut("not decided")
        written = row.gold if row.gold is not None else self._majority(row)
        if isinstance(written, LeftOut):
            return written
        if written is None and row.intended_hateful is not None:
            written = HATEFUL if row.intended_hateful else NOT_HATEFUL
        if written is None:
            raise NoGold("The row has no label. Name its column by --label-column.")
        words = self._words(written)
        if SKIP in words.values():
            return LeftOut(f"labelled {written}")
        read = [self._read(word, part) for part, word in words.items()]
        if len({hateful for _, hateful in read}) > 1:
            raise NoGold(f"A post is hateful or not: {written} names both sides.")
        hateful = read[0][1]
        self._check_side(row, words)
        if row.gold_lead is not None:
            lead = [self._read(word, part) for part, word in self._words(row.gold_lead).items()]
            if not set(lead) <= set(read):
                raise NoGold(contradicting_gold(row.gold_lead, written))
        codes = sorted({code for code, _ in read if code is not None})
        pattern = self._pattern(row, hateful)
        return Gold(row.external_id, hateful, min(codes, default=None), pattern, row.subset, tuple(as_stored(codes)))

    def votes(self, row: Row) -> tuple[int, int]:
        """Return the number of a row's annotators who called it hateful, and not hateful.

        A label that names neither side, or both, counts for none.
        """
        given = [label.category or label.replaced_by for label in row.labels]
        sides = [{self._side(word) for word in self._words(written).values()} for written in given if written]
        return sides.count({True}), sides.count({False})

    def _check_side(self, row: Row, words: Mapping[str, str]) -> None:
        """Compare the categories with what the row says of hateful or not. What the caller maps stands."""
        if row.claimed_hateful is None or ANY in self.own:
            return
        for part, word in words.items():
            code, hateful = self._read(word, part)
            if code is None or hateful == row.claimed_hateful or part in self.own:
                continue
            name = next(category.name for category in self.categories if category.code == code)
            raise ForeignCategories(
                f"The row says hateful: {str(row.claimed_hateful).lower()}, but the category {code} {name} is "
                f"{'hateful' if hateful else 'not hateful'} here. Name the project that the file comes from by "
                "--project."
            )

    def _words(self, written: str) -> dict[str, str]:
        """Return what a label means by the mappings; for several labels in one, what each of them means."""
        word = self._mapped(written)
        parts = parts_of(written)
        by_any = word != written and not any(part in self.own for part in parts)
        if len(parts) < 2 or by_any or written in self.own or self._is_label(written):
            return {written: word}
        return {part: self._mapped(part) for part in parts}

    def _majority(self, row: Row) -> str | LeftOut | None:
        """Return the label that more than half of a row's annotators gave; all of them, where labels name several.

        Returns None if nobody gave a label.
        """
        given = [label.category for label in row.labels if label.category is not None]
        if not given:
            return None
        votes = Counter(part for written in given for part in self._words(written))
        majority = [part for part, count in votes.items() if 2 * count > len(row.labels)]
        return SEPARATOR.join(majority) if majority else LeftOut("no majority")

    def _mapped(self, written: str) -> str:
        for mapping in (self.own, self.usual):
            if written in mapping:
                return mapping[written]
        if ANY in self.own:
            return self.own[ANY]
        return self.usual.get(ANY, written)

    def _read(self, word: str, written: str) -> tuple[int | None, bool]:
        if word in (HATEFUL, NOT_HATEFUL):
            return None, word == HATEFUL
        try:
            category = read_category(word, self.categories)
        except UnknownCategory as fault:
            for side, words in _WORDS.items():
                if word.casefold() in words:
                    return None, side
            raise NoGold(f"{fault.sentence} Or map it: --map {written}=hateful, not_hateful or skip.") from None
        return category.code, category.hateful

    def _pattern(self, row: Row, hateful: bool) -> str:
        sides = [self._side(prior.category) if prior else None for prior in (row.text_prior, row.image_prior)]
        text, image = sides
        return "" if text is None or image is None else Pattern(text, image, hateful).code

    def _side(self, written: str) -> bool | None:
        try:
            return self._read(written, written)[1]
        except NoGold:
            return None

    def _is_label(self, written: str) -> bool:
        return self._side(written) is not None
