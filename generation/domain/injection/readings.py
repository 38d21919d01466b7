"""The readings that models give of a sample, and where they differ from what it was meant to be.

The writing model returns how it reads its own text alone and text and picture together. A reading that differs is
shown at review; it decides nothing.
"""

from dataclasses import dataclass

from annotation.domain.votes import Category
from generation.domain.injection.picture_fit import PictureLook, PlannedPair
from vocabulary.display_names import NamedEnum, pgettext


class Mismatch(NamedEnum):
    """A reading that differs from the plan."""

    PICTURE_READ = "picture_reads_otherwise", pgettext("stored word", "the picture was read as another category before")
    """The look and the picture's own prior give different categories."""
    TEXT_READ = "text_reads_otherwise", pgettext("stored word", "the text alone does not read as its pattern asks")
    TOGETHER_READ = (
        "together_reads_otherwise",
        pgettext("stored word", "text and picture together do not read as intended"),
    )
    GROUP_READ = "group_reads_otherwise", pgettext("stored word", "the post is not read as about its group")
    LANGUAGE_READ = (
        "language_reads_otherwise",
        pgettext("stored word", "the text is in another language than its batch"),
    )


@dataclass(frozen=True)
class WriterReading:
    """How the writing model reads what it wrote: the text alone, text and picture together, and about whom."""

    text: Category
    together: Category
    target_group: str


def mismatches(
    pair: PlannedPair,
    look: PictureLook | None,
    prior: Category | None,
    reading: WriterReading,
    *,
    is_other_language: bool = False,
) -> list[Mismatch]:
    """Return where the readings differ from the plan, each once, in the order of `Mismatch`.

    `pair`: the plan, with the group that the text was asked for. `look`: None if nobody looked. `prior`: what the
    picture was said to mean alone before the look; None if nobody said so. `is_other_language`: the text is surely not
    in the language that its batch asks for.
    """
    # A post that is harmless in every part may be about nobody.
    about_nobody = not reading.target_group and pair.pattern == "000"
    differs = {
        Mismatch.PICTURE_READ: look is not None and prior is not None and prior != look.category,
        Mismatch.TEXT_READ: reading.text.hateful != (pair.pattern[0] == "1"),
        Mismatch.TOGETHER_READ: reading.together.code != pair.category,
        Mismatch.LANGUAGE_READ: is_other_language,
        Mismatch.GROUP_READ: not about_nobody and not pair.is_about(reading.target_group),
    }
    return [mismatch for mismatch in Mismatch if differs[mismatch]]
