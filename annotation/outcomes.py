"""What became of an annotator's act or of asking for a post: one type an answer, so that the type checker finds a
forgotten one.
"""

from dataclasses import dataclass
from datetime import datetime

from annotation.domain.pace import Limit
from annotation.models import Item, Label, Prior, Report, Seat

# ── Asking for a post ─────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Held:
    """A seat of this person, with `item`, `item.picture` and `item.project` at hand without another query.

    Beside it what the page may say: how many labels the person gave today, the caps that are (nearly) used up, and
    whether this is the moment to offer a break.
    """

    seat: Seat
    labels_today: int = 0
    near: tuple[Limit, ...] = ()
    offers_break: bool = False


@dataclass(frozen=True)
class NothingLeft:
    """No open item that this person may see is without their seat or skip; we look again at `until`."""

    until: datetime


@dataclass(frozen=True)
class NotOpen:
    """The project is closed for labelling, or this member does not annotate."""


@dataclass(frozen=True)
class ConsentNeeded:
    """The person has not agreed to the content warning in force."""


@dataclass(frozen=True)
class TrainingNeeded:
    """The project wants its training passed first."""


@dataclass(frozen=True)
class GuidelinesChanged:
    """A newer version of the guidelines asks this person to read it."""


@dataclass(frozen=True)
class QuotaReached:
    """The person has given as many labels as the project takes from one."""

    quota: int


@dataclass(frozen=True)
class DoneForToday:
    """A cap is reached and nothing that it allows is left."""

    reason: Limit


@dataclass(frozen=True)
class BreakDue:
    """Only severe items are left after a run of them: a short break comes first."""


Claim = (
    Held
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
    """The answer is a label now. `undo_until` is set where it closed the item (then it cannot be corrected)."""

    label: Label
    closed: bool
    undo_until: datetime | None = None


@dataclass(frozen=True)
class Replayed:
    """This very answer with this key was stored before (double click, lost reply): here it is again."""

    label: Label


@dataclass(frozen=True)
class KeyReused:
    """The key was used for another answer; nothing was stored."""

    label: Label


@dataclass(frozen=True)
class AlreadyLabelled:
    """This person's label for the item is stored already, from another tab; it may be corrected instead."""

    label: Label


@dataclass(frozen=True)
class SeatLost:
    """The seat lapsed and somebody else took it, or the item left labelling; nothing was stored."""

    item: Item


@dataclass(frozen=True)
class FirstAnswerNeeded:
    """The project hides priors until one's own first answer, and it was not given yet; nothing was stored."""

    seat: Seat


@dataclass(frozen=True)
class ItemClosed:
    """The item is closed: its labels can no longer be changed by those who gave them."""

    label: Label


@dataclass(frozen=True)
class TooLate:
    """More than half a minute has passed, or somebody has acted on the item since."""

    label: Label


@dataclass(frozen=True)
class NoSuchSeat:
    """No seat of this person has this id."""


@dataclass(frozen=True)
class NoSuchLabel:
    """No label of this person has this id."""


@dataclass(frozen=True)
class TakenBack:
    """The label no longer counts (it stays in the history); the person holds the seat again."""

    seat: Seat
    label: Label


@dataclass(frozen=True)
class Skipped:
    """The item will not be offered to this person again."""

    item: Item


@dataclass(frozen=True)
class PriorsOpened:
    """The first answer is kept (a later one does not replace it) and the priors may be shown now."""

    seat: Seat
    priors: tuple[Prior, ...]


@dataclass(frozen=True)
class Reported:
    """Labelling of the item has stopped; `contact` is the operator's, to be shown."""

    report: Report
    contact: str
