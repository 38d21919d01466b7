"""The arm of prior display for one person and one item: a random draw that anybody can repeat.

The draw is a hash of a project's secret seed and the two public ids. It does not depend on the order in which items are
assigned, nor on earlier draws. It is stored before display and never drawn again.
"""

from hashlib import sha256
from uuid import UUID

from annotation.domain.choices import PriorArm, PriorDisplay

_SPACE = 2**64


def share(*parts: object) -> float:
    """Return a number in [0, 1) determined by these parts; over many different parts it is evenly distributed."""
    digest = sha256("\x1f".join(str(part) for part in parts).encode()).digest()
    return int.from_bytes(digest[:8]) / _SPACE


def draw_arm(seed: str, member: UUID, item: UUID, withheld_percent: int, display: PriorDisplay) -> PriorArm:
    """Return the arm: withheld for `withheld_percent` of all (person, item), else the one of the project's display."""
    if share(seed, "arm", member, item) * 100 < withheld_percent:
        return PriorArm.WITHHELD
    return arm_of(display)


def arm_of(display: PriorDisplay) -> PriorArm:
    """Return the arm for a person from whom nothing is withheld."""
    return PriorArm.HIDDEN if display == PriorDisplay.AFTER_FIRST_ANSWER else PriorArm.SHOWN


def draws_check(seed: str, member: UUID, day: object, number: int, percent: int) -> bool:
    """Return whether a person's next item has a known answer; `number` counts the items they saw that day."""
    return share(seed, "check", member, day, number) * 100 < percent
