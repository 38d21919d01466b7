"""What an import says of itself, as types: what the command prints and the API answers.

Every key is always there unless its type is not total. The command also names the `entry` of a bad row, where the file
is one JSON value.
"""

from typing import TypedDict

from annotation.domain.formats.base import Format
from annotation.domain.formats.columns import ColumnReport
from annotation.domain.masking.mask import Example


class BadRow(TypedDict):
    """A row that cannot be stored, and why."""

    line: int
    reason: str


class TwiceEncoded(TypedDict):
    """A passage of a text that was decoded wrongly before it came here: as it is, and as it would read."""

    id: str
    was: str
    would_read: str


class FirstRows(TypedDict, total=False):
    """The columns and first rows of a file as they stand there; empty where nobody has to say what they hold."""

    columns: list[str]
    more_columns: int
    rows: list[list[str]]
    header_line: int
    likely: list[str]
    separator: str
    format: str
    encoding: str


class ImportCounts(TypedDict):
    """What an import stored or would store, what became of each column, and what it passed over.

    `posts` are the `items`; `kept`: the columns that the site does not know and keeps as they are.

    `named_passages`: passages that came with a name, which stays with the label that marked them.

    `not_counted`: labels that do not count, by reason: rejected, unfinished, draft, discarded, twice, labelled already,
    no free seat, passages.

    `orders`: the ids of posts that look like an order to a model, where that was asked for.
    """

    format: Format
    sheet: str
    other_sheets: list[str]
    items: int
    labels: int
    priors: int
    annotators: int
    intended: int
    decided: int
    known_answers: int
    pictures: int
    columns: list[ColumnReport]
    kept: list[str]
    posts: int
    missing_images: int
    missing_names: list[str]
    first_frames: int
    grounds: dict[str, int]
    renamed: int
    renamed_names: list[Example]
    rationales_left: int
    named_passages: int
    not_counted: dict[str, int]
    composed: int
    twice_encoded: int
    twice_encoded_examples: list[TwiceEncoded]
    dropped: int
    left: dict[str, int]
    first_rows: FirstRows
    duplicates: int
    existing: int
    changed: int
    changed_ids: list[str]
    masked: dict[str, int]
    mask_examples: dict[str, list[Example]]
    orders: list[str]
    dry_run: bool
    errors: list[BadRow]
