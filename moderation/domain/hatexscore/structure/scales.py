"""A number on a scale whose ends are explained: "2 of 10, where 10 is hateful".

What an end of the scale stands for states nothing. The number that is given does.
"""

import re
from collections.abc import Sequence

from moderation.domain.hatexscore.conclusion import Conclusion
from moderation.domain.hatexscore.labels import said_by
from moderation.domain.hatexscore.structure.listed import LOW_END, Item, explained_numbers, nearer_end, without

_N, _MOST = r"(?P<points{0}>\d{{1,3}}(?:\.\d{{1,2}})?)", r"(?P<most{0}>[1-9]\d{{0,2}})"
_RATINGS = re.compile(
    "|".join(
        rf"(?<![\d./])(?:{form})(?![\d/]|\.\d)"
        for form in (
            rf"{_N.format(1)}\s?(?:/|(?:points? )?(?:out )?of)\s?{_MOST.format(1)}",
            rf"{_MOST.format(2)}점\s?(?:만점|척도|기준)?(?:에서?|\s?중)?\s?{_N.format(2)}점?",
            rf"(?:满分)?{_MOST.format(3)}分(?:制|满分)?(?:中|里)?,?(?:得|给|打|为)?\s?{_N.format(3)}分?",
            rf"{_N.format(4)}分?\s?\(?(?:满分|滿分|共|만점|총점?)\s?{_MOST.format(4)}[分점]?",
        )
    )
)


# What tells the upper end without its number.
_HIGHER = re.compile(
    r"(?:higher|larger|bigger|greater)(?: (?:score|number|value|figure)s?)? ?(?:=|is|are|means?|indicates?|for|the)? ?"
    r"(?:more|most) (?:hateful|hate)[a-z]*|(?:높|클|커질|올라갈)을?수록 (?:더 )?(?:심한 |강한 )?혐오[가-힣]*"
    r"|越[高大][^,.。;]{0,4}越[^,.。;]{0,6}仇恨"
)


_DIGIT = re.compile(r"\d")
# A step of a scale with its meaning, in a row of such: "1 none, 2 mild, 3 hateful".
_STEP = re.compile(r"(?<![\d./])(?P<code>\d)\s?(?P<label>[^\d,.;()/%:=\n\x02…、]{2,32})")
_NEXT_STEP = re.compile(r"\s?(?:[,;、…]|\.{3}|\bto\b|\band\b)*\s*")
_LEAST_STEPS = 3  # two steps stand in brackets
_ONE_NUMBER = re.compile(r"(?<![\w./%])\d(?:\.\d{1,2})?(?:(?=단계|점|分|级)|(?![\w/%]|\.\d))")


def chosen_of_legend(text: str) -> tuple[str, list[Conclusion]]:
    """Return the text without the steps of a scale that it lists, and what the one number beside them says."""
    steps = _legend(text)
    if not steps:
        return text, []
    rest = without(text, steps)
    hits = [(rating.span(), _numbers(rating)[0]) for rating in _RATINGS.finditer(rest)]
    hits = hits or [(hit.span(), float(hit[0])) for hit in _ONE_NUMBER.finditer(rest)]
    if len(hits) != 1:
        return rest, []
    place, number = hits[0]
    said = {float(step.code): step.hateful for step in steps}
    ends = {min(said): not said[max(said)], max(said): said[max(said)]}
    hateful = said[number] if said.get(number) is not None else nearer_end(ends, number) if steps[-1].hateful else None
    return without(rest, [Item(*place, "", None)]), [] if hateful is None else [Conclusion(*place, hateful)]


def _legend(text: str) -> list[Item]:
    """Return the steps of the first list of them that counts up by one and has a word of hate in one of them."""
    steps: list[Item] = []
    for hit in _STEP.finditer(text) if _DIGIT.search(text) else ():
        end = hit.start("label") + len(hit["label"].rstrip())
        step = Item(hit.start(), end, hit["code"], said_by(hit["label"].strip()))
        goes_on = bool(steps) and int(step.code) == int(steps[-1].code) + 1
        if not goes_on or _NEXT_STEP.fullmatch(text, steps[-1].end, step.start) is None:
            if _is_legend(text, steps):
                break
            steps = []
        steps.append(step)
    return steps if _is_legend(text, steps) else []


def _is_legend(text: str, steps: Sequence[Item]) -> bool:
    """Whether these are enough steps, one of them hateful."""
    least = 2 if steps and text[steps[0].start - 1 : steps[0].start] == "(" else _LEAST_STEPS
    return len(steps) >= least and any(step.hateful for step in steps)


def chosen_of_scale(text: str) -> tuple[str, list[Conclusion]]:
    """Return the text without what explains its scale, and what the one rating on that scale says.

    The text is returned as it is where no end of the scale is explained.
    """
    ratings = list(_RATINGS.finditer(text)) if _DIGIT.search(text) else []
    scales = {_numbers(rating) for rating in ratings}
    ends = [end for end in explained_numbers(text) if _is_end(end, ratings)] if ratings else []
    if ratings and (higher := _HIGHER.search(text)):
        ends = [Item(*higher.span(), f"{most:g}", True) for _points, most in scales]
    elif not ends or not any(_is_told(text, most) for _points, most in scales):
        return text, []
    if len(scales) > 1:
        return without(text, ends), []
    ((points, most),) = scales
    said = {float(end.code): end.hateful for end in ends}
    low = min(said) if min(said) in LOW_END else 0.0
    whole = {low: not said.get(most, True), most: not said.get(low, False)} | said
    hateful = nearer_end(whole, points) if set(whole.values()) == {True, False} else None
    rest = without(text, [*ends, *(Item(*rating.span(), "", None) for rating in ratings)])
    return rest, [] if hateful is None else [Conclusion(*ratings[0].span(), hateful)]


def _is_end(explained: Item, ratings: Sequence[re.Match[str]]) -> bool:
    """Whether the explained number is an end of the scale of a rating, and stands apart from all."""
    code = float(explained.code)
    is_apart = all(explained.end <= rating.start() or rating.end() <= explained.start for rating in ratings)
    return is_apart and (code in LOW_END or any(code == _numbers(rating)[1] for rating in ratings))


def _is_told(text: str, most: float) -> bool:
    """Whether something is told of the upper end of a scale, in words of hate or in others."""
    return (
        re.search(
            rf"(?<![\w./]){most:g}\s?(?:[:=(点점分]|이면|[은는이가]\s|[^.,]{{0,8}}수록|means|(?:is|be|being)\b|stands|表示|代表|为|是)",
            text,
        )
        is not None
    )


def _numbers(rating: re.Match[str]) -> tuple[float, float]:
    points, most = (next(filter(None, [rating[f"{name}{form}"] for form in "1234"])) for name in ("points", "most"))
    return float(points), float(most)
