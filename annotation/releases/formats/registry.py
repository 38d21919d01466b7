"""Registry of formats: which class writes which format."""

from collections.abc import Callable, Iterable, Mapping

from annotation.domain.releases.columns import ReleaseFormat
from annotation.releases.formats.annotators import Annotators
from annotation.releases.formats.base import Target, Writer
from annotation.releases.formats.csv import Sheets
from annotation.releases.formats.imagefolder import ImageFolder
from annotation.releases.formats.json_documents import Hvli, LabelStudio
from annotation.releases.formats.parquet import Parquet
from annotation.releases.formats.webdataset import WebDataset

_WRITERS: Mapping[ReleaseFormat, Callable[[Target], Writer]] = {
    ReleaseFormat.CSV: Sheets,
    ReleaseFormat.PARQUET: Parquet,
    ReleaseFormat.HVLI: Hvli,
    ReleaseFormat.IMAGEFOLDER: ImageFolder,
    ReleaseFormat.WEBDATASET: WebDataset,
    ReleaseFormat.LABEL_STUDIO: LabelStudio,
    ReleaseFormat.ANNOTATORS: Annotators,
}


def writers(formats: Iterable[ReleaseFormat], target: Target) -> list[Writer]:
    """Return a writer for each requested format, in the order of the enum."""
    requested = set(formats)
    return [_WRITERS[name](target) for name in ReleaseFormat if name in requested]
