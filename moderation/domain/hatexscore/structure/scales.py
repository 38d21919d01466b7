"""A number on a scale whose ends are explained: "2 of 10, where 10 is hateful".

What an end of the scale stands for states nothing. The number that is given does.
"""

import re
from collections.abc import Sequence

from moderation.domain.hatexscore.conclusion import Conclusion
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
