"""What the command says of an import in sentences, beside its figures."""

from collections.abc import Iterator

from annotation.domain.formats.base import NotCounted
from annotation.domain.sources.posts import Left
from annotation.imports.report import ImportReport

_LEFT = {
    Left.REMOVED: "posts were removed or deleted on their platform",
    Left.SERVICE: "records tell of events and are no posts",
    Left.EMPTY: "posts have neither a text nor a picture that came with the file",
}


def sentences(report: ImportReport) -> Iterator[str]:
    """Yield what is to be said about pictures, texts, and rows that are there already."""
    yield from _of_pictures(report)
    yield from _of_texts(report)
    yield from _of_rows(report)


def _of_pictures(report: ImportReport) -> Iterator[str]:
    if report.missing_images:
        yield f"{report.missing_images:,} pictures are not there: {', '.join(report.missing_names)}"
    if report.renamed:
        pairs = ", ".join(f"{pair['was']} → {pair['became']}" for pair in report.renamed_names)
        yield f"{report.renamed:,} pictures were found under another spelling of their name: {pairs}"
    if report.grounds:
        grounds = ", ".join(f"{count:,} on {ground}" for ground, count in sorted(report.grounds.items()))
        yield f"Transparent pictures are stored on the ground that shows them: {grounds}."
    if report.extra_pictures:
        yield f"{report.extra_pictures:,} pictures belong to no row: {', '.join(report.extra_names)}"


def _of_texts(report: ImportReport) -> Iterator[str]:
    for kind, examples in report.mask_examples.items():
        yield from (f"masked {kind}: {example['was']} → {example['became']}" for example in examples)
    if report.composed:
        yield f"{report.composed:,} texts came in decomposed letters and are stored in composed ones (NFC)."
    if report.twice_encoded:
        yield f"{report.twice_encoded:,} texts seem to be encoded twice; they are stored as they are. They would read:"
        for passage in report.twice_encoded_examples:
            yield f"  {passage['id']}: {passage['was']} → {passage['would_read']}"
    if report.rationales_left:
        yield (
            f"Marked passages of {report.rationales_left:,} rows are only kept, as rationales: some of their people "
            "marked nothing, and the file does not say who."
        )
    if report.named_passages:
        yield f"{report.named_passages:,} marked passages keep their names, at the labels that marked them."
    if report.orders:
        yield f"{len(report.orders):,} posts look like an order to a model: {', '.join(report.orders[:10])}"


def _of_rows(report: ImportReport) -> Iterator[str]:
    for reason, sentence in _LEFT.items():
        if count := report.left.get(reason):
            yield f"{count:,} {sentence}: not imported."
    if report.changed:
        shown = ", ".join(report.changed_ids)
        yield f"{report.changed:,} rows differ from the items of their id, which stay: {shown}"
    for counted, count in sorted(report.not_counted.items()):
        is_passages = counted == NotCounted.PASSAGES
        what = "marked passages are not taken: no question asks for them" if is_passages else ""
        yield f"{count:,} {what}." if what else f"{count:,} labels do not count: {counted}."
    if report.existing:
        yield "Labels and answers of rows whose id is there are left out and not compared."
