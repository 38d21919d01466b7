"""A word as it is compared: however it is spelled, set in quotation marks or joined."""

import re
import unicodedata

AROUND = " \t\r\n\"'“”‘’「」『』《》`*_"
"""Signs around a word that are no part of it."""
_BETWEEN = re.compile(r"(?<=\w)[\s_\-‐‑‒–—−·]+(?=\w)")


def folded(written: str) -> str:
    """Return a word without case, quotation marks around it, a full stop, and spaces or hyphens between its parts."""
    plain = unicodedata.normalize("NFKC", written.replace("’", "'")).casefold().strip(AROUND)
    plain = plain.removesuffix(".").removesuffix("。").strip(AROUND)
    return _BETWEEN.sub("", plain)
