"""The one table of allowed moves between stages, with the movers of each (design section 3)."""

from collections.abc import Mapping
from enum import StrEnum

from annotation.domain.choices import Stage


class Mover(StrEnum):
    """The authority under which an item moves."""

    SYSTEM = "system"
    """A rule of the program: closing, opening, importing, the sweeper."""
    MEMBER = "member"
    """Any member by their own act: reporting the item, or taking back the label that closed it."""
    REVIEWER = "reviewer"
    ADMIN = "admin"


_SYSTEM = frozenset({Mover.SYSTEM})
_ADMIN = frozenset({Mover.ADMIN})
_SYSTEM_OR_ADMIN = _SYSTEM | _ADMIN
_REMOVERS = frozenset({Mover.MEMBER, Mover.REVIEWER, Mover.ADMIN})
_SETTLERS = frozenset({Mover.SYSTEM, Mover.REVIEWER})
_REOPENERS = frozenset({Mover.SYSTEM, Mover.MEMBER, Mover.ADMIN})

MOVES: Mapping[tuple[Stage, Stage], frozenset[Mover]] = {
    (Stage.IMPORTED, Stage.READY): _SYSTEM_OR_ADMIN,
    (Stage.IMPORTED, Stage.GOLD): _SYSTEM_OR_ADMIN,
    (Stage.READY, Stage.LABELLING): _SYSTEM_OR_ADMIN,
    (Stage.LABELLING, Stage.DISPUTED): _SYSTEM,
    (Stage.LABELLING, Stage.GOLD): _SYSTEM,
    (Stage.DISPUTED, Stage.GOLD): _SETTLERS,
    (Stage.DISPUTED, Stage.LABELLING): _SETTLERS | {Mover.MEMBER},
    (Stage.GOLD, Stage.DISPUTED): _SYSTEM,
    (Stage.GOLD, Stage.LABELLING): _REOPENERS,
    (Stage.EXCLUDED, Stage.LABELLING): _REOPENERS,
    # A new decision replaces one that excluded the item; an admin puts back what was reported without need.
    (Stage.EXCLUDED, Stage.GOLD): frozenset({Mover.REVIEWER, Mover.ADMIN}),
    (Stage.EXCLUDED, Stage.IMPORTED): _ADMIN,
    (Stage.EXCLUDED, Stage.READY): _ADMIN,
    (Stage.EXCLUDED, Stage.DISPUTED): _ADMIN,
    (Stage.EXCLUDED, Stage.KNOWN): _ADMIN,
    # An item with a known answer takes no part in labelling; it returns only while nobody has answered it.
    (Stage.IMPORTED, Stage.KNOWN): _ADMIN,
    (Stage.READY, Stage.KNOWN): _ADMIN,
    (Stage.KNOWN, Stage.READY): _ADMIN,
    # People may report or withdraw an item at any stage; rules exclude only when they close or settle an item.
    (Stage.IMPORTED, Stage.EXCLUDED): _REMOVERS,
    (Stage.READY, Stage.EXCLUDED): _REMOVERS,
    (Stage.LABELLING, Stage.EXCLUDED): _REMOVERS | _SYSTEM,
    (Stage.DISPUTED, Stage.EXCLUDED): _REMOVERS | _SYSTEM,
    (Stage.GOLD, Stage.EXCLUDED): _REMOVERS,
    (Stage.KNOWN, Stage.EXCLUDED): _REMOVERS,
}


def may_move(start: Stage, end: Stage, mover: Mover) -> bool:
    """Return whether the table lists this move for this mover. Staying in a stage is no move."""
    return mover in MOVES.get((start, end), frozenset())
