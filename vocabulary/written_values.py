"""Read what a model wrote for a value: one of a closed set, yes or no, a number, in the forms in which models write.

A value is read only if all that is written stands for it: `1 (Racist)` is read, `1 (Sexist)` and `not quite racist`
are not. Nothing is searched for inside a sentence, nothing is the nearest match. What is not read is returned
unchanged, for the field's own check.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Generic, TypeVar

from pydantic import BeforeValidator, Field

from vocabulary.folded_words import AROUND, folded

Value = TypeVar("Value")

_PARTS = re.compile(r"[:=(（)）\[\]【】]|,\s|、|，|\s[-–—]\s|(?<=\d)[.)]\s+|(?<=^\d)\s+|(?<=^\d\d)\s+")
_LONGEST = 200

# Words that say what kind of value it is, in front of it or behind it.
_KINDS = (
    *("category", "label", "class", "type", "code", "cue", "cue type", "hate type", "verdict", "judgment", "judgement"),
    *("stance", "answer", "position", "severity", "level", "score", "relevance", "result", "page"),
    *(
        "범주",
        "카테고리",
        "분류",
        "유형",
        "라벨",
        "레이블",
        "코드",
        "단서",
        "판정",
        "판단",
        "입장",
        "답",
        "결론",
        "심각도",
        "관련성",
    ),
    *("类别", "分类", "标签", "类型", "代码", "线索", "判断", "判定", "立场", "答案", "结论", "严重程度", "相关性"),
)


class ClosedSet(Generic[Value]):
    """Values and the forms in which each may be written. A form of several values stands for none of them."""

    def __init__(self, values: Mapping[Value, Iterable[str]]) -> None:
        written = [(form, value) for value, forms in values.items() for form in forms]
        self._exactly = _of_one_value(written)
        self._value_of = _of_one_value((folded(form), value) for form, value in written)
        self._by_stem = _of_one_value((_stem(folded(form)), value) for form, value in written)

    def read(self, written: Any) -> Value | None:
        """Return the value that is written, alone or with its other forms: `1`, `Racist`, `Category 1: Racist`.

        Returns None if it is none, or if its parts stand for different values.
        """
        if isinstance(written, bool | float) or not isinstance(written, str | int):
            return None
        text = str(written)
        if len(text) > _LONGEST:
            return None
        for whole in (self._exactly.get(text), self._value_of.get(folded(text))):
            if whole is not None:
                return whole
        plain = unicodedata.normalize("NFKC", text).strip(AROUND)
        values = {self._of_part(part) for part in _PARTS.split(plain) if _says_something(part)}
        return next(iter(values)) if len(values) == 1 else None

    def _of_part(self, part: str) -> Value | None:
        word = folded(part).removeprefix("#")
        plain = _without_kind(word)
        found = (self._value_of.get(word), self._value_of.get(plain), self._by_stem.get(_stem(plain)))
        return next((value for value in found if value is not None), None)


def _of_one_value(written: Iterable[tuple[str, Value]]) -> dict[str, Value]:
    values: dict[str, set[Value]] = {}
    for form, value in written:
        values.setdefault(form, set()).add(value)
    return {form: next(iter(of)) for form, of in values.items() if len(of) == 1}


def _says_something(part: str) -> bool:
    word = folded(part)
    return bool(word.strip("#")) and word not in _FOLDED_KINDS


def _without_kind(word: str) -> str:
    kind = next((kind for kind in _FOLDED_KINDS if word.startswith(kind)), "")
    if kind:
        return word.removeprefix(kind)
    return word.removesuffix(next((kind for kind in _FOLDED_KINDS if word.endswith(kind)), ""))


_FOLDED_KINDS = sorted({folded(kind) for kind in _KINDS}, key=len, reverse=True)


# ── Endings ───────────────────────────────────────────────────────────────────

_DENIED_KOREAN = re.compile(r"(?:이|가|은|는)?아(?:닙니다|니다|니에요|니예요|닌|님)$")
_UNDONE_KOREAN = re.compile(r"않(?:습니다|아요|다|는다|은|는|음)$")
_ENDING = re.compile(
    r"(?<=..)(?:입니다|이에요|예요|이다|임|합니다|해요|한다|하다|하는|함|습니다)$|(?<=\d)번$"
    r"|(?<=..)(?:언어|표현|발언|language|content|expression|言论|内容|表达|语言)$|(?<=..)적인?$|(?<=..)的$|(?<=..)性$"
)
_DENIED_CHINESE = re.compile(
    r"^(?:(?:不是|并非|没有|不属于|不构成|不具有|不含有|不存在|不具|不含)(?=..)|[不非无](?=..))"
)
_STATED_CHINESE = re.compile(r"^(?:是|有|具有|含有|属于|存在|构成)(?=..)")


def _stem(word: str) -> str:
    """Return a folded word without what Korean and Chinese put around it; what denies it is kept, in one form."""
    if denied := _DENIED_KOREAN.search(word):
        return f"{_stem(word[: denied.start()])}아님" if denied.start() > 1 else word
    if undone := _UNDONE_KOREAN.search(word):
        return f"{word[: undone.start()]}않음"
    denied = _DENIED_CHINESE.match(word)
    word = word[denied.end() :] if denied else _STATED_CHINESE.sub("", word)
    while (shorter := _ENDING.sub("", word)) != word:
        word = shorter
    return f"非{word}" if denied else word


def one_of(values: Mapping[Value, Iterable[str]]) -> BeforeValidator:
    """Return a validator that reads one of these values in its forms, and passes anything else on as it is."""
    return BeforeValidator(reader_of(values))


def reader_of(values: Mapping[Value, Iterable[str]]) -> Callable[[Any], Any]:
    """Return the function of `one_of`."""
    known = ClosedSet(values)

    def read(written: Any) -> Any:
        value = known.read(written)
        return written if value is None else value

    return read


# ── Yes or no ─────────────────────────────────────────────────────────────────

YES_FORMS = (
    *("yes", "y", "true", "예", "네", "응", "참", "맞음", "맞다", "맞습니다", "맞아요", "그렇다", "그렇습니다"),
    *("是", "是的", "对", "真", "有"),
)
NO_FORMS = (
    *("no", "n", "false", "아니오", "아니요", "아니", "아님", "아니다", "아닙니다", "그렇지 않음", "거짓"),
    *("否", "不", "不是", "不对", "假", "没有", "无"),
)
YesNo = Annotated[bool, Field(strict=True), one_of({True: YES_FORMS, False: NO_FORMS})]
"""True or false, also in words."""

# ── Numbers ───────────────────────────────────────────────────────────────────

_NUMBER = re.compile(r"([+-]?\d{1,9}(?:\.\d{1,12})?)")
_PER_CENT = re.compile(r"(\d{1,3}(?:\.\d{1,9})?) ?(?:%|per ?cent|퍼센트)|百分之(\d{1,3})")
_PART_OF_ONE = re.compile(r"0?[.,](\d{1,12})")
_ABOUT = re.compile(r"^(?:약|대략|约|大约|about|approximately|around|~|≈) ?(?=\d)")


def read_number(written: Any) -> Any:
    """Return the number that a text is; anything else as it is."""
    if not isinstance(written, str) or len(written) > _LONGEST:
        return written
    plain = unicodedata.normalize("NFKC", written).strip(AROUND)
    if not _NUMBER.fullmatch(plain):
        return written
    return float(plain) if "." in plain else int(plain)


def read_share(written: Any) -> Any:
    """Return the number from 0 to 1 that a text is, as `0.86` or `86%`; anything else as it is."""
    if isinstance(written, str) and len(written) <= _LONGEST:
        plain = _ABOUT.sub("", unicodedata.normalize("NFKC", written).strip(AROUND).casefold())
        if per_cent := _PER_CENT.fullmatch(plain):
            return float(per_cent[1] or per_cent[2]) / 100
        if part := _PART_OF_ONE.fullmatch(plain):
            return float(f"0.{part[1]}")
    return read_number(written)


def read_whole(written: Any) -> Any:
    """Return the whole number that a text is, also with its kind or with words for it: `Severity: 2`, `2 (severe)`."""
    number = read_number(written)
    if not isinstance(number, str) or len(number) > _LONGEST:
        return number
    parts = [folded(part) for part in _PARTS.split(unicodedata.normalize("NFKC", number)) if _says_something(part)]
    numbers = [_without_kind(part) for part in parts if re.search(r"\d", part)]
    is_one = len(numbers) == 1 and numbers[0].isdecimal() and len(numbers[0]) < 10
    return int(numbers[0]) if is_one else written


Number = BeforeValidator(read_number)
"""Reads a number in quotation marks as well."""
WholeNumber = BeforeValidator(read_whole)
"""Reads a whole number with its kind or with words for it, too."""
Whole = Annotated[int, Field(strict=True), WholeNumber]
"""A whole number, also in quotation marks."""
Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False, strict=True), BeforeValidator(read_share)]
"""A number from 0 to 1, also in quotation marks or in per cent."""


@dataclass(frozen=True)
class OwnWords:
    """Marks a field, a text or a list of texts, in which a model says something itself.

    A refusal in it is a refusal of the whole answer. A field that quotes others may hold one. A field that
    `judges` says why the post is judged so: "I cannot find, call, justify" is a verdict there.
    """

    judges: bool = False


OWN_WORDS = OwnWords()
OWN_REASON = OwnWords(judges=True)
