"""The words of pictures that come with data: in a column, or in a folder beside the pictures (MMHS150K)."""

from collections.abc import Mapping
from typing import Any

from annotation.domain.columns.items import ITEMS
from annotation.domain.formats import fields, strict_json
from annotation.domain.formats.base import BadValue
from annotation.domain.pictures.words import MOST_CHARS

WORDS, READER = "picture_text", "picture_text_reader"
COLUMNS = next(column.file_names for column in ITEMS if column.name == WORDS)
"""Names of the column, ours first; the first one that has a value counts."""
FOLDER = "img_txt"
"""The folder of MMHS150K: `<id>.json` with `{"img_text": …}`, only for pictures with words."""
MOST_BYTES = 64 << 10


def words_from_file(values: Mapping[str, Any]) -> tuple[str, str]:
    """Return the words of a row's picture and who read them, as the file names the reader. Raises BadValue."""
    reader = fields.line(values.get(READER), READER, 120)
    column = next((name for name in COLUMNS if values.get(name)), WORDS)
    return fields.short(values.get(column), column, MOST_CHARS), reader


def file_of(external_id: str) -> str:
    """Return the path at which MMHS150K has the words of a picture."""
    return f"{FOLDER}/{external_id}.json"


def words_in_file(content: bytes) -> str:
    """Return the words in a file of MMHS150K. Raises BadValue."""
    try:
        value = strict_json.parse(content.decode("utf-8-sig"))
    except UnicodeDecodeError as fault:
        raise BadValue("encoding", "The file of the picture's words is not UTF-8.", FOLDER) from fault
    if not isinstance(value, dict):
        raise BadValue("not_an_object", "The file of the picture's words holds a JSON object.", FOLDER)
    return fields.short(value.get("img_text"), "img_text", MOST_CHARS)
