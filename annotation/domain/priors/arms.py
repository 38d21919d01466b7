"""Which arm of prior display one person's view of one item falls into: a draw that anybody can repeat.

The draw is a hash of a project's secret seed and the two public ids, so it depends on nothing else: not on the order
in which items are handed out, not on who asked before. Stored before display, it is never drawn again.
"""

from hashlib import sha256
from uuid import UUID

from annotation.domain.choices import PriorArm, PriorDisplay

_SPACE = 2**64


def share(*parts: object) -> float:
    """A number in [0, 1) that these parts always give; over many different parts it is spread evenly."""
    digest = sha256("\x1f".join(str(part) for part in parts).encode()).digest()
    return int.from_bytes(digest[:8]) / _SPACE


def draw_arm(seed: str, member: UUID, item: UUID, withheld_percent: int, display: PriorDisplay) -> PriorArm:
    """Withheld for `withheld_percent` of all (person, item); for the others what the project's display says."""
    if share(seed, "arm", member, item) * 100 < withheld_percent:
        return PriorArm.WITHHELD
    return arm_of(display)


def arm_of(display: PriorDisplay) -> PriorArm:
    """The arm of everybody where nothing is withheld."""
    return PriorArm.HIDDEN if display == PriorDisplay.AFTER_FIRST_ANSWER else PriorArm.SHOWN


def draws_check(seed: str, member: UUID, day: object, number: int, percent: int) -> bool:
    """Whether a person's next item is one whose answer is known; `number` counts what they saw that day."""
    return share(seed, "check", member, day, number) * 100 < percent
