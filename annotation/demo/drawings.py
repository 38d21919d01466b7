"""Simple pictures for the sample campaign, drawn when they are needed: a scene by its name, varied by a number."""

import random
from collections.abc import Callable
from io import BytesIO

from PIL import Image, ImageDraw

SIZE = (720, 480)
_HORIZON = 320
_COATS = ("#3b6ea5", "#b5532d", "#6a8f3c", "#8a4f7d", "#c9a227", "#4b5563")
_SKINS = ("#f0c8a0", "#c98f62", "#8d5a3a", "#e3b58b")


def draw(scene: str, number: int) -> bytes:
    """Return the scene as PNG bytes. The same scene and number give the same picture."""
    chance = random.Random(f"{scene} {number}")
    image = Image.new("RGB", SIZE, chance.choice(("#cfe4f3", "#f3e3cf", "#dfe9dc", "#e7e0ee")))
    brush = ImageDraw.Draw(image)
    brush.rectangle((0, _HORIZON, *SIZE), fill=chance.choice(("#a9b98f", "#b9b4a5", "#9fb0a0")))
    SCENES[scene](brush, chance)
    out = BytesIO()
    image.save(out, "PNG")
    return out.getvalue()


def _person(brush: ImageDraw.ImageDraw, chance: random.Random, x: int, foot: int = 430) -> None:
    tall = chance.randint(120, 165)
    brush.rounded_rectangle((x - 26, foot - tall + 40, x + 26, foot), 18, fill=chance.choice(_COATS))
    brush.ellipse((x - 20, foot - tall, x + 20, foot - tall + 40), fill=chance.choice(_SKINS))


def _people(brush: ImageDraw.ImageDraw, chance: random.Random) -> None:
    for place in range(chance.randint(2, 5)):
        _person(brush, chance, 130 + 120 * place + chance.randint(-20, 20))


def _house(brush: ImageDraw.ImageDraw, chance: random.Random) -> None:
    for x in range(60, 600, 210):
        top = chance.randint(150, 210)
        brush.rectangle((x, top, x + 160, 360), fill=chance.choice(("#e8d7b9", "#d8b6a4", "#c7cfd6")))
        brush.polygon(((x - 14, top), (x + 80, top - 70), (x + 174, top)), fill=chance.choice(_COATS))
        brush.rectangle((x + 62, 290, x + 98, 360), fill="#5a4636")
        brush.rectangle((x + 20, top + 30, x + 52, top + 66), fill="#f6f3df")


def _garden(brush: ImageDraw.ImageDraw, chance: random.Random) -> None:
    for x in range(50, 700, 60):
        y = chance.randint(330, 420)
        brush.line((x, y, x, y + 50), fill="#4c7a34", width=5)
        brush.ellipse(
            (x - 14, y - 14, x + 14, y + 14), fill=chance.choice(("#d94f4f", "#f0f0f0", "#e7c14a", "#c76bb0"))
        )
    _person(brush, chance, chance.randint(200, 520), 360)


def _table(brush: ImageDraw.ImageDraw, chance: random.Random) -> None:
    _people(brush, chance)
    brush.rectangle((90, 370, 640, 400), fill="#7b5a3c")
    for x in range(130, 620, 80):
        brush.ellipse((x - 24, 356, x + 24, 376), fill=chance.choice(("#f7f7f2", "#e2c48d", "#b7cf9a")))


def _bus(brush: ImageDraw.ImageDraw, chance: random.Random) -> None:
    brush.rounded_rectangle((180, 210, 600, 400), 24, fill=chance.choice(_COATS))
    for x in range(210, 560, 90):
        brush.rectangle((x, 240, x + 66, 300), fill="#e4eef4")
    for x in (260, 510):
        brush.ellipse((x - 34, 370, x + 34, 438), fill="#2f3338")
    _person(brush, chance, 110)


def _animal(brush: ImageDraw.ImageDraw, chance: random.Random) -> None:
    coat = chance.choice(("#8b6b4a", "#4a4a4a", "#d8c3a0", "#b57b3f"))
    brush.ellipse((260, 300, 480, 410), fill=coat)
    brush.ellipse((440, 250, 540, 340), fill=coat)
    for x in (460, 520):
        brush.polygon(((x - 16, 268), (x, 224), (x + 16, 268)), fill=coat)
    brush.ellipse((506, 284, 518, 296), fill="#16181b")
    for x in (290, 340, 410, 450):
        brush.rectangle((x, 380, x + 18, 440), fill=coat)


def _board(brush: ImageDraw.ImageDraw, chance: random.Random) -> None:
    brush.rectangle((345, 300, 375, 450), fill="#6b5138")
    brush.rounded_rectangle((170, 120, 550, 310), 12, fill="#f4efe2", outline="#6b5138", width=8)
    for y in range(160, 290, 32):
        brush.rectangle((205, y, chance.randint(360, 515), y + 12), fill="#7a7f86")
    _person(brush, chance, chance.choice((100, 630)))


SCENES: dict[str, Callable[[ImageDraw.ImageDraw, random.Random], None]] = {
    "people": _people,
    "street": _house,
    "garden": _garden,
    "table": _table,
    "bus": _bus,
    "animal": _animal,
    "board": _board,
}
"""What can be drawn, by name."""
