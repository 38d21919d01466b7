"""Forty-eight drawn pictures whose words are hard to read, in three scripts, and pictures without words.

Twelve ways to make letters hard, each with a meme in Latin, Chinese and Korean letters and one in two scripts. The
fonts are those of `memes`, so that no machine lacks them.
"""

import io
import math
import random
from collections.abc import Callable
from dataclasses import dataclass

from PIL import Image, ImageDraw, ImageFilter

from memes import font_of

_SIZE = (560, 420)
_GREY = (128, 128, 128)
LINES = {
    "latin": ("WHO LET THE WEEDS", "INTO OUR GARDEN"),
    "chinese": ("花园里的杂草", "又长出来了"),
    "korean": ("정원의 잡초가", "또 자랐다"),
    "mixed": ("정원의 잡초가", "花园里的杂草"),
}


@dataclass(frozen=True)
class HardMeme:
    """A picture with these lines, made hard in one way."""

    way: str
    script: str

    @property
    def lines(self) -> tuple[str, ...]:
        return LINES[self.script]

    @property
    def name(self) -> str:
        return f"{self.way}, {self.script}"

    def drawn(self) -> bytes:
        """Return the picture as a PNG, or as a JPEG where that is the way."""
        dice = random.Random(self.name)
        picture = WAYS[self.way](self, dice)
        out = io.BytesIO()
        if self.way == "crushed":
            picture.save(out, "JPEG", quality=7)
        else:
            picture.save(out, "PNG")
        return out.getvalue()


def _script(meme: HardMeme, line: str) -> str:
    if meme.script != "mixed":
        return meme.script
    return "korean" if line == LINES["mixed"][0] else "chinese"


def ground(dice: random.Random, size: tuple[int, int] = _SIZE) -> Image.Image:
    """Return patches of colour."""
    picture = Image.new("RGB", size, _colour(dice))
    pen = ImageDraw.Draw(picture)
    for _ in range(14):
        x, y = dice.randrange(size[0]), dice.randrange(size[1])
        pen.ellipse((x - 70, y - 50, x + 70, y + 50), fill=_colour(dice))
    return picture


def _colour(dice: random.Random) -> tuple[int, int, int]:
    return dice.randrange(40, 190), dice.randrange(40, 190), dice.randrange(40, 190)


def _write(
    meme: HardMeme, picture: Image.Image, size: int = 40, ink: str | tuple[int, int, int] = "white", edge: int = 3
) -> Image.Image:
    pen = ImageDraw.Draw(picture)
    for line, top in zip(meme.lines, (40, picture.height - 110), strict=True):
        pen.text(
            (picture.width // 2, top), line, font=font_of(_script(meme, line), size), fill=ink, anchor="ma",
            stroke_width=edge, stroke_fill="black",
        )  # fmt: skip
    return picture


def _turned(degrees: float) -> "Draw":
    def draw(meme: HardMeme, dice: random.Random) -> Image.Image:
        written = _write(meme, Image.new("RGBA", _SIZE, (0, 0, 0, 0)))
        picture = ground(dice, (560, 560))
        turned = written.rotate(degrees, expand=True, resample=Image.Resampling.BICUBIC)
        turned.thumbnail((560, 560))
        picture.paste(turned, ((560 - turned.width) // 2, (560 - turned.height) // 2), turned)
        return picture

    return draw


def _curved(meme: HardMeme, dice: random.Random) -> Image.Image:
    picture = ground(dice, (640, 560))
    for line, radius in zip(meme.lines, (230, 140), strict=True):
        step = 2.0 / max(len(line) - 1, 1)
        for at, letter in enumerate(line):
            angle = -1.0 + at * step
            tile = Image.new("RGBA", (64, 64), (0, 0, 0, 0))
            ImageDraw.Draw(tile).text(
                (32, 32), letter, font=font_of(_script(meme, line), 38), fill="white", anchor="mm", stroke_width=2,
                stroke_fill="black",
            )  # fmt: skip
            turned = tile.rotate(-math.degrees(angle), resample=Image.Resampling.BICUBIC)
            x, y = 320 + radius * math.sin(angle), 330 - radius * math.cos(angle)
            picture.paste(turned, (round(x) - 32, round(y) - 32), turned)
    return picture


def _upright(meme: HardMeme, dice: random.Random) -> Image.Image:
    """Write from top to bottom."""
    picture = ground(dice, (300, 760))
    pen = ImageDraw.Draw(picture)
    for line, left in zip(meme.lines, (210, 90), strict=True):
        for at, letter in enumerate(line):
            pen.text((left, 30 + at * 42), letter, font=font_of(_script(meme, line), 38), fill="white", anchor="ma",
                     stroke_width=2, stroke_fill="black")  # fmt: skip
    return picture


def _small(meme: HardMeme, dice: random.Random) -> Image.Image:
    return _write(meme, ground(dice), 11, "white", 0)


def _tiny(meme: HardMeme, dice: random.Random) -> Image.Image:
    """Write small in a large picture, as under a photograph."""
    return _write(meme, ground(dice, (1600, 1200)), 17, "white", 1)


def _pale(meme: HardMeme, dice: random.Random) -> Image.Image:
    shade = dice.randrange(120, 160)
    return _write(meme, Image.new("RGB", _SIZE, (shade,) * 3), 40, (shade + 26,) * 3, 0)


def _crushed(meme: HardMeme, dice: random.Random) -> Image.Image:
    return _write(meme, ground(dice), 30)


def _blurred(meme: HardMeme, dice: random.Random) -> Image.Image:
    return _write(meme, ground(dice), 34).filter(ImageFilter.GaussianBlur(2.4))


def _slanted(meme: HardMeme, dice: random.Random) -> Image.Image:
    picture = _write(meme, ground(dice))
    corners = (90, 60, -60, 400, 560, 330, 620, -40)
    return picture.transform(_SIZE, Image.Transform.QUAD, corners, Image.Resampling.BICUBIC, fillcolor=_GREY)


Draw = Callable[[HardMeme, random.Random], Image.Image]
WAYS: dict[str, Draw] = {
    "turned by 20": _turned(20),
    "turned by 45": _turned(45),
    "on its side": _turned(90),
    "upside down": _turned(180),
    "curved": _curved,
    "upright": _upright,
    "small": _small,
    "tiny": _tiny,
    "pale": _pale,
    "crushed": _crushed,
    "blurred": _blurred,
    "slanted": _slanted,
}
HARD_MEMES = [HardMeme(way, script) for way in WAYS for script in LINES]


def wordless(seed: int) -> bytes:
    """Return a picture without words: patches, and in some a fence, a house with windows, or wheels."""
    dice = random.Random(seed)
    picture = ground(dice)
    pen = ImageDraw.Draw(picture)
    for at in range(seed % 4 * 5):
        if seed % 4 == 1:
            pen.rectangle((20 + at * 100, 200, 30 + at * 100, 400), fill="white")
        elif seed % 4 == 2:
            pen.rectangle((60 + at % 5 * 90, 60 + at // 5 * 120, 110 + at % 5 * 90, 130 + at // 5 * 120), fill="black")
        else:
            pen.ellipse((40 + at * 34, 300, 70 + at * 34, 330), outline="black", width=5)
    out = io.BytesIO()
    picture.save(out, "PNG")
    return out.getvalue()
