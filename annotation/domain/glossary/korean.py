"""Korean: initial consonants, what follows a noun, and the forms of verbs and adjectives."""

import re
from collections.abc import Iterator

from annotation.domain.folding.hangul import FINALS, INITIALS, VOWELS, is_open, is_syllable, parts, syllable_of

CONSONANTS = re.compile(r"(?<![ㄱ-ㅎ])[ㄱ-ㅎ](?:[^\w\n,;:!?。]{1,2}[ㄱ-ㅎ])+(?![ㄱ-ㅎ])|[ㄱ-ㅎ]{2,}")
"""A run of consonants, with or without signs between all of them."""


def _listed(words: str) -> tuple[str, ...]:
    return tuple(words.split())


_SUFFIXES = _listed("들 이들 끼리 님 씨 놈 년 새끼 것 충 짓 질 쪽 따위 자식 녀석 출신 뿐 무리 떼 단 파 때문")
_PARTICLES = _listed(
    "이 가 은 는 을 를 의 에 에게 에서 에게서 한테 한테서 께 께서 와 과 랑 이랑 하고 로 으로 로서 으로서 "
    "로써 으로써 로부터 으로부터 부터 까지 도 만 만큼 마저 조차 밖에 처럼 같이 보다 마다 마냥 나 이나 "
    "나마 이나마 든 이든 든지 이든지 라도 이라도 "
    "야말로 이야말로 아 야 여 이여 며 이며 요 이요 커녕 은커녕 는커녕 라든가 이라든가 대로 치고 더러 보고"
)
_COPULA = (
    "이?(?:다|야|네|고|라|래|란|랬|랍|며|면|지|죠|구나|군|냐|니|거든|거나|던|더라|더니|더군|든|자|잖|겠|세요|에요|예요|어서)|이(?:시|신|십)|"
    "이?었|였|인|일|임|입니|입"
)
_VERBAL = (
    f"(?:{_COPULA}|하|한|할|함|해|했|되|된|될|됨|됐|스럽|스러|스레|답|다운|다워|같|적|거리|거린|거려|거렸|대는|대고|네)"
)
_IN_ENDINGS = (
    "가거게겠고구군기까나냐네는니다대더던데도든들라란래려렵로며면므뿐서셔소시신습아야어었에여였오요우운은을음으이인일임입자잖지죠준즈"
    "짓처하한할함해했것애쓰써버봐보주줄않못싶있없되돼된될"
)
"""Syllables that endings of verbs and the verbs behind them are made of; a noun such as 단지를 has others."""
_ENDING = re.compile(
    f"(?:{'|'.join(_SUFFIXES)}){{0,2}}"
    f"(?:(?:{'|'.join(sorted(_PARTICLES, key=len, reverse=True))}){{0,3}}|{_VERBAL}[{_IN_ENDINGS}]{{0,4}})요?$"
)
_AFTER_VOWEL = _listed("가 는 를 와 랑 라 다 고 며 면 지 자 냐 니 던 든 란 래 예 였")
_AFTER_CONSONANT = _listed("은 을 과 으")
_SHORT_ENDINGS = _listed("지 자 면 고 니 든 파 단")
_PREFIXES = _listed(
    "개 핵 극 왕 쌩 생 신 구 그 이 저 씹 좆 참 우리 한국 남의 진짜 완전 모든 온 뭔 웬 "
    "우리나라 울 늙은 젊은 못된 나쁜 저놈 이놈 그놈 저런 이런 그런 미친 더러운 역시"
)
_STEM_SHORTEST = 2
_LOOK_ALIKES = str.maketrans("멍명귀비유대팔면", "댕띵커네윾머괄띤")
_SILENT = INITIALS.index("ㅇ")


def is_ending(rest: str, term: str) -> bool:
    """Return whether the rest of a word after a noun is nothing, particles, or an ending that fits."""
    rest = rest.removeprefix(term)
    if not rest:
        return True
    if is_syllable(term[-1]) and rest.startswith(_AFTER_CONSONANT if is_open(term) else _AFTER_VOWEL):
        return False
    if len(term) <= _STEM_SHORTEST and rest in _SHORT_ENDINGS:
        return False
    return _ENDING.match(rest) is not None


def is_prefix(front: str, term: str) -> bool:
    """Return whether what stands before a noun in its word may stand there without making another word."""
    front = front.removesuffix(term)
    return not front or front in _PREFIXES


def with_final(word: str, final: str) -> str:
    """Return a word whose last, open syllable is closed by a consonant; the word itself if it is closed."""
    initial, vowel, closed = parts(word[-1])
    return word if closed else word[:-1] + syllable_of(initial, vowel, FINALS.index(final))


def _stretches() -> str:
    """Return an expression for an open syllable and the vowel in which it ends, again and again: 고오옴, 놔아."""
    endings = dict(zip("ㅑㅒㅕㅖㅘㅙㅛㅝㅞㅟㅠㅢ", "ㅏㅐㅓㅔㅏㅐㅗㅓㅔㅣㅜㅣ", strict=True))
    alternatives = []
    for number, vowel in enumerate(VOWELS):
        again = VOWELS.index(endings.get(vowel, vowel))
        opened = "".join(syllable_of(initial, number) for initial in range(len(INITIALS)))
        first = syllable_of(_SILENT, again)
        alternatives.append(f"[{opened}]{first}*[{first}-{chr(ord(first) + len(FINALS) - 1)}]")
    return "|".join(alternatives)


def unstretched(stretch: str) -> str:
    """Return the one syllable that a stretch is: 고오옴 is 곰."""
    initial, vowel, _final = parts(stretch[0])
    return syllable_of(initial, vowel, parts(stretch[-1])[2])


def in_look_alikes(term: str) -> set[str]:
    """Return a term with one or all of its syllables written as others that look like them: 댕댕이 is 멍멍이."""
    ones = {term.replace(char, char.translate(_LOOK_ALIKES)) for char in term}
    return (ones | {term.translate(_LOOK_ALIKES)}) - {term}


def initials(term: str) -> str:
    """Return the initial consonants of the syllables of a term."""
    return "".join(INITIALS[parts(char)[0]] for char in term if is_syllable(char))


def verb_forms(term: str) -> Iterator[tuple[str, str]]:
    """Yield the beginnings of the forms of a verb or adjective in -다, and which syllables may follow; "" is any."""
    stem = term[:-1]
    if not term.endswith("다") or len(stem) < _STEM_SHORTEST or not all(map(is_syllable, stem)):
        return
    yield stem, "고지게네다던더습는거기자며면니냐든도려잖겠애에"
    initial, vowel, final = parts(stem[-1])
    front = stem[:-1]
    if stem[-1] == "하":
        yield from ((front + form, "") for form in ("해", "했"))
        yield from _closed(stem)
    elif stem[-1] == "르":
        yield from _of_reu(front)
        yield from _closed(stem)
    elif FINALS[final] == "ㅂ":
        open_stem = front + syllable_of(initial, vowel)
        yield from ((open_stem + form, "") for form in ("우", "운", "울", "움", "워", "웠", "와", "왔"))
    elif final:
        yield from ((stem + form, "") for form in ("은", "을", "음", "으", "아", "어", "았", "었"))
    else:
        yield from _closed(stem)
        yield from _contracted(front, initial, vowel)


def _closed(stem: str) -> Iterator[tuple[str, str]]:
    for consonant in "ㄴㄹㅁㅂ":
        yield with_final(stem, consonant), ""


def _of_reu(front: str) -> Iterator[tuple[str, str]]:
    if front and is_open(front):
        bright = parts(front[-1])[1] in (0, 8)
        yield from ((with_final(front, "ㄹ") + form, "") for form in (("라", "랐") if bright else ("러", "렀")))


def _contracted(front: str, initial: int, vowel: int) -> Iterator[tuple[str, str]]:
    """Yield the past and the polite form of an open stem: 가 → 갔, 예쁘 → 예뻤, 던지 → 던졌."""
    merged = {18: 4, 20: 6, 8: 9, 13: 14}.get(vowel, vowel)
    if merged != vowel:
        yield front + syllable_of(initial, merged), ""
    yield front + syllable_of(initial, merged, FINALS.index("ㅆ")), ""


STRETCH = re.compile(_stretches())
