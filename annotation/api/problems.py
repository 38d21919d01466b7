"""How the API refuses, as types: its description is generated from them.

Every refusal has the keys of `Problem`; the types below it name what some refusals say beside them.
"""

from typing import NotRequired, TypedDict

from annotation.api.serializers import LabelShape
from annotation.domain.formats.base import Format
from annotation.domain.masking.mask import Example
from annotation.domain.wellbeing.breaks import Limit


class Problem(TypedDict):
    """A refusal: a stable code for programs and a sentence for people.

    `field` is the first field that is wrong; `fields` holds the sentences of all that are.
    """

    code: str
    detail: str
    field: NotRequired[str]
    fields: NotRequired[dict[str, list[str]]]


class TooLarge(Problem):
    """The body is larger than the limit, in bytes."""

    limit: NotRequired[int]


class TooSoon(Problem):
    """Wait so many seconds before the next request."""

    retry_after: int


class BadRow(TypedDict):
    """A row that cannot be stored, and why."""

    line: int
    reason: str


class ColumnReport(TypedDict):
    """What became of a column of the file; `became` is empty if it was passed over.

    `values` counts its different values; it is empty where they are not counted or there are too many (`many`).
    """

    name: str
    became: str
    rows: int
    values: dict[str, int]
    many: bool


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
    posts: int
    labels: int
    priors: int
    annotators: int
    intended: int
    decided: int
    known_answers: int
    pictures: int
    columns: list[ColumnReport]
    kept: list[str]
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


class RowsRefused(Problem, ImportCounts):
    """Rows that cannot be stored; nothing of the import was. Lines count from the first row."""


class PostsRefused(Problem, total=False):
    """Posts that cannot get a known answer; none did. Lines count from 1."""

    errors: list[BadRow]


class NoSeat(Problem):
    """Why there is no seat for the annotator now; `limit` names the limit that is reached."""

    limit: NotRequired[Limit]


class LabelRefused(Problem):
    """Why an answer was not stored, with the label that is stored already."""

    label: NotRequired[LabelShape]
