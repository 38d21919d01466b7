"""Outcomes of a claim and of an annotator's acts: one type each, so that the type checker finds a forgotten case."""

from dataclasses import dataclass
from datetime import datetime

from annotation.domain.reports import ReportTold
from annotation.domain.wellbeing.breaks import Limit
from annotation.models import Item, Label, Prior, Report, Seat

# ── Asking for a post ─────────────────────────────────────────────────────────


@dataclass(frozen=True)
class HeldSeat:
    """A seat of this annotator, with `item`, `item.picture` and `item.project` loaded.

    With it comes what the page may show: how many labels the annotator gave today, the caps that are (nearly) used up,
    and whether a break is offered now.
    """

    seat: Seat
    labels_today: int = 0
    near: tuple[Limit, ...] = ()
    offers_break: bool = False
    postponed: int = 0
    """How many posts the annotator has put aside, with those that were lost and not told yet."""
    reached: Limit | None = None
    """The cap on severe items that this item used up."""
    comes_back: bool = False
    """Whether this one was put aside and comes now because nothing else is left."""


@dataclass(frozen=True)
class NothingLeft:
    """Every open item that this annotator may see has their seat or skip; the search runs again at `until`."""

    until: datetime


@dataclass(frozen=True)
class NotOpen:
    """The project is closed for labelling, or this member is no annotator."""


@dataclass(frozen=True)
class ConsentNeeded:
    """The annotator has not agreed to the content warning in force."""


@dataclass(frozen=True)
class TrainingNeeded:
    """The project requires its training to be passed first."""


@dataclass(frozen=True)
class GuidelinesChanged:
    """The annotator has to read a newer version of the guidelines first."""


@dataclass(frozen=True)
class QuotaReached:
    """The annotator has given as many labels as the project takes from one person."""

    quota: int


@dataclass(frozen=True)
class DoneForToday:
    """A cap is reached and no item within it is left."""

    reason: Limit


@dataclass(frozen=True)
class BreakDue:
    """Only severe items are left after a run of them: a short break comes first."""


ClaimOutcome = (
    HeldSeat
    | NothingLeft
    | NotOpen
    | ConsentNeeded
    | TrainingNeeded
    | GuidelinesChanged
    | QuotaReached
    | DoneForToday
    | BreakDue
)

# ── Answering ─────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Stored:
    """The answer is stored as a label. `undo_until` is set if it closed the item (it cannot be corrected then).

    `following` is the next seat, if it was asked for and found without waiting.
    """

    label: Label
    closed: bool
    undo_until: datetime | None = None
    following: HeldSeat | None = None


@dataclass(frozen=True)
class Replayed:
    """The same answer with this key was stored before (double click, lost reply); `label` is the stored one."""

    label: Label


@dataclass(frozen=True)
class KeyReused:
    """The key was used for another answer; nothing was stored."""

    label: Label


@dataclass(frozen=True)
class AlreadyLabelled:
    """The annotator's label for the item is stored already, from another tab; it may be corrected instead."""

    label: Label


@dataclass(frozen=True)
class SeatLost:
    """The seat lapsed and somebody else took it, or the item left labelling; nothing was stored."""

    item: Item


@dataclass(frozen=True)
class FirstAnswerNeeded:
    """The project hides priors until the annotator's own first answer, which is missing; nothing was stored."""

    seat: Seat


@dataclass(frozen=True)
class FirstAnswerStands:
    """Another first answer of the annotator is stored already, and it counts; nothing was stored."""

    seat: Seat


@dataclass(frozen=True)
class FirstAnswerNotAsked:
    """No prior is hidden at this seat until a first answer; nothing was stored."""

    seat: Seat


@dataclass(frozen=True)
class ItemClosed:
    """The label is final: the item is closed, or the time for changes is over."""

    label: Label


@dataclass(frozen=True)
class TooLate:
    """The label is final, and did not close its item within 30 seconds; or somebody has acted on the item since.

    The annotator too, who skipped or reported it.
    """

    label: Label


@dataclass(frozen=True)
class NoSuchSeat:
    """No seat with this id is or was the member's."""


@dataclass(frozen=True)
class NoSuchLabel:
    """No label of the member has this id."""


@dataclass(frozen=True)
class TakenBack:
    """The label no longer counts (it stays in the history); the annotator holds the seat again."""

    seat: Seat
    label: Label


@dataclass(frozen=True)
class Skipped:
    """The item is not offered to this annotator again."""

    item: Item


@dataclass(frozen=True)
class Postponed:
    """The seat stays the annotator's; its item comes back when nothing else is left, or when they ask for it."""

    item: Item


@dataclass(frozen=True)
class TooManyPostponed:
    """As many seats as one may put aside are put aside; nothing has changed."""

    limit: int


@dataclass(frozen=True)
class PriorsOpened:
    """The first answer is stored, now or by the same request before, and the priors may be shown now."""

    seat: Seat
    priors: tuple[Prior, ...]


@dataclass(frozen=True)
class Reported:
    """Labelling of the item has stopped; the annotator is shown who is told of it."""

    report: Report
    told: ReportTold
