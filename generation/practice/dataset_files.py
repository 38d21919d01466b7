"""The files of the dataset, for admins: the same from the page and over the API."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from django.http import Http404, StreamingHttpResponse
from django.utils.translation import gettext_lazy

from annotation.domain.columns.items import INJECTED
from annotation.models import Membership, Project, record
from annotation.pages.csv_response import csv_of_dicts, named
from generation.domain.event_verbs import GenerationVerb
from generation.files import export
from generation.practice import first_steps, postings

_ROWS: Mapping[str, Callable[[Project], Iterator[Mapping[str, Any]]]] = {
    **export.FILES,
    "first_steps": first_steps.rows,
    "postings": postings.rows,
}
WORDS = {
    "replies.jsonl": gettext_lazy("IntentCONANv2’s columns, provenance, edits"),
    "replies.csv": gettext_lazy("IntentCONANv2’s columns, and whether the post is a sample"),
    "conan.jsonl": gettext_lazy("CONAN’s own columns, and whether the post is a sample"),
    "conan.csv": gettext_lazy("CONAN’s own columns, and whether the post is a sample"),
    "pairs.jsonl": gettext_lazy("instruction and reply, for supervised training"),
    "preferences.jsonl": gettext_lazy("chosen, rejected and their rewards"),
    "postings.jsonl": gettext_lazy("where approved replies were posted, and what became of them"),
    "first_steps.jsonl": gettext_lazy("what was decided about each post before anybody wrote, and why"),
}
"""The files, and what they hold."""
IMPORTED = "imported"
CSV, JSONL = "text/csv", "application/jsonl"


def dataset_file(member: Membership, name: str, query: Mapping[str, Any]) -> StreamingHttpResponse:
    """Return a file.

    Rows about samples are marked; files for training leave them out unless the query says `injected=1`. Imported
    examples are in `conan` where it says `imported=1`. Raises Http404 if there is no such file.
    """
    if name not in WORDS:
        raise Http404
    stem, _dot, ending = name.partition(".")
    record(GenerationVerb.COUNTERSPEECH_EXPORTED, project=member.project, actor=member, file=name)
    with_imported = stem == "conan" and query.get(IMPORTED) == "1"
    rows = export.conan(member.project, imported=True) if with_imported else _ROWS[stem](member.project)
    if stem in export.TRAINING and query.get(INJECTED) != "1":
        rows = (row for row in rows if not row[INJECTED])
    is_csv = ending == "csv"
    lines = csv_of_dicts(export.COLUMNS_OF_TABLES[stem], rows) if is_csv else export.jsonl_lines(rows)
    answer = StreamingHttpResponse(lines, content_type=f"{CSV if is_csv else JSONL}; charset=utf-8")
    return named(answer, f"{member.project.slug}-{name}")
