"""Draws the pictures of the sample campaign: flat scenes of a neighbourhood, in plain shapes, by us.

A scene is a mapping `{"place": name, "things": [[name, x, y, option…], …], "sign": "words"?}`; x and y are
hundredths of the width and height of a 960 × 640 picture and name the thing's foot point. Drawn at twice
the size and reduced, so that edges are smooth. Same scene, same bytes.
"""

from collections.abc import Callable, Mapping, Sequence
from io import BytesIO
from typing import Any

from PIL import Image, ImageDraw, ImageFont

WIDTH, HEIGHT, SCALE = 960, 640, 2

SKINS = {"a": "#f1d3b8", "b": "#d9a577", "c": "#a86f45", "d": "#6f4630"}
CLOTHES = {
    "red": "#b4534b",
    "blue": "#4a6fa5",
    "green": "#5b8a5a",
    "yellow": "#d9a441",
    "violet": "#7d6a9c",
    "grey": "#8a8f98",
    "teal": "#3f8f8c",
    "white": "#f4f1ea",
}
HAIR = {"a": "#7a5230", "b": "#3d2b20", "c": "#1f1712", "d": "#141010"}

Canvas = ImageDraw.ImageDraw
Box = tuple[float, float, float, float]


def picture(scene: Mapping[str, Any]) -> bytes:
    """The scene as PNG bytes, 960 × 640. Raises KeyError for a place or thing that nobody can draw."""
    image = Image.new("RGB", (WIDTH * SCALE, HEIGHT * SCALE))
    canvas = ImageDraw.Draw(image)
    PLACES[scene["place"]](canvas)
    for name, x, y, *options in scene.get("things", ()):
        THINGS[name](canvas, x * WIDTH * SCALE / 100, y * HEIGHT * SCALE / 100, *options)
    if scene.get("sign"):
        _sign(canvas, scene["sign"], scene.get("sign_at", (50, 44)))
    out = BytesIO()
    image.resize((WIDTH, HEIGHT), Image.Resampling.LANCZOS).quantize(128).save(out, "PNG", optimize=True)
    return out.getvalue()


def _u(value: float) -> float:
    """Units of the small picture in those of the large one."""
    return value * SCALE


def _box(canvas: Canvas, x: float, y: float, width: float, height: float, fill: str, radius: float = 0) -> None:
    """A box standing on (x, y), centred."""
    area = (x - _u(width) / 2, y - _u(height), x + _u(width) / 2, y)
    canvas.rounded_rectangle(area, _u(radius), fill)


def _disc(canvas: Canvas, x: float, y: float, radius: float, fill: str) -> None:
    canvas.ellipse((x - _u(radius), y - _u(radius), x + _u(radius), y + _u(radius)), fill)


def _font(size: float) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    return ImageFont.load_default(size=_u(size))


def _sign(canvas: Canvas, words: str, at: Sequence[float]) -> None:
    """A board with words on a post."""
    x, y = at[0] * WIDTH * SCALE / 100, at[1] * HEIGHT * SCALE / 100
    lines = words.split("\n")
    font = _font(40 if max(map(len, lines)) < 14 else 30)
    width = max(font.getlength(line) for line in lines) / SCALE + 56
    height = 52 * len(lines) + 36
    _box(canvas, x, y + _u(220), 16, 220, "#6b4f3a")
    _box(canvas, x, y, width + 10, height + 10, "#6b4f3a", 8)
    _box(canvas, x, y - _u(5), width, height, "#f6efdc", 6)
    for row, line in enumerate(lines):
        middle = y - _u(height) + _u(18 + 52 * row + 26)
        canvas.text((x, middle), line, "#2b2b2b", font, anchor="mm")


# ── Places ────────────────────────────────────────────────────────────────────


def _ground(canvas: Canvas, sky: str, earth: str, horizon: float) -> None:
    canvas.rectangle((0, 0, _u(WIDTH), _u(HEIGHT)), sky)
    canvas.rectangle((0, _u(HEIGHT * horizon), _u(WIDTH), _u(HEIGHT)), earth)


def _garden(canvas: Canvas) -> None:
    _ground(canvas, "#cfe3ec", "#93b57a", 0.58)
    _disc(canvas, _u(820), _u(110), 46, "#f3d98b")
    for x in range(-20, 1000, 90):
        _disc(canvas, _u(x), _u(372), 66, "#6f975f")
    for x in range(30, 960, 120):
        for dx, dy in ((0, 0), (26, -22), (52, 4)):
            _disc(canvas, _u(x + dx), _u(352 + dy), 9, "#f7f3ea")


def _street(canvas: Canvas) -> None:
    _ground(canvas, "#dfe6ea", "#9aa0a6", 0.66)
    for number, (x, colour) in enumerate(
        zip(range(0, 960, 192), ("#c98f6b", "#d8c29a", "#8fa7b8", "#c4a3a0", "#a9b88f"), strict=True)
    ):
        _box(canvas, _u(x + 96), _u(424), 190, 300 + 30 * (number % 2), colour)
        for wx in (50, 140):
            for wy in (200, 290):
                _box(canvas, _u(x + wx), _u(wy + 40), 36, 48, "#f2ead8", 3)
        _box(canvas, _u(x + 96), _u(424), 44, 84, "#5d4a3e", 4)
    canvas.rectangle((0, _u(424), _u(WIDTH), _u(446)), "#c9c6bf")


def _kitchen(canvas: Canvas) -> None:
    _ground(canvas, "#f0e6d6", "#b98f68", 0.74)
    for x in range(0, 960, 64):
        canvas.line((_u(x), 0, _u(x), _u(300)), "#e4d6c0", int(_u(2)))
    for y in range(0, 301, 60):
        canvas.line((0, _u(y), _u(WIDTH), _u(y)), "#e4d6c0", int(_u(2)))
    canvas.rectangle((0, _u(330), _u(WIDTH), _u(352)), "#7b5b43")
    canvas.rectangle((0, _u(352), _u(WIDTH), _u(474)), "#a9b7b0")
    for x in range(60, 960, 160):
        canvas.rounded_rectangle((_u(x), _u(366), _u(x + 120), _u(462)), _u(6), outline="#7f8f88", width=int(_u(3)))


def _office(canvas: Canvas) -> None:
    _ground(canvas, "#e7ebef", "#b4a896", 0.72)
    for x in (80, 380, 680):
        canvas.rounded_rectangle((_u(x), _u(70), _u(x + 210), _u(240)), _u(6), "#bcd4e2")
        canvas.line((_u(x + 105), _u(70), _u(x + 105), _u(240)), "#e7ebef", int(_u(6)))


def _shore(canvas: Canvas) -> None:
    _ground(canvas, "#cfe6f0", "#e4d3a6", 0.70)
    canvas.rectangle((0, _u(250), _u(WIDTH), _u(448)), "#6fa4bd")
    for y in (290, 340, 400):
        for x in range(40, 960, 180):
            canvas.arc((_u(x), _u(y), _u(x + 90), _u(y + 24)), 200, 340, "#d6e9f0", int(_u(4)))


def _room(canvas: Canvas) -> None:
    _ground(canvas, "#ece3d6", "#a77f5d", 0.76)
    canvas.rounded_rectangle((_u(90), _u(70), _u(330), _u(250)), _u(6), "#bcd4e2", "#8a6a4d", int(_u(10)))
    canvas.rounded_rectangle((_u(620), _u(90), _u(800), _u(220)), _u(4), "#d7b98e", "#8a6a4d", int(_u(8)))


def _stage(canvas: Canvas) -> None:
    _ground(canvas, "#39405a", "#7b5640", 0.74)
    for x in (180, 480, 780):
        canvas.polygon(((_u(x), 0), (_u(x - 130), _u(474)), (_u(x + 130), _u(474))), "#4d5675")
    canvas.rectangle((0, 0, _u(WIDTH), _u(40)), "#8d3f45")


PLACES: dict[str, Callable[[Canvas], None]] = {
    "garden": _garden,
    "street": _street,
    "kitchen": _kitchen,
    "office": _office,
    "shore": _shore,
    "room": _room,
    "stage": _stage,
}


# ── Things, standing on their foot point ──────────────────────────────────────


def _person(canvas: Canvas, x: float, y: float, skin: str = "b", dress: str = "blue", kind: str = "short") -> None:
    """A person: kind is short, long (hair), bald, scarf, old, child, chair (wheelchair) or crown."""
    size = 0.66 if kind == "child" else 1.0
    if kind == "chair":
        canvas.ellipse((x - _u(58), y - _u(100), x + _u(42), y), outline="#3c4148", width=int(_u(9)))
        y -= _u(30)
    body = 190 * size
    _box(canvas, x, y, 78 * size, body, CLOTHES[dress], 30 * size)
    _box(canvas, x - _u(46 * size), y - _u(62 * size), 20 * size, 104 * size, CLOTHES[dress], 10 * size)
    _box(canvas, x + _u(46 * size), y - _u(62 * size), 20 * size, 104 * size, CLOTHES[dress], 10 * size)
    head = y - _u(body + 34 * size)
    if kind in ("long", "scarf"):
        _box(
            canvas,
            x,
            head + _u(62 * size),
            92 * size,
            112 * size,
            HAIR[skin] if kind == "long" else "#5f7f9c",
            44 * size,
        )
    _disc(canvas, x, head, 38 * size, SKINS[skin])
    if kind in ("short", "child", "chair", "crown", "long", "old"):
        canvas.pieslice(
            (x - _u(40 * size), head - _u(42 * size), x + _u(40 * size), head + _u(34 * size)),
            180,
            360,
            "#d9d9d6" if kind == "old" else HAIR[skin],
        )
    if kind == "scarf":
        canvas.arc((x - _u(40), head - _u(40), x + _u(40), head + _u(40)), 150, 390, "#5f7f9c", int(_u(13)))
    if kind == "crown":
        top = head - _u(38)
        canvas.polygon(
            [
                (x - _u(34), top),
                (x - _u(34), top - _u(34)),
                (x - _u(14), top - _u(14)),
                (x, top - _u(40)),
                (x + _u(14), top - _u(14)),
                (x + _u(34), top - _u(34)),
                (x + _u(34), top),
            ],
            "#e2b33c",
        )
    for side in (-1, 1):
        _disc(canvas, x + _u(14 * size * side), head + _u(4 * size), 4 * size, "#2b2320")
    canvas.arc(
        (x - _u(16 * size), head + _u(2 * size), x + _u(16 * size), head + _u(24 * size)),
        20,
        160,
        "#7c3b33",
        int(_u(4 * size)),
    )
    if kind == "old":
        canvas.line((x + _u(66), y, x + _u(66), y - _u(120)), "#5d4a3e", int(_u(7)))


def _table(canvas: Canvas, x: float, y: float, cloth: str = "white") -> None:
    _box(canvas, x - _u(120), y, 14, 90, "#7b5b43")
    _box(canvas, x + _u(120), y, 14, 90, "#7b5b43")
    _box(canvas, x, y - _u(76), 320, 44, CLOTHES[cloth], 8)
    for dx, colour in ((-100, "#d9a441"), (-30, "#b4534b"), (45, "#5b8a5a"), (110, "#d8c29a")):
        _disc(canvas, x + _u(dx), y - _u(128), 20, colour)


def _weed(canvas: Canvas, x: float, y: float) -> None:
    for angle in (-52, -26, 0, 26, 52):
        canvas.line((x, y, x + _u(angle), y - _u(86 - abs(angle) / 2)), "#4f7442", int(_u(7)))
    _disc(canvas, x, y - _u(90), 13, "#e0b93f")


def _snail(canvas: Canvas, x: float, y: float) -> None:
    _box(canvas, x, y, 130, 28, "#b29a72", 14)
    _disc(canvas, x - _u(8), y - _u(44), 40, "#8d6844")
    _disc(canvas, x - _u(8), y - _u(44), 22, "#b98f68")
    _disc(canvas, x - _u(8), y - _u(44), 9, "#8d6844")
    for dx in (54, 68):
        canvas.line((x + _u(dx), y - _u(20), x + _u(dx + 8), y - _u(62)), "#b29a72", int(_u(6)))


def _cabbage(canvas: Canvas, x: float, y: float) -> None:
    for dx, dy, radius, colour in (
        (-34, -34, 40, "#6f9a5a"),
        (34, -34, 40, "#6f9a5a"),
        (0, -48, 46, "#86b16d"),
        (0, -40, 26, "#a9cb8d"),
    ):
        _disc(canvas, x + _u(dx), y + _u(dy), radius, colour)


def _house(canvas: Canvas, x: float, y: float, colour: str = "yellow", dome: str = "") -> None:
    _box(canvas, x, y, 300, 190, CLOTHES[colour])
    if dome:
        _disc(canvas, x, y - _u(190), 86, "#6d9aa0")
        _box(canvas, x - _u(186), y, 34, 290, CLOTHES[colour], 8)
        _box(canvas, x + _u(186), y, 34, 290, CLOTHES[colour], 8)
    else:
        canvas.polygon(((x - _u(176), y - _u(190)), (x, y - _u(300)), (x + _u(176), y - _u(190))), "#8d4f45")
    _box(canvas, x, y, 64, 110, "#5d4a3e", 30 if dome else 4)
    for dx in (-96, 96):
        _box(canvas, x + _u(dx), y - _u(76), 52, 60, "#f2ead8", 20 if dome else 4)


def _car(canvas: Canvas, x: float, y: float, colour: str = "red") -> None:
    _box(canvas, x, y - _u(20), 280, 70, CLOTHES[colour], 24)
    _box(canvas, x - _u(6), y - _u(80), 160, 62, CLOTHES[colour], 26)
    _box(canvas, x - _u(6), y - _u(88), 132, 42, "#d6e6ee", 16)
    for dx in (-86, 86):
        _disc(canvas, x + _u(dx), y - _u(20), 32, "#2f3338")
        _disc(canvas, x + _u(dx), y - _u(20), 14, "#b9bec4")


def _boat(canvas: Canvas, x: float, y: float) -> None:
    canvas.polygon(
        ((x - _u(150), y - _u(60)), (x + _u(150), y - _u(60)), (x + _u(104), y), (x - _u(104), y)), "#8a5a3c"
    )
    _box(canvas, x, y - _u(60), 8, 190, "#5d4a3e")
    canvas.polygon(((x + _u(8), y - _u(240)), (x + _u(8), y - _u(80)), (x + _u(120), y - _u(80))), "#f4f1ea")


def _bin(canvas: Canvas, x: float, y: float) -> None:
    _box(canvas, x, y, 92, 120, "#5f6b66", 8)
    _box(canvas, x, y - _u(118), 106, 18, "#4b5551", 6)


def _boxes(canvas: Canvas, x: float, y: float) -> None:
    for dx, dy, size in ((-46, 0, 84), (46, 0, 90), (0, 84, 76)):
        _box(canvas, x + _u(dx), y - _u(dy), size, size - 6, "#c39a6b", 4)
        canvas.line((x + _u(dx), y - _u(dy), x + _u(dx), y - _u(dy + size - 6)), "#a97f52", int(_u(6)))


def _cooker(canvas: Canvas, x: float, y: float) -> None:
    _box(canvas, x, y, 150, 150, "#e8e6e0", 6)
    _box(canvas, x, y - _u(14), 112, 76, "#4b5157", 6)
    for dx in (-40, 0, 40):
        _disc(canvas, x + _u(dx), y - _u(126), 9, "#4b5157")
    _box(canvas, x, y - _u(150), 84, 44, "#8a8f98", 8)


def _cup(canvas: Canvas, x: float, y: float) -> None:
    _box(canvas, x, y, 70, 16, "#8a6a2c", 4)
    _box(canvas, x, y - _u(14), 14, 46, "#e2b33c")
    canvas.pieslice((x - _u(50), y - _u(160), x + _u(50), y - _u(36)), 0, 180, "#e2b33c")


def _rainbow(canvas: Canvas, x: float, y: float, crossed: str = "") -> None:
    """A flag of six colours on a pole."""
    _box(canvas, x - _u(96), y, 10, 260, "#6b4f3a", 4)
    for row, colour in enumerate(("#c8504a", "#dc8d3d", "#e6c84a", "#5b9a5a", "#4a6fa5", "#7d5a94")):
        top = y - _u(250 - row * 22)
        canvas.rectangle((x - _u(90), top, x + _u(110), top + _u(22)), colour)
    if crossed:
        _cross(canvas, x + _u(10), y - _u(120))


def _cross(canvas: Canvas, x: float, y: float, size: float = 110) -> None:
    """A thick red cross over whatever stands there; the mark of what is not wanted."""
    middle = y - _u(64)
    for sign in (-1, 1):
        canvas.line(
            (x - _u(size), middle - sign * _u(size), x + _u(size), middle + sign * _u(size)), "#b3261e", int(_u(18))
        )


def _cake(canvas: Canvas, x: float, y: float) -> None:
    _box(canvas, x, y, 190, 70, "#e6c7b2", 8)
    _box(canvas, x, y - _u(62), 140, 56, "#f4f1ea", 8)
    for dx in (-40, 0, 40):
        _box(canvas, x + _u(dx), y - _u(112), 8, 34, "#4a6fa5")
        _disc(canvas, x + _u(dx), y - _u(152), 8, "#e6a93d")


def _desk(canvas: Canvas, x: float, y: float) -> None:
    _box(canvas, x, y, 340, 118, "#8a6a4d", 6)
    _box(canvas, x + _u(40), y - _u(118), 130, 84, "#3c4148", 6)
    _box(canvas, x + _u(40), y - _u(126), 112, 66, "#9fc0d0", 4)


def _bus_stop(canvas: Canvas, x: float, y: float) -> None:
    _box(canvas, x - _u(150), y, 12, 260, "#5f6b66")
    _box(canvas, x + _u(150), y, 12, 260, "#5f6b66")
    _box(canvas, x, y - _u(250), 340, 26, "#4a6fa5", 8)
    _box(canvas, x, y - _u(50), 240, 16, "#8a6a4d", 4)


def _dog(canvas: Canvas, x: float, y: float) -> None:
    for dx in (-46, -26, 26, 46):
        _box(canvas, x + _u(dx), y, 14, 50, "#a2713f", 6)
    _box(canvas, x, y - _u(36), 130, 56, "#b98148", 26)
    _disc(canvas, x + _u(70), y - _u(96), 32, "#b98148")
    _disc(canvas, x + _u(80), y - _u(100), 5, "#2b2320")
    canvas.line((x - _u(60), y - _u(76), x - _u(96), y - _u(116)), "#b98148", int(_u(12)))


THINGS: dict[str, Callable[..., None]] = {
    "person": _person,
    "table": _table,
    "weed": _weed,
    "snail": _snail,
    "cabbage": _cabbage,
    "house": _house,
    "car": _car,
    "boat": _boat,
    "bin": _bin,
    "boxes": _boxes,
    "cooker": _cooker,
    "cup": _cup,
    "rainbow": _rainbow,
    "cross": _cross,
    "cake": _cake,
    "desk": _desk,
    "bus_stop": _bus_stop,
    "dog": _dog,
}
