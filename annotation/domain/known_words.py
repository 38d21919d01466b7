"""Other words for categories with a usual name, which every project reads without storing them.

A word counts for a category that has one of the usual names, or has it as an alias, and the same meaning (hateful or
not). What a project itself calls a category counts first, and a word of two of its categories stands for none.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from annotation.domain.votes import Category
from vocabulary.folded_words import folded


class _Known(NamedTuple):
    """Usual names of one category, whether it is hateful, and its words."""

    names: tuple[str, ...]
    hateful: bool
    words: tuple[str, ...]


_KNOWN = (
    # H-VLI, and hateful or not
    _Known(
        ("NotHate", "NotHateful", "NotHateSpeech"),
        False,
        ("not hateful", "non-hate", "no hate", "비혐오", "혐오 아님", "非仇恨", "不是仇恨言论"),
    ),
    _Known(("Hate", "Hateful", "HateSpeech"), True, ("혐오", "혐오 표현", "仇恨", "仇恨言论")),
    _Known(
        ("Racist", "Racism", "Race"),
        True,
        ("racism", "인종차별", "인종차별적", "인종 혐오", "种族歧视", "种族主义", "种族仇恨"),
    ),
    _Known(
        ("Sexist", "Sexism", "Gender"),
        True,
        ("sexism", "misogyny", "성차별", "성차별적", "여성 혐오", "性别歧视", "性别歧视的", "厌女"),
    ),
    _Known(
        ("Homophobic", "Homophobe", "Homophobia"),
        True,
        ("homophobia", "동성애 혐오", "성소수자 혐오", "恐同", "反同", "同性恋歧视"),
    ),
    _Known(
        ("Religion", "Religious", "Religious Hate"),
        True,
        ("종교", "종교 혐오", "종교 차별", "종교차별", "宗教", "宗教歧视", "宗教仇恨"),
    ),
    _Known(("OtherHate",), True, ("other", "기타", "기타 혐오", "其他", "其他仇恨")),
    # HateXplain
    _Known(("Normal",), False, ("정상", "正常")),
    _Known(("Offensive",), False, ("공격적", "불쾌한 말", "冒犯", "冒犯性")),
    # K-MHaS
    _Known(("Origin",), True, ("출신차별", "地域歧视")),
    _Known(("Physical",), True, ("외모차별", "外貌歧视")),
    _Known(("Politics",), True, ("정치성향차별", "政治倾向歧视")),
    _Known(("Profanity",), True, ("혐오욕설", "仇恨脏话")),
    _Known(("Age",), True, ("연령차별", "年龄歧视")),
)
_BY_NAME = {(folded(name), known.hateful): known.words for known in _KNOWN for name in known.names}


def spellings(categories: Sequence[Category]) -> tuple[tuple[int, tuple[str, ...]], ...]:
    """Return the code of each category with all that stands for it: its name first, its aliases, its known words."""
    known = known_words(categories)
    return tuple((row.code, (row.name, *row.aliases, *known[row.code])) for row in categories)


def known_words(categories: Sequence[Category]) -> Mapping[int, tuple[str, ...]]:
    """Return code → the known words of each category that no other category of the project has too."""
    return _known_words(tuple((row.code, row.hateful, (row.name, *row.aliases)) for row in categories))


@lru_cache(maxsize=64)
def _known_words(categories: tuple[tuple[int, bool, tuple[str, ...]], ...]) -> Mapping[int, tuple[str, ...]]:
    own = {folded(name) for _code, _hateful, names in categories for name in names}
    known = {code: dict.fromkeys(_words_of(names, hateful)) for code, hateful, names in categories}
    counts = Counter(form for words in known.values() for form in {folded(word) for word in words})
    return {
        code: tuple(word for word in words if folded(word) not in own and counts[folded(word)] == 1)
        for code, words in known.items()
    }


def _words_of(names: Iterable[str], hateful: bool) -> Iterator[str]:
    for name in names:
        yield from _BY_NAME.get((folded(name), hateful), ())
