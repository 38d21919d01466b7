"""What a passage does not say alone: that its sentence denies it, that it is quoted, rated, or a reader's comment.

"Newcomers cause half of all crime" stands word for word in "It is not true that newcomers cause half of all crime". The
words of each language are few and plain. They are read in the passage's own sentence, in the next one if it is about
the same, and in a heading such as "Myth 3:". A doubt tells a person and the judging model to look, and changes no
stance.
"""

import re
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any

from moderation.domain.antihateagent.passages import Span, sentence_of
from moderation.domain.antihateagent.search_index import index_words
from vocabulary.late_patterns import late


class Doubt(StrEnum):
    """Why a passage may not mean what it says alone."""

    DENIED = "denied"
    QUOTED = "quoted"
    RATED = "rated"
    COMMENT = "comment"


_NEXT = 160  # characters of the next sentence that are looked at
_SAME_CLAIM, _FEWEST_WORDS = 0.7, 3

_FALSE = (
    r"false|falsely|untrue|not true|not the case|not correct|incorrect|wrong|misleading"
    r"|(?:a|an old|the) (?:myth|lie|hoax|rumou?r|canard|legend)|baseless|unfounded|unproven|debunked|disprove[dn]"
    r"|refuted|discredited|nonsense|made up|fabricated|no (?:evidence|proof|basis|truth|sign|indication)"
    r"|nicht wahr|falsch|unwahr|widerlegt|keine belege|erfunden|faux|fausse|pas vrai|aucune preuve|démenti\w*"
    r"|infondé\w*|falso|falsa|no es (?:ciert[oa]|verdad)|sin pruebas|desmentid[oa]s?|bulo|non è vero|nessuna prova"
    r"|não é (?:verdade|certo)|mentira|boato|sem provas|bufala|smentit[oae]|infondat[oae]|senza prove"
    r"|niet waar|niet juist|klopt niet|onjuist|onwaar|verzonnen|geen bewijs|weerlegd|nieprawd\w*|fałsz\w*|zmyślon\w*"
    r"|brak dowodów|nie ma dowodów|doğru değil\w*|gerçek değil\w*|asılsız|uydurma|yanlış|yalan\w*|kanıt yok"
    r"|неправд\w*|не ?верно|ложь|ложн\w+|выдум\w+|миф|фейк\w*|не соответству\w+|нет доказательств|опроверг\w+"
    r"|(?:ليس|ليست|غير) صحيح\w*|كاذب\w*|شائعة|إشاعة|زائف\w*|مفبرك\w*|لا أساس|لا دليل|لا صحة"
)
_FALSE_KO = r"사실이 ?아니|사실과 ?다르|거짓|허위|근거(?:가|는)? ?없|틀렸|틀린|낭설|괴담"
_FALSE_ZH = (
    "谣言|謠言|不实|不實|不属实|不屬實|虚假|虛假|是假的|错误的|錯誤的|不是真的|毫无根据|毫無根據|辟谣|闢謠"
    "|(?:没有|沒有)(?:证据|根据|依据|證據|根據)|デマ|誤り|事実無根|(?:事実|本当|真実|正しく)(?:で|に"
    "|と)?は?(?:あり|ない|な[いく])"
    "|事実と異な|根拠(?:が|の|は)な|虚偽|誤情報"
)
_DENIES_BEFORE = late(
    rf"\b(?:{_FALSE})\b|\b(?:den(?:y|ies|ied|ying)|refut\w+|reject\w*|disput\w+|contradict\w*|debunk\w*|doubts?"
    rf"|doubted"
    r"|contrary to|rather than|instead of|far from|anything but|no longer|unlikely|fail(?:s|ed)? to|scarcely|barely"
    r"|seldom|rarely|without|never|nobody|no one|none of|neither|not|cannot|hardly)\b|n['’]t\b"
    r"|\b(?:nicht|nie|niemals|kaum|jamais|jamás|ningun\w*|kein\w*|bestreit\w*|widerspr\w*|ne\b.{0,30}\bpas|niega\w*|desmient\w*|nunca|non|não|niet|geen"
    r"|ontken\w*"
    r"|nie|zaprzecz\w*|не|отриц\w*|опровер\w*|ليس|ليست|ينفي|نفى|نفت)\b"
    rf"|사실이 아닌|사실과 다른|{_FALSE_KO}|{_FALSE_ZH}|并非|並非|不是|没有|沒有|所谓|所謂|否认|否認|驳斥|駁斥"
    r"|从未|從未",
    re.IGNORECASE,
)
_DENIES_AFTER = late(
    rf"\b(?:is|are|was|were|be|been|proved|turned out|ist|sind|war|est|es|è|é|is|jest|to)\b.{{0,40}}\b(?:{_FALSE})\b"
    r"|\b(?:iddia\w*|söylenti\w*|haber\w*)\b.{0,20}\b(?:doğru|gerçek|asılsız|yanlış|yalan|uydurma)"
    rf"|\b(?:это|является)\b.{{0,30}}\b(?:{_FALSE})\b|\b(?:не соответству|неверн|неправд|ложн|выдум|опроверг)\w*"
    r"|(?:ليس|ليست|غير) صحيح|كاذب|لا أساس|شائعة"
    rf"|{_FALSE_KO}|아니(?:다|라|며|고|었)|아닙니다|지 ?않(?:다|는|았|습)|^[^가-힣.]*(?:않|못하|못한|못했)|부인|반박"
    rf"|{_FALSE_ZH}|否认|否認|驳斥|駁斥|ではない",
    re.IGNORECASE,
)
_DENIES_WITHIN = re.compile(
    rf"(?:说法|說法|传言|傳言|传闻|傳聞|消息|谣传|言论|言論|という[^。]{{0,8}}"
    rf"|との[^。]{{1,8}}).{{0,8}}(?:{_FALSE_ZH})",
    re.IGNORECASE,
)
"""Where words have no spaces between, a passage is widened to its clause, and may take the denial in."""
_JUDGES_BEFORE = re.compile(
    r"\W*(?:this|that|these|it|the (?:claim|statement|rumou?r|post|figure)|such|rating|verdict|conclusion"
    r"|fact[ -]?check|our|das|diese\w*|bewertung|c['’]est|cette|ce\b|esto|esa|la afirmación|이는|이 ?주장"
    r"|해당 ?주장|그러나|하지만|판정|결론|这|這|该说法|此说法|结论|結論|但|これは|この"
    r"|dit\b|deze|dat\b|to\b|ta\b|bu\b|это|данн|هذا|هذه|essa?|isso|questo|questa)",
    re.IGNORECASE,
)
_OWN_CLAIM = late(
    rf"\b(?:{_FALSE}|stimmt nicht)\b,? (?:to (?:say|claim|think|believe|suggest) |de (?:dire|croire|prétendre) "
    r"|zu (?:sagen|behaupten),? |decir |dire |dizer )?(?:that\b|dass\b|daß\b|que\b|qu['’]|che\b|dat\b|że\b|что\b"
    r"|أن\b)(?P<after>.+)"
    r"|\b(?:claim|statement|rumou?r|idea|notion|assertion|allegation|belief|gerücht|behauptung|affirmation|rumeur"
    r"|afirmación|bulo|afirmação|boato|notizia|bewering|twierdzeni\w*|утвержден\w*|слух\w*)s?,? "
    r"(?:that\b|dass\b|que\b|qu['’]|che\b|dat\b|że\b|что\b)(?P<named>.+)"
    r"|(?P<ko>.{4,})[다라자냐]는 ?(?:것|말|주장|소문|이야기|얘기|글|내용|식)"
    r"|(?P<zh>.{4,}?)的?(?:这种|這種|这一|這一)?(?:说法|說法|传言|傳言|传闻|傳聞|谣言|謠言)"
    r"|(?P<ja>.{4,}?)(?:という|との)",
    re.IGNORECASE,
)
"""A judgment that says itself what it judges."""
_POINTS_BACK = re.compile(
    r"\W*(?:(?:but|and|however|aber|mais|pero|但是?|然而|그러나|하지만|しかし)\W*)?"
    r"(?:(?:it|this|these|those|es|dies\w*|cela|eso|esto|questo)\b|(?:they|he|she|sie|er|ils?|elles?|ellos|ellas|essi)"
    r" \w+\W*$|이는|이것|이 ?주장|해당|그런|이런|这|這|此|该|該|これ|それ|この|その)",
    re.IGNORECASE,
)
_NAMES_THE_LAST = re.compile(
    r"\W*(?:this|that|these|those|dies\w*|cette|ces?|est[ae]s?|quest[ae]|dit|deze|bu|эт\w+) (?:\w+ )?(?:claim|statement"
    r"|rumou?r|figure|number|post|story|idea|behauptung|aussage|zahl|affirmation|rumeur|afirmación|cifra|bewering"
    r"|affermazione|iddia|утвержден\w*)s?\b",
    re.IGNORECASE,
)
_SHARED = 0.34
"""The part of the words of the shorter one that a judged claim has in common with what was said before."""
_MYTH = re.compile(
    r"\W*(?:\d{1,2}[.)] ?)?"
    r"(?:myth|misconception|fiction|fake|false claim|mythos|irrtum|irrglaube|falschbehauptung|mythe|idée reçue"
    r"|idee reçue|mito|bulo|falso mito|fabel|mit|миф|خرافة|오해|괴담|误区|誤區|谣言|謠言|誤解|デマ)"
    r" ?(?:(?:no\.?|nr\.?|n°|nº|#|№)? ?(?:\d{1,2}|[一二三四五六七八九十]))? ?(?:[:：.)\n]|[–—-] )\W*",
    re.IGNORECASE,
)
"""A heading, in the line of the passage or above it, by which a list of facts calls what follows untrue."""
_HEADING = 40  # characters at most of such a heading
_JUDGED_NEXT = late(rf"\b(?:{_FALSE})\b|{_FALSE_KO}|{_FALSE_ZH}", re.IGNORECASE)
_PAIRS = {"“": "”", "„": "“”", "«": "»", "「": "」", "『": "』", "‘": "’", "《": "》"}


def doubts_of(text: str, passage: Span, *, comments_at: int = 0, rated_claim: str = "") -> tuple[Doubt, ...]:
    """Return the doubts about a passage of a page.

    `comments_at`: where the readers' comments begin, 0 if there are none; `rated_claim`: the claim that the page rates.
    """
    sentence = sentence_of(text, passage)
    found = {
        Doubt.DENIED: _is_denied(text, passage, sentence),
        Doubt.QUOTED: _is_quoted(text, passage),
        Doubt.RATED: _says_the_same(text[passage.start : passage.end], rated_claim),
        Doubt.COMMENT: 0 < comments_at <= passage.start,
    }
    return tuple(doubt for doubt, holds in found.items() if holds)


def rated_claim(source: Mapping[str, Any]) -> str:
    """Return the claim that a page rates, of what it states of itself; empty if it rates none."""
    return str((source.get("claim_review") or {}).get("claim") or "")


def _is_denied(text: str, passage: Span, sentence: Span) -> bool:
    before, after = text[sentence.start : passage.start], text[passage.end : sentence.end]
    within = text[passage.start : passage.end]
    if _DENIES_BEFORE.search(before) or _DENIES_AFTER.search(after) or _DENIES_WITHIN.search(within):
        return True
    if _is_under_a_myth(text, passage):
        return True
    following = text[sentence.end : sentence.end + _NEXT].lstrip(' \n"”»」』')
    judging = following[: sentence_of(following, Span(0, 1)).end] if following else ""
    bare = re.match(rf"\W*(?:{_FALSE}|거짓|허위|谣言|不实|虚假)\W*(?:\n|\Z)", judging, re.IGNORECASE)
    if bare or not (_JUDGES_BEFORE.match(judging) and _JUDGED_NEXT.search(judging)):
        return bool(bare)
    own = next(filter(None, found.groups()), "") if (found := _OWN_CLAIM.search(judging)) else ""
    points_back = _NAMES_THE_LAST.match(judging) or _POINTS_BACK.match(own)
    return not own or bool(points_back) or _shares_words(within, own, _SHARED)


def _is_under_a_myth(text: str, passage: Span) -> bool:
    """Return whether the passage begins a line under, or behind, a heading such as "Myth 3:"."""
    before = text[max(0, passage.start - _HEADING) : passage.start].rstrip(" \"'“„«‘")
    line = before.rstrip("\n").rpartition("\n")[2]
    whole = before[len(before.rstrip("\n")) - len(line) :]
    return bool(line and (len(line) < _HEADING or passage.start <= _HEADING) and _MYTH.fullmatch(f"{whole} "))


def _is_quoted(text: str, passage: Span) -> bool:
    """Return whether the passage stands inside of quotation marks of its own line."""
    start = text.rfind("\n", 0, passage.start) + 1
    end = text.find("\n", passage.end)
    before, after = text[start : passage.start], text[passage.end : len(text) if end < 0 else end]
    if before.count('"') % 2 and '"' in after:
        return True
    return any(
        before.rfind(opens) > max(before.rfind(shut) for shut in shuts) and any(shut in after for shut in shuts)
        for opens, shuts in _PAIRS.items()
    )


def _says_the_same(passage: str, claim: str) -> bool:
    """Return whether most words of the shorter one stand in the other."""
    return _shares_words(passage, claim, _SAME_CLAIM)


def _shares_words(passage: str, claim: str, share: float) -> bool:
    """Return whether so large a share of the words of the shorter one stand in the other."""
    words: Sequence[set[str]] = [set(index_words(passage)), set(index_words(claim))]
    fewest = min(map(len, words))
    return fewest >= _FEWEST_WORDS and len(words[0] & words[1]) >= share * fewest
