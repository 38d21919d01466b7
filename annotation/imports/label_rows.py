"""Tables with a row for each label: rows of one id are one post with the labels of all of them.

Rows wait in a temporary file while the table is read to its end, since those of a post may stand anywhere in it.
"""

import pickle
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import fields, replace
from tempfile import TemporaryFile
from typing import IO, Any

from annotation.domain.formats.base import UNNAMED, BadValue, Row, RowError, Twice, place
from annotation.domain.formats.labels.listed import WHICH_COUNTS
from annotation.imports.first_seen import RowsByKey

_OWN = frozenset({"line", "entry", "number", "labels", "extra", "not_counted"})
"""What rows of one post may differ in, beside the columns that the site does not know."""
_SHARED = tuple(field.name for field in fields(Row) if field.name not in _OWN)


class LabelRows:
    """The posts of such a table, in the order in which their first rows stand; errors come first."""

    def __init__(
        self, rows: Iterable[Row | RowError], stack: ExitStack, tick: Callable[[], None], twice: Twice = Twice.REFUSE
    ) -> None:
        """Take the rows as they are read; `stack` closes the temporary file."""
        self._rows, self._tick, self._twice = rows, tick, twice
        self._spool: IO[bytes] = stack.enter_context(TemporaryFile())  # noqa: SIM115 (the stack closes it)
        self._offsets = RowsByKey(stack)
        self._columns = _Columns()
        self.joined = 0
        """Rows that were joined to an earlier one."""

    def __iter__(self) -> Iterator[Row | RowError]:
        """Yield errors and posts. Raises Unreadable if the rest of the table cannot be read."""
        for row in self._rows:
            self._tick()
            if isinstance(row, RowError):
                yield row
                continue
            self._offsets.add(row.external_id, self._spool.tell())
            self._columns.look(row)
            pickle.dump(row, self._spool, protocol=pickle.HIGHEST_PROTOCOL)
        if self._columns.some:
            for rows in self._posts():
                self._tick()
                self._columns.compare(rows)
        for rows in self._posts():
            yield from self._post(rows)

    def _posts(self) -> Iterator[list[Row]]:
        return ([self._at(offset) for offset in offsets] for offsets in self._offsets)

    def _at(self, offset: int) -> Row:
        self._spool.seek(offset)
        row: Row = pickle.load(self._spool)  # noqa: S301  written by this process a moment ago
        return row

    def _post(self, rows: list[Row]) -> Iterator[Row | RowError]:
        """Yield the post that these rows are, and an error for each row that says something else of it."""
        first, *others = rows
        fitting = [first]
        for other in others:
            row = _numbered(other, len(fitting) + 1)
            try:
                _check_same(first, row)
                if self._twice is Twice.REFUSE:
                    _check_annotators(fitting, row)
            except BadValue as fault:
                yield fault.at(row.line, row.external_id, row.entry)
            else:
                fitting.append(row)
        self.joined += len(fitting) - 1
        yield self._columns.joined(fitting)


def _numbered(row: Row, number: int) -> Row:
    """Return the row with its unnamed annotator called by the number of the label."""
    if all(label.annotator != UNNAMED for label in row.labels):
        return row
    name = f"{UNNAMED.removesuffix('1')}{number}"
    return replace(row, labels=tuple(replace(label, annotator=name) for label in row.labels))


def _check_same(first: Row, row: Row) -> None:
    """Raise BadValue where two rows of one id differ in more than their label."""
    for name in _SHARED:
        if getattr(first, name) != getattr(row, name):
            reason = (
                f"The id {row.external_id} stands in {place(first.line, first.entry)} with another "
                f"{_WORD.get(name, name)}. Rows of one id are labels of one post: give each post its own id, or make "
                f"them equal."
            )
            raise BadValue("contradiction", reason, name)


_WORD: Mapping[str, str] = {"about": "batch, source or licence", "text_prior": "view of the text",
                            "image_prior": "view of the picture"}  # fmt: skip


def _check_annotators(before: list[Row], row: Row) -> None:
    """Raise BadValue where somebody labels a post twice."""
    earlier = {label.annotator: other for other in before for label in other.labels}
    for label in row.labels:
        if label.annotator in earlier:
            other = earlier[label.annotator]
            reason = (
                f"The annotator {label.annotator[:80]!r} labels the post {row.external_id} twice, also in "
                f"{place(other.line, other.entry)}. {WHICH_COUNTS}"
            )
            raise BadValue("duplicate_annotator", reason, "annotator")


class _Columns:
    """Whom each unknown column is about: the post, the person where it never differs for one, else the label."""

    def __init__(self) -> None:
        self.some = False
        """Whether any row has such a column."""
        self._of_person: dict[str, Mapping[str, Any]] = {}
        self._not_post: set[str] = set()
        self._not_person: set[str] = set()

    def look(self, row: Row) -> None:
        """Look at one row while the table is read."""
        self.some = self.some or bool(row.extra)
        people = [label.annotator for label in row.labels]
        if len(people) > 1:
            self._not_person |= row.extra.keys()
        for person in people:
            self._not_person |= _differing(self._of_person.setdefault(person, row.extra), row.extra)

    def compare(self, rows: list[Row]) -> None:
        """Look at the rows of one post before any are joined."""
        for row in rows[1:]:
            self._not_post |= _differing(rows[0].extra, row.extra)

    def joined(self, rows: list[Row]) -> Row:
        """Return the rows of one post as one, each unknown column where it belongs."""
        first = rows[0]
        if len(rows) == 1 and not self._not_post:
            return first
        not_counted = sum((Counter(row.not_counted) for row in rows), Counter[str]())
        of_person = self._not_post - self._not_person
        labels = tuple(
            replace(label, person={name: row.extra[name] for name in of_person & row.extra.keys()})
            for row in rows
            for label in row.labels
        )
        extra = {name: value for name, value in first.extra.items() if name not in self._not_post}
        for name in sorted(self._not_post - of_person):
            if any(name in row.extra for row in rows):
                extra[name] = [row.extra.get(name) for row in rows]
        return replace(first, labels=labels, extra=extra, not_counted=not_counted)


def _differing(one: Mapping[str, Any], other: Mapping[str, Any]) -> set[str]:
    if one is other or one == other:
        return set()
    return {name for name in one.keys() | other.keys() if one.get(name) != other.get(name)}
