"""Tables that a service writes in a form of its own: Meta's Content Library, and answers of Google Forms."""

import dataclasses
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import BinaryIO

from annotation.domain.formats import fields
from annotation.domain.formats.base import Reading, Row, RowError, Unreadable
from annotation.domain.formats.csv import Table, rows_of_cells
from annotation.domain.sources.posts import Left, nothing_left

_META = ("id", "text", "creation_time")
_META_PARTS = ("post_owner.", "surface.", "statistics.", "post_owner_", "surface_", "statistics_")
TIMESTAMPS = frozenset(
    {
        "Timestamp",
        "타임스탬프",
        "时间戳记",
        "时间戳",
        "時間戳記",
        "タイムスタンプ",
        "Zeitstempel",
        "Horodateur",
        "Marca temporal",
    }
    | {"Carimbo de data/hora", "Отметка времени", "Informazioni cronologiche"}
)
"""How Google Forms calls its first column."""
MAIL_COLUMNS = frozenset(
    {
        "Email Address",
        "Email address",
        "Username",
        "이메일 주소",
        "사용자 이름",
        "电子邮件地址",
        "用户名",
        "電子郵件地址",
    }
    | {"メールアドレス", "E-Mail-Adresse", "Adresse e-mail", "Dirección de correo electrónico", "Nombre de usuario"}
)
_SCORES = frozenset({"Score", "점수", "得分", "分数", "スコア", "Punkte"})


def is_meta_content(header: Sequence[str]) -> bool:
    """Return whether a header is that of Meta's Content Library."""
    return set(_META) <= set(header) and any(name.startswith(_META_PARTS) for name in header)


def is_google_form(header: Sequence[str]) -> bool:
    """Return whether a header is that of the answers to a form."""
    return len(header) > 1 and header[0].strip() in TIMESTAMPS


class MetaContent:
    """The posts of Meta's Content Library. Those without a text show a picture or a film, which it does not give."""

    def __init__(self, stream: BinaryIO, reading: Reading) -> None:
        self._table, self._reading = Table(stream, reading), reading

    def __iter__(self) -> Iterator[Row | RowError]:
        """Yield the rows and errors. Raises Unreadable if the rest of the file cannot be read."""
        records, columns = self._table.records(), self._reading.columns
        line, header = next(records, (0, []))
        columns.known.update(name.strip() for name in header)
        has_rows = False
        for row in rows_of_cells(chain([(line, header)], records), self._reading):
            if isinstance(row, RowError) and row.code == "no_content":
                columns.left[Left.EMPTY] += 1
                continue
            has_rows = True
            yield row
        if not has_rows:
            raise Unreadable(RowError(0, "no_rows", nothing_left(columns.left)))


class GoogleForm:
    """The answers to a form: the only question that is open is the text, and nobody's address is kept."""

    def __init__(self, stream: BinaryIO, reading: Reading) -> None:
        self._table, self._reading = Table(stream, reading), reading

    def __iter__(self) -> Iterator[Row | RowError]:
        """Yield the rows and errors. Raises Unreadable if the rest of the file cannot be read."""
        records = self._table.records()
        line, header = next(records, (0, []))
        names = [name.strip() for name in header]
        own = TIMESTAMPS | MAIL_COLUMNS | _SCORES
        self._reading.columns.known.update(own & set(names))
        mails = [place for place, name in enumerate(names) if name in MAIL_COLUMNS]
        nameless = ((at, _without_addresses(cells, mails)) for at, cells in records)
        yield from rows_of_cells(chain([(line, names)], nameless), _with_text(self._reading, names))


def _with_text(reading: Reading, names: Sequence[str]) -> Reading:
    """Return the reading with the only question that may be the text, where no column is called so or named."""
    mapped = reading.mapped
    used = {mapped.label, mapped.annotator, mapped.id, mapped.image, mapped.subset, *mapped.raters}
    questions = [name for name in names if name not in TIMESTAMPS | MAIL_COLUMNS | _SCORES | used]
    if mapped.text or mapped.image or {"text", "image"} & {name.lower() for name in names} or len(questions) != 1:
        return reading
    return dataclasses.replace(reading, mapped=dataclasses.replace(mapped, text=questions[0]))


def _without_addresses(cells: list[str], places: Sequence[int]) -> list[str]:
    """Return the cells with a digest in place of an e-mail address, which identifies a person."""
    return [fields.annotator(cell) if at in places else cell for at, cell in enumerate(cells)] if places else cells
