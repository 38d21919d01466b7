"""Labels of both sides with a value beside each: boxes, shares, ones and noughts. The values choose, no label alone.

"- [x] hateful, - [ ] not hateful", "hateful: 12 %, not hateful: 88 %", "hateful 0, offensive 1, neutral 0".
"""

import re
from collections.abc import Iterator, Sequence

from moderation.domain.hatexscore.conclusion import Conclusion
from moderation.domain.hatexscore.labels import said_by
from moderation.domain.hatexscore.structure.listed import Item, without

_LABEL = (
    r"(?P<label>(?:(?:not|non)[\s-]?)?(?:hateful|hate(?: speech)?)|offensive|neutral|harmless|normal|benign"
    r"|(?:비\s?)?혐오(?: 표현)?(?: 아님)?|무해|중립|정상|공격적?|모욕|非?仇恨(?:言论)?|无害|中立|正常|冒犯)"
)
_BOX = r"(?P<value>\[[ x✓✔]?\]|[☐☑☒✅❌⬜])"
_EDGE = r"(?<![\w가-힣\u4e00-\u9fff])"
_FORMS = (
    re.compile(rf"{_BOX}\ufe0f?[ *]{{0,4}}{_LABEL}[ *]{{0,4}}(?=$|[\n,;|/(])"),
    re.compile(rf"{_EDGE}{_LABEL}[ *]{{0,3}}[:=]?[ *]{{0,3}}{_BOX}"),
    re.compile(rf"{_EDGE}{_LABEL}[ *]{{0,3}}(?:[:=→]|->)?[ *]{{0,3}}(?P<value>\d{{1,3}}(?:\.\d{{1,2}})?)\s?%"),
    re.compile(rf"{_EDGE}{_LABEL}[ *]{{0,3}}(?:[:=→]|->)[ *]{{0,3}}(?P<value>[01])(?![\d.%/])"),
)
_BETWEEN = re.compile(r"[\s,;.|/*•·。，；、ㆍ\ufe0f-]{0,12}(?:(?:and|or|및|和)\s)?")
_CHOSEN, _LOW, _HIGH = frozenset("x✓✔☑☒✅1"), 35, 65
_LEAST_CODES = 3  # two labels with 1 and 0 may be a key


def chosen_of_form(words: str, text: str) -> tuple[str, list[Conclusion]]:
    """Return the plain text without the labels that stand beside values, and what the values choose.

    `words` is the same text before boxes and marks were taken out, place by place.
    """
    low = words.lower()
    if len(low) != len(text):
        return text, []
    for form in _FORMS:
        for items in _runs(low, form):
            values = [(said_by(item["label"]), item["value"].strip("[] ")) for item in items]
            if {hateful for hateful, _ in values} < {True, False} or (form is _FORMS[-1] and not _repeats(values)):
                continue
            hateful = _chosen([(bool(label), value) for label, value in values])
            rest = without(text, [Item(*item.span(), "", None) for item in items])
            return rest, [] if hateful is None else [Conclusion(*items[0].span(), hateful)]
    return text, []


def _runs(text: str, form: re.Pattern[str]) -> Iterator[Sequence[re.Match[str]]]:
    """Yield the labels that stand side by side in this form, two and more."""
    run: list[re.Match[str]] = []
    for hit in form.finditer(text):
        if run and _BETWEEN.fullmatch(text, run[-1].end(), hit.start()) is None:
            if len(run) > 1:
                yield run
            run = []
        run.append(hit)
    if len(run) > 1:
        yield run


def _repeats(values: Sequence[tuple[bool | None, str]]) -> bool:
    """Whether the ones and noughts are answers: a key gives each label a code of its own."""
    return len(values) >= _LEAST_CODES and len({value for _, value in values}) < len(values)


def _chosen(values: Sequence[tuple[bool, str]]) -> bool | None:
    """Return the side that the values choose. Returns None if they choose both, or neither."""
    if all(value.replace(".", "").isdigit() for _, value in values) and max(float(value) for _, value in values) > 1:
        share = max(float(value) for hateful, value in values if hateful)
        return None if _LOW < share < _HIGH else share >= _HIGH
    chosen = {hateful for hateful, value in values if value in _CHOSEN and value}
    return chosen.pop() if len(chosen) == 1 else None
