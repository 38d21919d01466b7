"""How a file is read, and what its labels mean, as people ask for it on the page, over the API and by the command."""

from collections.abc import Iterable
from enum import StrEnum
from typing import Annotated

from pydantic import BeforeValidator, ConfigDict, PlainSerializer

from annotation.domain.choices import Choose, Modality, Policy, SourceLabels
from annotation.domain.formats.base import Format, Mapped
from annotation.domain.formats.encodings import ENCODINGS
from annotation.domain.imports.redaction import Mask
from annotation.domain.imports.values import Terms
from annotation.domain.item_decision import Rules
from annotation.models import Project
from annotation.priors.results import prior_model
from vocabulary.refusals import Refused
from vocabulary.refusals import gettext_noop as _
from vocabulary.requests import Asked, Request, RequestSection, Value

SHAPE = RequestSection(_("Format and columns"))
FORMATS = {
    Format.AUTO: _("as its content says"),
    Format.INTERPLAY: _("Interplay JSON lines"),
    Format.JSONL: _("JSON lines of another shape"),
    Format.CSV: _("CSV"),
    Format.TSV: _("TSV"),
    Format.XLSX: _("Excel workbook (xlsx, xlsm)"),
    Format.HVLI: _("H-VLI"),
    Format.HATEFUL_MEMES: _("Hateful Memes"),
    Format.MMHS150K: _("MMHS150K"),
    Format.HATEXPLAIN: _("HateXplain"),
    Format.LABEL_STUDIO: "Label Studio (JSON, JSON-MIN, CSV)",
    Format.DOCCANO: _("doccano (JSON lines, or a ZIP with a file for each annotator)"),
    Format.PARQUET: _("Parquet"),
    Format.IMAGEFOLDER: _("ImageFolder (a ZIP of pictures with a table, or in class folders)"),
    Format.WEBDATASET: _("WebDataset (one tar shard)"),
}
_SOURCE_LABELS = {
    SourceLabels.SEATS: _("fill seats"),
    SourceLabels.INTENDED: _("become the intended category, where unanimous"),
}
_MASKS = {
    Mask.HANDLES: _("handles (@name)"),
    Mask.URLS: _("web addresses"),
    Mask.EMAILS: _("e-mail addresses"),
    Mask.PHONES: _("telephone numbers"),
}
_FOR_OTHERS = "for rows that name none"


class Update(StrEnum):
    """What a file does to existing items."""

    FILL = "fill"
    """Pictures, priors, intents, words of pictures and known answers come where there are none."""


_UPDATES = {None: _("new items"), Update.FILL: _("what is missing of items that are here")}
_FORMER = frozenset({"images", "priors", "intended", "known", "picture_text"})
"""Modes that each filled one of these."""


class BadUpdate(Refused):
    """No way to change existing items; the sentence says what to use."""


def read_update(value: str) -> Update | None:
    """Return the mode; None where the file holds new items. Raises BadUpdate."""
    if value in _FORMER:
        raise BadUpdate("The mode %(value)r is gone. Use 'fill': it fills whatever is empty.", value=value)
    if value not in ("", *Update):
        raise BadUpdate("%(value)r is no mode of an update. Use 'fill': it fills whatever is empty.", value=value[:40])
    return Update(value) if value else None


def read_masks(words: str) -> frozenset[Mask]:
    """Return what is masked, from names with commas. Raises Refused."""
    named = {word.strip() for word in words.split(",")} - {""}
    if not named <= set(Mask):
        raise Refused("There are %(known)s.", known=", ".join(Mask))
    return frozenset(map(Mask, named))


class BadTranslation(ValueError):
    """A line that does not say what a value means."""


def translations(lines: Iterable[str]) -> dict[str, str]:
    """Return what the values of labels mean, from a line VALUE=CATEGORY each. Raises BadTranslation with the line."""
    meanings = {}
    for line in lines:
        value, sign, category = line.rpartition("=")
        if not sign or not value or not category:
            raise BadTranslation(line)
        meanings[value] = category
    return meanings


Names = Annotated[frozenset[Value], PlainSerializer(sorted)]
"""Several values; they are stored in the order of the alphabet."""


class ImportOptions(Request):
    """The options for reading a file, and the meaning of its labels. Those that a newer version stored are ignored."""

    model_config = ConfigDict(extra="ignore")
    groups = (SHAPE,)

    update: Annotated[
        Update | None,
        BeforeValidator(lambda stored: Update.FILL if stored else None),  # also of the former modes
        Asked(
            _("The file contains"),
            _("Pictures, priors, intents, words of pictures and known answers come where there are none."),
            words=_UPDATES,
            option="fill what is empty in items, by their id",
            metavar="fill",
            read=read_update,
        ),
    ] = None
    source_labels: Annotated[SourceLabels, Asked(_("Labels in the file"), words=_SOURCE_LABELS, option="")] = (
        SourceLabels.SEATS
    )
    batch: Annotated[
        str, Asked(_("Batch"), _("For rows that name none; items open by batch."), option=_FOR_OTHERS, longest=100)
    ] = ""
    skip_existing: Annotated[
        bool,
        Asked(
            _("Skip rows whose id already exists"),
            option="pass over rows whose id is there already",
            flags=("only-new", "skip-existing"),
        ),
    ] = False
    masks: Annotated[
        Names[Mask],
        Asked(_("Mask in texts"), name="mask", words=_MASKS, option=",".join(Mask), metavar="KINDS", read=read_masks),
    ] = frozenset()
    format: Annotated[Format, Asked(_("Format"), group=SHAPE, words=FORMATS, option="")] = Format.AUTO
    encoding: Annotated[
        str, Asked(_("Encoding"), group=SHAPE, words=ENCODINGS, option="of a table that is not UTF-8")
    ] = ""
    """The encoding of a table that is not UTF-8."""
    seats_from_data: Annotated[
        bool,
        Asked(_("Rows may have more labels than seats"), group=SHAPE, option="rows may have more labels than seats"),
    ] = False
    table: Annotated[
        str,
        Asked(
            _("Table in the ZIP"),
            _("Where it holds several."),
            SHAPE,
            option="the table to read where a ZIP holds several",
            longest=512,
        ),
    ] = ""
    sheet: Annotated[
        str,
        Asked(
            _("Sheet of the workbook"),
            _("Else the first with rows."),
            SHAPE,
            option="the sheet of a workbook; else the first with rows",
            longest=200,
        ),
    ] = ""
    source: Annotated[str, Asked(_("Source"), group=SHAPE, option=_FOR_OTHERS, longest=500, line=True)] = ""
    licence: Annotated[str, Asked(_("Licence"), group=SHAPE, option=_FOR_OTHERS, longest=200, line=True)] = ""
    leave_out: Annotated[bool, Asked(option="store the others", flags=("leave-out-bad-rows",))] = False
    """Rows with errors are skipped; the others are stored."""
    ignore: Annotated[
        Names[str], Asked(body="Keys that may be passed over although they look like labels.", longest=200, most=200)
    ] = frozenset()
    """Columns that may be passed over although they look like labels."""
    mapped: Mapped = Mapped()
    address: str = ""
    """The https address that the file is fetched from; empty if it was uploaded."""


def terms_of(project: Project, options: ImportOptions) -> Terms:
    """Return the requirements that the project and the options place on rows."""
    return Terms(
        categories=project.category_values(),
        seats=project.seats,
        choose=Choose(project.choose),
        rules=Rules(Policy(project.policy), project.low_quality_threshold, project.extra_seats),
        source_labels=options.source_labels,
        seats_from_data=options.seats_from_data,
        masks=options.masks,
        text_prior_wanted=project.priors_wanted,
        image_prior_wanted=project.priors_wanted and prior_model(project, Modality.IMAGE).is_language_model,
        about={name: value for name in ("batch", "source", "licence") if (value := getattr(options, name))},
        questions=None if "answers" in options.ignore else project.question_values(),
    )
