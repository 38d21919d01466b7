"""Items and what is known about them come in from a file: checked as a whole first, then all rows are stored or none.

The file is read once. Every row is parsed, decided and checked, and what will be stored waits in a temporary file;
only if nothing stands against it does one transaction write it, so that the database is busy for seconds and a dry
run is the very same way without its last step.
"""

import pickle
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import IO, Any, BinaryIO
from uuid import UUID

from django.db import IntegrityError, transaction

from annotation.assignment.make_seats import make_check_seats
from annotation.assignment.release_seats import reset_idle_members
from annotation.batches.open_items import open_items
from annotation.batches.state import ensure_batches, update_item_queues
from annotation.core.bulk_insert import Sender
from annotation.domain.choices import BatchState, EventVerb
from annotation.domain.formats import picture_words
from annotation.domain.formats.base import ANSWERS, BadValue, Format, Row, RowError, Unreadable, stands_twice
from annotation.domain.formats.detect import binary_format
from annotation.domain.formats.encodings import encoding_for, is_utf8, suggestion_for
from annotation.domain.formats.zip_archives import BadArchive, shown
from annotation.domain.imports.read_row import ReadRow
from annotation.domain.imports.row import RowReader
from annotation.domain.masking.mask import Mask
from annotation.domain.pictures.decoding import BadPicture
from annotation.domain.sources.first_rows import shortened
from annotation.imports import backfill, more_labels
from annotation.imports.files.archives import Bundle, Clock, Watch, unpacked
from annotation.imports.first_seen import FirstSeen
from annotation.imports.items_here import ItemsHere
from annotation.imports.label_rows import LabelRows
from annotation.imports.options import ImportOptions, Update, terms_of
from annotation.imports.report import ImportReport
from annotation.imports.row_places import RowPlaces
from annotation.imports.store import ItemStore, know_columns, store_pictures
from annotation.imports.unused_columns import check_columns
from annotation.media.pictures import Gallery, discard_staged, known_pictures
from annotation.models import Batch, Event, Item, Label, Membership, Picture, Prior, Project, Seat, record
from annotation.picture_text.requests import read_new_pictures
from providers.prompt_fencing import looks_like_an_order
from runs.sql.planner_statistics import refresh_statistics

BATCH = 500
MAX_ERRORS = 100_000
"""Errors kept of one file; after so many, reading it further helps nobody."""
_ASKS = frozenset({"missing_column", "encoding", "header_as_row"})
"""What stands against a file that can be read once somebody says which column holds what."""
_OF_THE_FILE = ("too_many_kept",)
"""Errors that every row of a file has that one row has."""


def import_file(
    project: Project,
    file: BinaryIO,
    options: ImportOptions,
    *,
    images: Path | None = None,
    dry_run: bool = False,
    actor: Membership | None = None,
    watch: Watch = lambda progress: None,
    on_stored: Callable[[ImportReport], None] = lambda report: None,
    spacious: bool = False,
    fetches: bool = True,
    row: UUID | None = None,
    tell_orders: bool = False,
) -> ImportReport:
    """Import a table, or a ZIP of a table and its pictures, into the project; say what was (or would be) stored.

    Nothing is stored where the report has errors, unless the options leave bad rows out. `images` is a folder of
    pictures for a table without a ZIP. `on_stored` is called in the transaction that stores. `spacious` allows ten
    times larger archives, for whoever sits at the machine. `fetches`: pictures that are named by address are fetched,
    which may take minutes. `row` names the import in the event that is recorded. `tell_orders`: the report names the
    posts that look like an order to a model, which takes a third of a millisecond for each.
    Raises what `watch` raises.
    """
    began = time.monotonic()
    report = ImportReport(dry_run=dry_run)

    def stored(report: ImportReport) -> None:
        report.seconds = time.monotonic() - began
        on_stored(report)
        refresh_statistics(report.items, Item, Picture, Prior, Seat, Label, Event)

    with ExitStack() as stack:
        bundle = None
        try:
            bundle = unpacked(file, stack, options, images, spacious=spacious, fetches=fetches)
            bundle.columns.keeps = None if options.update is Update.LABELS else options.keeping.keeps
            bundle.columns.asked_for = options.keep
            report.container, report.bytes = bundle.container, bundle.size
            if options.update is Update.LABELS:
                more_labels.add_labels(
                    project, bundle, options, report, stack, actor=actor, watch=watch, on_stored=stored, row=row
                )
            elif options.update is not None:
                backfill.fill(project, bundle, options, report, actor=actor, watch=watch, on_stored=stored, row=row)
            else:
                _Import(project, bundle, options, report, watch, stack, tell_orders=tell_orders).run(actor, stored, row)
        except Unreadable as fault:
            report.give_up(fault.error)
        except BadArchive as fault:
            report.give_up(RowError(0, fault.code, fault.sentence, limit=fault.limit, status=fault.status))
        is_unread = report.fatal and report.fatal.code == "encoding" and not options.encoding
        if is_unread and bundle and bundle.table and binary_format(bundle.table) is None:
            report.suggest_encoding(suggestion_for(bundle.table))
        if bundle and report.fatal and report.fatal.code in _ASKS and options.update is None:
            report.first_rows = _first_rows(project, bundle, options, stack)
    if bundle:
        report.note_renamed(bundle.pictures.renamed)
    report.errors.sort(key=lambda error: (error.line, error.entry))
    report.seconds = time.monotonic() - began
    return report


def _first_rows(project: Project, bundle: Bundle, options: ImportOptions, stack: ExitStack) -> dict[str, Any]:
    """Return the first rows of a file that cannot be read yet, masked, in the encoding that it most likely has."""
    encoding = options.encoding
    if bundle.table is not None and not encoding and binary_format(bundle.table) is None:
        encoding = "" if is_utf8(bundle.table) else encoding_for(bundle.table)
        with suppress(Unreadable):
            bundle = bundle.in_utf8(encoding, stack) if encoding else bundle
    found = bundle.first_rows(options, lambda: None)
    if found:
        terms = terms_of(project, options)
        found["rows"] = [[shortened(terms.masked(cell)[0]) for cell in row] for row in found["rows"]]
    return {**found, "encoding": encoding or "utf-8"} if found else {}


class _Import:
    """One file on its way through: read and checked row by row, spooled, then stored."""

    def __init__(
        self,
        project: Project,
        bundle: Bundle,
        options: ImportOptions,
        report: ImportReport,
        watch: Watch,
        stack: ExitStack,
        *,
        tell_orders: bool,
    ) -> None:
        self.tell_orders, self.stack = tell_orders, stack
        self.project, self.bundle, self.options, self.report = project, bundle, options, report
        self.reader = RowReader(terms_of(project, options))
        self.spool: IO[bytes] = stack.enter_context(tempfile.TemporaryFile())  # noqa: SIM115 (the stack closes it)
        self.known = known_pictures(project)
        self.clock = Clock(bundle, watch)
        self.gallery = stack.enter_context(
            Gallery(
                project,
                bundle.pictures,
                keep=not report.dry_run,
                known=self.known,
                pixels=bundle.pixels,
                watch=self._tick,
            )
        )
        self.places = RowPlaces(stack)
        self.ids = FirstSeen(stack)
        self.rows_of_picture: dict[str, list[int]] = {}
        self.batches: set[str] = set()
        self.kept: set[str] = set()
        self.masked: Counter[str] = Counter({str(kind): 0 for kind in Mask if kind in options.masks})
        self.here = ItemsHere(project, options, report, self._without_picture, stack)

    def run(self, actor: Membership | None, on_stored: Callable[[ImportReport], None], row: UUID | None) -> None:
        try:
            self._check()
            if not self.report.dry_run and self._may_store():
                self._store(actor, on_stored, row)
            else:
                self._drop_files()
        except BaseException:
            self._drop_files()
            raise

    def _may_store(self) -> bool:
        without_bad_rows = self.options.leave_out and not self.report.fatal and self.report.items > 0
        return not self.report.errors or without_bad_rows

    def _drop_files(self) -> None:
        for picture in self.gallery.staged():
            discard_staged(picture)

    def _tick(self) -> None:
        self.clock.tick(self.report.rows)

    # ── Checking ──────────────────────────────────────────────────────────────

    def _check(self) -> None:
        report = self.report
        report.format, rows = self.bundle.reader(self.options, self.reader.categories.knows, self._tick)
        joined = (
            LabelRows(rows, self.stack, self._tick, self.options.twice)
            if self.options.mapped.has_seats or report.format in ANSWERS
            else None
        )
        batch: list[ReadRow] = []
        try:
            for row in joined or rows:
                report.rows += 1
                self._tick()
                if isinstance(row, RowError) and row.code in _OF_THE_FILE:
                    report.give_up(row)
                    break
                item = self._read(row)
                if item is not None:
                    batch.append(item)
                if len(batch) >= BATCH:
                    self._plan(batch)
                    batch = []
                if len(report.errors) >= MAX_ERRORS:
                    break
        except Unreadable as fault:
            report.give_up(fault.error)
        self._plan(batch)
        report.rows += joined.joined if joined else 0
        check_columns(report, self.bundle.columns, self.reader.terms, self.options.keeping)
        self.gallery.finish()
        self._check_pictures()
        report.duplicates = len(self.here.twins)
        report.masked, report.mask_examples = dict(self.masked), self.reader.mask_examples

    def _read(self, row: Row | RowError) -> ReadRow | None:
        """Return what a row says that passes every check that needs no database."""
        self.places.add(row.line, row.entry)
        if isinstance(row, RowError):
            self.report.errors.append(row)
            return None
        row.number = self.report.rows
        try:
            self._check_id(row)
            if self.report.format is Format.MMHS150K:
                row.picture_text = self._words_beside(row)
            item = self.reader.read(row)
            if item is None:
                self.report.dropped += 1
            else:
                self._want_picture(row)
            return item
        except BadValue as fault:
            self.report.errors.append(fault.at(row.line, row.external_id, row.entry))
            return None

    def _words_beside(self, row: Row) -> str:
        """Return the words of the picture from the data set's own file; most pictures have none."""
        key = self.bundle.pictures.find(picture_words.file_of(row.external_id))
        try:
            return picture_words.words_in_file(self.bundle.pictures.read(key, picture_words.MOST_BYTES)) if key else ""
        except BadPicture as fault:
            raise BadValue("bad_picture_words", fault.sentence, picture_words.FOLDER) from fault

    def _check_id(self, row: Row) -> None:
        first = self.ids.first(row.external_id, row.number)
        if first != row.number:
            raise stands_twice(row, *self.places.of(first))

    def _want_picture(self, row: Row) -> None:
        if not row.picture:
            return
        if self.gallery.want(row.picture):
            self.rows_of_picture.setdefault(row.picture, []).append(row.number)
        elif self.bundle.pictures.complete:
            raise BadValue("missing_picture", f"{shown(row.picture)} is not in the archive.", "image")
        else:
            self.report.note_missing(row.picture)

    def _without_picture(self, item: ReadRow) -> None:
        """Forget that a row shows a picture: an item has its id already."""
        if item.picture in self.rows_of_picture:
            self.rows_of_picture[item.picture].remove(item.number)

    def _plan(self, batch: list[ReadRow]) -> None:
        """Compare a batch with what the project holds: count new items and keep them for storing, note the others."""
        if not batch:
            return
        fresh = self.here.not_yet_here(batch)
        self.here.find_twins(fresh)
        for item in fresh:
            self.report.count(item)
            self.batches.add(item.about["batch"])
            self.kept.update(item.extra)
            if self.tell_orders and looks_like_an_order(item.text):
                self.report.orders.append(item.external_id)
            if item.masked:
                self.masked.update({str(kind): count for kind, count in item.masked.items()})
        if not self.report.dry_run and (not self.report.errors or self.options.leave_out):
            pickle.dump(fresh, self.spool, protocol=pickle.HIGHEST_PROTOCOL)

    def _check_pictures(self) -> None:
        """Rows whose picture is refused are errors; rows that show the same picture are only mentioned."""
        report = self.report
        rows_of: dict[str, list[int]] = {}
        for name, rows in self.rows_of_picture.items():
            result = self.gallery.result(name)
            if isinstance(result, BadPicture):
                for number in rows:
                    self._refuse_picture(number, name, result)
            else:
                rows_of.setdefault(result, []).extend(rows)
        for sha256, rows in rows_of.items():
            repeated = sorted(rows)[0 if sha256 in self.known else 1 :]
            self.here.twins.update(repeated)
            for number in repeated:
                line, entry = self.places.of(number)
                report.note_twin(line, "", "image", entry)
        report.note_pictures(self.gallery.staged())
        report.pictures = sum(bool(rows) for rows in rows_of.values())
        report.shared_pictures = sum(len(rows) > 1 or sha256 in self.known for sha256, rows in rows_of.items())
        if self.bundle.archive is not None:
            extra = sorted(set(self.bundle.archive.pictures()) - self.gallery.keys)
            report.extra_pictures, report.extra_names = len(extra), extra[:20]

    def _refuse_picture(self, number: int, name: str, refused: BadPicture) -> None:
        reason = f"{shown(name)}: {refused.sentence}"
        line, entry = self.places.of(number)
        fault = RowError(line, refused.code, reason, "image", refused.limit, refused.status, entry=entry)
        self.report.errors.append(fault)
        self.report.refused_rows.add(number)
        self.report.items -= 1

    # ── Storing ───────────────────────────────────────────────────────────────

    def _store(self, actor: Membership | None, on_stored: Callable[[ImportReport], None], row: UUID | None) -> None:
        ensure_batches(self.project, self.batches)
        try:
            with transaction.atomic():
                self._write()
                report = self.report
                facts: dict[str, Any] = {name: getattr(report, name) for name in ("items", "labels", "priors")}
                record(
                    EventVerb.IMPORTED, project=self.project, actor=actor, row=row, format=str(report.format), **facts
                )
                reset_idle_members(self.project)
                on_stored(report)
        except IntegrityError as fault:
            reason = "The project changed while the file was read: some of its rows are there now. Check it again."
            raise Unreadable(RowError(0, "changed_meanwhile", reason, status=409)) from fault
        report.stored = True
        if report.pictures:
            read_new_pictures(self.project)
        update_item_queues(self.project)  # the batches may have changed while the rows were written
        self._open(actor)

    def _open(self, actor: Membership | None) -> None:
        """Open what came for batches that are handed out, where the project wants that."""
        if self.project.new_batches == BatchState.OPEN:
            handed_out = Batch.objects.filter(project=self.project, name__in=self.batches, state=BatchState.OPEN)
            for name in list(handed_out.values_list("name", flat=True)):
                open_items(self.project, actor, name)

    def _write(self) -> None:
        new = store_pictures(self.project, self.gallery.staged())
        with Sender() as sender:
            store = ItemStore(self.project, self.known | new, sender)
            for batch in self._spooled():
                store.store((item, self._sha256_of(item)) for item in batch)
        store.finish()
        report = self.report
        make_check_seats(self.project)
        know_columns(self.project, self.kept)
        report.labels, report.priors, report.annotators = store.labels, store.priors, store.annotators()

    def _sha256_of(self, item: ReadRow) -> str:
        if item.picture not in self.rows_of_picture:
            return ""
        result = self.gallery.result(item.picture)
        assert isinstance(result, str)
        return result

    def _spooled(self) -> Iterator[list[ReadRow]]:
        self.spool.seek(0)
        refused = self.report.refused_rows
        while True:
            try:
                batch: list[ReadRow] = pickle.load(self.spool)
            except EOFError:
                return
            yield [item for item in batch if item.number not in refused] if refused else batch
