"""The log of a phase: a JSON line a measurement, and a drawing of it in SVG."""

import json
import os
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

_WIDTH, _HEIGHT, _MARGIN = 360, 180, 44
_COLOURS = ("#1f5fa8", "#b3541e")


class TrainingLog:
    """Appends measurements to `log.jsonl`. What was measured after the step that is resumed from is dropped first."""

    def __init__(self, folder: Path, *, resumed_from: int = 0) -> None:
        self._file = folder / "log.jsonl"
        folder.mkdir(parents=True, exist_ok=True)
        kept = [row for row in read_log(folder) if row["step"] <= resumed_from] if resumed_from else []
        self._file.write_text("".join(_line(row) for row in kept), encoding="utf-8")

    def add(self, step: int, **figures: Any) -> None:
        """Append the figures of a step."""
        with self._file.open("a", encoding="utf-8") as out:
            out.write(_line({"step": step, **figures}))


def read_log(folder: Path) -> list[dict[str, Any]]:
    """Return the measurements. A last line that was cut off by a killed process is left out."""
    file, rows = folder / "log.jsonl", []
    for line in file.read_text(encoding="utf-8").splitlines() if file.exists() else ():
        try:
            rows.append(json.loads(line))
        except ValueError:
            break
    return rows


def _line(row: Mapping[str, Any]) -> str:
    return json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n"


def write_plot(folder: Path, title: str) -> Path:
    """Draw every figure of the log over the steps into `log.svg`: one panel a figure, training and held-out posts."""
    series: dict[str, dict[str, list[tuple[int, float]]]] = {}
    for row in read_log(folder):
        for name, value in row.items():
            if name != "step" and isinstance(value, int | float) and not isinstance(value, bool):
                figure, _slash, where = name.partition("@")
                series.setdefault(figure, {}).setdefault(where or "training", []).append((row["step"], float(value)))
    panels = [_panel(name, lines, place) for place, (name, lines) in enumerate(sorted(series.items()))]
    rows = (len(panels) + 1) // 2
    height = 40 + rows * (_HEIGHT + 2 * _MARGIN)
    body = "".join(panels)
    file = folder / "log.svg"
    file.write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{2 * (_WIDTH + 2 * _MARGIN)}" height="{height}" '
        f'font-family="sans-serif" font-size="11"><rect width="100%" height="100%" fill="#fff"/>'
        f'<text x="{_MARGIN}" y="24" font-size="15">{escape(title)}</text>{body}</svg>\n',
        encoding="utf-8",
    )
    return file


def _panel(name: str, lines: Mapping[str, Sequence[tuple[int, float]]], place: int) -> str:
    left = _MARGIN + (place % 2) * (_WIDTH + 2 * _MARGIN)
    top = 60 + (place // 2) * (_HEIGHT + 2 * _MARGIN)
    steps = [step for points in lines.values() for step, _value in points]
    values = [value for points in lines.values() for _step, value in points]
    low, high, first, last = min(values), max(values), min(steps), max(steps)

    def at(step: int, value: float) -> str:
        x = left + _WIDTH * (step - first) / max(1, last - first)
        y = top + _HEIGHT * (1 - (value - low) / (high - low or 1))
        return f"{x:.1f},{y:.1f}"

    parts = [
        f'<text x="{left}" y="{top - 10}" font-weight="bold">{escape(name)}</text>',
        f'<rect x="{left}" y="{top}" width="{_WIDTH}" height="{_HEIGHT}" fill="none" stroke="#bbb"/>',
        f'<text x="{left + 4}" y="{top + 12}">{high:.4g}</text>',
        f'<text x="{left + 4}" y="{top + _HEIGHT - 4}">{low:.4g}</text>',
        f'<text x="{left}" y="{top + _HEIGHT + 14}">step {first}</text>',
        f'<text x="{left + _WIDTH}" y="{top + _HEIGHT + 14}" text-anchor="end">{last}</text>',
    ]
    for number, (where, points) in enumerate(sorted(lines.items(), reverse=True)):
        colour = _COLOURS[number % len(_COLOURS)]
        dots = "".join(f'<circle cx="{x}" cy="{y}" r="2" fill="{colour}"/>'
                       for x, y in (at(*point).split(",") for point in points))  # fmt: skip
        line = " ".join(at(*point) for point in points)
        parts.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="1.5"/>{dots}')
        parts.append(
            f'<text x="{left + _WIDTH - 4}" y="{top + 12 + 14 * number}" text-anchor="end" fill="{colour}">'
            f"{escape(where)}</text>"
        )
    return "".join(parts)


def write_whole(file: Path, text: str) -> None:
    """Write a file so that after a killed process it is there whole or not at all."""
    part = file.with_name(f".{file.name}.part")
    with part.open("w", encoding="utf-8") as out:
        out.write(text)
        out.flush()
        os.fsync(out.fileno())
    part.replace(file)
