"""What the API answers beside rows of models, as types: its description is generated from them.

Every key is always there unless it is `NotRequired`, and a key that is not named is never there. Serializers stand in
these types for what they answer. The figures of dashboards are in `annotation.api.figures`.
"""

from datetime import datetime
from typing import NotRequired, TypedDict
from uuid import UUID

from annotation.api.problems import BadRow, ColumnReport
from annotation.api.serializers import BlindPriorShape, ItemShape, LabelShape
from annotation.domain.design.changes import ChangeKind
from annotation.domain.formats.base import Format
from annotation.domain.releases.splits import Part
from runs.domain.states import RunState

# ── Pages of lists ────────────────────────────────────────────────────────────


class Page(TypedDict):
    """One page of a list: the number of all entries, and of all pages."""

    count: int
    page: int
    pages: int


class ItemPage(Page):
    """A page of items."""

    results: list[ItemShape]


class LabelPage(Page):
    """A page of labels."""

    results: list[LabelShape]


# ── An annotator's work ───────────────────────────────────────────────────────


class PictureAddresses(TypedDict):
    """Where a seat's picture is: blurred, and whole. Asking for the whole one counts as a reveal."""

    blurred: str
    whole: str


class HeldSeatJson(TypedDict):
    """A seat that is held for the caller, without anything that tells what others think."""

    seat: UUID
    item: UUID
    expires_at: datetime
    text: str
    picture: PictureAddresses | None
    priors_hidden: bool
    priors: list[BlindPriorShape]
    picture_text: str | None
    break_offered: bool


class Contact(TypedDict):
    """Whom to turn to after a report."""

    contact: str


# ── Imports, priors, split lists ──────────────────────────────────────────────


class ImportReport(TypedDict):
    """What an import stored, or would store."""

    format: Format
    items: int
    labels: int
    priors: int
    annotators: int
    intended: int
    decided: int
    known_answers: int
    pictures: int
    columns: list[ColumnReport]
    missing_images: int
    dropped: int
    duplicates: int
    masked: dict[str, int]
    dry_run: bool
    errors: list[BadRow]


class MethodProgressJson(TypedDict):
    """How far the runs of a method are; `seconds_left` is null where it is not known."""

    counts: dict[RunState, int]
    per_minute: float
    seconds_left: float | None


class PriorProgressJson(TypedDict):
    """How many priors of a project there are, and how many are missing."""

    done: int
    refused: int
    unreadable: int
    failed: int
    imported: int
    missing: int
    progress: MethodProgressJson


class PriorsQueued(TypedDict):
    """How many priors are asked for now, and what stands in the way of others."""

    queued: int
    problems: list[str]


class SplitListJson(TypedDict):
    """A fixed list of parts, with the number of ids in each."""

    id: UUID
    name: str
    sha256: str
    items: int
    sizes: dict[Part, int]


class WholeSplitList(SplitListJson):
    """A fixed list with its parts: id → part."""

    parts: dict[str, Part]


# ── The design of a project ───────────────────────────────────────────────────


class DesignCategory(TypedDict):
    """A category of a design."""

    code: int
    name: str
    hateful: bool
    aliases: NotRequired[list[str]]
    definition: NotRequired[str]
    key: NotRequired[str]
    colour: NotRequired[str]
    retired: NotRequired[bool]


class DesignFile(TypedDict):
    """A design, as in `docs/design-file.md`."""

    categories: list[DesignCategory]
    question: NotRequired[str | dict[str, str]]


class CategoryChangeShape(TypedDict):
    """What happened to one category."""

    kind: ChangeKind
    code: int
    name: str
    before: str
    after: str


class DesignChanges(TypedDict):
    """What a stored design changed; an empty list where it was in force already."""

    changes: list[CategoryChangeShape]
