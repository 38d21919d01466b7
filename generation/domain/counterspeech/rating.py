"""What a person says of two replies that stand side by side, by the paper's five criteria."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated

from generation.domain.counterspeech.preferences import Choice, Criterion
from vocabulary.refusals import gettext_noop as _
from vocabulary.requests import Asked, Request, places


class BetterSide(StrEnum):
    """The better one of the two replies as they stand side by side."""

    LEFT = "left"
    TIE = "tie"
    RIGHT = "right"


_SIDES = {BetterSide.LEFT: _("left"), BetterSide.TIE: _("alike"), BetterSide.RIGHT: _("right")}


def _asked(criterion: str) -> Asked:
    return Asked(criterion, words=_SIDES, radio=True, body=f"Which one is better: {criterion}.")


class Rating(Request):
    """Which of two replies is better, by each criterion."""

    independence: Annotated[BetterSide, _asked(_("Independent: can be understood on its own"))]
    adequacy: Annotated[BetterSide, _asked(_("Well written: correct, coherent, fluent"))]
    relevance: Annotated[BetterSide, _asked(_("Speaks to this post: its subject, its claim, the people meant"))]
    effectiveness: Annotated[BetterSide, _asked(_("Convinces: a reader in doubt would be moved by it"))]
    category: Annotated[BetterSide, _asked(_("Does what its intent says"))]

    def choices(self, *, first_is_left: bool) -> dict[str, Choice]:
        """Return the choices by criterion, in the order of the stored pair."""
        return {name.value: choice_of(getattr(self, name), first_is_left=first_is_left) for name in Criterion}


CRITERION_WORDS: Mapping[Criterion, str] = {
    Criterion(place.field): place.asked.label for place in places(Rating) if place.asked
}
"""The words of each criterion on pages."""


def choice_of(side: BetterSide, *, first_is_left: bool) -> Choice:
    """Return the choice in the order of the stored pair."""
    if side is BetterSide.TIE:
        return Choice.TIE
    return Choice.FIRST if (side is BetterSide.LEFT) == first_is_left else Choice.SECOND


def side_of(choice: Choice, *, first_is_left: bool) -> BetterSide:
    """Return the side on which the better one stands."""
    if choice is Choice.TIE:
        return BetterSide.TIE
    return BetterSide.LEFT if (choice is Choice.FIRST) == first_is_left else BetterSide.RIGHT
