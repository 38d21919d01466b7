"""Decode untrusted pictures in a separate process with little memory and little time (`child_process`)."""

import json
import struct
import sys
from dataclasses import asdict
from typing import BinaryIO

from annotation.domain.pictures.decoding import BadPicture, Drawn, PictureLimits, draw
from annotation.media.child_process import ChildFailed, PictureChild, receive, send
from providers.http.reading_process import limit_memory

MEMORY = 1536 * 2**20
"""Bytes of address space of the decoding process; a 40-megapixel picture with transparency needs about 900 MB."""
SECONDS = 30
"""For one picture."""


class DrawingProcess(PictureChild):
    """One decoding process."""

    def __init__(self, limits: PictureLimits, memory: int = MEMORY, seconds: float = SECONDS) -> None:
        super().__init__("annotation.media.decoder_process", [memory, asdict(limits)], seconds, {})
        self.limits = limits

    def draw(self, content: bytes) -> Drawn:
        """Decode and redraw a picture.

        Raises BadPicture `image_processing` if the picture kills or stalls the process.
        """
        if len(content) > self.limits.file:
            return draw(content, self.limits)  # refused by its size, nothing is decoded
        try:
            answer = self.ask(content)
        except ChildFailed as fault:
            reason = "The picture could not be decoded within the memory and time allowed."
            raise BadPicture("image_processing", reason, pixels=self.limits.pixels) from fault
        if "code" in answer:
            raise BadPicture(**answer)
        return Drawn(shown=self.receive_more(), blurred=self.receive_more(), **answer)


def serve(source: BinaryIO, sink: BinaryIO, limits: PictureLimits) -> None:
    """Draw picture after picture until the other side closes the pipe."""
    while True:
        try:
            content = receive(source)
        except (EOFError, struct.error):
            return
        try:
            picture = draw(content, limits)
        except MemoryError:
            return  # what is left of the memory is not worth much: a new process starts clean
        except BadPicture as refused:
            send(sink, json.dumps(vars(refused)).encode())
            continue
        about = {
            name: getattr(picture, name) for name in ("media_type", "width", "height", "sha256", "frames", "ground")
        }
        send(sink, json.dumps(about).encode())
        send(sink, picture.shown)
        send(sink, picture.blurred)


if __name__ == "__main__":
    allowed, limits = json.loads(sys.argv[1])
    limit_memory(allowed)
    serve(sys.stdin.buffer, sys.stdout.buffer, PictureLimits(**limits))
