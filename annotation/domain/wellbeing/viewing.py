"""A person's settings for viewing pictures and texts, as a value.

They belong to the person. A project may set its own defaults for people who have not chosen yet.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, TypeVar

from annotation.domain.choices import BlurStrength, PictureSize

Word = TypeVar("Word", BlurStrength, PictureSize)


@dataclass(frozen=True)
class Viewing:
    """Personal settings for viewing. They are no guarantee of protection; studies differ about their effect."""

    blur: bool = True
    blur_strength: BlurStrength = BlurStrength.PATCHES
    grey: bool = True
    sepia: bool = False
    picture_size: PictureSize = PictureSize.FULL
    fold_text: bool = False

    def stored(self) -> dict[str, Any]:
        """Return the settings as JSON values."""
        return {name: value if isinstance(value, bool) else str(value) for name, value in asdict(self).items()}


def read_viewing(stored: Mapping[str, Any]) -> Viewing:
    """Read stored settings; a missing or unknown value gets the site's default."""
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
