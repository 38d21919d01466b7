"""Documents of brat and INCEpTION: a file for each text and person, alone or in an archive; each text is a post."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any, BinaryIO

from annotation.domain.formats import fields, strict_json
from annotation.domain.formats.base import BadValue, Format, Reading, Row, RowError, Unreadable
from annotation.domain.formats.columns import PASSED_OVER, Column
from annotation.domain.formats.kept_columns import kept_columns
from annotation.domain.formats.tools.passages import (
    CAS,
    WEBANNO,
    Document,
    of_brat,
    of_cas,
    of_webanno,
    with_passages,
)

_NOBODY = frozenset({"INITIAL_CAS", "CURATION_USER"})
"""Names that INCEpTION gives to files of no annotator."""
LINES = "ann"
"""The column in which lines of brat are kept."""
_HEAD = 65_536


def kind_of_document(head: bytes) -> Format | None:
    """Return INCEpTION's format for a file that begins so. Returns None for another."""
    start = head.decode("utf-8-sig", "ignore").lstrip()
    is_cas = start.startswith("{") and ('"%TYPES"' in start or CAS in start)
    return Format.INCEPTION if start.startswith(WEBANNO) or is_cas else None


def documents_in(names: Collection[str], head_of: Callable[[str], bytes]) -> tuple[Format, list[str]] | None:
    """Return the format of an archive of documents, and its members that are read. Returns None for another."""
    marks = sorted(name for name in names if name.endswith(".ann"))
    if marks:
        return Format.BRAT, [part for name in marks for part in (f"{name[:-4]}.txt", name) if part in names]
    files = sorted(name for name in names if name.endswith((".tsv", ".json")))
    read = [name for name in files if not PurePosixPath(name).name.startswith("exportedproject")]
    is_inception = bool(read) and all(kind_of_document(head_of(name)) for name in read)
    return (Format.INCEPTION, read) if is_inception else None


@dataclass(frozen=True)
class _File:
    """A file of what one person marked in one text: its path, the post, and the person."""

    path: str
    post: str
    person: str


class Documents:
    """The rows of files by name. Files of one document are one post with a label of each person."""

    def __init__(self, files: Sequence[tuple[str, BinaryIO]], reading: Reading) -> None:
        self.files, self.reading = dict(files), reading
        self.passages = Column("passages", "answers")

    def __iter__(self) -> Iterator[Row | RowError]:
        """Yield the rows and errors. Raises Unreadable if there is no document."""
        posts: dict[str, list[_File]] = {}
        for name in self.files:
            if self.reading.format is Format.INCEPTION or name.endswith(".ann"):
                file = self._file(name)
                posts.setdefault(file.post, []).append(file)
        if not posts:
            raise Unreadable(RowError(0, "no_rows", "The archive holds no documents."))
        self.reading.columns.put(self.passages)
        for line, (post, files) in enumerate(posts.items(), start=1):
            yield from self._post(line, post, files)

    def _file(self, name: str) -> _File:
        if self.reading.format is Format.BRAT:
            folder, _, post = name.removesuffix(".ann").rpartition("/")
            return _File(name, post, PurePosixPath(folder).name)
        path = PurePosixPath(name)
        post = path.parent.name or path.stem or f"{self.reading.id_prefix}1"
        return _File(name, post, path.stem if path.parent.name else "")

    def _post(self, line: int, post: str, files: Sequence[_File]) -> Iterator[Row | RowError]:
        """Yield the post that these files are of, and an error for each that cannot be read.

        Files of brat that share a name and not a text are posts of their own, by their paths.
        """
        read: dict[_File, Document] = {}
        for file in files:
            try:
                read[file] = self._document(file)
            except BadValue as fault:
                reason = f"{file.path}: {fault.reason}" if file.path else fault.reason
                yield RowError(line, fault.code, reason, fault.field, fault.limit, external_id=post[:128])
        self.passages.rows += sum(bool(document.passages) for document in read.values())
        texts = {document.text for document in read.values()}
        if self.reading.format is Format.BRAT and len(texts) > 1:
            groups = [(file.path.removesuffix(".ann"), {file: document}) for file, document in read.items()]
        else:
            groups = [(post, read)] if read else []
        for name, documents in groups:
            try:
                yield self._row(line, name, documents)
            except BadValue as fault:
                yield fault.at(line, name[:128])

    def _document(self, file: _File) -> Document:
        content = self._content(file.path)
        if self.reading.format is Format.INCEPTION:
            is_cas = content.lstrip().startswith("{")
            return of_cas(strict_json.parse(content)) if is_cas else of_webanno(content)
        text = f"{file.path.removesuffix('.ann')}.txt"
        if text not in self.files:
            raise BadValue("no_content", "There is no text beside it.", "text")
        return of_brat(self._content(text), content)

    def _content(self, name: str) -> str:
        stream, most = self.files[name], self.reading.limits.entry_chars
        stream.seek(0)
        content = stream.read(most + 1)
        if len(content) > most:
            raise BadValue("entry_too_long", f"The file has more than {most:,} bytes.", "text", most)
        try:
            return content.decode("utf-8-sig")
        except UnicodeDecodeError as fault:
            raise BadValue("encoding", "The file is not UTF-8.", "text") from fault

    def _row(self, line: int, post: str, documents: Mapping[_File, Document]) -> Row:
        """Return a post with a label of each person. The folder of a file names its person where there are several."""
        text, *others = {document.text for document in documents.values()}
        if others:
            reason = f"The files of the document {post} have different texts."
            raise BadValue("contradiction", reason, "text")
        extra = self._kept(documents)
        row = Row(line, fields.external_id(post.replace("/", ":")), text=fields.item_text(text), extra=extra)
        named = self.reading.format is Format.INCEPTION or len(documents) > 1
        for file, document in documents.items():
            if file.person not in _NOBODY:
                for name in document.left:
                    self.reading.columns.tell_left_out(name)
                row = with_passages(row, document.passages, None, self.reading, file.person if named else None)
        return row

    def _kept(self, documents: Mapping[_File, Document]) -> Mapping[str, Any]:
        """Return the lines of files that say more than which passages are marked; of several people by their names."""
        lines: dict[str, Any] = {file.person: list(read.lines) for file, read in documents.items() if read.lines}
        if not lines:
            return {}
        value = lines if len(documents) > 1 else next(iter(lines.values()))
        return kept_columns(self.reading.columns.count({LINES: value}, lambda name: PASSED_OVER))
