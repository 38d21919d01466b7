"""Labels of more people for posts that the project has: they fill free seats, and nothing else of a post changes."""

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from annotation.assignment.make_seats import make_seats
from annotation.assignment.release_seats import reset_idle_members
from annotation.batches.state import update_item_queues
from annotation.consensus.close import close_locked_item, lock_item
from annotation.domain.choices import EventVerb, SourceLabels, Stage
from annotation.domain.formats.base import ANSWERS, BadValue, LabelUse, NotCounted, Row
from annotation.domain.imports.read_row import ReadLabel
from annotation.domain.imports.row import RowReader
from annotation.imports.files.archives import Bundle, Clock, Watch
from annotation.imports.label_rows import LabelRows
from annotation.imports.options import ImportOptions, terms_of
from annotation.imports.report import ImportReport
from annotation.imports.rows_of_items import rows_of_items
from annotation.imports.store import Annotators, label_fields
from annotation.imports.unused_columns import check_columns
from annotation.models import Category, Item, Label, Membership, Project, Seat, record

_TAKES_LABELS = (Stage.IMPORTED, Stage.READY, Stage.LABELLING)


def add_labels(
    project: Project,
    bundle: Bundle,
    options: ImportOptions,
    report: ImportReport,
    stack: ExitStack,
    *,
    actor: Membership | None,
    watch: Watch,
    on_stored: Callable[[ImportReport], None],
    row: UUID | None,
) -> None:
    """Add the labels of the file to the posts that it names, or, if a row has an error, none (as `import_file`)."""
    mapped = replace(options.mapped, label_is=LabelUse.SEAT)
    adding = _Adding(project, bundle, options.model_copy(update={"mapped": mapped}), report, stack, watch)
    with transaction.atomic():
        adding.run()
        if report.dry_run or (report.errors and not options.leave_out) or report.fatal:
            transaction.set_rollback(True)
            return
        facts = {"what": str(options.update), "items": report.items, "labels": report.labels}
        record(EventVerb.FILLED, project=project, actor=actor, row=row, **facts)
        reset_idle_members(project)
        on_stored(report)
    report.stored = True
    update_item_queues(project)


class _Adding:
    def __init__(
        self,
        project: Project,
        bundle: Bundle,
        options: ImportOptions,
        report: ImportReport,
        stack: ExitStack,
        watch: Watch,
    ) -> None:
        self.project, self.bundle, self.options, self.report, self.stack = project, bundle, options, report, stack
        self.reader = RowReader(replace(terms_of(project, options), source_labels=SourceLabels.SEATS))
        self.clock, self.now = Clock(bundle, watch), timezone.now()
        self.annotators = Annotators(project)
        self.categories = dict(Category.objects.filter(project=project).values_list("code", "pk"))

    def _tick(self) -> None:
        self.clock.tick(self.report.rows)

    def run(self) -> None:
        report = self.report
        report.format, reader = self.bundle.reader(self.options, watch=self._tick)
        rows: Any = reader
        if self.options.mapped.has_seats or report.format in ANSWERS:
            rows = LabelRows(reader, self.stack, self._tick, self.options.twice)
        for row, item in rows_of_items(self.project, rows, report, self._tick):
            self._try(row, item)
        report.rows += rows.joined if isinstance(rows, LabelRows) else 0
        report.annotators = self.annotators.count()
        self.annotators.store_told()
        check_columns(report, self.bundle.columns, self.reader.terms, self.options.keeping)

    def _try(self, row: Row, item: Item) -> None:
        """Add the labels of one row; a bad row leaves nothing behind."""
        try:
            labels, left = self.reader.labels_for(row, item.text, item.text_sha256)
        except BadValue as fault:
            self.report.errors.append(fault.at(row.line, row.external_id, row.entry))
            return
        self.report.not_counted.update(left)
        added = self._add(lock_item(item), labels)
        self.report.labels += added
        self.report.items += bool(added)
        self.report.unchanged += not added

    def _add(self, item: Item, labels: tuple[ReadLabel, ...]) -> int:
        """Fill free seats of a locked item with labels of people who have none there; return how many."""
        here = set(Label.objects.filter(item=item).values_list("annotator", flat=True))
        new = [label for label in labels if self.annotators.known(label.annotator) not in here]
        self._leave(NotCounted.LABELLED, len(labels) - len(new))
        if not new or item.stage not in _TAKES_LABELS:
            self._leave(NotCounted.NO_SEAT, len(new))
            return 0
        self._open(item)
        free = list(Seat.objects.filter(item=item, round=item.round, annotator=None).order_by("number"))
        self._leave(NotCounted.NO_SEAT, max(0, len(new) - len(free)))
        for seat, label in zip(free, new, strict=False):
            self._fill(seat, item, label)
            self.report.named_passages += len(label.passages)
        added = min(len(free), len(new))
        Item.objects.filter(pk=item.pk).update(taken=F("taken") + added)
        close_locked_item(lock_item(item))
        return added

    def _leave(self, reason: NotCounted, count: int) -> None:
        self.report.not_counted.update({reason.value: count} if count else {})

    def _open(self, item: Item) -> None:
        """Open a post that waits, as the import of a new post with labels does."""
        waiting = Item.objects.filter(pk=item.pk, stage__in=(Stage.IMPORTED, Stage.READY))
        if waiting.update(stage=Stage.LABELLING, version=F("version") + 1):
            make_seats([item.pk], item.seats)

    def _fill(self, seat: Seat, item: Item, label: ReadLabel) -> None:
        who, when = self.annotators.key(label.annotator), label.at or self.now
        if label.person:
            self.annotators.tell(who, label.person)
        fields = label_fields(label, self.categories)
        stored = Label.objects.create(seat=seat, item=item, annotator_id=who, created_at=when, **fields)
        Seat.objects.filter(pk=seat.pk).update(annotator=who, held_at=when, label=stored, filled_at=when)
