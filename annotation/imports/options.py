"""How a file is read, and what its labels mean, as people ask for it on the page, over the API and by the command."""

from collections.abc import Iterable
from enum import StrEnum
from typing import Annotated

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy
from pydantic import BeforeValidator, ConfigDict, Field, PlainSerializer

from annotation.domain.choices import Choose, Modality, Policy, SourceLabels
from annotation.domain.columns.in_files import told
from annotation.domain.formats.base import Format, Mapped, Twice
from annotation.domain.formats.encodings import ENCODINGS
from annotation.domain.formats.kept_columns import Keeping
from annotation.domain.imports.read_row import Terms
from annotation.domain.item_decision import Rules
from annotation.domain.masking.mask import Mask
from annotation.domain.masking.regions import Regions, chosen, unknown
from annotation.models import Project
from annotation.priors.results import prior_model
from vocabulary.refusals import Refused
from vocabulary.refusals import gettext_noop as _
from vocabulary.requests import Asked, Request, RequestSection, Value

COLUMN_NAMES: tuple[tuple[tuple[str, ...], str | Promise], ...] = tuple(
    (names, gettext_lazy(words)) for words, names in told().items()
)
"""The names of columns, or keys of a JSON line, that an import reads, and what stands there (`docs/importing.md`)."""

SHAPE = RequestSection(_("Format and columns"))
FORMATS = {
    Format.AUTO: _("as its content says"),
    Format.INTERPLAY: _("Interplay JSON lines"),
    Format.JSONL: _("JSON lines of another shape"),
    Format.CSV: _("CSV"),
    Format.TSV: _("TSV"),
    Format.TSV_PLAIN: _("TSV in which quotation marks are letters as others, or a post on each line"),
    Format.XLSX: _("Excel workbook (xlsx, xlsm)"),
    Format.HVLI: _("H-VLI"),
    Format.HATEFUL_MEMES: _("Hateful Memes"),
    Format.MMHS150K: _("MMHS150K"),
    Format.HATEXPLAIN: _("HateXplain"),
    Format.LABEL_STUDIO: "Label Studio (JSON, JSON-MIN, CSV)",
    Format.DOCCANO: _("doccano (JSON lines, or a ZIP with a file for each annotator)"),
    Format.PRODIGY: "Prodigy",
    Format.POTATO: "Potato",
    Format.ARGILLA: "Argilla",
    Format.BRAT: _("brat (a ZIP of texts, each with its .ann file)"),
    Format.INCEPTION: _("INCEpTION (WebAnno TSV 3, UIMA CAS JSON, or a ZIP of them)"),
    Format.MTURK: "Amazon Mechanical Turk",
    Format.PROLIFIC: "Prolific",
    Format.PARQUET: _("Parquet"),
    Format.FEATHER: "Feather (Arrow)",
    Format.IMAGEFOLDER: _("ImageFolder (a ZIP of pictures with a table, or in class folders)"),
    Format.WEBDATASET: _("WebDataset (one tar shard)"),
    Format.CAPTIONS: _("Pictures with a text file beside each (a ZIP)"),
    Format.REDDIT: _("Reddit (JSON lines, also as .zst)"),
    Format.X: _("X, Twitter (API v2)"),
    Format.TELEGRAM: _("Telegram (result.json, or a ZIP of the export)"),
    Format.IMAGEBOARD: _("4chan and imageboards like it (threads as JSON)"),
    Format.META_CONTENT: "Meta Content Library (CSV)",
    Format.GOOGLE_FORMS: _("Google Forms (CSV of the answers)"),
}
_SOURCE_LABELS = {
    SourceLabels.SEATS: _("fill seats"),
    SourceLabels.INTENDED: _("become the intended category, where unanimous"),
}
_TWICE = {
    Twice.REFUSE: _("neither counts: the row has an error"),
    Twice.FIRST: _("the first counts"),
    Twice.LAST: _("the last counts"),
}
MASKS = {
    Mask.EMAILS: _("e-mail addresses"),
    Mask.MESSENGERS: _("names in messengers"),
    Mask.URLS: _("web addresses"),
    Mask.IBANS: _("bank accounts (IBAN)"),
    Mask.IDS: _("numbers of residents and citizens"),
    Mask.CARDS: _("payment cards"),
    Mask.PASSPORTS: _("passports"),
    Mask.ADDRESSES: _("street addresses"),
    Mask.PHONES: _("telephone numbers"),
    Mask.HANDLES: _("handles (@name)"),
    Mask.PLATES: _("plates of cars"),
}
_FOR_OTHERS = "for rows that name none"


class Update(StrEnum):
    """What a file does to existing items."""

    FILL = "fill"
    """Pictures, priors, intents, words of pictures and known answers come where there are none."""
    LABELS = "labels"
    """Labels of more people fill free seats of items; nothing else changes."""


_UPDATES = {
    None: _("new items"),
    Update.FILL: _("what is missing of items that are here"),
    Update.LABELS: _("labels of more people for items that are here"),
}
_FORMER = frozenset({"images", "priors", "intended", "known", "picture_text"})
"""Modes that each filled one of these."""


class BadUpdate(Refused):
    """No way to change existing items; the sentence says what to use."""


def read_update(value: str) -> Update | None:
    """Return the mode; None where the file holds new items. Raises BadUpdate."""
    if value in _FORMER:
        raise BadUpdate("The mode %(value)r is gone. Use 'fill': it fills whatever is empty.", value=value)
    if value not in ("", *Update):
        raise BadUpdate(
            "%(value)r is no mode of an update. Use 'fill': it fills whatever is empty; or 'labels': it adds labels.",
            value=value[:40],
        )
    return Update(value) if value else None


def read_masks(words: str) -> frozenset[Mask]:
    """Return what is masked, from names with commas. Raises Refused."""
    named = {word.strip() for word in words.split(",")} - {""}
    if not named <= set(Mask):
        raise Refused("There are %(known)s.", known=", ".join(Mask))
    return frozenset(map(Mask, named))


def read_regions(words: str) -> Regions:
    """Return the countries of telephone numbers, from codes with commas; those of the scripts where none is named.

    Raises Refused.
    """
    codes = [code.strip().upper() for code in words.split(",") if code.strip()]
    if wrong := unknown(codes):
        raise Refused("There is no country with the code %(code)s.", code=wrong[0][:20])
    return chosen(codes) if codes else Regions()


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
        BeforeValidator(lambda stored: (stored if stored in tuple(Update) else Update.FILL) if stored else None),
        Asked(
            _("The file contains"),
            _("Gaps: pictures, priors, intents, words of pictures, known answers. Labels: those of more people."),
            words=_UPDATES,
            option="fill what is empty in items, or add labels of more people to them, by their id",
            metavar="fill|labels",
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
        Asked(
            _("Mask in texts"),
            name="mask",
            words=MASKS,
            option=",".join(Mask),
            metavar="KINDS",
            read=read_masks,
            body="Kinds of what identifies people: replaced in texts and kept columns before anything is stored.",
        ),
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
    header_line: Annotated[
        int,
        Field(ge=0, le=100),
        Asked(
            _("Line of the header"),
            _("Where a title or another header stands above it; 0 where there is no header."),
            SHAPE,
            option="the line on which the header of a table stands; 0 where there is none",
        ),
    ] = 1
    twice: Annotated[
        Twice,
        Asked(
            _("Of two labels of one person at one post"),
            _("The later one is that of the later date, or else of the later row."),
            SHAPE,
            words=_TWICE,
            option="which of two labels of one person at one post counts",
            body="Which of two labels of one person at one item counts.",
            flags=("same-person-twice",),
        ),
    ] = Twice.REFUSE
    source: Annotated[str, Asked(_("Source"), group=SHAPE, option=_FOR_OTHERS, longest=500, line=True)] = ""
    licence: Annotated[str, Asked(_("Licence"), group=SHAPE, option=_FOR_OTHERS, longest=200, line=True)] = ""
    leave_out: Annotated[bool, Asked(option="store the others", flags=("leave-out-bad-rows",))] = False
    """Rows with errors are skipped; the others are stored."""
    ignore: Annotated[
        Names[str],
        Asked(body="Keys that are left out: they look like labels, or nobody needs them.", longest=200, most=200),
    ] = frozenset()
    """Columns that are left out, of those that the site does not know."""
    keep: Annotated[
        Names[str], Asked(body="Keys that are kept as they are although they look like labels.", longest=200, most=200)
    ] = frozenset()
    """Columns that are kept as they are although they look like labels."""
    mapped: Mapped = Mapped()
    address: str = ""
    """The https address that the file is fetched from; empty if it was uploaded."""

    @property
    def keeping(self) -> Keeping:
        """Which of the columns that the site does not know are kept."""
        return Keeping(self.ignore, self.keep)


def terms_of(project: Project, options: ImportOptions) -> Terms:
    """Return the requirements that the project and the options place on rows."""
    return Terms(
        categories=project.category_values(),
        seats=project.seats,
        choose=Choose(project.choose),
        rules=Rules(Policy(project.policy), project.low_quality_threshold, project.extra_seats),
        source_labels=options.source_labels,
        seats_from_data=options.seats_from_data,
        twice=options.twice,
        masks=options.masks,
        regions=project.telephone_regions() if Mask.PHONES in options.masks else Regions(),
        awaited=_awaited(project) if project.priors_wanted else frozenset(),
        about={name: value for name in ("batch", "source", "licence") if (value := getattr(options, name))},
        questions=None if "answers" in options.ignore else project.question_values(),
    )


def _awaited(project: Project) -> frozenset[Modality]:
    """Return the parts whose priors are asked of a model before annotators get an item."""
    asks_of_pictures = prior_model(project, Modality.IMAGE).is_language_model
    return frozenset(Modality) if asks_of_pictures else frozenset({Modality.TEXT})
