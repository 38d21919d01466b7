"""Read one value of a row strictly. Each function returns the value or raises BadValue with the field's name.

None and the empty string mean that the value is absent.
"""

import hashlib
import math
import re
from collections.abc import Callable
from datetime import datetime
from typing import Any

from annotation.domain.category_sets import SEPARATOR
from annotation.domain.choices import PRIORITIES
from annotation.domain.columns.column import CATEGORY, FLAG, NUMBER, WHOLE, Column
from annotation.domain.formats.base import BadValue
from annotation.domain.one_line import read_line
from annotation.domain.text_rules import (
    TEXT_LIMIT,
    BadText,
    is_blank,
    read_id,
    read_optional_text,
    read_text,
)

_YES, _NO = frozenset({"1", "true", "yes"}), frozenset({"0", "false", "no"})
_ROUNDED = 1e15
"""From here on a fraction may stand for several whole numbers."""
_BY_SPREADSHEET = re.compile(r"[0-9](\.[0-9]+)?E\+[0-9]{2,3}")
_ROUNDED_ID = "Import the file that this one was made from, or store the ids as texts."
_MAIL = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+")
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//")


def external_id(value: Any, field: str = "id") -> str:
    if isinstance(value, float):
        value = _whole_id(value, field)
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str) or not value:
        raise BadValue("missing_id", "The row has no id.", field)
    if _BY_SPREADSHEET.fullmatch(value):
        raise BadValue(
            "rounded_id", f"The id {value} is a long number that a spreadsheet has rounded. {_ROUNDED_ID}", field
        )
    try:
        return read_id(value)
    except BadText as fault:
        raise BadValue(fault.code, fault.sentence, field, fault.limit) from fault


def whole(value: float) -> int | float:
    """Return a whole number as an integer: programs store whole numbers as fractions where one is missing."""
    return int(value) if value.is_integer() and abs(value) < _ROUNDED else value


def _whole_id(value: float, field: str) -> int:
    number = whole(value)
    if isinstance(number, int):
        return number
    if value.is_integer():
        reason = f"The id is a number of more than 15 digits that a program has rounded. {_ROUNDED_ID}"
        raise BadValue("rounded_id", reason, field)
    raise BadValue("bad_id", f"The id is {value}. An id is a text or a whole number.", field)


def item_text(value: Any, field: str = "text") -> str:
    """Return the item's text exactly as written, "" if there is none. Raises BadValue for a text that shows nothing."""
    text = _string(value, field)
    if not text:
        return ""
    try:
        return read_text(text, TEXT_LIMIT)
    except BadText as fault:
        raise BadValue(fault.code, fault.sentence, field, fault.limit) from fault


def short(value: Any, field: str, limit: int) -> str:
    """Return a text of at most `limit` characters; an integer is taken as written."""
    if value is None or value == "":
        return ""
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    try:
        return read_optional_text(_string(value, field), limit)
    except BadText as fault:
        raise BadValue(fault.code, fault.sentence, field, fault.limit) from fault


def line(value: Any, field: str, limit: int) -> str:
    """Return a name or another text of one line, trimmed. Raises BadValue."""
    if value is None or value == "":
        return ""
    try:
        return read_line(short(value, field, limit))
    except BadText as fault:
        raise BadValue(fault.code, fault.sentence, field, fault.limit) from fault


def annotator(value: Any, field: str = "annotator") -> str:
    """Return an annotator's name; of an e-mail address, which identifies a person, a digest alone. Raises BadValue."""
    return without_mail(line(value, field, 128))


def without_mail(name: str) -> str:
    """Return a name; of an e-mail address, which identifies a person, a digest alone."""
    return hashlib.sha256(name.encode()).hexdigest()[:12] if _MAIL.fullmatch(name) else name


def category(value: Any, field: str) -> str | None:
    """Return a category as written, by code or name; a list of several as one text between semicolons.

    Later steps look it up in the project.
    """
    if isinstance(value, list):
        parts = [category(part, field) for part in value]
        value = SEPARATOR.join(part for part in parts if part is not None)
    if value is None or value == "":
        return None
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise BadValue("unknown_label", "A category is given by its code or its name.", field)
    return short(value, field, 200)


def flag(value: Any, field: str) -> bool | None:
    if value is None or value == "":
        return None
    if isinstance(value, bool):
        return value
    word = str(value).lower() if isinstance(value, int | str) else ""
    if word in _YES or word in _NO:
        return word in _YES
    raise BadValue("bad_flag", f"{field} is true or false (or 1 or 0).", field)


def severity(value: Any, field: str = "severity") -> int | None:
    if value is None or value == "":
        return None
    if isinstance(value, str) and value in {"0", "1", "2", "3"}:
        return int(value)
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= 3:
        return value
    raise BadValue("bad_severity", "Severity is 0, 1, 2 or 3.", field, 3)


def priority(value: Any, field: str = "priority") -> int:
    """Return how early an item is handed out; 0 where the row does not say it. Raises BadValue."""
    if value is None or value == "":
        return 0
    lowest, highest = PRIORITIES
    if isinstance(value, str) and re.fullmatch(r"[+-]?[0-9]{1,5}", value.strip()):
        value = int(value)
    if isinstance(value, int | float) and not isinstance(value, bool) and value in range(lowest, highest + 1):
        return int(value)
    reason = f"priority is a whole number from {lowest} to {highest}. Rename the column to keep it as it is."
    raise BadValue("bad_priority", reason, field, highest)


def seconds(value: Any, field: str) -> float | None:
    if value is None or value == "":
        return None
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < math.inf:
        return float(value)
    raise BadValue("bad_seconds", "Seconds are a number from 0 up.", field)


def moment(value: Any, field: str) -> datetime | None:
    """Read an ISO 8601 time with its offset; a date alone, as in releases, is midnight UTC."""
    if value is None or value == "":
        return None
    if isinstance(value, str):
        try:
            parsed = datetime.fromisoformat(f"{value}T00:00:00+00:00" if len(value) == 10 else value)
        except ValueError:
            parsed = None
        if parsed is not None and parsed.tzinfo is not None and 1900 <= parsed.year <= 2200:
            return parsed
    raise BadValue("bad_moment", "A moment is written like 2026-01-01T00:00:00Z, in the years 1900 to 2200.", field)


def is_address(path: str) -> bool:
    """Return whether a picture is named by an http or https address."""
    return path[:8].lower().startswith(("http://", "https://"))


def picture_path(value: Any, field: str = "image", *, addresses: bool = False) -> str:
    """Return the relative path of a picture, or (`addresses`) its http or https address.

    Other addresses and paths that leave the folder are refused. The caller checks the file behind an address.
    """
    path = _string(value, field)
    if not path:
        return ""
    if is_blank(path):
        raise BadValue("blank_text", "The picture's path is blank.", field)
    if addresses and is_address(path):
        return line(path, field, 512)
    if _URL.match(path):
        reason = (
            "Pictures are fetched from http and https addresses only. Put the file into a ZIP and give its path."
            if addresses
            else "Pictures of this format are not fetched from addresses. Put them into a ZIP with the table."
        )
        raise BadValue("picture_url", reason, field)
    if ".." in path.replace("\\", "/").split("/"):
        raise BadValue("unsafe_path", "A picture's path stays inside its folder: write it without '..'.", field)
    return line(path, field, 512).removeprefix("./")


def _string(value: Any, field: str) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        raise BadValue("not_text", f"{field} must be a text.", field)
    return value


def reader_of(column: Column) -> Callable[[Any, str], Any]:
    """Return the reader of a column's values, by its type and what files may give."""
    if column.file is None or not column.file.most:
        return _BY_KIND[column.kind[0] if isinstance(column.kind, list) else column.kind]
    read, most = short if column.file.lines else line, column.file.most
    return lambda value, field: read(value, field, most)


_BY_KIND = {CATEGORY: category, FLAG: flag, NUMBER: seconds, WHOLE: severity}
"""The only numbers of files are working times, and severities."""
