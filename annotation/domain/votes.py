"""People's answers about one item, as values (design section 2)."""

from dataclasses import dataclass, field

from annotation.domain.choices import Modality


@dataclass(frozen=True)
class Category:
    """One label of a project. Two categories are equal if their codes are.

    A retired category stays in files and figures; nobody can choose it any more.
    """

    code: int
    name: str = field(compare=False)
    hateful: bool = field(compare=False)
    aliases: tuple[str, ...] = field(default=(), compare=False)
    definition: str = field(default="", compare=False)
    key: str = field(default="", compare=False)
    place: int = field(default=0, compare=False)
    """Where it stands among the categories of a page; those of the same place stand by code."""
    colour: str = field(default="", compare=False)
    """A name of `categories.COLOURS`; empty: the colour that belongs to the code."""
    retired: bool = field(default=False, compare=False)

    def __str__(self) -> str:
        """Return its key and name, as pages say it in words; a retired one has no key. Files name the code."""
        return f"{self.key} {self.name}".lstrip()


@dataclass(frozen=True)
class Challenge:
    """A correction of one unimodal prior: another category, or only hateful or not."""

    modality: Modality
    hateful: bool
    category: Category | None = None


@dataclass(frozen=True)
class Vote:
    """The answer of one seat; without a category the person was not sure.

    Low quality is a flag beside the category: a vote with only the flag has no category.
    """

    category: Category | None = None
    low_quality: bool = False
    challenges: tuple[Challenge, ...] = ()
    further: tuple[Category, ...] = ()
    """The categories beside the first, by code, where the project lets people choose several."""

    @property
    def chosen(self) -> frozenset[Category]:
        """All categories of the vote; none if the person was not sure."""
        return frozenset(() if self.category is None else (self.category, *self.further))

    def challenge_of(self, modality: Modality) -> Challenge | None:
        """Return the last correction of this modality's prior. Returns None if there is none."""
        return next((challenge for challenge in reversed(self.challenges) if challenge.modality == modality), None)
