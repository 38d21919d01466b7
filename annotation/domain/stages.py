"""Which way an item may go, and who may send it there (design section 3): the one table of moves."""

from collections.abc import Mapping
from enum import StrEnum

from annotation.domain.choices import Stage


class Mover(StrEnum):
    """On whose authority an item moves."""

    SYSTEM = "system"
    """A rule: closing, opening, importing, the sweeper."""
    MEMBER = "member"
    """Any member about their own act: reports the item, takes back their closing label."""
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
    (Stage.EXCLUDED, Stage.GOLD): frozenset({Mover.REVIEWER}),  # a new decision in place of one that excluded
    # An item with a known answer stands aside; it comes back only while nobody has answered it.
    (Stage.IMPORTED, Stage.KNOWN): _ADMIN,
    (Stage.READY, Stage.KNOWN): _ADMIN,
    (Stage.KNOWN, Stage.READY): _ADMIN,
    # Reported or withdrawn from anywhere; by the rules from where items are closed and settled.
    (Stage.IMPORTED, Stage.EXCLUDED): _REMOVERS,
    (Stage.READY, Stage.EXCLUDED): _REMOVERS,
    (Stage.LABELLING, Stage.EXCLUDED): _REMOVERS | _SYSTEM,
    (Stage.DISPUTED, Stage.EXCLUDED): _REMOVERS | _SYSTEM,
    (Stage.GOLD, Stage.EXCLUDED): _REMOVERS,
    (Stage.KNOWN, Stage.EXCLUDED): _REMOVERS,
}


def may_move(start: Stage, end: Stage, mover: Mover) -> bool:
    """Whether the table lists this move for this mover; staying put is no move."""
    return mover in MOVES.get((start, end), frozenset())
