"""Words of a text, for comparing and finding: lower case, and Chinese, Japanese and Korean cut into pairs."""

import re
import unicodedata

_RUN = re.compile(r"[\w']+")
_WIDE = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]+")
_UNSEEN = re.compile("[\u200b-\u200f\u2060-\u2064\ufeff\u00ad]")


def plain(text: str) -> str:
    """The text as it is compared: one form for each character, lower case, straight apostrophes, nothing unseen."""
    return _UNSEEN.sub("", unicodedata.normalize("NFKC", text)).replace("’", "'").casefold()


def tokens(text: str) -> list[str]:
    """The words of a text. Scripts that part words rarely or by endings are cut into overlapping pairs of letters."""
    found: list[str] = []
    for run in _RUN.findall(plain(text)):
        wide = _WIDE.findall(run)
        found += [word.strip("'") for word in _WIDE.sub(" ", run).split() if word.strip("'")]
        for piece in wide:
            found += [piece[at : at + 2] for at in range(len(piece) - 1)] or [piece]
    return found


def says(text: str, phrase: str) -> bool:
    """Whether a phrase stands in a text, on word boundaries where its script has any; its plural counts too."""
    held, wanted = plain(text), plain(phrase).strip()
    if not wanted:
        return False
    if _WIDE.search(wanted):
        return wanted in held
    spaced = r"\s+".join(re.escape(word) for word in wanted.split())
    return re.search(rf"(?<!\w){spaced}(?:e?s)?(?!\w)", held) is not None
