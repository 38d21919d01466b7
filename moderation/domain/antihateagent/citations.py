"""A rationale without citations and addresses that have no ground, and what it says without a source (threats L20)."""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from moderation.domain.antihateagent.hosts import domain_of, is_domain
from moderation.domain.antihateagent.passages import find_quote, sentences
from vocabulary.late_patterns import late

_LATIN_NOUN = (
    r"(?:evidences?|evidencia|sources?|cards?|docs?|documents|refs?|references|footnotes?|beleg|quelle|preuve|fuente)"
)
_EAST_ASIAN_NOUN = (
    r"(?:증거|근거(?: ?자료)?|출처|자료|카드|문서|참고|각주|脚注|注释|证据|證據|来源|來源|资料|資料|文献|文獻"
    r"|卡片|网页|網頁|依据)"
)
_WORD = rf"(?:{_LATIN_NOUN}|{_EAST_ASIAN_NOUN}|documents?|references?|evid|ev|e|src|nos?|nr|refs?|items?)"
_COUNTER = (
    r"(?:%|percent|per cent|건|개|명|쪽|채|곳|가지|종|권|편|년|월|일|회|차|条|條|个|個|份|页|頁|年|月|日|篇|种"
    r"|件|项|times\b)"
)
"""After one of these a number counts something."""
_NUMBER = rf"(?:{_WORD}[.:：]? ?)?[#№^]? ?\d{{1,3}}(?: ?번)?"
_RANGE_SIGN = r"(?:[-–—~〜～]|(?:to|bis|through)\b|부터|至|到)"
_ONE = rf"{_NUMBER}(?: ?{_RANGE_SIGN} ?{_NUMBER})?"
_AND = r"(?:[,;，、；&·/]|and|und|et|y|및|와|과|和|与|與|及)"
_LIST = rf"{_ONE}(?: ?{_AND} ?{_ONE})*"
_PAGES = r"\d+(?: ?[-–] ?\d+)?"
_PAGE = rf"(?: ?[,:，：] ?(?:(?:pp?|pages?|seite|第)\.? ?{_PAGES}(?:쪽|页)?|{_PAGES}(?:쪽|页)))?"
_IN_TEXT = rf"#?\d{{1,2}}(?!\d)(?:번(?!째))?(?! ?{_COUNTER})"
_SEE = r"(?:see|cf\.?|siehe|vgl\.?|参?见)"
_CITED = late(
    rf"[\[［【〔〖⟦{{｛<⟨〈]{{1,2}} ?(?:{_SEE} ?)?(?P<inside>{_LIST}){_PAGE} ?(?:†[^\]］】]{{0,40}})?"
    r"[\]］】〕〗⟧}｝>⟩〉]{1,2}"
    rf"|[(（] ?(?={_WORD})(?P<round>{_LIST}) ?[)）]"
    rf"|(?P<before>\b{_LATIN_NOUN}|{_EAST_ASIAN_NOUN}) ?[(（] ?(?P<beside>{_LIST}) ?[)）]"
    rf"|(?P<word>(?:\b{_LATIN_NOUN}\b|{_EAST_ASIAN_NOUN})"
    r"(?: (?:items?|cards?|pages?))?)\.? ?(?:no\.?|nr\.?|numbers?|#|№|第)? ?"
    rf"(?:[:：](?= ?{_IN_TEXT}(?: ?(?:{_RANGE_SIGN}|{_AND}) ?{_IN_TEXT})*\s*(?:[.。]|$)))? ?"
    rf"(?P<bare>{_IN_TEXT}(?: ?(?:{_RANGE_SIGN}|{_AND}) ?{_IN_TEXT})*)(?![\d.,]*\d)"
    rf"|[제第] ?(?P<ordinal>\d{{1,2}}) ?(?:번째?|호|条|條|个|個|份|号|號)? ?(?P<after>{_EAST_ASIAN_NOUN})"
    r"|(?P<spelled>证据|證據|来源|來源)(?P<digit>[二三四五六七八九](?![个個条條份种成十百千万])"
    r"|一(?=[，。、和与及表显指])) ?"
    r"|(?<=[a-z가-힣\u4e00-\u9fff][^\w\s])(?P<raised>[¹²³⁴⁵⁶⁷⁸⁹⁰]{1,3}(?:[,⁻˒ ]{1,2}[¹²³⁴⁵⁶⁷⁸⁹⁰]{1,3})*)",
    re.IGNORECASE,
)
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻˒", "0123456789-,")
_DIGITS = {digit: str(at) for at, digit in enumerate("一二三四五六七八九", 1)}
_RANGE = late(rf"(\d+)(?:\s*번)?\s*(?:{_RANGE_SIGN}\D*?(\d+))?")
_MOST = 100  # numbers of one range
_URL = re.compile(
    r"(?i)\b(?:https?://|www\.)[^\s<>\"'\])]+"
    r"|(?<![\w@./-])(?:[a-z0-9-]{1,63}\.){1,6}[a-z]{2,24}(?:[:/][^\s<>\"'\])]*)?(?![\w-])"
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
        word = match["word"] or match["before"] or match["after"] or match["spelled"]
        places = ("inside", "round", "beside", "bare", "ordinal", "raised")
        written = next(filter(None, map(match.group, places)), None) or _DIGITS[match["digit"]]
        numbers = _numbers(written.translate(_RAISED))
        found = [number for number in numbers if number in known]
        cited.extend(found)
        unknown.extend(number for number in numbers if number not in known)
        if not found:
            return "(…)" if word else ""
        return f"{f'{word} ' if word else ''}[{', '.join(map(str, found))}]"

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


_FIGURE = late(
    r"(?<![\w.,])\d[\d.,]*(?:\s?%)?"
    r"|\b(?:half|(?:a|one|two|three|four) (?:third|quarter|fifth|tenth)s?|majority|million|billion|thousands?"
    r"|hundreds"
    r"|dozens|tens of thousands) (?:of|people)\b|\bone (?:in|out of) (?:two|three|four|five|six|ten|\d+)\b"
    r"|[一二三四五六七八九十百千万亿]+(?:成|倍|万人|亿)|절반|과반|대다수|半数|一半|过半|多数人"
    r"|[一二三四五六七八九十百]+(?:分之|人中)"
    r"|[数數几幾][十百千万萬亿億]+|[一二三四五六七八九十百千两兩]+[万萬亿億]"
    r"|[수몇] ?[십백천만억]+ ?(?:명|개|건|곳|채|년)|(?:한|두|세|네|다섯|여섯|열|백) (?:명|사람|곳|집) (?:중|가운데)",
    re.IGNORECASE,
)
_NAME = late(
    r"(?<=[a-z,;:] )(?:[A-Z][\w’'-]+ (?:(?:of|for|the|de|der|du) )?){1,3}[A-Z][\w’'-]+"
    r"|(?:^|(?<=[.!?] ))(?!(?:The|This|That|These|Those|In|On|At|By|For|If|It|As|A|An|Card|Evidence|Source"
    r"|Verdict)\b)"
    r"(?:[A-Z][a-z’'-]+ )+[A-Z][a-z’'-]+(?= (?:[a-z]+ed|is|was|has|had|said|says|wrote|called|found)\b)"
    r"|\b[Aa]ccording to (?:the )?[A-Z]\w+"
    r"|(?<=[a-z] )(?:in|by|of|from) (?!(?:Colou?r|January|February|March|April|May|June|July|August|September|October"
    r"|November|December|English|German|French|Korean|Chinese|Arabic|Spanish|Turkish|Russian|Japanese|Muslims|Jews|Christians"
    r"|Arabs|Asians|Blacks|Roma|Evidence|Card|Source)\b)[A-Z][a-z]{2,}"
    r"|(?:^|(?<=[a-z,;:.] ))(?:the )?(?!HATE|NON-HATE|OPEN|TRUE|FALSE|NOT\b)[A-Z]{2,6}\b(?!-)"
    r"|\S{1,20}에 (?:따르면|의하면)"
    r"|[가-힣]{2,4} (?:교수|박사|의원|장관|대통령|기자|시장|총리|판사|변호사)"
    r"|(?:유엔|[가-힣]{0,10}(?:위원회|통계청|경찰청|법원|재판소|대학교|협회|재단|연구원|연구소))(?:은|는|이|가"
    r"|도|에서)"
    r"|(?:据|根据|據|根據)[^，。]{2,20}(?:报道|報道|表示|统计|統計|显示|顯示|称|稱|的?数据|调查)"
    r"|[\u4e00-\u9fff]{2,3}(?:教授|博士|议员|议員|部长|总统|總統|主席|记者|記者|法官|律师)|联合国|聯合國"
    r"|[\u4e00-\u9fff]{2,8}(?:统计局|公安局|委员会|委員會|法院|大学|大學|协会|協會|研究所|研究院)"
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
        if any(part.casefold() not in post.casefold() for part in stated):
            yield sentence
            found += 1
        if found == _MOST_UNSOURCED:
            return
