"""Mail addresses and web addresses."""

import re
from collections.abc import Iterator

from annotation.domain.masking.spans import Place, Places, Plain, whole
from vocabulary.late_patterns import late

_OTHER_LETTERS = r"\u00c0-\u024f\u0370-\u04ff\u05d0-\u05ea\u0620-\u064a\u0671-\u06d3\u0900-\u0963"
"""Of scripts that part words by blanks, so that the word before an address is none of it."""
_LETTER = rf"[a-z0-9{_OTHER_LETTERS}]"
_LABEL = rf"{_LETTER}(?:[a-z0-9{_OTHER_LETTERS}-]{{0,61}}{_LETTER})?"
_HOST = rf"{_LABEL}(?:\.{_LABEL}){{0,7}}\.(?:[a-z]{{2,24}}|\u0440\u0444|\ud55c\uad6d)"
_LOCAL = r"[a-z0-9\u00c0-\u024f._%+-]{1,64}+"
_AT_WORD = (
    "at|@|arroba|arobase|chez|chiocciola|klammeraffe|ät|zavináč|małpa|kukac|apenstaartje|snabel-?a|собака"
    "|골뱅이|앳|엣|アット(?:マーク)?|あっと|艾特|小老鼠|آت|एट"
)
_DOT_WORD = r"dot|\.|point|punkt|punto|ponto|точка|tečka|kropka|pont|nokta|점|닷|쩜|点|點|ドット|どっと|دوت|نقطة|डॉट"
_AT_IN_BRACKETS = rf" ?[\[({{<] ?(?:{_AT_WORD}) ?[\])}}>] ?"
_AT = (
    rf"(?:{_AT_IN_BRACKETS}| (?:{_AT_WORD}) | [*_-](?:{_AT_WORD})[*_-] "
    r"| ?(?:골[뱅벵]이|艾特|圈a|アットマーク|あっと) ?)"
)
_DOT_IN_BRACKETS = rf" ?[\[({{<] ?(?:{_DOT_WORD}) ?[\])}}>] ?"
_DOT = rf"(?:{_DOT_IN_BRACKETS}| [*_-](?:{_DOT_WORD})[*_-] | (?:{_DOT_WORD}) |\.)"
_EASTERN_DOT = " ?(?:점|닷|쩜|点|點|ドット|どっと) ?"
_EASTERN_ENDINGS = "한국|中国|中國|рф|みんな"
_ENDINGS = "com|net|org|info|edu|gov|io|co|kr|cn|jp|tw|de|ch|fr|es|it|pt|nl|pl|ru|uk|ca|br|mx|ar|tr"
"""Endings after words for signs: "be", "me", "to" and "in" are also words."""
_SPOKEN_ENDING = rf"(?: (?:{_DOT_WORD}) |{_DOT_IN_BRACKETS})(?:{_ENDINGS}|me|tv|cc|app|dev|xyz)"
_MAILERS = (
    "gmail|googlemail|yahoo|ymail|hotmail|outlook|live|icloud|proton(?:mail)?|gmx|web|aol|yandex|mail|naver"
    "|daum|hanmail"
    "|qq|163|126|sina|foxmail|orange|free|laposte|libero|t-online"
)
_KR_MAILER = "(?:네이버|지메일|구글|한메일|다음|네이트|카카오)"
_NO_LOCAL = (
    "(?:look|looking|here|there|it|us|all|more|info|details|deets|found|posted|available|hosted|site|shop|live|is)"
)
_NO_HOST = "(?:that|this|which|what|some|any|one|the|a|no|every|each|his|her|my|your|our|their)"
_EMAIL = late(
    rf"(?<![a-z0-9._%+-])(?=[._%+-]{{0,9}}[^\W_])"
    rf"(?!{_NO_LOCAL} at |[a-z0-9]{{1,64}} at (?:www\.|{_NO_HOST} )){_LOCAL}(?:"
    rf"@(?:{_HOST}|[a-z][a-z0-9-]{{2,40}}(?![\w.]))"
    rf"|{_AT_IN_BRACKETS}{_LABEL}(?:{_DOT}{_LABEL}){{0,3}}\.[a-z]{{2,24}}(?![a-z0-9/@])"
    rf"|{_AT}{_LABEL}(?:{_DOT}{_LABEL}){{0,3}}"
    rf"(?: [*_-]?(?:{_DOT_WORD})[*_-]? (?:{_ENDINGS})|{_DOT_IN_BRACKETS}[a-z]{{2,24}}"
    rf"|\.(?:{_ENDINGS}|example))(?![a-z0-9/@])"
    rf"|{_AT}{_LABEL}(?:{_EASTERN_DOT}{_LABEL}){{0,2}}{_EASTERN_DOT}(?:{_ENDINGS})(?![a-z0-9])"
    rf"|(?: @ |@ ?){_LABEL}(?:(?: \. |\.){_LABEL}){{0,3}}(?:(?: \. |\.)(?:{_ENDINGS})|{_SPOKEN_ENDING})(?![a-z0-9])"
    rf"|(?:[\[({{<][^\W\d]{{1,8}}[\])}}>]|\*(?:a|at|ät)\*|[★☆◎♥❤*#🐶🐭])"
    rf"{_LABEL}(?:\.{_LABEL}){{0,3}}\.(?:{_ENDINGS})(?![a-z0-9])"
    rf"| (?:{_AT_WORD}) (?:{_MAILERS})[ ,.]{{1,2}}(?:{_ENDINGS})(?![a-z0-9]))"
    rf"|(?<![\w.+-])[a-z0-9][\w.+-]{{1,40}} ?골[뱅벵]이 ?{_KR_MAILER}(?: ?(?:점|닷|쩜) ?(?:컴|넷))?"
    rf"|(?<![\w.+-])[\w.+-]{{1,64}}@(?:네이버|지메일|구글|한메일|다음|카카오|ヤフー|グーグル|谷歌|网易|जीमेल)"
    rf"|(?<![\w.+-])[\w.+-]{{1,64}}@[\w-]{{1,30}}\.(?:{_EASTERN_ENDINGS})(?![a-z0-9])"
    rf"|(?<![a-z0-9])(?!at[_-])[a-z0-9.]{{2,40}}(?P<sign>[_-])at(?P=sign)[a-z0-9.]{{2,40}}(?P=sign)dot(?P=sign)"
    rf"(?:{_ENDINGS})(?![a-z0-9])"
    rf"|(?-i:(?<![A-Za-z0-9])[a-z0-9._-]{{2,40}}AT[a-z0-9-]{{2,40}}DOT(?:{_ENDINGS}))(?![a-z0-9])",
    re.IGNORECASE,
)
"""With a sign or a word in brackets for "@" the ending is a common one, as in "name*host.org"."""
_MORE_BEFORE = re.compile(rf"(?:{_LOCAL} (?:dot|point|punkt|punto|ponto|точка|점) ){{1,3}}\Z", re.IGNORECASE)
_POINT = re.compile(rf"\.(?:[a-z]|[*_-]? (?:{_ENDINGS})| ?[\])}}>])")
_POINT_IN_WORDS = re.compile(rf"[ \[({{<*_-](?:{_DOT_WORD.replace('|' + chr(92) + '.', '')})[ \])}}>*_-]")
_HOST_IN_WORDS = re.compile(
    rf"dot(?:{_ENDINGS})|(?:{_MAILERS})[ ,.]{{1,2}}(?:{_ENDINGS})|{_EASTERN_DOT}(?:{_ENDINGS})|이 ?{_KR_MAILER}"
)
"""Without "@" an address has a point or a word for it inside, or the name of a known host."""
_DOTS = ("dot", "point", "punkt", "punto", "pont", "kropka", "nokta")
_OTHER_DOTS = ("точка", "tečka", "점", "닷", "쩜", "点", "點", "ドット", "どっと", "دوت", "نقطة", "डॉट")
_HOSTS = tuple(_MAILERS.replace("(?:mail)?", "").split("|"))
_ATS = (
    *("(", "[", "{", "<", "*", "#", " at ", "_at_", "-at-", "arroba", "arobase", "chez", "chiocciola", "klammeraffe"),
    *("kukac", "apenstaartje", "snabel"),
)
_OTHER_ATS = (
    *(
        "ät",
        "zavináč",
        "małpa",
        "собака",
        "골뱅이",
        "골벵이",
        "圈a",
        "앳",
        "엣",
        "アット",
        "あっと",
        "艾特",
        "小老鼠",
        "آت",
        "एट",
    ),
    *"★☆◎♥❤🐶🐭",
)
"""Of each sign for a point or for "@" in words, and each known host, a part in small letters."""
_LONGEST_LOCAL = 80


def emails(text: Plain) -> Places:
    """Return the mail addresses, also those written to hide from programs: "name (at) host (dot) org"."""
    if "@" not in text and not (text.has_letters and _may_have_at(text) and _may_have_host(text)):
        return []
    found = (found.span() for found in _EMAIL.finditer(text) if re.search(r"[^\W\d]", found.group()))
    return [(_with_words_before(text, start), end) for start, end in found]


def _may_have_host(text: Plain) -> bool:
    words = (*_DOTS, *_OTHER_DOTS) if not text.isascii() else _DOTS
    return bool(
        _POINT.search(text.low)
        or (text.has(words) and (_POINT_IN_WORDS.search(text.low) or _HOST_IN_WORDS.search(text.low)))
        or ((text.has(_HOSTS) or (not text.is_latin and "골" in text)) and _HOST_IN_WORDS.search(text.low))
    )


def _may_have_at(text: Plain) -> bool:
    return text.has(_ATS) or ("AT" in text and "dot" in text.low) or (not text.is_latin and text.has(_OTHER_ATS))


def _with_words_before(text: str, start: int) -> int:
    """Return where an address begins whose first part has words for points: "dana dot kim at …"."""
    before = max(0, start - _LONGEST_LOCAL)
    more = _MORE_BEFORE.search(text[before:start])
    return before + more.start() if more else start


_EASTERN = r"\u1100-\u11ff\u3040-\u30ff\u3130-\u318f\u3400-\u9fff\uac00-\ud7a3"
_STOP = r"\s<>\"“”「」『』，。、）"
_TAIL = rf"(?:[^{_STOP}{_EASTERN}]|(?<=[/=_-])(?:[\u30a0-\u30ff\u3400-\u9fff]+|[\uac00-\ud7a3]+))"
"""Letters without blanks between words belong to an address only at the begin of a part: "/日記" and not "/a를"."""
_HAS_DOTS = r"\[\.\]|\(\.\)|\[dot\]|\(dot\)"
_WITH_SCHEME = late(
    r"(?<![A-Za-z0-9])(?:(?:h(?:tt|xx|\*\*)ps?|s?ftp)(?: ?: ?/ ?/? ?|\[:\]//|\[://\])"
    rf"[{_EASTERN}]{{0,20}}|www(?:\.|{_HAS_DOTS})){_TAIL}+",
    re.IGNORECASE,
)
_DOTS_OF_HOSTS = (" dot ", " punkt ", " punto ", " point ", " ponto ")
_OTHER_DOTS_OF_HOSTS = ("점", "닷", "点", "點", "ドット", "どっと")
_SCHEMES = ("htt", "hxx", "h**", "ftp")
_SPOKEN = late(
    rf"(?<![\w.@-])(?!(?:{_NO_HOST}|hot|big|old|new) )[a-z0-9-]{{3,40}}"
    rf"(?: (?:dot|punkt|punto|point|ponto) |{_EASTERN_DOT})"
    r"(?:com|net|org|info|de|fr|es|cn|kr|jp)(?![a-z0-9])(?! (?:bubble|boom|era|crash|compan|days|bust|crisis))"
    r"(?: (?:slash|schrägstrich|barra) [\w-]{1,40})?",
    re.IGNORECASE,
)
_BROKEN = late(
    rf"(?<![a-z0-9@.-])(?:{_LABEL}\.){{0,3}}{_LABEL}(?: ?(?:{_HAS_DOTS}) ?{_LABEL})+(?:/{_TAIL}*)?", re.IGNORECASE
)
_EASTERN_HOST = late(rf"(?<![\w.-])[\w-]{{1,30}}\.(?:{_EASTERN_ENDINGS})(?:/{_TAIL}*)?")
"""Also those that are broken on purpose: "hxxp://", "host[.]org"."""
_COUNTRIES = (
    "ac|ad|ae|af|ag|al|am|ao|aw|ax|az|ba|bb|bd|bf|bh|bi|bj|bm|bn|bo|bs|bt|bw|by|bz|cd|cf|cg|ci|ck|cl|cm|cr|cu|cv|cy|dj|dm"
    "|do|dz|ec|er|et|fj|fo|ga|gd|ge|gh|gi|gm|gn|gq|gt|gy|hn|ht|id|iq|ir|is|je|jm|jo|ke|kg|kh|ki|km|kw|ky|kz|la|lb|lc|li"
    "|lk|lr|ls|lu|ly|ma|mc|md|mg|mk|ml|mm|mn|mo|mp|mq|mr|mt|mu|mv|mw|my|mz|na|ne|nf|ng|ni|np|om|pa|pe|pg|ph|pk|pn|pr|ps"
    "|py|qa|re|rs|rw|sb|sc|sd|sh|si|sl|sm|sn|so|sr|st|sv|sy|sz|td|tg|th|tj|tk|tl|tm|tn|tt|tz|ug|uy|uz|va|vc|ve|vg|vi|vu"
    "|wf|ws|ye|zm|zw"
)
"""Endings of other countries, some of them words: an address with one of these has a path."""
_SUFFIXES = (
    "com|net|org|info|biz|edu|gov|int|io|co|me|tv|cc|app|dev|ai|gg|ly|xyz|site|shop|online|club|blog|news|live|link"
    "|social|page|top|vip|store|tech|pro|cloud|art|fm|im|gl|wiki|moe|world|asia|tokyo|name|mobi|example"
    "|kr|cn|jp|tw|hk|de|at|ch|fr|es|it|pt|nl|be|pl|cz|se|no|fi|dk|ru|ua|uk|ie|eu|us|ca|au|nz|br|mx|ar|in|tr|to"
    "|be|su|pt|gr|hu|ro|bg|hr|sk|lt|lv|ee|il|vn|th|sg|za|ae|eg"
)
_BARE = late(
    rf"(?<![a-z0-9@./-])(?!(?:asp|vb|ado|ml)\.net\b|socket\.io\b)(?:{_LABEL}\.){{1,5}}(?:(?:{_SUFFIXES})(?![a-z0-9-]|\.[a-z0-9])|(?:{_COUNTRIES})(?=/\w{{3}}))"
    rf"(?:/{_TAIL}*)?"
)
_SHORTEST = 6
"""Characters of an address without a scheme; "it.is" and "e.g" are none."""
_END = ".,;:!?)'’"


def urls(text: Plain) -> Places:
    """Return the web addresses, with a scheme or without."""
    if not (text.has_letters or "." in text) or not (
        "/" in text or "[" in text or "(" in text or _HAS_ENDING.search(text) or _has_dots_of_hosts(text)
    ):
        return []
    return whole([*_schemed(text), *_bare(text)])


def _has_dots_of_hosts(text: Plain) -> bool:
    return text.has(_DOTS_OF_HOSTS) or (not text.is_latin and text.has(_OTHER_DOTS_OF_HOSTS))


def _schemed(text: Plain) -> Iterator[Place]:
    forms = [_WITH_SCHEME] if ("/" in text and text.has(_SCHEMES)) or "www" in text.low else []
    if ("[" in text or "(" in text) and text.has(("[.]", "(.)", "[dot]", "(dot)")):
        forms.append(_BROKEN)
    if _has_dots_of_hosts(text):
        forms.append(_SPOKEN)
    if not text.isascii() and any(ending in text for ending in (".한국", ".中国", ".中國", ".рф", ".みんな")):
        forms.append(_EASTERN_HOST)
    for found in (found for form in forms for found in form.finditer(text)):
        yield found.start(), found.start() + len(found.group().rstrip(_END))


_HAS_ENDING = re.compile(r"\.[a-z한中рみ]", re.IGNORECASE)
"""How the endings begin."""


def _bare(text: Plain) -> Iterator[Place]:
    if not _HAS_ENDING.search(text):
        return
    for found in _BARE.finditer(text):
        written = found.group().rstrip(_END)
        host = written.split("/")[0]
        if (len(host) >= _SHORTEST or "/" in written) and (written == written.lower() or "/" in written):
            yield found.start(), found.start() + len(written)
