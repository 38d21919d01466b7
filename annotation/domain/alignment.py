"""Comparison of the outcome of an item with its intent (design section 4, Intent alignment)."""

from dataclasses import dataclass

from annotation.domain.votes import Category


@dataclass(frozen=True)
class IntendedCategory:
    """The intent names one category, or several."""

    category: Category
    further: tuple[Category, ...] = ()


@dataclass(frozen=True)
class IntendedHateful:
    """The intent says only whether the item is hateful."""

    hateful: bool


Intent = IntendedCategory | IntendedHateful


@dataclass(frozen=True)
class Aligned:
    """The outcome equals the intent."""


@dataclass(frozen=True)
class Misaligned:
    """The outcome differs from the intent."""


@dataclass(frozen=True)
class NotApplicable:
    """There is no intent, or there is no outcome to compare with it."""


Alignment = Aligned | Misaligned | NotApplicable


def alignment(
    category: Category | None, hateful: bool | None, intent: Intent | None, further: tuple[Category, ...] = ()
) -> Alignment:
    """Compare the final category with an intended category, or the binary outcome with a binary intent.

    `category` and `hateful` are None while they are undecided; then the result is NotApplicable. Where several
    categories can be chosen (`further`), the whole sets must be equal.
    """
    match intent:
        case None:
            return NotApplicable()
        case IntendedCategory(intended, also):
            outcome = None if category is None else {category, *further}
            return _compared(outcome, {intended, *also})
        case IntendedHateful(intended_hateful):
            return _compared(hateful, intended_hateful)


def _compared(outcome: object, intended: object) -> Alignment:
    if outcome is None:
        return NotApplicable()
    return Aligned() if outcome == intended else Misaligned()


def aligned_flag(outcome: Alignment) -> bool | None:
    """Return an alignment as rows and files store it: true, false, or None if it does not apply."""
    match outcome:
        case Aligned():
            return True
        case Misaligned():
            return False
        case NotApplicable():
            return None
