"""What a person wants to see of pictures and texts (wellbeing rank 6): the settings as a value.

They follow the person. A project may name its own for people who have chosen nothing yet.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, TypeVar

from annotation.domain.choices import BlurStrength, PictureSize

Word = TypeVar("Word", BlurStrength, PictureSize)


@dataclass(frozen=True)
class Viewing:
    """Personal filter settings. Nothing here is protection; studies disagree on what it spares anybody."""

    blur: bool = True
    blur_strength: BlurStrength = BlurStrength.PATCHES
    grey: bool = True
    sepia: bool = False
    picture_size: PictureSize = PictureSize.FULL
    fold_text: bool = False

    def stored(self) -> dict[str, Any]:
        """The settings as JSON values."""
        return {name: value if isinstance(value, bool) else str(value) for name, value in asdict(self).items()}


def read_viewing(stored: Mapping[str, Any]) -> Viewing:
    """The settings that were stored; what is missing or unknown is as the site has it."""
    usual = Viewing()
    return Viewing(
        blur=_flag(stored, "blur", usual.blur),
        blur_strength=_one_of(BlurStrength, stored.get("blur_strength"), usual.blur_strength),
        grey=_flag(stored, "grey", usual.grey),
        sepia=_flag(stored, "sepia", usual.sepia),
        picture_size=_one_of(PictureSize, stored.get("picture_size"), usual.picture_size),
        fold_text=_flag(stored, "fold_text", usual.fold_text),
    )


def _flag(stored: Mapping[str, Any], name: str, usual: bool) -> bool:
    value = stored.get(name)
    return value if isinstance(value, bool) else usual


def _one_of(words: type[Word], value: Any, usual: Word) -> Word:
    return words(value) if isinstance(value, str) and value in words.__members__.values() else usual
