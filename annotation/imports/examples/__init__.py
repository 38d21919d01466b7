"""A small file of our own for each format: `import_items --example FORMAT`, or from the page *Import*."""

from pathlib import Path

from annotation.domain.formats.base import Format

_FOLDER = Path(__file__).parent
_ENDINGS = {
    **dict.fromkeys((Format.INTERPLAY, Format.JSONL, Format.HATEFUL_MEMES, Format.DOCCANO), "jsonl"),
    **dict.fromkeys((Format.PRODIGY, Format.POTATO), "jsonl"),
    Format.REDDIT: "jsonl",
    **dict.fromkeys((Format.X, Format.TELEGRAM, Format.IMAGEBOARD), "json"),
    **dict.fromkeys((Format.META_CONTENT, Format.GOOGLE_FORMS), "csv"),
    Format.FEATHER: "feather",
    Format.CAPTIONS: "zip",
    **dict.fromkeys((Format.HVLI, Format.MMHS150K, Format.HATEXPLAIN, Format.LABEL_STUDIO, Format.ARGILLA), "json"),
    **dict.fromkeys((Format.CSV, Format.MTURK, Format.PROLIFIC), "csv"),
    **dict.fromkeys((Format.TSV, Format.TSV_PLAIN), "tsv"),
    Format.XLSX: "xlsx",
    Format.PARQUET: "parquet",
    **dict.fromkeys((Format.IMAGEFOLDER, Format.BRAT, Format.INCEPTION), "zip"),
    Format.WEBDATASET: "tar",
}
EXAMPLES = {format: _FOLDER / f"{format}.{ending}" for format, ending in sorted(_ENDINGS.items())}
"""The example file of each format."""
