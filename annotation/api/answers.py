"""What the API answers beside rows of models, as types: its description is generated from them.

Every key is always there unless it is `NotRequired`, and a key that is not named is never there. Serializers stand in
these types for what they answer. The figures of dashboards are in `annotation.api.figures`.
"""

from datetime import datetime
from typing import Any, NotRequired, TypedDict
from uuid import UUID

from annotation.api.problems import ImportCounts
from annotation.api.serializers import BlindPriorShape, ItemShape, LabelShape
from annotation.domain.choices import Choose
from annotation.domain.design.changes import ChangeKind
from annotation.domain.questions.question import QuestionKind
from annotation.domain.releases.splits import Part
from runs.domain.states import RunState

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


Words = str | dict[str, str]
"""A text for every language, or one a language code with "" for all other languages."""


class QuestionOption(TypedDict):
    """One of a list."""

    code: str
    name: NotRequired[Words]
    retired: NotRequired[bool]


class DesignQuestion(TypedDict):
    """A further question of a design, as in `docs/design-file.md`."""

    code: str
    kind: QuestionKind
    wording: NotRequired[Words]
    help: NotRequired[Words]
    options: NotRequired[list[QuestionOption]]
    points: NotRequired[int]
    low: NotRequired[Words]
    high: NotRequired[Words]
    limit: NotRequired[int]
    key: NotRequired[str]
    required: NotRequired[bool]
    when: NotRequired[str | list[int]]
    retired: NotRequired[bool]


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


class ReportToldJson(TypedDict):
    """Who is told of a report: admins of the project and of the site, on each of their pages; by mail; the contact."""

    admins: bool
    site_admins: bool
    mail: bool
    contact: str


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


# ── Imports, priors, split lists ──────────────────────────────────────────────


class ImportReport(ImportCounts):
    """What an import stored, or would store."""


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
    choose: NotRequired[Choose]
    question: NotRequired[str | dict[str, str]]
    questions: NotRequired[list[DesignQuestion]]


class CategoryChangeShape(TypedDict):
    """What happened to one category."""

    kind: ChangeKind
    code: int
    name: str
    before: str
    after: str


class QuestionChangeShape(TypedDict):
    """One change of one further question; `parts` are the fields by which its new version asks otherwise."""

    kind: ChangeKind
    code: str
    version: int
    parts: list[str]


class DesignChanges(TypedDict):
    """What a stored design changed, categories and questions; empty lists where it was in force already."""

    changes: list[CategoryChangeShape]
    questions: list[QuestionChangeShape]
    choose: Choose | None
