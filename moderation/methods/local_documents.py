"""The local search engine over the texts of uploaded documents, by words (SQLite FTS5, PostgreSQL tsvector)."""

import hashlib
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Any
from uuid import UUID

from django.db import IntegrityError, connection, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.domain.one_line import one_line
from annotation.models import Membership, Project, record
from moderation.domain.antihateagent import search_index
from moderation.domain.antihateagent.search_index import SearchQuery
from moderation.domain.event_verbs import ModerationVerb
from moderation.models import Document, Evidence, Passage
from providers.http.reading_process import AllBusy
from providers.pages.pdf_text import BadPdf, pdf_text
from providers.pages.text import read_html_apart
from providers.search.steps import FetchAnswer, FoundPage, SearchAnswer

MOST_BYTES, MOST_CHARACTERS, MOST_DOCUMENTS = 20_000_000, 2_000_000, 2000
_SCHEME = "document:"
_KINDS = {".txt": "text", ".md": "markdown", ".markdown": "markdown", ".html": "html", ".htm": "html", ".pdf": "pdf"}
_PATIENCE = 5  # seconds: not all threads of a server may wait for others' documents
_A_DOCUMENT = 2  # the most passages of one document in the results


class BadDocument(ValueError):
    """A file that cannot be added; the message says why."""

    is_busy = False
    """Whether the same file can be added later."""


class ReadersBusy(BadDocument):
    """Other documents are being read."""

    is_busy = True


def add_document(project: Project, name: str, content: bytes, actor: Membership) -> Document:
    """Read a file and add it to the project's index. Return its row.

    Raises BadDocument, as ReadersBusy if too many others are being read.
    """
    path = PurePosixPath(PurePosixPath(one_line(name).replace("\\", "/")).name or "document")
    name, kind = f"{path.stem[: 200 - len(path.suffix)]}{path.suffix}", _KINDS.get(path.suffix.lower())
    if kind is None:
        raise BadDocument(_("Upload a text, Markdown, HTML or PDF file (.txt, .md, .html, .pdf)."))
    if len(content) > MOST_BYTES:
        raise BadDocument(_("The file has more than %(most)d MB.") % {"most": MOST_BYTES // 1_000_000})
    try:
        title, text = _text(name, kind, content)
    except AllBusy:
        sentence = _("Other documents are being read at the moment. Upload the file again in half a minute.")
        raise ReadersBusy(sentence) from None
    if not text.strip():
        raise BadDocument(_("The file holds no text. A scanned document has to be read by OCR first."))
    if Document.objects.filter(project=project).count() >= MOST_DOCUMENTS:
        raise BadDocument(_("The project has %(most)d documents already; remove some.") % {"most": MOST_DOCUMENTS})
    row = Document(
        project=project,
        name=name,
        title=(one_line(title) or name)[:300],
        kind=kind,
        sha256=hashlib.sha256(content).hexdigest(),
        size=len(content),
        characters=len(text),
        uploaded_by=actor,
    )
    try:
        with transaction.atomic():
            row.save()
            parts = search_index.passages(text)
            Passage.objects.bulk_create(
                (Passage(document=row, number=n, text=part, words=_indexed(part)) for n, part in enumerate(parts, 1)),
                batch_size=200,
            )
            record(ModerationVerb.DOCUMENT_ADDED, project=project, actor=actor, row=row.public_id, name=name)
    except IntegrityError:
        raise BadDocument(_("This file has already been uploaded.")) from None
    return row


def remove_document(document: Document, actor: Membership) -> None:
    """Remove a document from the index. Evidence that quotes it keeps its own copy."""
    with transaction.atomic():
        record(
            ModerationVerb.DOCUMENT_REMOVED,
            project=document.project,
            actor=actor,
            row=document.public_id,
            name=document.name,
        )
        document.delete()


def search_documents(project: UUID, query: str, count: int) -> dict[str, Any]:
    """Return the best passages for a query as a SearchAnswer.

    A passage needs only one of its words; more words and rarer words rank higher.
    """
    parsed = search_index.parse_query(query)
    if not parsed.some:
        return SearchAnswer(hits=[]).model_dump(mode="json")
    ids = _ranked(project, parsed, count * 4)
    passages = {row.pk: row for row in Passage.objects.filter(pk__in=ids).select_related("document")}
    hits: list[FoundPage] = []
    shown: dict[int, int] = {}
    for passage in (passages[pk] for pk in ids if pk in passages):
        shown[passage.document_id] = shown.get(passage.document_id, 0) + 1
        if shown[passage.document_id] <= _A_DOCUMENT and len(hits) < count:
            url = f"{_SCHEME}{passage.document.public_id}/{passage.number}"
            hits.append(
                FoundPage(url=url, title=passage.document.title, snippet=search_index.snippet(passage.text, parsed))
            )
    return SearchAnswer(hits=hits).model_dump(mode="json")


def document_page(project: UUID, url: str) -> dict[str, Any]:
    """Return a passage as a FetchAnswer."""
    now = timezone.now().isoformat(timespec="seconds")
    row = passage_at(project, url)
    if row is None:
        missing = FetchAnswer(url=url, fetched_at=now, code="unreachable", fault="The document is no longer there.")
        return missing.model_dump(mode="json")
    size = len(row.text.encode())
    return FetchAnswer(
        url=url, title=row.document.title, text=row.text, sha256=row.document.sha256, bytes=size, fetched_at=now
    ).model_dump(mode="json")


def is_document_address(url: str) -> bool:
    """Return whether a URL names a passage of an uploaded document."""
    return url.startswith(_SCHEME)


def passage_at(project: UUID, url: str) -> Passage | None:
    """Return the passage that such a URL names, with its document.

    Returns None if there is none.
    """
    document, place = _named(url)
    if document is None:
        return None
    rows = Passage.objects.filter(document__project__public_id=project, document__public_id=document, number=place)
    return rows.select_related("document").first()


def add_document_links(project: Project, cards: Sequence[Evidence]) -> None:
    """Set `own_document` of each card to its document in the project, or to None if the document no longer exists."""
    own = {card.public_id: _named(card.url)[0] for card in cards if is_document_address(card.url)}
    if own:
        existing = Document.objects.filter(
            project=project, public_id__in=[document for document in own.values() if document]
        )
        documents = set(existing.values_list("public_id", flat=True))
        for card in cards:
            card.own_document = own.get(card.public_id) if own.get(card.public_id) in documents else None


def has_no_documents(project: UUID) -> bool:
    """Return whether the project has no documents to search."""
    return not Document.objects.filter(project__public_id=project).exists()


def _named(url: str) -> tuple[UUID | None, int]:
    name, _slash, number = url.removeprefix(_SCHEME).partition("/")
    try:
        return UUID(name), int(number)
    except ValueError:
        return None, 0


def _text(name: str, kind: str, content: bytes) -> tuple[str, str]:
    """Return the title and the text of a file.

    Raises BadDocument.
    """
    if kind == "pdf":
        try:
            return "", _clean(pdf_text(content, MOST_CHARACTERS, _PATIENCE))
        except BadPdf as fault:
            raise BadDocument(str(fault)) from None
    if kind == "html":
        read = read_html_apart(content, _PATIENCE)
        if read.fault and read.code != "no_text":
            raise BadDocument(read.fault)
        return read.title, read.text
    if b"\x00" in content[:4096] and not content.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise BadDocument(_("%(name)s is no text file.") % {"name": name})
    if len(content) > 4 * MOST_CHARACTERS:  # no character has more bytes
        raise _too_long()
    for encoding in ("utf-8-sig", "utf-16") if content.startswith((b"\xff\xfe", b"\xfe\xff")) else ("utf-8-sig",):
        try:
            text = _clean(content.decode(encoding))
        except UnicodeError:
            continue
        first = next((line.strip("# \t") for line in text.splitlines() if line.strip("# \t")), "")
        return (first if kind == "markdown" else ""), text
    raise BadDocument(_("%(name)s is not in UTF-8: save it as UTF-8 and upload it again.") % {"name": name})


def _clean(text: str) -> str:
    if len(text) > 2 * MOST_CHARACTERS:  # line ends may have two
        raise _too_long()
    plain = text.replace("\x00", "").replace("\r\n", "\n").encode("utf-8", "replace").decode("utf-8")
    if len(plain) > MOST_CHARACTERS:
        raise _too_long()
    return plain


def _too_long() -> BadDocument:
    return BadDocument(_("The file has more than %(most)d characters of text.") % {"most": MOST_CHARACTERS})


def _indexed(text: str) -> str:
    return " ".join(search_index.index_words(text))


def _ranked(project: UUID, query: SearchQuery, count: int) -> Sequence[int]:
    """Return the ids of the best passages, best first."""
    passage, document = Passage._meta.db_table, Document._meta.db_table
    # A database without a UUID type stores UUIDs as text without hyphens.
    key = project if connection.vendor == "postgresql" else project.hex
    rows = (
        f"FROM {passage} p JOIN {document} d ON d.id = p.document_id JOIN annotation_project o ON o.id = d.project_id"
    )
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute(
                f"SELECT p.id {rows}, to_tsquery('simple', %s) q WHERE o.public_id = %s AND p.found_by @@ q "
                "ORDER BY ts_rank(p.found_by, q, 1) DESC, p.id LIMIT %s",
                [search_index.postgresql_query(query), key, count],
            )
        else:
            cursor.execute(
                f"SELECT p.id {rows} JOIN moderation_passage_index i ON i.rowid = p.id "
                "WHERE o.public_id = %s AND moderation_passage_index MATCH %s "
                "ORDER BY bm25(moderation_passage_index), p.id LIMIT %s",
                [key, search_index.sqlite_match(query), count],
            )
        return [row[0] for row in cursor.fetchall()]
