"""What the API answers beside rows of models, as types: its description is generated from them.

Every key is always there unless it is `NotRequired`, and a key that is not named is never there. Serializers stand in
these types for what they answer. The figures of dashboards are in `annotation.api.figures`.
"""

from datetime import datetime
from typing import Any, NotRequired, TypedDict
from uuid import UUID

from annotation.api.serializers import BlindPriorShape, ItemShape, LabelShape
from annotation.domain.choices import Choose
from annotation.domain.design.changes import CategoryChange
from annotation.domain.design.file import DesignCategory
from annotation.domain.design.question_changes import QuestionChange
from annotation.domain.questions.kinds.registry import KINDS
from annotation.domain.questions.question import QuestionKind
from annotation.domain.releases.splits import Part
from annotation.domain.words import ShownWords
from runs.queue.progress import MethodProgress
from vocabulary.answers import object_type

# ── Pages of lists ────────────────────────────────────────────────────────────


class Page(TypedDict):
    """One page of a list: the number of all entries, and of all pages."""

    count: int
    page: int
    pages: int


class KeyedPage(TypedDict):
    """One page of a long list, with the keys of the pages around it: null where there is none.

    Of a page by key, nothing is counted, and it has no number.
    """

    count: int | None
    page: int | None
    pages: int | None
    previous: str | None
    next: str | None


class ItemPage(KeyedPage):
    """A page of items."""

    results: list[ItemShape]


class LabelPage(KeyedPage):
    """A page of labels."""

    results: list[LabelShape]


# ── An annotator's work ───────────────────────────────────────────────────────


class PictureAddresses(TypedDict):
    """Where a seat's picture is: blurred, and whole. Asking for the whole one counts as a reveal."""

    blurred: str
    whole: str


class _QuestionOfAnyKind(TypedDict):
    code: str
    kind: QuestionKind
    wording: NotRequired[ShownWords]
    help: NotRequired[ShownWords]
    key: NotRequired[str]
    required: NotRequired[bool]
    when: NotRequired[str | list[int]]
    retired: NotRequired[bool]


_OF_SOME_KINDS = {field.name: NotRequired[field.type] for kind in KINDS.values() for field in kind.fields}


class DesignQuestion(_QuestionOfAnyKind, object_type(_OF_SOME_KINDS)):  # type: ignore[misc]  # a base made of what kinds declare
    """A further question of a design, as in `docs/design-file.md`."""


class AskedQuestion(DesignQuestion):
    """A further question that is asked now; an answer may name its version."""

    version: int


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
    extra: dict[str, Any]
    questions: list[AskedQuestion]
    break_offered: bool


class ReportJson(TypedDict):
    """One report: who, under their pseudonym, when, and their words."""

    by: str
    at: datetime
    note: str


class ReportedPostJson(TypedDict):
    """A reported item with its reports; those that wait have no answer. A site admin has no name in `answered_by`."""

    item: UUID
    external_id: str
    version: int
    stage: str
    stage_before: str | None
    reports: list[ReportJson]
    answer: str | None
    reason: str
    answered_by: str | None
    answered_at: datetime | None


# ── Priors, split lists ───────────────────────────────────────────────────────


class PriorProgressJson(TypedDict):
    """How many priors of a project there are, and how many are missing."""

    done: int
    refused: int
    unreadable: int
    failed: int
    imported: int
    missing: int
    progress: MethodProgress


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


class DesignFile(TypedDict):
    """A design, as in `docs/design-file.md`."""

    categories: list[DesignCategory]
    choose: NotRequired[Choose]
    question: NotRequired[ShownWords]
    questions: NotRequired[list[DesignQuestion]]


class DesignChanges(TypedDict):
    """What a stored design changed, categories and questions; empty lists where it was in force already."""

    changes: tuple[CategoryChange, ...]
    questions: tuple[QuestionChange, ...]
    choose: Choose | None
