"""Tables in another encoding than UTF-8: which one it may be, and the same table in UTF-8.

Nothing is guessed silently: the likely encoding is named with a piece of the text as it would be read, and whoever
imports the file confirms it.
"""

import codecs
import re
import unicodedata
from typing import BinaryIO

from annotation.domain.formats.base import RowError, Unreadable

ENCODINGS = {
    "utf-8": "UTF-8",
    "utf-16": "UTF-16",
    "utf-16-le": "UTF-16 without a mark",
    "utf-16-be": "UTF-16 without a mark, high byte first",
    "cp949": "CP949, EUC-KR (Korean)",
    "gb18030": "GB18030, GBK (Chinese)",
    "big5hkscs": "Big5 (Chinese, traditional)",
    "cp932": "Shift JIS (Japanese)",
    "cp1252": "Windows-1252, Latin-1 (Western European)",
    "cp1251": "Windows-1251 (Cyrillic)",
}
"""The encodings that a table may have, with what people call them."""
_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_PIECE = 2**20
_SAMPLE = 40
"""Characters of the text that is shown with a guess."""
_EXPECTED = {
    "cp949": re.compile(r"[가-힣]"),
    "gb18030": re.compile(r"[一-鿿]"),
    "big5hkscs": re.compile(r"[一-鿿]"),
    "cp932": re.compile(r"[぀-ヿ]"),
    "cp1252": re.compile(r"[À-ÖØ-öø-ÿ“”‘’–—…€]"),
    "cp1251": re.compile(r"[А-яЁё]"),
}
"""The letters that a text in this encoding is written with."""
_COMMON_HAN = frozenset(
    "的一是了我不人在他有这個这个上们来到时大地为子中你说生国年着就那和要她出也得里后自以会家可下而过天去能对小多然于心学"
)


def likely_encoding(raw: bytes) -> str | None:
    """Return the encoding that a text which is not UTF-8 most likely has.

    Returns None if none fits well: then nothing is suggested.
    """
    if utf16 := _utf16(raw):
        return utf16
    scores = {name: _score(raw, name) for name in _EXPECTED}
    best = max(scores, key=lambda name: scores[name])
    return best if scores[best] > 0.5 else None


def _utf16(raw: bytes) -> str | None:
    """Return the form of UTF-16 that the bytes have: by their mark, else by the zeros of plain letters."""
    if raw.startswith(_MARKS):
        return "utf-16"
    head = raw[:512]
    zeros_first, zeros_second = head[0::2].count(0), head[1::2].count(0)
    if len(head) < 4 or max(zeros_first, zeros_second) <= len(head) * 0.3:
        return None
    return "utf-16-be" if zeros_first > zeros_second else "utf-16-le"


def _score(raw: bytes, encoding: str) -> float:
    """Return the share of the characters beyond ASCII that are letters of the encoding's languages, 0 to 1."""
    text = decoded(raw, encoding)
    if text is None:
        return 0.0
    foreign = [character for character in text if character > "\x7f"]
    # A single letter may be the only one with a mark, in Western European; other scripts need two to be told apart.
    if len(set(foreign)) < (1 if encoding == "cp1252" else 2):
        return 0.0
    letters = sum(1 for character in foreign if _EXPECTED[encoding].match(character))
    share = letters / len(foreign)
    if encoding == "cp949":
        # The encoding holds every syllable that can be written; a real text is made of the common ones.
        return share * sum(map(_is_common_syllable, foreign)) / len(foreign)
    if encoding in ("gb18030", "big5hkscs"):
        # Any two bytes are some Chinese character; a real text is full of the common ones.
        common = sum(character in _COMMON_HAN for character in foreign)
        return share * min(1.0, 0.3 + 8 * common / len(foreign))
    if encoding == "cp1252":
        # Letters with marks stand between plain ones in these languages; a run of them is another encoding.
        longest = max((len(run) for run in re.findall(r"[À-ÿ]+", text)), default=0)
        return share if longest <= 3 else 0.2 * share
    return share


def _is_common_syllable(character: str) -> bool:
    """Return whether KS X 1001 has the character; the codec spells other syllables out in eight bytes."""
    try:
        return len(character.encode("euc_kr")) <= 2
    except UnicodeEncodeError:
        return False


def decoded(raw: bytes, encoding: str) -> str | None:
    """Return the bytes as text; a character that is cut off at their end is left out.

    Returns None if they are no text of this encoding.
    """
    try:
        return codecs.getincrementaldecoder(encoding)().decode(raw)
    except UnicodeDecodeError:
        return None


def sample(text: str) -> str:
    """Return the first words with letters beyond ASCII, for a person to recognize."""
    first = next((place for place, character in enumerate(text) if character > "\x7f"), 0)
    begin = max(text.rfind("\n", 0, first) + 1, first - 5)
    shown = text[begin : begin + _SAMPLE].partition("\n")[0]
    return "".join(character for character in shown if unicodedata.category(character)[0] != "C").strip()


def suggestion(raw: bytes) -> str:
    """Return a sentence that names the likely encoding and shows how it reads; empty if there is none."""
    name = likely_encoding(raw)
    text = decoded(raw, name) if name else None
    if name is None or text is None:
        return f" Encodings that can be named: {', '.join(ENCODINGS)}."
    return f" It looks like {name} ({ENCODINGS[name]}) and would begin “{sample(text)}”. If that is right, name it."


def is_utf8(table: BinaryIO) -> bool:
    """Return whether the whole table is UTF-8; UTF-16 without letters beyond ASCII is not."""
    table.seek(0)
    decoder, is_first = codecs.getincrementaldecoder("utf-8")(), True
    while raw := table.read(_PIECE):
        try:
            decoder.decode(raw)
        except UnicodeDecodeError:
            return False
        if is_first and _utf16(raw):
            return False
        is_first = False
    return True


def encoding_for(table: BinaryIO) -> str:
    """Return the encoding that a table which is not UTF-8 most likely has; empty if none fits well."""
    table.seek(0)
    while raw := table.read(_PIECE):
        if not raw.isascii() or _utf16(raw):
            return likely_encoding(raw) or ""
    return ""


def suggestion_for(table: BinaryIO) -> str:
    """Return the suggestion for a table; what is looked at begins with the first bytes beyond ASCII."""
    table.seek(0)
    while raw := table.read(_PIECE):
        if not raw.isascii():
            return suggestion(raw)
    return ""


def transcode(source: BinaryIO, target: BinaryIO, encoding: str) -> None:
    """Write the table to `target` in UTF-8. Raises Unreadable: `encoding`, with the line."""
    source.seek(0)
    decoder = codecs.getincrementaldecoder(encoding)()
    lines, reading = 1, True
    while reading:
        raw = source.read(_PIECE)
        reading = bool(raw)
        try:
            text = decoder.decode(raw, final=not reading)
        except UnicodeDecodeError as fault:
            line = lines + fault.object[: fault.start].count(b"\n")
            reason = f"Line {line} is not {encoding}: name the encoding that the file has."
            raise Unreadable(RowError(line, "encoding", reason + suggestion(fault.object[:_PIECE]))) from fault
        except UnicodeError as fault:  # of UTF-16 whose first bytes do not say the order
            reason = f"The file does not begin with the mark of {encoding}: name the encoding that the file has."
            raise Unreadable(RowError(1, "encoding", reason + suggestion(raw))) from fault
        lines += text.count("\n")
        target.write(text.removeprefix("\ufeff").encode("utf-8", "strict"))
    target.flush()
