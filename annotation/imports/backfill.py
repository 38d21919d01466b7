"""Filling what is empty in existing items: pictures, priors, intents, words of pictures, known answers.

Existing values stay, and no label changes.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from uuid import UUID

from django.db import transaction
from django.db.models import F, Q

from annotation.assignment.release_seats import reset_idle_members
from annotation.consensus.case_from_rows import case_of, seats_of
from annotation.domain.alignment import aligned_flag, alignment
from annotation.domain.category_sets import further_of
from annotation.domain.choices import EventVerb, PriorState, Stage
from annotation.domain.formats.base import BadValue, Row, RowError
from annotation.domain.formats.kept_columns import check_size
from annotation.domain.formats.zip_archives import shown
from annotation.domain.imports.read_row import ReadPrior
from annotation.domain.imports.row import RowReader, intent_of
from annotation.domain.patterns import corrected, pattern
from annotation.domain.pictures.decoding import BadPicture
from annotation.domain.pictures.words import GIVEN
from annotation.domain.text_rules import composed
from annotation.imports.files.archives import Bundle, Clock, Watch
from annotation.imports.options import ImportOptions, terms_of
from annotation.imports.report import ImportReport
from annotation.imports.rows_of_items import rows_of_items
from annotation.imports.store import know_columns, store_pictures
from annotation.media.pictures import Gallery, discard_staged, known_pictures
from annotation.models import Category, Item, Membership, PictureText, Prior, Project, record
from annotation.picture_text import store as picture_text_store
from annotation.picture_text.requests import read_new_pictures
from annotation.priors.informativeness import update_informativeness
from annotation.priors.results import release_item
from annotation.training import control_items


def fill(
    project: Project,
    bundle: Bundle,
    options: ImportOptions,
    report: ImportReport,
    *,
    actor: Membership | None,
    watch: Watch,
    on_stored: Callable[[ImportReport], None],
    row: UUID | None,
) -> None:
    """Fill what the file gives and the items lack: all of it or, if a row has an error, nothing (as `import_file`)."""
    clock, known = Clock(bundle, watch), known_pictures(project)

    def tick() -> None:
        clock.tick(report.rows)

    with Gallery(
        project, bundle.pictures, keep=not report.dry_run, known=known, pixels=bundle.pixels, watch=tick
    ) as gallery:
        filling = _Filling(project, bundle, options, report, gallery, tick, actor)
        try:
            with transaction.atomic():
                filling.run()
                if report.dry_run or (report.errors and not options.leave_out) or report.fatal:
                    transaction.set_rollback(True)
                else:
                    kind = str(options.update)
                    record(EventVerb.FILLED, project=project, actor=actor, row=row, what=kind, items=report.items)
                    reset_idle_members(project)
                    on_stored(report)
                    report.stored = True
            if report.stored and report.pictures:
                read_new_pictures(project)
        except BaseException:
            report.stored = False
            raise
        finally:
            if not report.stored:
                for picture in gallery.staged():
                    discard_staged(picture)


@dataclass(frozen=True)
class _Gap:
    """An item without a picture, and the name under which its picture may be found."""

    line: int
    item: int
    name: str
    entry: int = 0


class _Filling:
    def __init__(
        self,
        project: Project,
        bundle: Bundle,
        options: ImportOptions,
        report: ImportReport,
        gallery: Gallery,
        tick: Callable[[], None],
        actor: Membership | None,
    ) -> None:
        self.actor = actor
        self.project, self.bundle, self.options, self.report = project, bundle, options, report
        self.gallery, self.tick = gallery, tick
        self.reader = RowReader(terms_of(project, options))
        self.categories = {category.code: category for category in Category.objects.filter(project=project)}
        self._named: set[int] = set()  # items of rows without an error
        self._changed: set[int] = set()
        self._differs: list[bool] = []  # of the values of one row whose item has one: whether the row says another

    def run(self) -> None:
        """Fill item by item, then all pictures; without a table, pictures alone, by their names."""
        if self.bundle.table is None:
            gaps = list(self._by_name())
        else:
            gaps = [gap for row, item in self._rows() if (gap := self._fill(row, item))]
        self._fill_pictures(gaps)
        self.report.items = len(self._changed)
        self.report.unchanged = len(self._named - self._changed)

    def _fill(self, row: Row, item: Item) -> _Gap | None:
        """Fill what the row gives beside a picture; return the gap for its picture. Returns None if there is none."""
        self._differs = []
        priors = self.report.priors
        try:
            with transaction.atomic() if self.options.leave_out else nullcontext():  # a bad row leaves nothing behind
                filled = [fill(row, item) for fill in (self._fill_priors, self._fill_intent, self._fill_words)]
                filled.append(self._fill_known(row, item))
                filled.append(self._fill_extra(row, item))
        except BadValue as fault:
            self.report.priors = priors
            self.report.errors.append(fault.at(row.line, row.external_id, row.entry))
            return None
        self._named.add(item.pk)
        if any(filled):
            self._changed.add(item.pk)
        if self._differs:
            self.report.note_existing(row.external_id, any(self._differs))
        name = row.picture or item.picture_name
        return _Gap(row.line, item.pk, name, row.entry) if name and _lacks_picture(item) else None

    # ── Rows and their items ──────────────────────────────────────────────────

    def _rows(self) -> Iterator[tuple[Row, Item]]:
        self.report.format, reader = self.bundle.reader(self.options, watch=self.tick)
        yield from rows_of_items(self.project, reader, self.report, self.tick)

    # ── Pictures ──────────────────────────────────────────────────────────────

    def _by_name(self) -> Iterator[_Gap]:
        """Yield every item whose picture is missing, with the picture's name in the imported file."""
        self.report.container = "zip"
        missing = Item.objects.filter(project=self.project, picture_missing=True).exclude(picture_name="")
        for item, name in missing.values_list("pk", "picture_name").iterator():
            yield _Gap(0, item, name)

    def _fill_pictures(self, gaps: Sequence[_Gap]) -> None:
        report = self.report
        findable = [gap for gap in gaps if self.gallery.want(gap.name)]
        items_with_picture = {gap.item for gap in findable}
        for gap in gaps:
            if gap.item not in items_with_picture:
                report.note_missing(gap.name)
        self.gallery.finish()
        self.report.note_pictures(self.gallery.staged())
        picture_keys = dict(self.gallery.known)
        if not report.dry_run:
            picture_keys |= store_pictures(self.project, self.gallery.staged())
        for gap in findable:
            result = self.gallery.result(gap.name)
            if isinstance(result, BadPicture):
                reason = f"{shown(gap.name)}: {result.sentence}"
                fault = RowError(gap.line, result.code, reason, "image", result.limit, result.status, entry=gap.entry)
                report.errors.append(fault)
                continue
            if not report.dry_run:
                self._give_picture(gap, picture_keys[result])
            self._changed.add(gap.item)
            report.pictures += 1
        if self.bundle.archive is not None:
            extra = sorted(set(self.bundle.archive.pictures()) - self.gallery.keys)
            report.extra_pictures, report.extra_names = len(extra), extra[:20]

    def _give_picture(self, gap: _Gap, picture: int) -> None:
        bare = Item.objects.filter(pk=gap.item, picture=None)
        bare.update(picture=picture, picture_missing=False, picture_name=gap.name, version=F("version") + 1)
        for item in Item.objects.select_related("project").filter(pk=gap.item, stage=Stage.IMPORTED):
            release_item(item)

    # ── Priors ────────────────────────────────────────────────────────────────

    def _fill_priors(self, row: Row, item: Item) -> bool:
        priors = self.reader.priors(row)
        stored = {prior.modality: prior for prior in item.priors.filter(current=True, state=PriorState.OK)}
        there = [(prior, stored[prior.modality]) for prior in priors if prior.modality in stored]
        self._differs += [self._says_otherwise(*pair) for pair in there]
        missing = [prior for prior in priors if prior.modality not in stored]
        for prior in missing:
            self._fill_prior(item, prior)
        if not missing:
            return False
        self.report.priors += len(missing)
        self._complete(item, priors)
        return True

    def _says_otherwise(self, prior: ReadPrior, stored: Prior) -> bool:
        """Whether the row says something else than the prior that the item has; what the row leaves out is the same."""
        category = None if prior.named.code is None else self.categories[prior.named.code].pk
        return (
            (category, prior.named.hateful) != (stored.category_id, stored.hateful)
            or (prior.about["explanation"] or stored.explanation) != stored.explanation
            or prior.about["severity"] not in (None, stored.severity)
        )

    def _fill_prior(self, item: Item, prior: ReadPrior) -> None:
        """Store a prior of which the item has no valid one; a refused or unreadable prior makes room."""
        item.priors.filter(modality=prior.modality, current=True).update(current=False)
        Prior.objects.create(
            item=item,
            modality=prior.modality,
            category=None if prior.named.code is None else self.categories[prior.named.code],
            hateful=prior.named.hateful,
            **prior.about,
        )

    def _complete(self, item: Item, priors: Sequence[ReadPrior]) -> None:
        """Apply the consequences of new priors: informativeness, severity, an undefined pattern, a waiting item."""
        update_informativeness(item)
        changed: dict[str, object] = {}
        severities = [prior.about["severity"] for prior in priors if prior.about["severity"] is not None]
        if item.severity is None and severities:
            changed["severity"] = max(severities)
        if item.pattern is None and item.category is not None and item.stage in (Stage.GOLD, Stage.DISPUTED):
            case = case_of(item, seats_of(item))
            bits = pattern(corrected(case.priors, case.votes), item.category.hateful)
            if bits is not None:
                changed |= {"pattern": bits.code, "difficulty": bits.difficulty}
        if changed:
            Item.objects.filter(pk=item.pk).update(**changed)
        release_item(item)

    # ── Intents ───────────────────────────────────────────────────────────────

    def _fill_intent(self, row: Row, item: Item) -> bool:
        intent = self.reader.intent(row)
        if intent is None:
            return False
        code, hateful, several = intent.code, intent.side, intent.codes
        if item.intended is not None or item.intended_hateful is not None:
            there = (item.intended and item.intended.code, item.intended_hateful, tuple(item.intended_categories))
            self._differs.append((code, hateful, several) != there)
            return False
        category = item.category.value() if item.category else None
        further = further_of(category, item.categories) if category else ()
        aligned = item.aligned
        if item.stage in (Stage.GOLD, Stage.DISPUTED):
            aligned = aligned_flag(alignment(category, item.hateful, intent_of(intent), further))
        intended = None if code is None else self.categories[code]
        without_intent = Item.objects.filter(Q(intended=None, intended_hateful=None), pk=item.pk)
        fields = {"intended": intended, "intended_categories": list(several), "intended_hateful": hateful}
        return bool(without_intent.update(**fields, aligned=aligned))

    # ── Kept columns ──────────────────────────────────────────────────────────

    def _fill_extra(self, row: Row, item: Item) -> bool:
        """Keep the columns that the site does not know and that the item lacks."""
        extra = self.reader.extra_of(row)
        new = {name: value for name, value in extra.items() if name not in item.extra}
        if len(extra) > len(new):
            self._differs.append(any(item.extra.get(name, value) != value for name, value in extra.items()))
        if not new:
            return False
        check_size(item.extra | new)
        Item.objects.filter(pk=item.pk).update(extra=item.extra | new)
        know_columns(self.project, new)
        return True

    # ── Words of pictures ─────────────────────────────────────────────────────

    def _fill_words(self, row: Row, item: Item) -> bool:
        """Store the words that came with the data; they replace what a machine read, and nothing else."""
        if not row.picture_text:
            return False
        given = self.reader.said(composed(row.picture_text))
        if picture_text_store.store_given(item, given, row.picture_text_reader or GIVEN):
            return True
        words = PictureText.objects.filter(item=item, current=True).values_list("text", flat=True)
        self._differs.append(given not in words)
        return False

    # ── Known answers ─────────────────────────────────────────────────────────

    def _fill_known(self, row: Row, item: Item) -> bool:
        known = self.reader.known(row)
        if known is None or known.code is None:
            return False
        item.refresh_from_db(fields=["stage", "version"])  # priors may have made it ready
        if item.stage == Stage.KNOWN:
            stored = control_items.known_answer_of(item)
            codes = {category.code for category in known.categories}
            self._differs.append(stored is None or set(stored.codes) != codes)
            return False
        category = self.categories[known.code]
        key = control_items.KnownAnswerKey(
            category, self.reader.said(row.known_explanation), row.known_training, known.codes
        )
        try:
            control_items.mark_control_item(item, self.actor, key)
        except control_items.NotMarkable as fault:
            raise BadValue(fault.code, fault.sentence, "known_category") from fault
        return True


def _lacks_picture(item: Item) -> bool:
    """Return whether the item may still get a picture.

    An announced picture may always follow; another one only before anybody judged the text alone.
    """
    return item.picture_id is None and (item.picture_missing or item.stage in (Stage.IMPORTED, Stage.READY))
