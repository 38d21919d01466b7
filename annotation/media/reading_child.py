"""The program that reads the words of pictures: PP-OCR models of RapidOCR, run by ONNX. `reading_process` starts it.

Only this module imports the libraries of the extra `ocr`.
"""

import io
import json
import os
import struct
import sys
import warnings
from typing import Any, BinaryIO

from annotation.media.child_process import receive, send
from providers.http.reading_process import limit_memory

# The answers leave by the standard output, so whatever a library prints must not. Some print while they are imported:
# so their imports stand below these two lines (E402).
_ANSWERS = os.fdopen(os.dup(1), "wb")
os.dup2(2, 1)

import numpy as np  # noqa: E402
from PIL import Image  # noqa: E402
from rapidocr import RapidOCR  # noqa: E402

_FORMATS = ("JPEG", "PNG", "WEBP", "GIF")
_GROUND = (127, 127, 127)
_DETECTED_SIDE = 960
"""Pixels at which lines are looked for; they are read at the picture's own size."""
_NEXT_TO_NOTHING, _SAME_PLACE = 8, 4  # characters, pixels


def engine() -> Any:
    """Return the reader, with one thread and no word about what it does."""
    return RapidOCR(
        params={
            "Global.log_level": "critical",
            "Global.text_score": 0.0,  # unsure lines are judged by `annotation.domain.pictures.words`
            "Det.limit_side_len": _DETECTED_SIDE,
            "Det.limit_type": "max",
            "EngineConfig.onnxruntime.intra_op_num_threads": 1,
            "EngineConfig.onnxruntime.inter_op_num_threads": 1,
        }
    )


def opened(content: bytes, longest_side: int) -> Image.Image:
    """Return the first frame as RGB, scaled down to the longest side. Raises what Pillow raises on broken files."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", Image.DecompressionBombWarning)
        picture = Image.open(io.BytesIO(content), formats=_FORMATS)
        picture.draft("RGB", (longest_side, longest_side))  # decodes a JPEG directly at about this size
        picture.thumbnail((longest_side, longest_side))
        if "A" not in picture.getbands() and "transparency" not in picture.info:
            return picture.convert("RGB")
        with_alpha = picture.convert("RGBA")
        flat = Image.new("RGB", with_alpha.size, _GROUND)  # black and white letters both stand out from grey
        flat.paste(with_alpha, mask=with_alpha.getchannel("A"))
        return flat


def lines_of(reader: Any, picture: Image.Image) -> list[dict[str, Any]]:
    """Return the lines that the reader finds, with their boxes as shares of the picture's sides.

    Where it reads next to nothing, the boxes in which it sees writing are among them, without text: it leaves out those
    of which it knows no letter.
    """
    pixels = np.asarray(picture)[:, :, ::-1]  # it expects blue, green, red
    result = reader(pixels, use_det=True, use_cls=True, use_rec=True)
    nothing = result.boxes is None or result.txts is None
    read = [] if nothing else list(zip(result.boxes, result.txts, result.scores, strict=True))
    if sum(len(text) for _corners, text, _score in read) <= _NEXT_TO_NOTHING:
        read += [(corners, "", 0.0) for corners in _unread(reader, pixels, [corners for corners, *_ in read])]
    size = np.array([picture.width, picture.height], dtype=float)
    lines = []
    for corners, text, confidence in read:
        places = np.clip(np.asarray(corners, dtype=float) / size, 0, 1).round(4)
        box = [*places.min(axis=0).tolist(), *places.max(axis=0).tolist()]
        line = {"text": str(text), "box": box, "confidence": round(float(confidence), 4)}
        lines.append(line | {"elongation": _elongation(np.asarray(corners, dtype=float))})
    return lines


def _elongation(corners: Any) -> float:
    """Return the longer side of a box, which may be turned, over its shorter one."""
    sides = [float(np.linalg.norm(corners[at] - corners[at + 1])) for at in (0, 1)]
    return round(max(sides) / max(min(sides), 1.0), 2)


def _unread(reader: Any, pixels: Any, read: list[Any]) -> list[Any]:
    """Return the corners of the boxes that are not among those that were read."""
    seen = reader(pixels, use_det=True, use_cls=False, use_rec=False).boxes  # it keeps what a call says: each says all
    boxes = [] if seen is None else list(seen)
    return [box for box in boxes if all(np.abs(box - known).max() > _SAME_PLACE for known in read)]


def serve(source: BinaryIO, sink: BinaryIO, longest_side: int) -> None:
    """Read picture after picture until the other side closes the pipe."""
    reader = None
    while True:
        try:
            content = receive(source)
        except (EOFError, struct.error):
            return
        try:
            picture = opened(content, longest_side)
            reader = reader or engine()  # the models are loaded for the first picture that is one
            answer: dict[str, Any] = {"lines": lines_of(reader, picture)}
        except MemoryError:
            return  # what is left of the memory is not worth much: a new process starts clean
        except Exception as fault:  # whatever a broken file or the models make of it costs this picture only
            answer = {"fault": type(fault).__name__}
        send(sink, json.dumps(answer).encode())


if __name__ == "__main__":
    allowed, side = json.loads(sys.argv[1])
    limit_memory(allowed)
    serve(sys.stdin.buffer, _ANSWERS, side)
