"""Items with a known answer, from a project or a file, for evaluations."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from django.conf import settings
from django.db.models import Count, F, Q
from django.db.models.functions import Coalesce

from annotation.domain.categories import DEFAULT_CATEGORIES
from annotation.domain.choices import Stage
from annotation.domain.columns.items import INJECTED, is_injected
from annotation.domain.formats.base import (
    BadValue,
    Format,
    LabelUse,
    Mapped,
    Reading,
    Row,
    RowError,
    Unreadable,
    place,
    stands_twice,
)
from annotation.domain.formats.detect import columns_of, detect, open_reader
from annotation.domain.pictures.decoding import BadPicture
from annotation.domain.votes import Category
from annotation.media.picture_sources import PictureFolder
from annotation.models import Item, Project, Seat
from moderation.domain.evaluation.answers import Gold
from moderation.domain.evaluation.datasets import ForeignCategories, GoldReader, LeftOut, NoGold, convention, recognized
from moderation.evaluation.spooled_items import EvaluationItem, SpooledItems
from moderation.methods.post_case import media_type_of


class BadSource(ValueError):
    """A file or project that cannot be evaluated on; the message says where and what to do."""


@dataclass(frozen=True)
class FileReading:
    """How to read a file. `values` maps labels to a category, `hateful`, `not_hateful` or `skip`."""

    categories: Sequence[Category]
    mapped: Mapped = field(default_factory=Mapped)
    values: Mapping[str, str] = field(default_factory=dict)
    format: Format = Format.AUTO
    images: Path | None = None
    text_only: bool = False
    leave_out_bad_rows: bool = False
    asked_about: bool = True
    """Whether models will be asked about the items, which then need a text or a picture."""


@dataclass
class GoldSource:
    """The items of a project or file. `left_out`: reason → number; `guessed`: name of the recognized data set."""

    name: str
    rows: SpooledItems = field(default_factory=SpooledItems)
    left_out: Counter[str] = field(default_factory=Counter)
    guessed: str = ""


def gold_items(project: Project) -> GoldSource:
    """Return the project's gold items, without items whose answer is known for training or checks.

    Samples that models wrote are a subset of their own, so that reports count them apart. Others go by their batch.

    Raises BadSource if there are none.
    """
    items = Item.objects.filter(project=project, stage=Stage.GOLD, hateful__isnull=False).order_by("pk")
    columns = (
        *("pk", "external_id", "hateful", "category__code", "pattern", "provenance", "batch", "categories"),
        "text_sha256",
    )
    votes, rows = _Votes(project), SpooledItems()
    for pk, name, hateful, code, pattern, provenance, batch, codes, text in items.values_list(*columns).iterator():
        subset = INJECTED if is_injected(provenance) else batch
        gold = Gold(name, hateful, code, pattern or "", subset, tuple(codes))
        rows.append(EvaluationItem(project.slug, gold, text=text, item=pk, votes=votes.of(pk)))
    if not rows:
        raise BadSource(f"The project {project.slug!r} has no gold items yet: there is nothing to compare with.")
    return GoldSource(project.slug, rows)


class _Votes:
    """The votes of gold items, counted by the database and read beside the items, in the order of their keys."""

    def __init__(self, project: Project) -> None:
        seats = Seat.objects.filter(item__project=project, item__stage=Stage.GOLD, round=F("item__round"))
        side = Coalesce("label__replacement__category__hateful", "label__category__hateful")
        counts = {name: Count("pk", filter=Q(side=hateful)) for name, hateful in (("yes", True), ("no", False))}
        counted = seats.annotate(side=side).filter(side__isnull=False).values("item").annotate(**counts)
        self._rows = counted.order_by("item").values_list("item", "yes", "no").iterator()
        self._next = next(self._rows, None)

    def of(self, item: int) -> tuple[int, int]:
        """Return the votes of the item's round for hateful and for not hateful; *not sure* is neither."""
        while self._next is not None and self._next[0] < item:
            self._next = next(self._rows, None)
        return self._next[1:] if self._next is not None and self._next[0] == item else (0, 0)


def file_items(path: Path, terms: FileReading) -> GoldSource:
    """Return the items of a file, after reading the whole file.

    Raises BadSource.
    """
    source = GoldSource(path.name[:120])
    try:
        with path.open("rb") as stream:
            reading, usual, source.guessed = _reading(columns_of(stream), terms)
            stream.seek(0)
            if reading.format is Format.AUTO:
                reading = replace(reading, format=detect(stream, reading.mapped))
            usual = usual or convention(reading.format, None)
            stream.seek(0)
            reader = GoldReader(terms.categories, terms.values, usual)
            _read(path, open_reader(stream, reading), reader, terms, source)
    except OSError as fault:
        raise BadSource(f"{path} cannot be read: {fault.strerror}.") from None
    except Unreadable as fault:
        line = f", {fault.error.place}" if fault.error.line else ""
        raise BadSource(f"{path}{line}: {fault.error.reason}") from None
    if not source.rows:
        raise BadSource(f"{path} holds no item that can be used: {_listed(source.left_out) or 'it is empty'}.")
    return source


def assumed_categories(sources: Iterable[GoldSource]) -> str:
    """Return a sentence that names the categories of files that are read without a project.

    Returns an empty text if no item has a category.
    """
    if all(row.gold.label is None for source in sources for row in source.rows):
        return ""
    listed = ", ".join(f"{category.code} {category.name}" for category in DEFAULT_CATEGORIES)
    return f"No project is named, so these categories are assumed: {listed}."


def _reading(names: Sequence[str], terms: FileReading) -> tuple[Reading, Mapping[str, str], str]:
    """Return how to read the file, its labels' meaning, and the data set's name.

    A published data set is recognized by its columns, unless the request names columns.
    """
    mapped = replace(terms.mapped, label_is=LabelUse.GOLD)
    dataset = None if mapped.label or mapped.text else recognized(names)
    if dataset:
        mapped = replace(dataset.mapped, subset=mapped.subset or dataset.mapped.subset)
    elif not mapped.label and "label" in names and not {"gold", "img"} & set(names):
        mapped = replace(mapped, label="label")
    return Reading(terms.format, mapped), dataset.values if dataset else {}, dataset.name if dataset else ""


def _read(
    path: Path, rows: Iterable[Row | RowError], reader: GoldReader, terms: FileReading, source: GoldSource
) -> None:
    bad: list[RowError] = []
    earlier: dict[str, tuple[int, int]] = {}
    missing: list[Row] = []
    folder = PictureFolder(terms.images) if terms.images else None
    for row in rows:
        if isinstance(row, RowError):
            bad.append(row)
            continue
        if first := earlier.get(row.external_id):
            bad.append(stands_twice(row, *first).at(row.line, row.external_id, row.entry))
            continue
        earlier[row.external_id] = (row.line, row.entry)
        try:
            gold = reader.gold(row)
            if isinstance(gold, LeftOut):
                source.left_out[gold.why] += 1
                continue
            item = _gathered(source.name, row, gold, folder, terms)
            item = item and replace(item, votes=reader.votes(row))
        except ForeignCategories as fault:  # the codes of all rows mean something else
            raise BadSource(f"{path}, {place(row.line, row.entry)}: {fault}") from None
        except (NoGold, BadPicture) as fault:
            bad.append(BadValue("bad_row", str(fault)).at(row.line, row.external_id, row.entry))
            continue
        if item is None:
            missing.append(row)
        elif terms.asked_about and not item.text and not item.picture_path:
            source.left_out["no text"] += 1
        else:
            source.rows.append(item)
    _refuse(path, bad, missing, terms, source)


def _refuse(path: Path, bad: list[RowError], missing: list[Row], terms: FileReading, source: GoldSource) -> None:
    if missing:
        raise BadSource(
            f"{path}: {len(missing):,} pictures are not there, the first is {missing[0].picture[:120]!r}. Name their "
            "folder by --images, or let the text alone be judged by --text-only."
        )
    if bad and terms.leave_out_bad_rows:
        source.left_out["bad row"] += len(bad)
    elif bad:
        more = f" And {len(bad) - 1:,} more rows." if len(bad) > 1 else ""
        hint = " (--leave-out-bad-rows goes on without them.)"
        raise BadSource(f"{path}, {bad[0].place}: {bad[0].reason}{more}{hint}")


def _gathered(
    name: str, row: Row, gold: Gold, folder: PictureFolder | None, terms: FileReading
) -> EvaluationItem | None:
    """Return the item with the digest of its picture.

    Returns None if its picture is missing.
    Raises BadPicture if its picture has no known format.
    """
    if not row.picture or terms.text_only or not terms.asked_about:
        return EvaluationItem(name, gold, row.text)
    key = folder.find(row.picture) if folder else None
    if folder is None or key is None:
        return None
    content = folder.read(key, settings.PICTURE_MAX_BYTES)
    if media_type_of(content) is None:
        raise BadPicture("unknown_format", f"{row.picture[:120]} is no JPEG, PNG, WebP or GIF.")
    return EvaluationItem(name, gold, row.text, key, hashlib.sha256(content).hexdigest())


def _listed(counts: Counter[str]) -> str:
    return ", ".join(f"{count:,} {why}" for why, count in counts.most_common())
