"""Registry of formats: which class writes which format. Other apps register theirs in their `Extension`."""

from collections.abc import Callable, Mapping

from annotation.core.extensions import registered
from annotation.domain.releases.columns import ReleaseFormat
from annotation.releases.formats.annotators import Annotators
from annotation.releases.formats.base import Target, Writer
from annotation.releases.formats.csv import PlainSheets, Sheets
from annotation.releases.formats.imagefolder import ImageFolder
from annotation.releases.formats.json_documents import Hvli, LabelStudio
from annotation.releases.formats.parquet import Parquet
from annotation.releases.formats.webdataset import WebDataset
from annotation.releases.rows import Rows

WRITERS: Mapping[ReleaseFormat, Callable[[Target], Writer]] = {
    ReleaseFormat.CSV: Sheets,
    ReleaseFormat.CSV_PLAIN: PlainSheets,
    ReleaseFormat.PARQUET: Parquet,
    ReleaseFormat.HVLI: Hvli,
    ReleaseFormat.IMAGEFOLDER: ImageFolder,
    ReleaseFormat.WEBDATASET: WebDataset,
    ReleaseFormat.LABEL_STUDIO: LabelStudio,
    ReleaseFormat.ANNOTATORS: Annotators,
}


def writers(rows: Rows, target: Target) -> list[Writer]:
    """Return a writer for each format that a release asks for, in the order of the enum."""
    others = {name: write for extension in registered() for name, write in extension.release_writers.items()}
    requested = [name for name in ReleaseFormat if name in rows.selection.formats]
    return [WRITERS[name](target) if name in WRITERS else others[name](target, rows) for name in requested]
