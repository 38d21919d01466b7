"""How the API refuses, as types: its description is generated from them.

Every refusal has the keys of `Problem`; the types below it name what some refusals say beside them.
"""

from typing import NotRequired, TypedDict

from annotation.api.serializers import LabelShape
from annotation.domain.wellbeing.breaks import Limit
from annotation.imports.report_types import BadRow, ImportCounts


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
