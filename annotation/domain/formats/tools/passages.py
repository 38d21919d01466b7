"""Passages that people marked in a text: brat's standoff, WebAnno TSV 3 and UIMA CAS JSON (INCEpTION), doccano.

All places are in code points. brat counts characters as we do. Java programs (INCEpTION) count UTF-16 units, so that
an emoji takes two.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from annotation.domain.category_sets import SEPARATOR
from annotation.domain.formats.base import PASSAGES, BadValue, LabelUse, NotCounted, Passage, Reading, Row, RowLabel
from annotation.domain.formats.labels.of_annotators import NAMED
from annotation.domain.formats.labels.of_row import NO_LABEL, with_label
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
    left: tuple[str, ...] = ()
    """What INCEpTION says more than passages and their names, once for each place: `Layer.feature`."""


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
_LAYER = re.compile(r"#T_(SP|CH|RL)=([^|\s]+)\|?(.*)")
_NAMES = ("label", "value")
"""Features that name a passage; where a layer has none of them, its first one does."""
_VALUE = re.compile(r"(.*?)(?:\[(\d+)\])?")
_UNMARKED = ("", "_")
_EMPTY = (*_UNMARKED, "*")
_ESCAPED = {"t": "\t", "n": "\n", "r": "\r", "f": "\f", "b": "\b"}
_TEXT_OF = re.compile(r"\\(.)")
_STRUCTURE = ("Token", "Sentence", "DocumentMetaData", "DocumentAnnotation", "TagsetDescription", "CASMetadata")
"""Layers that every document of INCEpTION has, and that nobody marked."""


def of_webanno(content: str) -> Document:
    """Return a document of WebAnno TSV 3: text lines, and for each token its place and what it is marked as."""
    columns: list[_Feature] = []
    text, marked, left = "", dict[tuple[str, str], Passage](), list[str]()
    pending: str | None = None
    for number, line in enumerate(content.split("\n"), start=1):
        if layer := _LAYER.fullmatch(line):
            columns += _features(layer[1], layer[2], [name for name in layer[3].split("|") if name])
        elif line.startswith("#Text="):
            piece = _TEXT_OF.sub(lambda found: _ESCAPED.get(found[1], found[1]), line.removeprefix("#Text="))
            pending = piece if pending is None else f"{pending}\n{piece}"
        elif line[:1].isdigit():
            cells = line.rstrip("\t").split("\t")
            start, end = _place(cells, number)
            if pending is not None:
                text, pending = _placed(text, pending, start, cells[2]), None
            for feature, cell in zip(columns, cells[3:], strict=False):
                if feature.names:
                    _mark(marked, feature.layer, cell, start, end, number)
                else:
                    left += [feature.told for value in cell.split("|") if value not in _EMPTY]
    return replace(_checked(text, _in_code_points(text, tuple(marked.values()))), left=tuple(left))


@dataclass(frozen=True)
class _Feature:
    """A column of WebAnno TSV: the layer, the feature, and whether it names the passages of the layer."""

    layer: str
    name: str
    names: bool

    @property
    def told(self) -> str:
        return f"{self.layer.rpartition('.')[2]}.{self.name}".rstrip(".")


def _features(kind: str, layer: str, names: Sequence[str]) -> list[_Feature]:
    """Return the columns of a layer; of relations and chains none names a passage."""
    naming = naming_feature(names) if kind == "SP" else None
    columns = [_Feature(layer, name, name == naming) for name in names or ("",)]
    return columns if names or kind != "SP" else [_Feature(layer, "", names=True)]


def naming_feature(names: Sequence[str]) -> str | None:
    """Return the feature by which passages of a layer are called. Returns None where it has none."""
    return next((name for name in (*_NAMES, *names) if name in names), None)


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


def _mark(marked: dict[tuple[str, str], Passage], layer: str, cell: str, start: int, end: int, number: int) -> None:
    """Note what a token is marked as. Tokens of one passage share its number, `slur[1]`; one alone has none."""
    for value in cell.split("|"):
        read = _VALUE.fullmatch(value)
        if read is None or value in _UNMARKED:
            continue
        name = read[1].replace("\\", "").strip("*_ ") if read[1] not in ("*", "_") else ""
        key = (layer, read[2] or f"line {number}: {name}")
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
    marked = [part for part in found if _is_marked(part)]
    passages = [Passage(part["begin"], part["end"], _said(part, _named_in(part))) for part in marked]
    left = [f"{_layer(part)}.{name}" for part in marked for name in _said_more(part)]
    left += [_layer(part) for part in found if _is_more(part)]
    return replace(_checked(text, _in_code_points(text, passages)), left=tuple(left))


def _layer(part: Mapping[str, Any]) -> str:
    return str(part.get("%TYPE", "")).rpartition(".")[2]


def _is_layer(part: Mapping[str, Any]) -> bool:
    """Return whether people fill the layer of a structure."""
    kind = str(part.get("%TYPE", ""))
    return bool(kind) and not kind.startswith("uima.") and _layer(part) not in _STRUCTURE


def _is_marked(part: Mapping[str, Any]) -> bool:
    """Return whether a structure is a passage that somebody marked; a relation has one end at each of its places."""
    places = _is_place(part.get("begin")) and _is_place(part.get("end"))
    return places and _is_layer(part) and not _is_relation(part)


def _is_relation(part: Mapping[str, Any]) -> bool:
    return {"@Governor", "@Dependent"} <= part.keys()


def _is_more(part: Mapping[str, Any]) -> bool:
    """Return whether a structure says something of passages, or of the document, that is no passage."""
    if not _is_layer(part) or _is_marked(part):
        return False
    return _is_relation(part) or any(_is_said(part[name]) for name in part if name[:1] not in "%@^")


def _named_in(part: Mapping[str, Any]) -> str | None:
    return naming_feature([name for name in sorted(part) if name[:1] not in "%@^" and isinstance(part[name], str)])


def _said(part: Mapping[str, Any], name: str | None) -> str:
    return "" if name is None else str(part[name])


def _said_more(part: Mapping[str, Any]) -> list[str]:
    """Return the features of a passage that say something beside its name."""
    others = (name for name in part if name[:1] not in "%@^" and name not in ("begin", "end", _named_in(part)))
    return [name for name in others if _is_said(part[name])]


def _is_said(value: Any) -> bool:
    return value not in (None, "", [], {})


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
