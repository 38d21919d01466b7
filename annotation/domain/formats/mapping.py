"""Rows from Interplay's own column names, or from tables of any shape by a mapping (formats.md).

JSON lines and tables use the same names. The cells of a table are strings, so flags and numbers are also read from
strings. Values that a release adds and an import computes itself (level, pattern, digests …) are ignored.
"""

from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from annotation.domain.choices import Modality, Source, Stage
from annotation.domain.columns.in_files import ABOUT_ITEMS
from annotation.domain.columns.items import GOLD_SET, INJECTED, ITEMS, OURS, PLAIN
from annotation.domain.columns.priors import ABOUT_PRIORS
from annotation.domain.formats import fields
from annotation.domain.formats.base import TABLES, BadValue, LabelUse, Reading, Row, RowPrior
from annotation.domain.formats.columns import COMPUTED, PASSED_OVER
from annotation.domain.formats.kept_columns import NOTHING, is_kept_name, kept_columns
from annotation.domain.formats.labels.answer_columns import answers_in
from annotation.domain.formats.labels.category_columns import category_of
from annotation.domain.formats.labels.listed import ABSENT, labels
from annotation.domain.formats.labels.nested import column_of, said_beside, with_nested
from annotation.domain.formats.labels.of_annotators import ABOUT, NAMED, said_of_annotators
from annotation.domain.formats.labels.of_row import ANSWER, NO_LABEL, translated, with_answers, with_label, with_raters
from annotation.domain.formats.picture_words import COLUMNS, READER, words_from_file
from annotation.domain.text_rules import text_digest

_ONLY_BESIDE = frozenset({"file_name", GOLD_SET, "answer_CODE", "answer_CODE_version", "extra_NAME"})
"""Names that are read only where other columns, or the mapping, say what they are."""
NAMES = frozenset(name for column in ITEMS for name in column.file_names) - _ONLY_BESIDE
DERIVED = frozenset(column.name for column in ITEMS if column.when) - NAMES - _ONLY_BESIDE | {
    "image_sha256",
    "image_path",
    PLAIN,
}
"""Names that releases write and that an import works out itself; `stage` only says that a row is not gold.

In files of other people they are names as any other.
"""

_UNDECIDED = (Stage.DISPUTED.value, Stage.EXCLUDED.value)
"""The stages of released rows that have no final category."""
_OPEN_STAGES = tuple(stage.value for stage in Stage if stage is not Stage.GOLD)
SOURCES = frozenset(source.value for source in Source)
_KINDS_OF_ROWS = 1_000
"""Sets of columns that are remembered of one file; in JSON each row may have its own."""


@dataclass(frozen=True, slots=True)
class _Held:
    """Which columns of ours a row has. Most rows have few, and what a row does not have need not be read."""

    simple: tuple[tuple[str, Callable[[Any, str], Any]], ...]
    """The simple columns, each with its reader."""
    decided: bool
    """Whether something is said of gold, or of sources."""
    pictured: bool
    """Whether the words of the picture may be given."""
    parts: tuple[str, ...]
    """The parts that a model may have judged."""
    others: frozenset[str]
    """The columns that are read together with others, beside those above."""

    @classmethod
    def of(cls, columns: Collection[str]) -> "_Held":
        names = frozenset(columns)
        return cls(
            simple=tuple((name, _READ[name]) for name in columns if name in _READ),
            decided=not names.isdisjoint(_OF_DECISIONS),
            pictured=not names.isdisjoint({READER, *COLUMNS}),
            parts=tuple(part.value for part in Modality if names & {f"{part}_label", f"{part}_hateful"}),
            others=names & _OTHERS,
        )


class Shape:
    """A reader of the named values of one row as a `Row`."""

    def __init__(self, reading: Reading, columns: frozenset[str], *, ours: bool = False) -> None:
        """Take the names in the header, or of the first JSON line, as `columns`.

        `ours`: the file was made by this software, which other formats cannot tell by a column. Raises BadValue:
        `missing_column`.
        """
        mapped = reading.mapped
        self.reading, self.label, self.values = reading, mapped.label, mapped.values
        self.text = mapped.text or "text"
        self.image = mapped.image or ("file_name" if "file_name" in columns and "image" not in columns else "image")
        self.annotator = mapped.annotator or "annotator"
        self.id = mapped.id or ("id" if "id" in columns or reading.update else "")
        self.subset = mapped.subset
        self.raters, self.category_columns = mapped.raters, mapped.category_columns
        self.nested, self.nested_annotator = column_of(mapped.label, columns), column_of(mapped.annotator, columns)
        is_long = mapped.has_seats and not (mapped.raters or self.nested) and self.annotator in columns
        self.by_content = is_long and not self.id and not reading.update
        """Whether rows with equal text and picture are labels of one post: they say who gave each, and have no id."""
        content = {self.text, self.image, self.id}
        self.others_names = NAMES & (reading.columns.asked_for | {self.label, self.nested}) - content
        self.names = NAMES - self.others_names
        self.derived = DERIVED if ours or OURS in columns else frozenset()
        self.used = (
            self.names
            | DERIVED
            | {self.text, self.image, self.id, self.label, self.annotator, self.subset}
            | {*self.raters, *self.category_columns, *mapped.answer_columns}
        )
        self.answered = mapped.names_labels and not self.raters and mapped.label_is is LabelUse.SEAT
        if self.answered:
            self.used |= {name for name in columns if name.startswith(ANSWER)}
        self._held: dict[tuple[str, ...], _Held] = {}
        if "gold" in columns:
            self._take_sets()
        self._check_columns(columns)

    def _take_sets(self) -> None:
        self.names, self.used = self.names | {GOLD_SET}, self.used | {GOLD_SET}

    def _use_of(self, name: str) -> str:
        """Return the field that a column is read as."""
        mapped = {
            self.label: f"label: {self.reading.mapped.label_is}",
            self.text: "text",
            self.image: "image",
            self.id: "id",
            self.annotator: "annotator",
            self.subset: "subset",
        }
        if name in self.raters or (name and name in (self.nested, self.nested_annotator)):
            return f"label: {LabelUse.SEAT}"
        if name in self.category_columns:
            return f"label: {self.reading.mapped.label_is}"
        if name and name in mapped:
            return mapped[name]
        if self.answered and (name.startswith(ANSWER) or name in self.reading.mapped.answer_columns):
            return "answers"
        if is_kept_name(name):
            return PASSED_OVER
        return name if name in self.names else COMPUTED if name in self.derived else PASSED_OVER

    def _check_columns(self, columns: frozenset[str]) -> None:
        mapped = self.reading.mapped
        if sum(map(bool, (mapped.label, mapped.raters, mapped.category_columns))) > 1:
            reason = "Name a label column, or columns of one annotator each, or columns of one category each: not two."
            raise BadValue("labels_named_twice", reason, "label")
        if mapped.answer_columns and not self.answered:
            reason = "Answers belong to labels of people: name the label column, and say that it is one annotator's."
            raise BadValue("answers_without_label", reason, next(iter(mapped.answer_columns)))
        columns_by_use = {
            "text": mapped.text,
            "image": mapped.image,
            "id": mapped.id,
            "label": "" if self.nested else mapped.label,
            "subset": mapped.subset,
            **{f"label of {name}": name for name in self.raters},
            **{f"category {category or name}": name for name, category in mapped.category_columns.items()},
            **{f"answer {code or name}": name for name, code in mapped.answer_columns.items()},
        }
        existing = ", ".join(sorted(columns)[:40]) or "none"
        for use, column in columns_by_use.items():
            if column and column not in columns and self.reading.format in TABLES:
                reason = f"There is no column {column!r} for the {use}. Found: {existing}."
                raise BadValue("missing_column", reason, column)
        if self.reading.update:
            if self.id not in columns:
                raise BadValue("missing_column", f"An update needs the column id. Found: {existing}.", "id")
        elif not columns & {self.text, self.image}:
            reason = (
                f"There is no column for the text ({self.text!r}) or the picture ({self.image!r}). "
                f"Name the one that holds it. Found: {existing}."
            )
            raise BadValue("missing_column", reason, self.text)

    def _held_by(self, columns: tuple[str, ...]) -> _Held:
        """Return which columns of ours a row with these has."""
        held = self._held.get(columns)
        if held is None:
            if len(self._held) == _KINDS_OF_ROWS:
                self._held.clear()
            held = self._held[columns] = _Held.of(columns)
        return held

    def _ours_of(self, values: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the values without columns that are called as ours are, and that somebody says are no such columns."""
        return {name: value for name, value in values.items() if name not in self.others_names}

    def row(self, line: int, values: Mapping[str, Any], entry: int = 0) -> Row:
        """Read the values as a row. Raises BadValue for the first value that is not valid."""
        if "gold" in values and GOLD_SET not in self.names:  # a line of JSON may have keys that the first one lacks
            self._take_sets()
        kept = self.reading.columns.count(values, self._use_of)
        row_values = values
        values = self._ours_of(values) if self.others_names else values
        held, get = self._held_by(tuple(values)), values.get
        name = self._id_of(get, entry or line)
        text = fields.item_text(get(self.text), self.text)
        picture = fields.picture_path(get(self.image), self.image, addresses=True)
        name = name or id_of_content(text, picture)
        if not text and not picture and not self.reading.update:
            raise _nothing_in(values, self.text)
        gold, source, gold_source = _gold_and_sources(get) if held.decided else (None, "", "")
        several = fields.category(get(GOLD_SET), GOLD_SET) if GOLD_SET in self.names else None
        if get("stage") in _UNDECIDED:  # earlier releases gave such rows a category all the same
            gold, gold_source, several = None, "", None
        if several is not None and gold is None and get(self.label) in ABSENT:
            reason = (
                f"The column {GOLD_SET} has {several}, but gold is empty. Write one of them as gold, or remove them."
            )
            raise BadValue("categories_without_gold", reason, GOLD_SET)
        simple_values = {name: read(value, name) for name, read in held.simple if (value := values[name])}
        about = {name: read for name in ABOUT_ITEMS if (read := simple_values.pop(name, ""))} if simple_values else {}
        if source:
            about["source"] = source
        is_pictured = held.pictured and (picture or self.reading.update)
        words, reader = words_from_file(values) if is_pictured else ("", "")
        if self.nested:
            kept |= self.reading.columns.count(said_beside(row_values, self.reading.mapped), lambda name: PASSED_OVER)
        extra, made = without_mark(kept_columns(kept)) if kept else (NOTHING, None)
        row = Row(
            line,
            name,
            text=text,
            picture=picture,
            about=about,
            text_prior=prior(values, "text") if "text" in held.parts else None,
            image_prior=prior(values, "image") if "image" in held.parts else None,
            **(self._others(values, held.others) if held.others else {}),
            gold=several or gold,
            gold_lead=gold if several else None,
            undecided=get("stage") in _OPEN_STAGES or ("gold" in values and gold is None and get(self.label) in ABSENT),
            gold_source=gold_source,
            picture_text=words,
            picture_text_reader=reader,
            subset=fields.line(get(self.subset), self.subset, 120) if self.subset else "",
            injected=injection(values) if INJECTED in values and fields.flag(get(INJECTED), INJECTED) else made,
            extra=extra,
            entry=entry,
            **simple_values,
        )
        row = translated(said_of_annotators(row, values) if held.others else row, self.values)
        if self.raters:
            return with_raters(row, row_values.get, self.reading)
        if self.nested:
            return with_nested(row, row_values, self.reading)
        if not self.label and not self.category_columns:
            return row
        get = row_values.get
        label = category_of(get, self.reading.mapped, NO_LABEL) if self.category_columns else get(self.label)
        labelled = with_label(row, label, self.reading, get(self.annotator))
        return self._answered(labelled, values) if self.answered else labelled

    def _others(self, values: Mapping[str, Any], held: frozenset[str]) -> dict[str, Any]:
        """Return the fields of a row that these columns of `_OTHERS` give. Raises BadValue."""
        others: dict[str, Any] = {}
        if "hateful" in held:
            others["claimed_hateful"] = _claimed_side(values["hateful"])
        if "labels" in held and values["labels"]:
            others["labels"] = labels(values["labels"], self.reading.limits.labels, self.reading.twice)
        if not held.isdisjoint(_OF_INTENT):
            given = values.get("intended_categories") or values.get("intended")
            others["intended"] = fields.category(given, "intended")
        others |= {name: read(values[name], name) for name, read in _ALSO_READ.items() if name in held}
        return others

    def _answered(self, row: Row, values: Mapping[str, Any]) -> Row:
        """Return the row with the answers of its columns given to its one label; a row without a label has none."""
        row = with_answers(row, values)
        named = answers_in(values.get, self.reading.mapped, NO_LABEL) if row.labels else {}
        if not named:
            return row
        *others, last = row.labels
        return replace(row, labels=(*others, replace(last, answers={**named, **last.answers})))

    def _id_of(self, get: Callable[[str], Any], number: int) -> str:
        """Return the id of a row; "" where its content is its id."""
        if self.id:
            return fields.external_id(get(self.id), self.id)
        return "" if self.by_content else self._made_id(number, get("id"))

    def _made_id(self, number: int, value: Any) -> str:
        if value is not None:
            raise BadValue("missing_id", "The first row has no id, but this one has: give every row its id.", "id")
        return f"{self.reading.id_prefix}{number}"


def id_of_content(text: str, picture: str) -> str:
    """Return the id of a post that has none, which equal posts share."""
    return text_digest(f"{text}\n{picture}" if picture else text)[:16]


def _nothing_in(values: Mapping[str, Any], field: str) -> BadValue:
    """Return what is wrong with a row without a text and a picture; the digests in a release tell that it had them."""
    if not values.get("text_sha256") and not values.get("image_sha256_original"):
        return BadValue("no_content", "The row has neither a text nor a picture.", field)
    reason = (
        "The row comes from a release that left out its text and its picture. Import a release that was made with them "
        "(without --no-texts and --no-media), or leave the row out: the licence of a post may forbid to pass it on."
    )
    return BadValue("content_left_out", reason, field)


def _gold_and_sources(get: Callable[[str], Any]) -> tuple[str | None, str, str]:
    """Return gold, the source of the item, and the source of its gold; releases name the last one `source` too."""
    gold, source = fields.category(get("gold"), "gold"), fields.line(get("source"), "source", 500)
    gold_source = fields.short(get("gold_source"), "gold_source", 20)
    if gold is not None and not gold_source and source in SOURCES:
        gold_source, source = source, ""
    if gold_source and gold_source not in SOURCES:
        raise BadValue("bad_gold_source", f"gold_source is one of {', '.join(sorted(SOURCES))}.", "gold_source")
    return gold, fields.line(get("item_source"), "item_source", 500) or source, gold_source


def _claimed_side(value: Any) -> bool | None:
    """Return whether the row says that gold is hateful; None for anything else, as in columns of other files."""
    with suppress(BadValue):
        return fields.flag(value, "hateful")
    return None


def contradicting_gold(gold: str, categories: str) -> str:
    """Return the sentence for a row whose gold is not among its categories."""
    return f"gold is {gold}, which is not in the column {GOLD_SET} ({categories}). Correct one of the two columns."


def prior(values: Mapping[str, Any], part: str) -> RowPrior | None:
    """Return the prior of a modality from `text_label`, `text_explanation` and so on.

    Returns None if the row has no label for it.
    """
    written, hateful = f"{part}_label", f"{part}_hateful"
    label = fields.category(values.get(written), written)
    if label is None:
        side = fields.flag(values.get(hateful), hateful)
        if side is None:
            return None
        label = "hateful" if side else "not_hateful"
    return RowPrior(label, {key: read(values.get(name), name) for key, name, read in _ABOUT_PRIOR[part]})


def without_mark(kept: Mapping[str, Any]) -> tuple[Mapping[str, Any], Mapping[str, Any] | None]:
    """Return the kept columns, and how a model made the item if they say so, as files of earlier versions do."""
    made = kept.get(INJECTED)
    if not isinstance(made, dict):
        return kept, None
    return {name: value for name, value in kept.items() if name != INJECTED}, made


def injection(values: Mapping[str, Any]) -> dict[str, str]:
    """Return how an item was made, from the `injection_…` columns that have a value."""
    read = {name.removeprefix("injection_"): reader(values.get(name), name) for name, reader in _INJECTION.items()}
    return {name: value for name, value in read.items() if value}


def _flag(value: Any, field: str) -> bool:
    return bool(fields.flag(value, field))


_ALONE = {column.name: fields.reader_of(column) for column in ITEMS if column.file and column.file.most}
_INJECTION = {column.name: _ALONE.pop(column.name) for column in ITEMS if column.name.startswith("injection_")}
_READ = _ALONE | {"known_training": _flag}
"""The readers of the simple columns; used if the row has the column."""
_OF_DECISIONS = frozenset({"gold", "source", "gold_source", "item_source"})
_OTHERS = frozenset({"labels", "hateful", "intended", "intended_categories", "intended_hateful", "severity"}) | {
    *("priority", "known_category", NAMED, ABOUT)
}
_OF_INTENT = frozenset({"intended", "intended_categories"})
_ALSO_READ: Mapping[str, Callable[[Any, str], Any]] = {
    "intended_hateful": fields.flag,
    "severity": fields.severity,
    "priority": fields.priority,
    "known_category": fields.category,
}
_ABOUT_PRIOR = {
    part.value: [(column.field, f"{part}_{column.name}", fields.reader_of(column)) for column in ABOUT_PRIORS]
    for part in Modality
}
