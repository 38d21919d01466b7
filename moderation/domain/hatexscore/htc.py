"""HTC: whether an explanation states a conclusion for or against hateful (design section 8; paper, section 3.1).

Negated forms are read as what they say. A question, a condition or a doubt states nothing, nor does what is quoted.
"""

import re
from collections.abc import Sequence

from moderation.domain.hatexscore import htc_en, htc_ko, htc_zh
from moderation.domain.hatexscore.conclusion import Conclusion
from moderation.domain.hatexscore.quotations import Quotation, blanked, quotations

_LABEL_ALONE = re.compile(
    r"(?:non|not|no)?[\s-]*(?:hateful|hate(?:[ -]speech)?)[.!]?|非?仇恨(?:言论|言論)?|비?(?:혐오|증오)(?:\s*표현)?",
    re.IGNORECASE,
)
_HAN, _HANGUL = re.compile("[\u4e00-\u9fff]"), re.compile("[\uac00-\ud7a3]")


def conclusions(explanation: str, quoted: Sequence[Quotation] | None = None) -> list[Conclusion]:
    """All conclusions that the explanation states, in its order."""
    quoted = quotations(explanation) if quoted is None else quoted
    text = blanked(explanation, [each for each in quoted if not _LABEL_ALONE.fullmatch(each.text)])
    found = list(htc_en.stated(text))
    if _HAN.search(text):
        found += htc_zh.stated(text)
    if _HANGUL.search(text):
        found += htc_ko.stated(text)
    return _outermost(found)


def conclusion_line(hateful: bool) -> str:
    """The line that stands for the label of a structured answer."""
    return f"Conclusion: {'hateful' if hateful else 'non-hateful'}"


def _outermost(found: Sequence[Conclusion]) -> list[Conclusion]:
    """Without those inside another: a line that says "Verdict: not hateful" is one conclusion."""
    kept: list[Conclusion] = []
    for each in sorted(found, key=lambda one: (one.start, -one.end)):
        if not kept or each.start >= kept[-1].end:
            kept.append(each)
    return kept
