"""What text, picture and both together say: three bits, how hard that is, and what the parts do to each other.

Rules: design section 2 (pattern, difficulty, mechanism) and section 4 (challenged priors).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from annotation.domain.choices import Difficulty, Modality
from annotation.domain.consensus import strict_majority
from annotation.domain.votes import Category, Challenge, Vote
from vocabulary.display_names import NamedEnum, pgettext

PATTERNS = ("000", "001", "010", "011", "100", "101", "110", "111")
"""All eight, as text bit, picture bit, combined bit."""


class Mechanism(NamedEnum):
    """What happens between the parts and the whole."""

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


@dataclass(frozen=True)
class Prior:
    """What counts as one modality's own category in the pattern."""

    hateful: bool
    category: Category | None = None

    @classmethod
    def of(cls, category: Category) -> "Prior":
        return cls(category.hateful, category)


Priors = Mapping[Modality, Prior]
"""Only usable priors: a missing, refused or unreadable one has no entry."""


def pattern(priors: Priors, combined_hateful: bool | None) -> Pattern | None:
    """The three bits, or None where one of them is unknown; unknown never counts as not hateful."""
    text, image = priors.get(Modality.TEXT), priors.get(Modality.IMAGE)
    if text is None or image is None or combined_hateful is None:
        return None
    return Pattern(text.hateful, image.hateful, combined_hateful)


def corrected(priors: Priors, votes: Sequence[Vote]) -> dict[Modality, Prior]:
    """The priors as the pattern uses them: each replaced where a strict majority of all votes corrects it.

    The majority is of the item's annotators, also of those who challenge nothing. A modality without a prior
    stays without: there is nothing to correct.
    """
    return {modality: majority_correction(modality, votes) or prior for modality, prior in priors.items()}


def majority_correction(modality: Modality, votes: Sequence[Vote]) -> Prior | None:
    """The correction that a strict majority of all votes shares, or None.

    Votes for different kinds of hate agree on the bit; the category is kept where they agree on it too.
    """
    challenges = [vote.challenge_of(modality) for vote in votes]
    hateful = strict_majority([None if each is None else each.hateful for each in challenges])
    if hateful is None:
        return None
    category = strict_majority([None if each is None else each.category for each in challenges])
    return Prior(hateful, category)


def contested(priors: Priors, votes: Sequence[Vote]) -> tuple[Modality, ...]:
    """The modalities where a challenge short of a majority would change a bit of the pattern."""
    return tuple(
        modality
        for modality, prior in priors.items()
        if majority_correction(modality, votes) is None
        and any(_flips(vote.challenge_of(modality), prior) for vote in votes)
    )


def _flips(challenge: Challenge | None, prior: Prior) -> bool:
    return challenge is not None and challenge.hateful != prior.hateful
