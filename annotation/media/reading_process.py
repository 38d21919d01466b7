"""Read the words of pictures in a separate process with limited memory and time (extra `ocr`).

Neither the models nor their libraries are ever loaded in this process, so that a web process may import this module.
"""

from importlib.metadata import version
from importlib.util import find_spec

from annotation.domain.pictures.words import Line, Words, words_of
from annotation.media.child_process import ChildFailed, PictureChild

MEMORY = 2048 * 2**20
"""Bytes of address space of the reading process; the models and a picture of the longest side take 0.9 GB."""
SECONDS = 60
"""For one picture; the first one waits for the models, which takes two seconds on a free core."""
LONGEST_SIDE = 1280
"""Pixels; a larger picture is read at this size: larger letters are read worse and cost seconds."""
_ALL_IN_ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


class CannotRead(Exception):
    """The picture was not read: a stable code, and one sentence."""

    def __init__(self, code: str, sentence: str) -> None:
        super().__init__(sentence)
        self.code, self.sentence = code, sentence


def is_installed() -> bool:
    """Return whether the extra `ocr` is installed, without importing it."""
    return find_spec("rapidocr") is not None and find_spec("onnxruntime") is not None


def reader_name() -> str:
    """Return the name and version of the reader, as it is stored with what it reads."""
    return f"rapidocr {version('rapidocr')}"


class ReadingProcess(PictureChild):
    """One reading process."""

    def __init__(self, memory: int = MEMORY, seconds: float = SECONDS) -> None:
        super().__init__("annotation.media.reading_child", [memory, LONGEST_SIDE], seconds, _ALL_IN_ONE_THREAD)

    def read(self, content: bytes) -> Words:
        """Return the words in a picture.

        Raises CannotRead if the bytes are no picture, or if the picture kills or stalls the process.
        """
        try:
            answer = self.ask(content)
        except ChildFailed as fault:
            reason = "The picture could not be read within the memory and time allowed."
            raise CannotRead("too_much", reason) from fault
        if "fault" in answer:
            raise CannotRead("corrupt_image", "The file of the picture is damaged and cannot be read.")
        return words_of(Line(**line | {"box": tuple(line["box"])}) for line in answer["lines"])
