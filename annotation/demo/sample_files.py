"""Read the sample campaign from its data files, with their shape checked."""

from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

Shape = TypeVar("Shape", bound=BaseModel)


class StrictShape(BaseModel):
    """The base of the shapes of data files: every name must be known."""

    model_config = ConfigDict(extra="forbid", frozen=True)


def read_json(file: Path, shape: type[Shape]) -> Shape:
    """Return the file's content as a value of the shape.

    Raises ValueError, which names the file and the entry, if the content has another shape.
    """
    return _checked(file.read_text(encoding="utf-8"), shape, file.name)


def read_jsonl(file: Path, shape: type[Shape]) -> list[Shape]:
    """Return the file's lines as values of the shape.

    Raises ValueError, which names the file, the line and the entry, if a line has another shape.
    """
    lines = file.read_text(encoding="utf-8").splitlines()
    return [_checked(line, shape, f"{file.name}, line {number}") for number, line in enumerate(lines, 1)]


def _checked(text: str, shape: type[Shape], source: str) -> Shape:
    try:
        return shape.model_validate_json(text)
    except ValidationError as fault:
        problem = fault.errors()[0]
        entry = ".".join(map(str, problem["loc"])) or "the whole"
        raise ValueError(f"{source}: {entry}: {problem['msg']}") from None
