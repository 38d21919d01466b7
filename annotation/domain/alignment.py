"""Whether people read an item as it was meant (design section 4, Intent alignment)."""

from dataclasses import dataclass

from annotation.domain.votes import Category


@dataclass(frozen=True)
class IntendedCategory:
    """The semantic target is one category."""

    category: Category


@dataclass(frozen=True)
class IntendedHateful:
    """The semantic target is only hateful or not."""

    hateful: bool


Intent = IntendedCategory | IntendedHateful


@dataclass(frozen=True)
class Aligned:
    """The outcome is what was intended."""


@dataclass(frozen=True)
class Misaligned:
    """The outcome is something else."""


@dataclass(frozen=True)
class NotApplicable:
    """There is no intent, or nothing yet to compare it with."""


Alignment = Aligned | Misaligned | NotApplicable


def alignment(category: Category | None, hateful: bool | None, intent: Intent | None) -> Alignment:
    """Compare the final category with an intended one, the binary outcome with a binary intent.

    `category` and `hateful` are None while they are undecided: then there is nothing to compare.
    """
    match intent:
        case None:
            return NotApplicable()
        case IntendedCategory(intended):
            return _compared(category, intended)
        case IntendedHateful(intended_hateful):
            return _compared(hateful, intended_hateful)


def _compared(outcome: object, intended: object) -> Alignment:
    if outcome is None:
        return NotApplicable()
    return Aligned() if outcome == intended else Misaligned()


def aligned_flag(outcome: Alignment) -> bool | None:
    """The outcome as rows and files hold it: true, false, or null where it does not apply."""
    match outcome:
        case Aligned():
            return True
        case Misaligned():
            return False
        case NotApplicable():
            return None
