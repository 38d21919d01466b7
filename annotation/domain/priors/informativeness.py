"""How much an item's labels are expected to tell: most where models disagree about it.

Priors judge text and picture alone, so they disagree on many posts whose joint meaning only people can tell (H-VLI
paper, section 3). A prior carries no confidence of its model, so disagreement is all there is to go by.
"""

from collections.abc import Iterable
from enum import IntEnum


class Informativeness(IntEnum):
    """What the priors of an item disagree about. A higher value is handed out first where hard items come first."""

    ALIKE = 0
    """They agree, or there are fewer than two."""
    KIND = 1
    """They agree that it is hateful, and name different categories."""
    HATE = 2
    """They disagree whether it is hateful."""


View = tuple[bool | None, int | None]
"""What one prior says: hateful or not, and the category (by code or key); None where it does not say."""


def informativeness(views: Iterable[View]) -> Informativeness:
    """Return what the usable priors of an item disagree about: of text and picture, from models and from files."""
    views = list(views)
    if len({hateful for hateful, _category in views if hateful is not None}) > 1:
        return Informativeness.HATE
    if len({category for _hateful, category in views if category is not None}) > 1:
        return Informativeness.KIND
    return Informativeness.ALIKE
