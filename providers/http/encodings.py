"""The text of a page's bytes, as browsers decide its encoding, and as they do not: a wrong declaration is noticed.

Byte order mark, header, the page's own declaration, then detection (WHATWG, Encoding and HTML standards). Browsers obey
a declaration that is wrong, and a person sees garbage and leaves. A program that goes on reads it as words. So what is
declared must also make sense, or the encoding that makes most sense decides.
"""

import codecs
import re
from dataclasses import dataclass

import charset_normalizer
import webencodings

from providers.http.encoding_oddities import MULTIBYTE, is_prose, oddity

# Where Python has a codec that holds more of what browsers read under a name than the one of webencodings.
_LARGER = {
    "gbk": "gb18030", "euc-jp": "euc_jis_2004", "iso-2022-jp": "iso2022_jp_ext",
    "iso-2022-kr": "iso2022_kr", "hz-gb-2312": "hz",  # browsers no longer read these two
}  # fmt: skip
_HZ_LABEL = "hz-gb-2312"
# What undeclared bytes are tried as. Equal ones: the first.
_CANDIDATES = (
    "euc-kr", "gb18030", "big5", "shift_jis", "euc-jp", "windows-1252", "windows-1254", "windows-1251", "windows-1250",
    "windows-1253", "windows-1255", "windows-1256", "windows-874", "koi8-r", "koi8-u", "iso-8859-5", "windows-1257",
    "windows-1258", "iso-8859-2", "ibm866",
)  # fmt: skip
# What browsers of these languages take undeclared pages for (HTML standard, section 13.2.3.2).
_OF_LANGUAGE = {
    "ko": "euc-kr", "ja": "shift_jis", "zh-tw": "big5", "zh-hk": "big5", "zh": "gb18030", "ru": "windows-1251",
    "uk": "windows-1251", "bg": "windows-1251", "ar": "windows-1256", "fa": "windows-1256", "he": "windows-1255",
    "el": "windows-1253", "tr": "windows-1254", "pl": "windows-1250", "cs": "windows-1250", "hu": "windows-1250",
    "th": "windows-874", "vi": "windows-1258", "lt": "windows-1257", "lv": "windows-1257", "et": "windows-1257",
}  # fmt: skip
_META = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([\w:-]{2,40})", re.IGNORECASE)
_XML = re.compile(rb"^\s*<\?xml[^>]{0,100}?encoding\s*=\s*[\"']([\w:-]{2,40})[\"']", re.IGNORECASE)
_LANGUAGE = re.compile(rb"<html[^>]{0,200}?\slang\s*=\s*[\"']?([a-z]{2,3}(?:-[a-z0-9]{2,8})?)", re.IGNORECASE)
_MARKUP = re.compile(rb"<(?:script|style)\b[^>]*>[^<]*|<!--[^<]*-->|<[^<>]{0,2000}>|&[#\w]{1,10};", re.IGNORECASE)
_HIGH = re.compile(rb"[\x80-\xff]")
_UTF8 = re.compile(rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}")
_DECLARED_WITHIN, _SAMPLE = 4096, 6_000  # bytes
_FEW = 0.02
"""A declaration stands while it leaves this share of the page's other characters without a meaning."""
_CLEARLY = 0.08
_HOPELESS = 0.6
"""No text of any language reads as so much nonsense: such a reading is of an encoding that is not known here."""
# Bytes seldom fit an encoding of several bytes a character by chance; of the others one is by far the most frequent.
_LIKELY = dict.fromkeys(MULTIBYTE, 0.1) | {"windows-1252": 0.03}
_MOST_REPLACED = 0.01


@dataclass(frozen=True)
class Decoded:
    """The text, and the encoding by the name that browsers have for it."""

    text: str
    encoding: str


@dataclass(frozen=True)
class _Reading:
    """Bytes read as one encoding: `nonsense` from 0, `coherence` with a language from 0 to 1."""

    encoding: str
    text: str
    nonsense: float
    coherence: float

    @property
    def cost(self) -> float:
        """What speaks against it."""
        return self.nonsense - 0.3 * self.coherence - _LIKELY.get(self.encoding, 0.0)

    @property
    def is_odd(self) -> bool:
        """Whether it is too odd to be taken because of the page's language alone."""
        return self.nonsense > 0.1


def decode(content: bytes, label: str = "") -> Decoded:
    """Return the page's text; `label` is what its header says of the encoding."""
    for mark, encoding in (
        (codecs.BOM_UTF8, "utf-8"),
        (codecs.BOM_UTF16_LE, "utf-16le"),
        (codecs.BOM_UTF16_BE, "utf-16be"),
    ):
        if content.startswith(mark):
            return _as(content[len(mark) :], encoding)
    declared = declared_encoding(content, label)
    if wide := _wide(content, declared):
        return _as(content, wide)
    if _is_utf8(content, declared):
        text = _decoded(content, "utf-8")
        return Decoded(_stored_twice(text) or text, "utf-8")
    if escaped := _escaped(content, label):
        return _as(content, escaped)
    sample = _sample(content)
    if not sample:
        return _as(content, declared or "utf-8")
    if not _fits(sample, declared) and _is_mixed(sample):
        return _as(content, "utf-8")
    return _as(content, _chosen(sample, declared, _language(content)))


def declared_encoding(content: bytes, label: str) -> str:
    """Return the name of the encoding that the header or else the page declares; empty if none is known."""
    for pattern in (None, _META, _XML):
        known = webencodings.lookup(_stated(content, pattern) if pattern else label)
        if known is not None and known.name not in ("x-user-defined", "replacement"):
            # A declaration that could be read is none of UTF-16.
            return "utf-8" if pattern and known.name.startswith("utf-16") else str(known.name)
    return ""


def _stated(content: bytes, pattern: re.Pattern[bytes]) -> str:
    match = pattern.search(content[:_DECLARED_WITHIN])
    return match.group(1).decode("ascii").lower() if match else ""


def is_garbled(text: str) -> bool:
    """Return whether so many characters have no meaning that the text must not be taken for the page's."""
    return _lost(text) > max(2, _MOST_REPLACED * len(text))


def _lost(text: str) -> int:
    return sum(map(text.count, "\ufffd\ufffe\uffff")) + len(_MEANINGLESS.findall(text))


_MEANINGLESS = re.compile(r"[\x00-\x08\x0b\x0e-\x1f\x7f-\x84\x86-\x9f\ue000-\uf8ff\U000f0000-\U0010ffff]")


def _as(content: bytes, encoding: str) -> Decoded:
    return Decoded(_decoded(content, encoding), encoding)


def _codec(encoding: str) -> str:
    known = webencodings.lookup(encoding)
    return _LARGER.get(encoding) or (str(known.codec_info.name) if known else encoding)


def _decoded(content: bytes, encoding: str) -> str:
    """Return the text; a character that the end cuts off is left out, one that has no meaning is replaced."""
    return codecs.getincrementaldecoder(_codec(encoding))("replace").decode(content, final=False)


def _wide(content: bytes, declared: str) -> str:
    """Return which UTF-16 it is by where its zero bytes are; empty if it is none."""
    start = content[:_DECLARED_WITHIN]
    first, second = start[0::2].count(0), start[1::2].count(0)
    least = len(start) // 10
    if max(first, second) > max(2, least) and min(first, second) <= least // 5:
        return "utf-16be" if first > second else "utf-16le"
    return declared if declared.startswith("utf-16") else ""


def _is_utf8(content: bytes, declared: str) -> bool:
    """Return whether it can only be UTF-8, perhaps with some damage: by many characters, or few and none declared."""
    try:
        codecs.getincrementaldecoder("utf-8")("strict").decode(content, final=False)
    except UnicodeDecodeError:
        start = content[:200_000]
        return not _fits(start, declared) and sum(map(len, _UTF8.findall(start))) > 0.85 * len(_HIGH.findall(start))
    characters = len(_UTF8.findall(content[:200_000]))
    # No words of one byte a character are UTF-8 by chance; of several bytes short ones may be.
    few = 1 if declared not in MULTIBYTE or _stated(content, _META) == "utf-8" else 4
    return characters >= few


def _escaped(content: bytes, label: str) -> str:
    """Return which encoding of seven bits it is; empty if it is none."""
    if _HIGH.search(content):
        return ""
    if b"\x1b$)C" in content:
        return "iso-2022-kr"
    if b"\x1b$" in content:
        return "iso-2022-jp"
    return "hz-gb-2312" if b"~{" in content and _HZ_LABEL in (label, _stated(content, _META)) else ""


def _stored_twice(text: str) -> str:
    """Return the text of a page that was taken for windows-1252 when it was stored as UTF-8; empty if it was not."""
    try:
        content = text.translate(_BYTES_OF_1252).encode("latin-1")
        return content.decode("utf-8") if len(_UTF8.findall(content)) >= 4 else ""
    except UnicodeError:
        return ""


_BYTES_OF_1252 = {ord(sign): place for place in range(128, 160) if (sign := bytes([place]).decode("cp1252", "ignore"))}


def _is_mixed(sample: bytes) -> bool:
    """Return whether whole lines are UTF-8 and others are not: such a page has no encoding."""
    lines = [line for line in sample.split(b"\n") if len(_HIGH.findall(line)) >= 12]
    return sum(1 for line in lines if _is_utf8(line, "")) > 0.15 * len(lines)


def _sample(content: bytes) -> bytes:
    """Return the parts of the page's words that have other bytes than ASCII."""
    lines = _MARKUP.sub(b"\n", content[:400_000]).split(b"\n")
    return b"\n".join(line for line in lines if _HIGH.search(line))[:_SAMPLE]


def _language(content: bytes) -> str:
    stated = _LANGUAGE.search(content[:_DECLARED_WITHIN])
    return stated.group(1).decode("ascii").lower() if stated else ""


def _chosen(sample: bytes, declared: str, language: str) -> str:
    """Return the declared encoding if the sample makes sense in it, else the one in which it makes most."""
    hint = _OF_LANGUAGE.get(language) or _OF_LANGUAGE.get(language.partition("-")[0], "")
    if _fits(sample, declared):
        # Names and single words make no sense in any encoding, so only a text of another language proves it wrong.
        return next((name for name in (declared, *_CANDIDATES) if _is_prose(sample, name)), declared)
    stated = _reading(sample, declared, hint) if declared else None
    best = _best(sample, hint)
    if stated is None or best is None:
        return best.encoding if best else declared or "utf-8"
    if best.text == stated.text or not _makes_more_sense(best, stated, hint):
        return declared
    return best.encoding


def _fits(content: bytes, declared: str) -> bool:
    """Return whether it is an encoding of several bytes a character, and all bytes have a meaning in it."""
    return declared in MULTIBYTE and not _lost(_decoded(content, declared))


def _is_prose(sample: bytes, encoding: str) -> bool:
    return _fits(sample, encoding) and is_prose(_decoded(sample, encoding), encoding)


def _makes_more_sense(best: _Reading, stated: _Reading, hint: str) -> bool:
    return best.cost < stated.cost - _CLEARLY or (best.encoding == hint and best.cost <= stated.cost)


def _best(sample: bytes, hint: str) -> _Reading | None:
    readings = [reading for name in _CANDIDATES if (reading := _reading(sample, name, hint))]
    return min(readings, key=lambda reading: (reading.encoding != hint or reading.is_odd, reading.cost), default=None)


def _reading(sample: bytes, encoding: str, hint: str) -> _Reading | None:
    """Return what the sample is in an encoding.

    Returns None if it is not in it: too many bytes have no meaning there, or what they mean is nonsense.
    """
    text = _decoded(sample, encoding)
    beyond_ascii = sum(1 for letter in text if letter > "\x7f")
    lost = _lost(text)
    if not beyond_ascii or lost > _FEW * beyond_ascii + (beyond_ascii > 20):
        return None
    codec = _codec(encoding).replace("-", "_")
    plain = re.sub(r"[\ufffd\x80-\x9f]", "", text)
    match = charset_normalizer.from_bytes(
        plain.encode(codec, "ignore"),
        cp_isolation=[codec],
        threshold=9.0,
        preemptive_behaviour=False,
        enable_fallback=False,
    ).best()
    if match is None:
        return None
    nonsense = match.chaos + oddity(text, encoding) + lost / beyond_ascii
    return _Reading(encoding, text, nonsense, match.coherence) if nonsense < _HOPELESS else None
