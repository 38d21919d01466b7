"""Which class writes which format."""

from collections.abc import Callable, Iterable, Mapping

from annotation.domain.released import ReleaseFormat
from annotation.release_formats.annotators import Annotators
from annotation.release_formats.imagefolder import ImageFolder
from annotation.release_formats.listed import Hvli, LabelStudio
from annotation.release_formats.parquet import Parquet
from annotation.release_formats.sheets import Sheets
from annotation.release_formats.webdataset import WebDataset
from annotation.release_formats.writing import Target, Writer

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
    """A writer for each format, in the order of the closed set."""
    wanted = set(formats)
    return [_WRITERS[each](target) for each in ReleaseFormat if each in wanted]
