"""Columns whose values are answers to further questions of the project: one each, or one for each option of a list."""

import re
from collections.abc import Callable, Mapping
from typing import Any

from annotation.domain.formats.base import Mapped
from annotation.domain.formats.labels.category_columns import mark

_WHOLE = re.compile(r"-?\d+\.0+")


def answers_in(get: Callable[[str], Any], mapped: Mapped, no_label: str) -> dict[str, Any]:
    """Return the answers of a row by question; columns without a value give none. Raises BadValue.

    `CODE` is answered by the value of its column. `CODE.OPTION` is one option, chosen where its column holds a 1.
    """
    answers: dict[str, Any] = {}
    for name, target in mapped.answer_columns.items():
        code, is_option, option = (target or name).partition(".")
        value = get(name)
        if is_option:
            if mark(value, name, mapped.values, no_label):
                answers.setdefault(code, []).append(option)
        elif (read := _read(value, mapped.values, no_label)) is not None:
            answers[code] = read
    return answers


def _read(value: Any, values: Mapping[str, str], no_label: str) -> Any:
    """Return a cell as an answer. Returns None where it says nothing; programs write whole numbers as fractions."""
    if value in (None, "") or value != value or (isinstance(value, str) and values.get(value) == no_label):
        return None
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value.partition(".")[0] if isinstance(value, str) and _WHOLE.fullmatch(value) else value
