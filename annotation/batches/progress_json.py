"""The progress of batches as JSON values, with their types: what the command and the API say."""

from datetime import date
from typing import TypedDict
from uuid import UUID

from annotation.batches.progress import BatchFigures, BatchOverview
from annotation.domain.choices import BatchState, Stage
from annotation.domain.workforce.forecast import Estimate
from annotation.domain.workforce.staffing import Verdict
from vocabulary.answers import answer

# ── Types ─────────────────────────────────────────────────────────────────────


class SeatCounts(TypedDict):
    """Seats by what became of them."""

    filled: int
    held: int
    free: int
    not_open: int


class Pace(TypedDict):
    """How fast labels come: labels a day, on so many of the last days."""

    labels_a_day: float
    days: int
    of_last_days: int


class Staffing(TypedDict):
    """Whether the people of the project can fill the seats that are left, and who is missing."""

    verdict: Verdict
    stuck_items: int
    more_people: int
    labels_short: int


class BatchNumbers(TypedDict):
    """The numbers of a batch or of all; `finish` is the first and the last likely day, or null."""

    items: int
    stages: dict[Stage, int]
    ready: int
    pictures_missing: int
    seats: SeatCounts
    pace: Pace | None
    finish: list[date] | None
    people_to_ask: int
    staffing: Staffing


class BatchJson(BatchNumbers):
    """One batch. `id` and `name` are empty for items without one; `members` is null where everybody is asked."""

    id: UUID | None
    name: str
    state: BatchState
    pilot: bool
    waits_for_pilot: bool
    members: list[str] | None
    priority: list[int]


class Person(TypedDict):
    """An annotator's labels, the posts held, and how many labels more they may give."""

    name: str
    labels: int
    held: int
    quota: int | None
    left: int | None


class BatchOverviewJson(TypedDict):
    """Every batch of a project, all of them together, and the people; `nobody_left` are items that lack people.

    `waiting` counts items with all their labels, which close once none of these can be changed any more.
    """

    batches: list[BatchJson]
    all: BatchNumbers
    people: list[Person]
    nobody_left: list[str]
    looked_at_all: bool
    waiting: int


# ── Values ────────────────────────────────────────────────────────────────────


def as_json(overview: BatchOverview) -> BatchOverviewJson:
    """Return the overview as JSON values; people by pseudonym, items by external id."""
    return answer(
        BatchOverviewJson,
        overview,
        batches=[_batch(batch) for batch in overview.batches],
        all=_numbers(overview.whole),
        nobody_left=[item.external_id for item in overview.nobody_left],
    )


def _batch(batch: BatchFigures) -> BatchJson:
    return {
        "id": batch.row.public_id if batch.row else None,
        "name": batch.name,
        "state": batch.state,
        "pilot": batch.row is not None and batch.row.pilot,
        "waits_for_pilot": batch.waits_for is not None and batch.state is not BatchState.CLOSED,
        "members": [person.name for person in batch.members] if batch.limited else None,
        "priority": list(batch.priorities),
        **_numbers(batch),
    }


def _numbers(figures: BatchFigures) -> BatchNumbers:
    pace, needs = figures.finish.pace, figures.staffing
    finish = figures.finish if isinstance(figures.finish, Estimate) and figures.left else None
    missing = max(needs.more_people, figures.members_short)
    return answer(
        BatchNumbers,
        figures,
        stages={str(stage): count for stage, count in sorted(figures.stages.items())},
        pictures_missing=figures.missing_pictures,
        seats=answer(SeatCounts, figures, not_open=figures.unopened),
        pace=pace and answer(Pace, pace, labels_a_day=pace.per_day, of_last_days=pace.span),
        finish=finish and [finish.first, finish.last],
        people_to_ask=figures.available,
        staffing=answer(Staffing, needs, more_people=missing),
    )
