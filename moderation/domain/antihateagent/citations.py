"""A rationale without citations and addresses that have no ground, and what it says without a source (threats L20)."""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from moderation.domain.antihateagent.hosts import domain_of, is_domain
from moderation.domain.antihateagent.passages import find_quote, sentences
from vocabulary.late_patterns import late

_WORD = (
    r"(?:evidence|evid|ev|e|sources?|src|cards?|no|nr|ref|references?|items?|beleg|quelle|preuve|fuente|evidencia"
    r"|증거|근거|자료|출처|카드|证据|證據|来源|來源|资料|資料|文献|依据)"
)
_NUMBER = rf"(?:{_WORD}\.? ?)?[#№^]? ?\d{{1,3}}(?: ?번)?"
_ONE = rf"{_NUMBER}(?: ?[-–—~〜～] ?{_NUMBER})?"
_LIST = rf"{_ONE}(?: ?(?:[,;，、；&·]|and|und|et|y|및|와|과|和|与|及) ?{_ONE})*"
_CITED = late(
    rf"[\[［【〔] ?(?P<inside>{_LIST}) ?(?:†[^\]］】]{{0,40}})?[\]］】〕]"
    rf"|[(（] ?(?={_WORD})(?P<round>{_LIST}) ?[)）]"
    r"|(?P<word>\b(?:evidence|sources?|beleg|quelle|preuve|fuente|evidencia)\b|증거|근거 ?자료|证据|證據|来源|來源)"
    r" ?(?:no\.?|nr\.?|number|#|№|第)? ?(?P<bare>\d{1,2}(?: ?[-–] ?\d{1,2})?)"
    r"(?![\d.,]*\d| ?(?:%|percent|per cent))",
    re.IGNORECASE,
)
_RANGE = late(r"(\d+)(?:\s*번)?\s*(?:[-–—~〜～]\D*?(\d+))?")
_MOST = 100  # numbers of one range
_URL = re.compile(
    r"(?i)\b(?:https?://|www\.)[^\s<>\"'\])]+|(?<![\w@./-])(?:[a-z0-9-]{1,63}\.){1,6}[a-z]{2,24}(?:[:/][^\s<>\"'\])]*)?(?![\w-])"
)
_AFTER_URL = ".,;:!?。，、)"
_QUOTED = re.compile(
    "|".join(
        f"{opens}([^{opens}{shuts}]{{6,300}})[{shuts}]"
        for opens, shuts in (("“", "”"), ("„", "“”"), ('"', '"'), ("「", "」"), ("『", "』"), ("«", "»"), ("‹", "›"),
                             ("《", "》"), ("【", "】"))
    )
)  # fmt: skip


@dataclass(frozen=True)
class CheckedRationale:
    """A rationale without unfounded citations and addresses, and the removed parts (threats L20).

    `quotes` and `unsourced` stay in the text: quotations that are neither in the post nor in any evidence, and
    sentences with a figure or a name that no evidence is cited for.
    """

    text: str
    cited: tuple[int, ...]
    unknown: tuple[int, ...]
    addresses: tuple[str, ...]
    quotes: tuple[str, ...]
    unsourced: tuple[str, ...]


def check_rationale(
    text: str, known: Sequence[int], post: Sequence[str], pages: Sequence[str], urls: Sequence[str]
) -> CheckedRationale:
    """Remove citations of unknown evidence and addresses that were never fetched, and list what has no ground.

    `post` are the texts of the post, `pages` those of the evidence, `known` its numbers. A citation is rewritten as
    "[1, 2]" whatever its spelling.
    """
    cited: list[int] = []
    unknown: list[int] = []

    def keep(match: re.Match[str]) -> str:
        numbers = _numbers(match["inside"] or match["round"] or match["bare"])
        found = [number for number in numbers if number in known]
        cited.extend(found)
        unknown.extend(number for number in numbers if number not in known)
        if not found:
            return "(…)" if match["word"] else ""
        return f"{match['word'] + ' ' if match['word'] else ''}[{', '.join(map(str, found))}]"

    fetched, unfetched = {domain_of(url) for url in urls}, list[str]()

    def keep_address(match: re.Match[str]) -> str:
        address = match.group().rstrip(_AFTER_URL)
        if not _is_unfetched(address, urls, fetched, [*post, *pages]):
            return match.group()
        unfetched.append(address)
        return "(…)" + match.group()[len(address) :]

    shortened = _URL.sub(keep_address, text)
    cleaned = re.sub(r"[ \t]{2,}", " ", re.sub(r"(?<!\s)\s+([.,;])", r"\1", _CITED.sub(keep, shortened))).strip()
    return CheckedRationale(
        cleaned,
        tuple(dict.fromkeys(cited)),
        tuple(dict.fromkeys(unknown)),
        tuple(dict.fromkeys(unfetched)),
        tuple(quote for quote in _quoted(cleaned) if not any(find_quote(quote, page) for page in [*post, *pages])),
        tuple(_unsourced(cleaned, " ".join(post))),
    )


def _numbers(written: str) -> list[int]:
    """Return the numbers of a citation, those of a range one by one."""
    numbers: list[int] = []
    for first, last in _RANGE.findall(written):
        start, end = int(first), int(last or first)
        numbers += range(start, min(end, start + _MOST) + 1) if start <= end else [start, end]
    return list(dict.fromkeys(numbers))


def _is_unfetched(address: str, urls: Collection[str], fetched: Collection[str], sources: Sequence[str]) -> bool:
    """Return whether no page was fetched from an address. A bare host that a source names may stand."""
    if address in urls or f"https://{address}" in urls:
        return False
    if re.match(r"(?i)https?://|www\.", address):
        return True
    host = re.split("[:/]", address)[0]
    is_named = domain_of(f"https://{host}") in fetched or any(host in source for source in sources)
    return is_domain(host) and not (host == address and is_named)


def _quoted(text: str) -> Iterator[str]:
    return (next(filter(None, found.groups())) for found in _QUOTED.finditer(text))


_FIGURE = re.compile(
    r"(?<![\w.,])\d[\d.,]*(?:\s?%)?"
    r"|\b(?:half|a third|a quarter|majority|million|billion|thousands?|hundreds) (?:of|people)\b"
    r"|[一二三四五六七八九十百千万亿]+(?:成|倍|万人|亿)|절반|대다수|半数|多数人",
    re.IGNORECASE,
)
_NAME = late(
    r"(?<=[a-z,;:] )(?:[A-Z][\w’'-]+ (?:(?:of|for|the|de|der|du) )?){1,3}[A-Z][\w’'-]+"
    r"|\b[Aa]ccording to (?:the )?[A-Z]\w+"
    r"|(?<=[a-z,;:] )(?:the )?(?!HATE|NON-HATE|OPEN|TRUE|FALSE|NOT\b)[A-Z]{2,6}\b(?!-)|\S{1,20}에 (?:따르면|의하면)"
    r"|(?:据|根据|據|根據)[^，。]{2,20}(?:报道|報道|表示|统计|統計|显示|顯示|称|稱|的?数据|调查)"
)
CITATION = re.compile(r"\[(\d{1,3}(?:, \d{1,3})*)\]")
"""A citation as `check_rationale` writes it: its numbers are the group."""
_MOST_UNSOURCED = 20


def _unsourced(text: str, post: str) -> Iterator[str]:
    """Yield the sentences that have a figure or a name of their own, not of the post, and cite nothing."""
    found = 0
    for place in sentences(text):
        sentence = text[place.start : place.end]
        following = text[place.end : place.end + 8].lstrip()
        if CITATION.search(sentence) or CITATION.match(following):
            continue
        own = _QUOTED.sub("", sentence)
        stated = [hit.group().strip() for pattern in (_FIGURE, _NAME) for hit in pattern.finditer(own)]
        if any(part not in post for part in stated):
            yield sentence
            found += 1
        if found == _MOST_UNSOURCED:
            return
