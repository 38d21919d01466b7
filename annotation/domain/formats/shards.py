"""A data set in several files of one kind, as the `datasets` library writes it: by parts, and each part in pieces.

`train/data-00000-of-00002.arrow` is of a folder that it saved, `data/test-00000-of-00001.parquet` of one that it
shared.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import PurePosixPath

from annotation.domain.formats.base import Row, RowError, Unreadable
from annotation.domain.formats.columns import KEPT, Column, ColumnTally

SPLIT = "split"
"""The column that keeps which part a row is of."""
_PIECE = re.compile(r"(.*?)-?\d{5}-of-\d{5}(?:-[0-9a-f]{16})?")
_ANY_PART = frozenset({"", "data", "dataset"})
_ABOUT = frozenset({"dataset_info.json", "dataset_infos.json", "dataset_dict.json", "state.json"})
"""What the library writes about the files beside them."""


def shards_among(tables: Sequence[str], members: Iterable[str]) -> list[str]:
    """Return the files of an archive that are pieces of one data set; none if another table stands beside them."""
    saved = sorted(name for name in members if _kind(name) == ".arrow" and not _file(name).startswith("cache-"))
    others = [name for name in tables if name not in saved and _file(name) not in _ABOUT]
    if saved:
        return [] if others else saved
    pieces = sorted(name for name in others if is_shard(name))
    return pieces if len(pieces) == len(others) > 1 else []


def is_shard(name: str) -> bool:
    """Return whether a file is a piece of a data set, by its name."""
    is_piece = _PIECE.fullmatch(PurePosixPath(name).stem) is not None
    return _kind(name) == ".arrow" or (_kind(name) == ".parquet" and is_piece)


def _kind(name: str) -> str:
    return PurePosixPath(name).suffix.lower()


def _file(name: str) -> str:
    return PurePosixPath(name).name


def _part(name: str) -> str:
    """Return the part of the data set that a file holds a piece of, by its name or that of its folder."""
    path = PurePosixPath(name)
    piece = _PIECE.fullmatch(path.stem)
    part = piece[1] if piece else path.stem
    return path.parent.name if part in _ANY_PART else part


def rows_of_shards(
    shards: Sequence[tuple[str, Callable[[], Iterable[Row | RowError]]]], columns: ColumnTally
) -> Iterator[Row | RowError]:
    """Yield the rows and errors of files in turn; rows keep the part that they are of where there are several.

    Lines continue from one file to the next; an error also names its file. Raises Unreadable.
    """
    several = len({_part(name) for name, _opened in shards}) > 1
    are_told = several and columns.keeps is not None and columns.keeps(SPLIT)
    split, before = Column(SPLIT, KEPT), 0
    for name, opened in shards:
        last, part = before, _part(name)
        try:
            for row in opened():
                last = before + row.line
                if isinstance(row, RowError):
                    yield replace(row, line=last, reason=f"{name}, line {row.line}: {row.reason}")
                    continue
                row.line = last
                if are_told and SPLIT not in row.extra:
                    split.count(part)
                    row.extra = {**row.extra, SPLIT: part}
                yield row
        except Unreadable as fault:
            raise Unreadable(replace(fault.error, reason=f"{name}: {fault.error.reason}")) from fault
        before = last
    if split.rows:
        columns.put(split)
