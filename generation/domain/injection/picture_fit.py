"""Whether a planned sample fits its picture, by what a model saw in the picture before anything is written.

A picture whose own reading contradicts the plan is refused. A picture about another group moves the sample to that
group, if nothing in the plan belongs to the planned group alone.
"""

from dataclasses import dataclass, replace

from annotation.domain.votes import Category
from generation.domain.injection.strategies import Strategy
from vocabulary.display_names import NamedEnum, pgettext


class Misfit(NamedEnum):
    """A reason for which no text is written for a picture."""

    PICTURE_HATEFUL = "picture_hateful", pgettext("stored word", "the picture is hateful alone")
    """The pattern needs a picture that is not."""
    PICTURE_HARMLESS = "picture_harmless", pgettext("stored word", "the picture is not hateful alone")
    """The pattern needs a picture that is."""
    OTHER_HATE = "other_hate", pgettext("stored word", "the picture shows another kind of hate")
    """Text and picture are to be hateful together, of a kind that the picture does not show."""
    OTHER_GROUP = "other_group", pgettext("stored word", "the picture is about another group")
    """The text has to stay about the planned group."""
    NO_GROUP = "no_group", pgettext("stored word", "the picture is about no group of the project")
    """The picture has to say whom the post is about, and it does not."""


@dataclass(frozen=True)
class PlannedPair:
    """What text and picture of one sample are meant to be. An empty target group means nobody in particular."""

    pattern: str
    category: int
    strategy: Strategy
    target_group: str

    @property
    def image_hateful(self) -> bool:
        """Whether the picture is to be hateful alone."""
        return self.pattern[1] == "1"

    @property
    def hateful(self) -> bool:
        """Whether text and picture are to be hateful together."""
        return self.pattern[2] == "1"

    def is_about(self, group: str) -> bool:
        """Return whether this is the planned group; capitals do not matter."""
        return group.casefold() == self.target_group.casefold()


@dataclass(frozen=True)
class PictureLook:
    """What a model saw: a description, the category of the picture alone, and whom a post with it would be about.

    `target_group` is empty if the picture is about none of the project's groups.
    """

    description: str
    category: Category
    target_group: str


@dataclass(frozen=True)
class Fits:
    """The picture fits the plan as it is."""

    pair: PlannedPair


@dataclass(frozen=True)
class Replanned:
    """The picture fits the plan with another target group; `pair` names the group that the picture shows."""

    pair: PlannedPair


@dataclass(frozen=True)
class Unfit:
    """Nothing can be written for this picture that would be what the plan asks for."""

    reason: Misfit


def fit(pair: PlannedPair, look: PictureLook) -> Fits | Replanned | Unfit:
    """Return whether the picture fits the plan, fits it with another target group, or does not fit it."""
    if reason := _contradiction(pair, look.category):
        return Unfit(reason)
    if not pair.target_group or pair.is_about(look.target_group):
        return Fits(pair)
    if not look.target_group:
        return Unfit(Misfit.NO_GROUP) if _picture_names_the_group(pair) else Fits(pair)
    if not _may_change_group(pair):
        return Unfit(Misfit.OTHER_GROUP)
    return Replanned(replace(pair, target_group=look.target_group))


def _contradiction(pair: PlannedPair, alone: Category) -> Misfit | None:
    """Return how the picture alone contradicts the pattern or the intended category. Returns None if it does not."""
    if alone.hateful != pair.image_hateful:
        return Misfit.PICTURE_HATEFUL if alone.hateful else Misfit.PICTURE_HARMLESS
    if pair.hateful and pair.image_hateful and alone.code != pair.category:
        return Misfit.OTHER_HATE
    return None


def _picture_names_the_group(pair: PlannedPair) -> bool:
    """Return whether the post is about its group through the picture: the picture attacks it, or alone shows it."""
    return pair.image_hateful or pair.strategy is Strategy.PARAPHRASE


def _may_change_group(pair: PlannedPair) -> bool:
    """Return whether a text about another group would still be what the plan asks for.

    A trigger text is about the planned group. Where the text alone carries the hate (101), its kind belongs to the
    planned group, and the picture does not say which kind another group would need.
    """
    return pair.strategy is not Strategy.PARAPHRASE and (pair.image_hateful or not pair.hateful)
