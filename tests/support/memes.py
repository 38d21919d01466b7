"""Twenty drawn pictures with known words, in the way of memes: Latin, Chinese and Korean letters.

The Chinese and Korean fonts beside this file hold only the letters of these words (Noto Sans, OFL, `fonts/OFL.txt`).
"""

import io
import random
from dataclasses import dataclass
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

_FONTS = Path(__file__).with_name("fonts")
_SIZE = (560, 420)


@dataclass(frozen=True)
class Meme:
    """The words of one picture, a line each, and their script: latin, chinese or korean."""

    script: str
    lines: tuple[str, ...]
    jpeg: bool = False

    @property
    def text(self) -> str:
        return "\n".join(self.lines)

    def drawn(self) -> bytes:
        """Return the picture: large outlined letters above and below, on a ground of coloured patches."""
        dice = random.Random(self.text)
        picture = Image.new("RGB", _SIZE, _colour(dice))
        pen = ImageDraw.Draw(picture)
        for _ in range(12):
            x, y = dice.randrange(_SIZE[0]), dice.randrange(_SIZE[1])
            pen.ellipse((x - 70, y - 50, x + 70, y + 50), fill=_colour(dice))
        middle_row = [_SIZE[1] // 2 - 24] if len(self.lines) == 3 else []
        for line, top in zip(self.lines, [14, *middle_row, _SIZE[1] - 62], strict=True):
            font = font_of(self.script, 40 if len(line) < 22 else 30)
            middle = (_SIZE[0] // 2, top)
            pen.text(middle, line, font=font, fill="white", anchor="ma", stroke_width=3, stroke_fill="black")
        out = io.BytesIO()
        picture.save(out, "JPEG" if self.jpeg else "PNG", **({"quality": 70} if self.jpeg else {}))
        return out.getvalue()


def _colour(dice: random.Random) -> tuple[int, int, int]:
    return dice.randrange(40, 190), dice.randrange(40, 190), dice.randrange(40, 190)


def font_of(script: str, size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    if script == "latin":
        return ImageFont.load_default(size)  # Pillow's own, so that no machine lacks it
    return ImageFont.truetype(_FONTS / f"memes-{'zh' if script == 'chinese' else 'ko'}.ttf", size)


MEMES = (
    Meme("latin", ("WHEN THE NEIGHBOURS", "BRING THEIR WEEDS")),
    Meme("latin", ("Nobody:", "My cat at 4 in the morning"), jpeg=True),
    Meme("latin", ("ONE DOES NOT SIMPLY", "WATER A CACTUS")),
    Meme("latin", ("those skittles again", "on our lawn"), jpeg=True),
    Meme("latin", ("Meeting about meetings", "room 204, 9:30")),
    Meme("latin", ("Keine Zeit", "erst Kaffee"), jpeg=True),
    Meme("latin", ("Hoy no se trabaja", "manana tampoco")),
    Meme("latin", ("I SAID SALAD", "NOT SALAMI", "WHO DID THIS?"), jpeg=True),
    Meme("chinese", ("花园里的杂草", "又长出来了")),
    Meme("chinese", ("谁家的猫", "最会睡觉"), jpeg=True),
    Meme("chinese", ("今天不上班", "明天也不想去")),
    Meme("chinese", ("邻居说要修篱笆", "咖啡凉了再热一遍"), jpeg=True),
    Meme("chinese", ("雨天带伞", "晴天带帽子")),
    Meme("chinese", ("好吃的豆腐脑", "咸甜之争"), jpeg=True),
    Meme("chinese", ("請把門關上", "謝謝")),
    Meme("chinese", ("開會的時候", "別睡著"), jpeg=True),
    Meme("korean", ("정원의 잡초가", "또 자랐다")),
    Meme("korean", ("고양이는", "오늘도 잔다"), jpeg=True),
    Meme("korean", ("회의는 짧게", "커피는 길게")),
    Meme("korean", ("비 오는 날에는", "우산을"), jpeg=True),
)


def error_rate(read: str, written: str, *, spaces: bool = False) -> float:
    """Return the character error rate: edits from one text to the other over the written length.

    Spacing counts only if `spaces` is set; a line break is a space.
    """
    got, want = ((" " if spaces else "").join(text.split()) for text in (read, written))
    row = list(range(len(want) + 1))
    for place, character in enumerate(got, 1):
        before, row[0] = row[0], place
        for at, other in enumerate(want, 1):
            before, row[at] = row[at], min(row[at] + 1, row[at - 1] + 1, before + (character != other))
    return row[-1] / len(want)
