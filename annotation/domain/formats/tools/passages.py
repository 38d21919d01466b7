"""Passages that people marked in a text: brat's standoff, WebAnno TSV 3 and UIMA CAS JSON (INCEpTION), doccano.

All places are in code points. brat counts characters as we do. Java programs (INCEpTION) count UTF-16 units, so that
an emoji takes two.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from annotation.domain.category_sets import SEPARATOR
from annotation.domain.formats.base import PASSAGES, BadValue, LabelUse, NotCounted, Passage, Reading, Row, RowLabel
from annotation.domain.formats.labels.of_annotators import NAMED
from annotation.domain.formats.mapping import NO_LABEL, with_label
from annotation.domain.text_rules import TEXT_LIMIT

MOST = 500
"""Passages of one text. A person marks a few; more are a file made to be slow."""


@dataclass(frozen=True)
class Document:
    """A text with what one person marked in it."""

    text: str
    passages: tuple[Passage, ...]
    lines: tuple[str, ...] = ()
    """The lines of a file that says more than passages: relations, attributes, notes."""


def with_passages(
    row: Row, passages: Sequence[Passage], category: Any, reading: Reading, annotator: str | None = None
) -> Row:
    """Return the row with the label of a person who marked passages. Raises BadValue.

    Without a category the names of the passages are its categories; who marked nothing says what `none_is` says.
    """
    written = named_by(passages, category, reading)
    seats = replace(reading, mapped=replace(reading.mapped, label_is=LabelUse.SEAT, label="label"))
    labelled = with_label(row, written, seats, annotator)
    if labelled is row:
        row.not_counted = without_label(row.not_counted, passages)
        return row
    *others, last = labelled.labels
    return replace(labelled, labels=(*others, marked(last, passages, reading)))


def named_by(passages: Sequence[Passage], category: Any, reading: Reading) -> Any:
    """Return the category beside the passages, else what they are called. Returns None where nothing says it."""
    values = reading.mapped.values
    names = [passage.name for passage in passages if passage.name and values.get(passage.name) != NO_LABEL]
    return category or SEPARATOR.join(dict.fromkeys(names)) or reading.mapped.none_is or None


def marked(label: RowLabel, passages: Sequence[Passage], reading: Reading) -> RowLabel:
    """Return a label with the passages that its person marked, and their names unless these are left out."""
    places = [[passage.start, passage.end] for passage in passages]
    keeps = reading.columns.keeps
    named = () if keeps and not keeps(NAMED) else tuple(passage for passage in passages if passage.name)
    return replace(label, offered={PASSAGES: places}, passages=named)


def without_label(not_counted: Mapping[str, int], passages: Sequence[Passage]) -> Mapping[str, int]:
    """Return what does not count, with the passages of somebody who gave no label."""
    if not passages:
        return not_counted
    return {**not_counted, NotCounted.PASSAGES.value: not_counted.get(NotCounted.PASSAGES.value, 0) + len(passages)}


# ── doccano ───────────────────────────────────────────────────────────────────


def of_doccano(value: Any) -> tuple[Passage, ...]:
    """Return the passages in a list of doccano: [start, end, name] each, or objects of it. () for other lists."""
    if not isinstance(value, list) or not value:
        return ()
    read = [_of_list(part) if isinstance(part, list) else _of_object(part) for part in value]
    return tuple(part for part in read if part is not None) if None not in read else ()


def _of_list(part: Sequence[Any]) -> Passage | None:
    fits = len(part) == 3 and _is_place(part[0]) and _is_place(part[1]) and isinstance(part[2], str)
    return Passage(*part) if fits else None


def _of_object(part: Any) -> Passage | None:
    if not isinstance(part, dict):
        return None
    start: Any = part.get("start_offset", part.get("start"))
    end: Any = part.get("end_offset", part.get("end"))
    return Passage(start, end, str(part.get("label") or "")) if _is_place(start) and _is_place(end) else None


def _is_place(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


# ── brat ──────────────────────────────────────────────────────────────────────

_ENTITY = re.compile(r"T\d+\t(\S+) (\d{1,9} \d{1,9}(?:;\d{1,9} \d{1,9})*)(?:\t.*)?")


def of_brat(text: str, marks: str) -> Document:
    """Return a text with the text-bound annotations of its standoff file; where there are others, with all lines."""
    passages: list[Passage] = []
    lines = tuple(filter(str.strip, marks.splitlines()))
    for line in lines:
        if not line.startswith("T"):
            continue
        entity = _ENTITY.fullmatch(line)
        if entity is None:
            raise BadValue("bad_labels", f"This line is no annotation of brat: {line[:60]!r}.", "ann")
        for part in entity[2].split(";"):
            start, end = map(int, part.split(" "))
            passages.append(Passage(start, end, entity[1]))
    document = _checked(text.rstrip("\r\n"), passages)
    return document if all(line.startswith("T") for line in lines) else replace(document, lines=lines)


# ── INCEpTION ─────────────────────────────────────────────────────────────────

WEBANNO = "#FORMAT=WebAnno TSV 3"
CAS = '"%FEATURE_STRUCTURES"'
_LAYER = re.compile(r"#T_SP=([^|\s]+)\|?(.*)")
_VALUE = re.compile(r"(.*?)(?:\[(\d+)\])?")
_ESCAPED = {"t": "\t", "n": "\n", "r": "\r", "f": "\f", "b": "\b"}
_TEXT_OF = re.compile(r"\\(.)")
_STRUCTURE = ("Token", "Sentence", "DocumentMetaData", "DocumentAnnotation", "TagsetDescription", "CASMetadata")
"""Layers that every document of INCEpTION has, and that nobody marked."""


def of_webanno(content: str) -> Document:
    """Return a document of WebAnno TSV 3: text lines, and for each token its place and what it is marked as."""
    columns = 0
    text, marked = "", dict[tuple[int, str], Passage]()
    pending: str | None = None
    for number, line in enumerate(content.split("\n"), start=1):
        if layer := _LAYER.fullmatch(line):
            columns += max(1, len(list(filter(None, layer[2].split("|")))))
        elif line.startswith("#Text="):
            piece = _TEXT_OF.sub(lambda found: _ESCAPED.get(found[1], found[1]), line.removeprefix("#Text="))
            pending = piece if pending is None else f"{pending}\n{piece}"
        elif line[:1].isdigit():
            cells = line.rstrip("\t").split("\t")
            start, end = _place(cells, number)
            if pending is not None:
                text, pending = _placed(text, pending, start, cells[2]), None
            for column, cell in enumerate(cells[3 : 3 + columns]):
                _mark(marked, column, cell, start, end, number)
    return _checked(text, _in_code_points(text, tuple(marked.values())))


def _place(cells: Sequence[str], number: int) -> tuple[int, int]:
    if len(cells) < 3 or not re.fullmatch(r"\d{1,9}-\d{1,9}", cells[1]):
        raise BadValue("bad_labels", f"Line {number} is no token of WebAnno TSV 3.", "tsv")
    start, end = map(int, cells[1].split("-"))
    if max(start, end) > 2 * TEXT_LIMIT:
        raise BadValue("text_too_long", f"The text is longer than {TEXT_LIMIT:,} characters.", "text", TEXT_LIMIT)
    return start, end


def _placed(text: str, piece: str, start: int, token: str) -> str:
    """Return the text with a sentence behind it, at the place where its first token says that it begins."""
    begin = start - _units(piece[: max(piece.find(token), 0)])
    return text + "\n" * max(0, begin - _units(text)) + piece


def _mark(marked: dict[tuple[int, str], Passage], column: int, cell: str, start: int, end: int, number: int) -> None:
    """Note what a token is marked as. Tokens of one passage share its number, `slur[1]`; one alone has none."""
    for value in cell.split("|"):
        read = _VALUE.fullmatch(value)
        if read is None or value in ("", "_"):
            continue
        name = read[1].replace("\\", "").strip("*_ ") if read[1] not in ("*", "_") else ""
        key = (column, read[2] or f"line {number}: {name}")
        known = marked.get(key)
        marked[key] = Passage(known.start if known else start, end, name or (known.name if known else ""))


def of_cas(value: Any) -> Document:
    """Return a document of UIMA CAS JSON: its text, and the annotations of layers that people fill."""
    structures = value.get("%FEATURE_STRUCTURES") if isinstance(value, dict) else None
    if isinstance(structures, dict):
        structures = list(structures.values())
    found = [part for part in structures or () if isinstance(part, dict)]
    text = next((part["sofaString"] for part in found if isinstance(part.get("sofaString"), str)), None)
    if text is None:
        raise BadValue("bad_labels", "The document has no text (sofaString).", "json")
    return _checked(text, _in_code_points(text, tuple(_of_structures(found))))


def _of_structures(found: Sequence[Mapping[str, Any]]) -> Iterator[Passage]:
    for part in found:
        kind = str(part.get("%TYPE", ""))
        if kind.startswith("uima.") or kind.rpartition(".")[2] in _STRUCTURE:
            continue
        if _is_place(part.get("begin")) and _is_place(part.get("end")):
            named = (part.get(name) for name in ("label", "value", *sorted(part)) if name[:1] not in "%@^")
            name = next((value for value in named if isinstance(value, str)), "")
            yield Passage(part["begin"], part["end"], name)


def _units(text: str) -> int:
    """Return the length of a text in UTF-16 units."""
    return len(text.encode("utf-16-le")) // 2


def _in_code_points(text: str, passages: Collection[Passage]) -> list[Passage]:
    """Return passages whose places count UTF-16 units, with places that count code points. Raises BadValue."""
    raw = text.encode("utf-16-le")
    _check(passages, len(raw) // 2)

    def place_of(units: int) -> int:
        return len(raw[: 2 * units].decode("utf-16-le", "ignore"))

    return [Passage(place_of(passage.start), place_of(passage.end), passage.name) for passage in passages]


def _check(passages: Collection[Passage], length: int) -> None:
    if len(passages) > MOST:
        raise BadValue("bad_span", f"The text has {len(passages):,} passages; at most {MOST} are read.", "text", MOST)
    for start, end, _name in passages:
        if not 0 <= start <= end <= length:
            raise BadValue("bad_span", f"The passage {start} to {end} lies outside the text.", "text")


def _checked(text: str, passages: Collection[Passage]) -> Document:
    _check(passages, len(text))
    return Document(text, tuple(sorted(passage for passage in passages if passage.start < passage.end)))
