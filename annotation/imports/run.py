"""Items and what is known about them come in from a file: checked as a whole first, then all rows are stored or none.

The file is read once. Every row is parsed, decided and checked, and what will be stored waits in a temporary file;
only if nothing stands against it does one transaction write it, so that the database is busy for seconds and a dry
run is the very same way without its last step.
"""

import pickle
import tempfile
import time
from array import array
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import IO, Any, BinaryIO
from uuid import UUID

from django.db import IntegrityError, transaction

from annotation.assignment.make_seats import make_check_seats
from annotation.assignment.release_seats import reset_idle_members
from annotation.batches.open_items import open_items
from annotation.batches.state import ensure_batches, update_item_queues
from annotation.core.bulk_insert import Sender
from annotation.domain.category_sets import codes_of
from annotation.domain.choices import BatchState, EventVerb
from annotation.domain.formats import picture_words
from annotation.domain.formats.base import BadValue, Format, Row, RowError, Unreadable, stands_twice
from annotation.domain.formats.columns import label_like
from annotation.domain.formats.encodings import suggestion_for
from annotation.domain.formats.zip_archives import BadArchive, shown
from annotation.domain.imports.redaction import Mask
from annotation.domain.imports.row import Intake
from annotation.domain.imports.values import Dropped, Incoming
from annotation.domain.pictures.decoding import BadPicture
from annotation.imports import backfill
from annotation.imports.archives import Bundle, Clock, Watch, unpacked
from annotation.imports.options import ImportOptions, terms_of
from annotation.imports.report import ImportReport, unused_labels_reason
from annotation.imports.store import ItemStore, store_pictures
from annotation.media.pictures import Gallery, discard_staged, known_pictures
from annotation.models import Batch, Event, Item, Label, Membership, Picture, Prior, Project, Seat, record
from annotation.picture_text.requests import read_new_pictures
from runs.sql.planner_statistics import refresh_statistics

BATCH = 500
MAX_ERRORS = 100_000
"""Errors kept of one file; after so many, reading it further helps nobody."""


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
) -> ImportReport:
    """Import a table, or a ZIP of a table and its pictures, into the project; say what was (or would be) stored.

    Nothing is stored where the report has errors, unless the options leave bad rows out. `images` is a folder of
    pictures for a table without a ZIP. `on_stored` is called in the transaction that stores. `spacious` allows ten
    times larger archives, for whoever sits at the machine. `fetches`: pictures that are named by address are fetched,
    which may take minutes. `row` names the import in the event that is recorded.
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
            report.container, report.bytes = bundle.container, bundle.size
            if options.update is not None:
                backfill.fill(project, bundle, options, report, actor=actor, watch=watch, on_stored=stored, row=row)
            else:
                _Import(project, bundle, options, report, watch, stack).run(actor, stored, row)
        except Unreadable as fault:
            report.give_up(fault.error)
        except BadArchive as fault:
            report.give_up(RowError(0, fault.code, fault.sentence, limit=fault.limit, status=fault.status))
        if report.fatal and report.fatal.code == "encoding" and bundle and bundle.table and not options.encoding:
            report.suggest_encoding(suggestion_for(bundle.table))
    report.errors.sort(key=lambda error: (error.line, error.entry))
    report.seconds = time.monotonic() - began
    return report


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
    ) -> None:
        self.project, self.bundle, self.options, self.report = project, bundle, options, report
        self.intake = Intake(terms_of(project, options))
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
        self.places = (array("Q"), array("Q"))
        """The line and the entry of each row by its number, by which a row is known: lines may be shared."""
        self.number_of: dict[str, int] = {}
        self.texts: set[str] = set()
        self.rows_of_picture: dict[str, list[int]] = {}
        self.twins: set[int] = set()
        self.annotators: set[str] = set()
        self.batches: set[str] = set()
        self.masked: Counter[str] = Counter({str(kind): 0 for kind in Mask if kind in options.masks})
        self.crowded = Item.objects.filter(project=project).exists()

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
        report.format, reader = self.bundle.reader(self.options, self.intake.categories.knows, self._tick)
        batch: list[Incoming] = []
        try:
            for row in reader:
                report.rows += 1
                self._tick()
                item = self._taken(row)
                if item is not None:
                    batch.append(item)
                if len(batch) >= BATCH:
                    self._pass_on(batch)
                    batch = []
                if len(report.errors) >= MAX_ERRORS:
                    break
        except Unreadable as fault:
            report.give_up(fault.error)
        self._pass_on(batch)
        self._check_columns()
        self.gallery.finish()
        self._check_pictures()
        report.duplicates = len(self.twins)
        report.annotators = len(self.annotators)
        report.masked = dict(self.masked)

    def _check_columns(self) -> None:
        """Say what became of each column. A column that looks like labels and was not used stops the import."""
        report, columns = self.report, self.bundle.columns
        report.columns = columns.as_json()
        report.sheet, report.other_sheets = columns.sheet, columns.other_sheets
        for column in label_like(columns, self.intake.terms.categories, self.options.ignore):
            report.give_up(RowError(0, "unused_labels", unused_labels_reason(column), column.name, status=422))

    def _taken(self, row: Row | RowError) -> Incoming | None:
        """Return the item of a row that passes every check that needs no database."""
        for places, figure in zip(self.places, (row.line, row.entry), strict=True):
            places.append(figure)
        if isinstance(row, RowError):
            self.report.errors.append(row)
            return None
        try:
            self._check_id(row)
            if self.report.format is Format.MMHS150K:
                row = replace(row, picture_text=self._words_beside(row))
            item = self.intake.take(row)
            if isinstance(item, Dropped):
                self.report.dropped += 1
                return None
            self._want_picture(row)
        except BadValue as fault:
            self.report.errors.append(fault.at(row.line, row.external_id, row.entry))
            return None
        item.number = self.report.rows
        return item

    def _words_beside(self, row: Row) -> str:
        """Return the words of the picture from the data set's own file; most pictures have none."""
        key = self.bundle.pictures.find(picture_words.file_of(row.external_id))
        try:
            return picture_words.words_in_file(self.bundle.pictures.read(key, picture_words.MOST_BYTES)) if key else ""
        except BadPicture as fault:
            raise BadValue("bad_picture_words", fault.sentence, picture_words.FOLDER) from fault

    def _check_id(self, row: Row) -> None:
        first = self.number_of.setdefault(row.external_id, self.report.rows)
        if first != self.report.rows:
            raise stands_twice(row, *self._place(first))

    def _place(self, number: int) -> tuple[int, int]:
        """Return the line and the entry of a row."""
        lines, entries = self.places
        return lines[number - 1], entries[number - 1]

    def _want_picture(self, row: Row) -> None:
        if not row.picture:
            return
        if self.gallery.want(row.picture):
            self.rows_of_picture.setdefault(row.picture, []).append(self.report.rows)
        elif self.bundle.pictures.complete:
            raise BadValue("missing_picture", f"{shown(row.picture)} is not in the archive.", "image")
        else:
            self.report.note_missing(row.picture)

    def _pass_on(self, batch: list[Incoming]) -> None:
        """Compare a batch with what the project holds, count it, and keep it for storing."""
        if not batch:
            return
        fresh = self._not_yet_here(batch)
        self._find_twins(fresh)
        for item in fresh:
            self._count(item)
        if not self.report.dry_run and (not self.report.errors or self.options.leave_out):
            pickle.dump(fresh, self.spool, protocol=pickle.HIGHEST_PROTOCOL)

    def _not_yet_here(self, batch: list[Incoming]) -> list[Incoming]:
        if not self.crowded:
            return batch
        names = [item.external_id for item in batch]
        rows = Item.objects.filter(project=self.project, external_id__in=names)
        facts = ("text_sha256", "picture_name", "intended_hateful", "intended__code", "intended_categories")
        existing = {
            name: (*values, codes_of(lead, stored))
            for name, *values, lead, stored in rows.values_list("external_id", *facts)
        }
        for item in batch:
            if item.external_id in existing:
                self._already_here(item, existing[item.external_id])
        return [item for item in batch if item.external_id not in existing]

    def _already_here(self, item: Incoming, stored: Sequence[Any]) -> None:
        if item.picture in self.rows_of_picture:
            self.rows_of_picture[item.picture].remove(item.number)
        if self.options.skip_existing:
            intended = codes_of(item.intended, item.intended_categories)
            new_values = (item.text_sha256, item.picture, item.intended_hateful, intended)
            is_changed = any(new not in (None, "", (), old) for new, old in zip(new_values, stored, strict=True))
            self.report.note_existing(item.external_id, is_changed)
            return
        reason = f"The project has an item {item.external_id} already; it is never overwritten."
        fault = BadValue("id_exists", reason, "id").at(item.line, item.external_id, item.entry)
        self.report.errors.append(replace(fault, status=409))

    def _find_twins(self, batch: list[Incoming]) -> None:
        """Warn of equal texts, however they are composed, in the file and in the project."""
        stored_digests: set[str] = set()
        if self.crowded:
            digests = [item.text_sha256 for item in batch if item.text_sha256]
            same = Item.objects.filter(project=self.project, text_sha256__in=digests)
            stored_digests = set(same.values_list("text_sha256", flat=True))
        for item in batch:
            digest = item.text_sha256
            if not digest:
                continue
            if digest in self.texts or digest in stored_digests:
                self._note_twin(item)
            self.texts.add(digest)

    def _note_twin(self, item: Incoming) -> None:
        self.twins.add(item.number)
        self.report.note_twin(item.line, item.external_id, "text", item.entry)

    def _count(self, item: Incoming) -> None:
        report = self.report
        report.items += 1
        report.labels += len(item.labels)
        report.priors += len(item.priors)
        report.intended += item.intended is not None or item.intended_hateful is not None
        report.known_answers += item.known is not None
        report.rationales_left += item.rationales_left
        report.decided += item.decided_before
        self.annotators.update(label.annotator for label in item.labels)
        self.batches.add(item.about["batch"])
        if item.masked:
            self.masked.update({str(kind): count for kind, count in item.masked.items()})
        if len(report.preview) < report.PREVIEW:
            report.preview.append(item)

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
            self.twins.update(repeated)
            for number in repeated:
                line, entry = self._place(number)
                report.note_twin(line, "", "image", entry)
        report.first_frames = sum(picture.frames > 1 for picture in self.gallery.staged())
        report.pictures = sum(bool(rows) for rows in rows_of.values())
        report.shared_pictures = sum(len(rows) > 1 or sha256 in self.known for sha256, rows in rows_of.items())
        if self.bundle.archive is not None:
            extra = sorted(set(self.bundle.archive.pictures()) - self.gallery.keys)
            report.extra_pictures, report.extra_names = len(extra), extra[:20]

    def _refuse_picture(self, number: int, name: str, refused: BadPicture) -> None:
        reason = f"{shown(name)}: {refused.sentence}"
        line, entry = self._place(number)
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
        report = self.report
        make_check_seats(self.project)
        report.labels, report.priors, report.annotators = store.labels, store.priors, store.annotators()

    def _sha256_of(self, item: Incoming) -> str:
        if item.picture not in self.rows_of_picture:
            return ""
        result = self.gallery.result(item.picture)
        assert isinstance(result, str)
        return result

    def _spooled(self) -> Iterator[list[Incoming]]:
        self.spool.seek(0)
        refused = self.report.refused_rows
        while True:
            try:
                batch: list[Incoming] = pickle.load(self.spool)
            except EOFError:
                return
            yield [item for item in batch if item.number not in refused] if refused else batch
