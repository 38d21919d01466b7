"""Names of accounts: "@name", "u/name". Where no blank ends one, it ends before a particle or a verb."""

import re
from collections.abc import Iterator

from annotation.domain.masking.spans import Place, Places, Plain
from vocabulary.late_patterns import late

_EASTERN = r"\u1100-\u11ff\u3040-\u30ff\u3130-\u318f\u3400-\u9fff\uac00-\ud7a3"
_HANDLE = late(
    r"(?:(?<=\b[Dd][Mm])|(?<![A-Za-z0-9_\u00c0-\u024f@/.]))(?<!\d[시분점點時分])@(?!\w{1,3}@|[にでをはへと][一-鿿])"
    rf"(?:(?=[\d_.]{{0,49}}[A-Za-z])[A-Za-z0-9_.]{{1,49}}(?<!\.)(?![^\W{_EASTERN}])"
    r"|(?P<other>(?=\w{0,50}[^\W\d_\u3131-\u318e])[\w.]{1,49}\w))"
    r"|(?<![\w/])/?u/[A-Za-z0-9_-]{3,20}(?![\w-])"
)
"""A name in Latin letters ends where Korean, Chinese or Japanese ones begin."""
_NOBODY = late(
    r"@(?:(?:all|everyone|everybody|here|channel|someone|anyone|home|work|school|uni"
    r"|noon|midnight|night|lunch|dinner|once|least|the|my|our|alle|todos|todas|tous|toutes|tutti)\b(?![.@-]\w)"
    r"|\d{0,4}(?:개|장|명|병|권|봉지|박스|인|시간|킬로|그램)당?(?!\w)"
    r"|\d{1,9}(?:원|元|块|円|엔|日|時間|分|個|人|名|枚|本|回|週間?|[ヶか]月|年|点|kg|km|cm)(?![A-Za-z])"
    r"|(?:我|你|他|她|谁|誰|别人|大家|我们|你们|他们|所有人|全体成员|全体|全员|여러분|모두|전체|みんな|皆さん|全員)"
    r"(?=了|吗|吧|呢|啊|干|一下|也|就|都|来|看|\W|\Z))"
)
"""No account: everybody, somebody, a place, a time, a price of each, days that are left."""

# Chinese verbs with what follows them, words with which a sentence goes on: few names hold them.
_CN_ENDS = late(
    r"(?:[说說骂罵问問叫讲講写寫发發转轉回夸怼喷噴告吵](?:[得了过過着我你您他她它这這那什不是谎謊:]|大家|人|完|话|話|就)"
    r"|[你您](?=[说說看怎为為是这這真不别別快来來好在有能会會要敢算们們也就都凭])"
    r"|[我他她](?=[说說觉覺想不是真就也都也要们們])"
    r"|天天|总是|總是|老是|一直|从来|從來|真的|真是|真会|太[^阳陽]|居然|竟然|为什么|為什麼|怎么|怎麼|到底|已经|已經|刚刚|剛剛|刚才"
    r"|昨天|今天|明天|昨晚|又(?=[在来來是说說发發骂罵开開不骗騙打吵闹鬧装裝搞要想上出没去])|也(?=[是在不说說有太来來])|都(?=[是在不说說没])|就(?=[是会會知])"
    r"|[还還](?=[是在不没說说有敢要想能会會])|不(?=[是要会會能敢配知])|要(?=[证證说說个個钱錢道求解是不回答给給])|别(?=[说再来在装])|快(?=[来來看出点])|出来|出來|过来|過來|来看|來看"
    r"|是(?=[不谁誰我你他她个個真什骗])"
    r"|在(?=[吗嗎说說干骗騙骂罵这這那哪带帶搞造撒线線直不])|加油|辛苦|谢谢|謝謝|道歉|闭嘴|閉嘴|滚出|生日快|好久|分享|投稿|爆料"
    r"|把(?=[我你他她人这這那自])|被(?=[封骂罵打人他她我删刪举舉禁骗騙])|[给給](?=[我你他她大])|[请請](?=[你您大不勿问問把给給])"
    r"|[跟和与與](?=[你我他她这這那])|能(?=[不否别別])|可(?=[不以])|哈哈|呵呵|嘿嘿|嘻嘻|[骗騙](?=[人子我你了钱錢])"
    r"|有(?=[人病没沒什点點本])|[没沒](?=[来來有看说說写寫人])|再(?=[说說来來见見敢骂罵发發])|想(?=[说說要问問骗騙干])|去(?=[死哪你看])"
    r"|转发|轉發|回复|回覆|评论|評論|关注|關注|举报|舉報|拉黑|认为|認為|觉得|覺得|表示|承认|承認|支持|反对|反對|吗|嗎|呢|吧|啊|了"
    r"|的(?=动态|動態|微博|视频|視頻|影片|帖|账号|帳號|评论|評論|话|話|文章|主页|主頁|观点|觀點|发言|發言|粉丝|粉絲|直播|作品))"
)
_JP_ENDS = late(
    r"(?:さん|ちゃん|くん|様|さま|氏|先生|って|とか|という|[がはをも](?=[一-鿿A-Za-z])|は(?=ほんと|ただ|もう|いつ|なぜ)"
    r"|の(?=せい|投稿|ツイ|ポスト|アカ|動画|垢|発言|話|こと|リプ|件)|です|だ(?=[よねろ])|による|から|まで|へ(?!\w)|に(?=言|聞|謝|訊|送))"
)
_KR_ENDS = late(
    r"(?<=[님씨쌤])[가-힣]{1,4}\Z"
    r"|(?:이라는|라는|이란|이라고|라고|한테서?|에게서?|께서|에서|처럼|까지|부터|보다|이랑|랑|하고|이나|으로|은|는|을|를|의|도|만|이|가|와|과)\Z"
)
_DIGITS_END = re.compile(rf"(?<=\d)(?=[{_EASTERN}])(?![号號班组組年月中后後级級代位歳岁호번기월일])")
_HANGUL, _KANA = re.compile("[가-힣]"), re.compile("[\u3041-\u30ff]")
_SHORTEST, _LONGEST_SET_APART = 3, 13
"""Characters of a name with its sign, before which nothing ends it, and of one that a blank or a colon ends."""


def handles(text: Plain) -> Places:
    """Return the names of accounts. A sign without letters is a face or a price."""
    if "@" not in text and "u/" not in text:
        return []
    return list(_handles(text))


def _handles(text: str) -> Iterator[Place]:
    for found in _HANDLE.finditer(text):
        if not _NOBODY.match(text, found.start()):
            name = found.group()
            is_set_apart = found.end() < len(text) and text[found.end()] in " :" and len(name) <= _LONGEST_SET_APART
            length = _length(name, is_set_apart) if found["other"] else len(name)
            yield found.start(), found.start() + length


def _length(name: str, is_set_apart: bool) -> int:
    """Return how many characters of a name in other letters belong to it: its words may not stand apart by blanks.

    Chinese sites put a blank or a colon behind a name: so set apart, it may hold verbs.
    """
    if digits := _DIGITS_END.search(name, _SHORTEST):
        return digits.start()
    ends = _KR_ENDS if _HANGUL.search(name) else _JP_ENDS if _KANA.search(name) else _CN_ENDS
    end = None if is_set_apart and ends is _CN_ENDS else ends.search(name, _SHORTEST)
    return end.start() if end else len(name)
