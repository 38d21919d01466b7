"""Patterns of an item: three bits for text, picture and both together, their difficulty and their mechanism.

Rules: design section 2 (pattern, difficulty, mechanism) and section 4 (challenged priors).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from annotation.domain.choices import Difficulty, Modality
from annotation.domain.consensus import strict_majority
from annotation.domain.votes import Category, Challenge, Vote
from vocabulary.display_names import NamedEnum, pgettext

PATTERNS = ("000", "001", "010", "011", "100", "101", "110", "111")
"""All eight patterns: text bit, picture bit, combined bit."""


class Mechanism(NamedEnum):
    """The relation between the meaning of the parts and the meaning of the whole."""

    CONSISTENCY = "consistency", pgettext("stored word", "consistency")
    NEUTRALIZATION = "neutralization", pgettext("stored word", "neutralization")
    EMERGENCE = "emergence", pgettext("stored word", "emergence")
    INVERSION = "inversion", pgettext("stored word", "inversion")


_DIFFICULTY = {
    "000": Difficulty.EASY,
    "011": Difficulty.EASY,
    "101": Difficulty.EASY,
    "111": Difficulty.EASY,
    "100": Difficulty.NORMAL,
    "010": Difficulty.NORMAL,
    "001": Difficulty.HARD,
    "110": Difficulty.HARD,
}
_MECHANISM_OF_HARD = {"001": Mechanism.EMERGENCE, "110": Mechanism.INVERSION}
_MECHANISM = {Difficulty.EASY: Mechanism.CONSISTENCY, Difficulty.NORMAL: Mechanism.NEUTRALIZATION}


@dataclass(frozen=True)
class Pattern:
    """Whether the text alone, the picture alone and both together are hateful."""

    text: bool
    image: bool
    combined: bool

    @property
    def code(self) -> str:
        return f"{self.text:d}{self.image:d}{self.combined:d}"

    @property
    def difficulty(self) -> Difficulty:
        return _DIFFICULTY[self.code]

    @property
    def mechanism(self) -> Mechanism:
        return _MECHANISM_OF_HARD.get(self.code) or _MECHANISM[self.difficulty]


def pattern_of(bits: str) -> Pattern:
    """Return the pattern of three bits, such as "001"."""
    return Pattern(*(bit == "1" for bit in bits))


@dataclass(frozen=True)
class Prior:
    """The category of one modality alone, as the pattern uses it."""

    hateful: bool
    category: Category | None = None

    @classmethod
    def of(cls, category: Category) -> "Prior":
        return cls(category.hateful, category)


Priors = Mapping[Modality, Prior]
"""Only usable priors; a missing, refused or unreadable prior has no entry."""


def pattern(priors: Priors, combined_hateful: bool | None) -> Pattern | None:
    """Return the pattern. Returns None if one of the three bits is unknown; unknown never counts as not hateful."""
    text, image = priors.get(Modality.TEXT), priors.get(Modality.IMAGE)
    if text is None or image is None or combined_hateful is None:
        return None
    return Pattern(text.hateful, image.hateful, combined_hateful)


def corrected(priors: Priors, votes: Sequence[Vote]) -> dict[Modality, Prior]:
    """Return the priors for the pattern, each replaced if a strict majority of all votes corrects it.

    The majority is of all the item's annotators, also of those who challenge nothing. A modality without a prior gets
    none.
    """
    return {modality: majority_correction(modality, votes) or prior for modality, prior in priors.items()}


def majority_correction(modality: Modality, votes: Sequence[Vote]) -> Prior | None:
    """Return the correction that a strict majority of all votes shares.

    Returns None if there is none.
    Votes for different hateful categories agree on the bit; the category is set only if a majority shares it too.
    """
    challenges = [vote.challenge_of(modality) for vote in votes]
    hateful = strict_majority([None if challenge is None else challenge.hateful for challenge in challenges])
    if hateful is None:
        return None
    category = strict_majority([None if challenge is None else challenge.category for challenge in challenges])
    return Prior(hateful, category)


def contested(priors: Priors, votes: Sequence[Vote]) -> tuple[Modality, ...]:
    """Return the modalities with a challenge that would change a bit of the pattern but has no majority."""
    return tuple(
        modality
        for modality, prior in priors.items()
        if majority_correction(modality, votes) is None
        and any(_flips(vote.challenge_of(modality), prior) for vote in votes)
    )


def _flips(challenge: Challenge | None, prior: Prior) -> bool:
    return challenge is not None and challenge.hateful != prior.hateful
