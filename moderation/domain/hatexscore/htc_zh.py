"""Conclusions as Chinese states them; traditional characters have become simplified ones in the plain text."""

import re
from collections.abc import Iterator

from moderation.domain.hatexscore.conclusion import Conclusion, is_odd
from moderation.domain.hatexscore.labels import Segment, headed_end

_STOPS = "，。；：！？,;:!?\n\x01—"
_MENTION = re.compile(
    r"(?P<non>(?<![并绝远])非|non-?\s?)?(?:仇恨(?:性(?:质)?|意图|色彩|倾向|成分)?+(?:的)?+"
    r"(?:言论|内容|言语|信息|文本|帖子|表达|评论|语言|贴文|言辞|话语|性质|意图|色彩|倾向|成分)?+"
    r"(?!的?(?:对象|犯罪|团体|组织|批评|批判|反对|谴责|讨论|报道|反思|受害者|研究|检测|意味|情绪|对立|立法|法律"
    r"|问题|议题|统计"
    r"|案件|规定|政策|来源|原因|和不满))|(?:hateful|hate\s?speech)(?![a-z-])(?:\s?的)?)(?:\s?\([^()\n]{1,30}\))?"
)
_LINK = re.compile(
    r"是|属于?|构成|算|视为|视作|看作|读作|看成|当作|当成|判定为|判断为|认定为|归为|归类为|归入|归于|划为|定性为"
    r"|标记为|标为|称为|称之为|称作"
    r"|叫做?|说成|含有?|包含|包括|带有?|具有|具备|存在|有|充满|充斥|达到|到了?|上升到|上升为|升级为|涉及|体现"
    r"|表现出?|发现|出现|看出|见"
    r"|找到|看到|无|未|不|非|(?<!因)为|谈|称|够|至于|成为?|等于|等同|沦为|符合|满足|贴上|打上|宣扬|传播|散布"
    r"|鼓吹|发表|使用|夹杂|流露|透露"
    r"|落入|避免|回避|有别于|区别于|远离|缺乏|缺少|欠缺|踏入|近乎|接近|近似|无异于?|跨越|越过|极其|极为|非常"
    r"|十分|极度|高度|相当|纯属|实属|堪称|明显的?|显然"
    r"|充分|远非"
    r"|而$|与其说|低于|(?<![引利运采])用"
)
_NEGATIONS = re.compile(
    r"避免|回避|有别于|区别于|远离|缺乏|缺少|欠缺|并不|毫不(?=构成|涉及|含有|包含|带有|属于|具有|存在)"
    r"|(?<!不得)(?<!毫)不(?!久|幸|安|法|配|少|等|料|停|时|禁"
    r"|愧|啻|外|失|乏|顾|惜|分|负责|堪|容忍|一|能否认|仅|但"
    r"|只|光|单|过|得不|断|可否认|容否认|容置疑|言而喻|折不扣|加掩饰|掩饰|妨碍|影响|改变|含糊|管|论|同|满|当|实"
    r"|尊|公|友|良"
    r"|雅|敬|止|折)|没有(?!疑问|争议)|没(?!人会否认)|未(?!必|免|成年|知|来)|毫无(?!疑|争议)|无(?!疑|异|非|故|缘"
    r"|可|论|不|视|端|理|辜|情|耻)|并非|绝非|远非"
    r"|(?<![并绝远])非(?!常|裔|洲|法|人|主流|理性|白|黑|但|仅|异性|二元|婚)|与其说|低于"
    r"|难以?(?!民|听|看|受|过|免|道|怪|堪|题|以置信)(?=[^，,]{0,12}(?:称|视|认|算|归|说|当|看|构|成|定))"
)
_TAIL_NEGATIONS = re.compile(
    r"\s*(?:并|在文中|在此)?(?:不存在|没有出现|不成立|(?:的说法|这一说法)?[^，,。]{0,4}(?:未免|有些|有点|显然"
    r"|实在|过于|太)?"
    r"(?:过头|过分|过重|夸大|夸张|牵强|不妥|不当|言重|不准确|不合适|站不住|言过其实)|[^，,。]{0,8}(?:并?不"
    r"|未必)(?:正确|对的|合理|可取|客观|恰当|合适|妥当|准确|公平|适用|贴切))"
)
_DOUBTS = re.compile(
    r"是否|可能|也许|或许|无法(?:判断|确定|断定|判定|确认)|难以(?:判断|确定|断定|判定|确认)|(?:不|很难"
    r"|难)能?(?:确定|判断|断定|确认)"
    r"|不清楚|什么是|何为|何谓|不好说|会不会|是不是|算不算|有没有|构不构成|属不属于|恐怕|取决于|不排除"
    r"|像是(?!.*而(?:[非不]|$))"
    r"|看似|乍看|乍听|疑似|未必|不一定|理解为|解读为|误认为|误解为|误读|被认为是|争议"
    r"|倾向于|说不准|(?:一|另一|有)种(?:解读|理解|看法|可能)|一方面|要看|介于"
)
_UNDECIDED = re.compile(
    r"仍?[^，,。]{0,4}争议|(?:还是|或者?是|或非|与否)|(?:则|就)?(?:取决于|要看|有待|尚待|尚不|为时尚早|言之过早"
    r"|也(?:行|可以|对))"
)
_CONDITION = re.compile(r"如果|假如|若(?!干)|要是|倘若|一旦|假设|除非|只有")
_OTHERS = re.compile(
    r"(?:有人|有(?:评论|观点|声音|意见|网民|媒体)|被(?=举报|投诉|标记|指|控)|遭|(?:许多|不少|多数|几位"
    r"|两位)[^，,。]{0,4}|评论者|举报|有用户|有些人|有的人|部分|一些|某些|他人"
    r"|别人|网友|读者|用户|批评者|作者|发帖人|对方|他们|他|她|平台|系统"
    r"|网站|法院|警方|版主|管理员|审核员|媒体|公司)[^，,。]{0,8}?"
    r"(?:认为|觉得|说|称|举报|声称|主张|指责|批评|质疑|宣称|看来|标记|担心|害怕|否认|指控|指|控|否定|判定|认定"
    r"|归类|列为|问)"
)
_ABOUT = re.compile(
    r"反对|谴责|批评(?!，)|批判|抵制|讽刺|引用|复述|打击|拒绝|讨论|关于|遭受|受到|对抗|揭露|报道|介绍|研究|分析"
    r"|呼吁|停止|制止|消除|警惕"
    r"|防止|预防|监管|举报|指控|回应|针对(?=仇恨)|根据(?=仇恨)|按照(?=仇恨)|依据(?=仇恨)"
)
_NEW_START = re.compile(r"而是|不代表|不意味着?")
_UTTERS = re.compile(r"(?:表达|说出|输出)(?:了|出)?[^，,]{0,12}$")
_UNRELATED = re.compile(r"(?:并|完全|根本)?(?:毫?无关|没有(?:任何)?关系|不沾边|不相干)")
_CONTRAST = re.compile(r"而是|但|因此|所以|故|实际上|然而|却")
_REACH = 26  # characters between the verb and the word
_SEEN = 200  # characters of the sentence before the word


def stated(text: str, segment: Segment) -> Iterator[Conclusion]:
    """Return what the segment states in Chinese; `text` is plain text."""
    heading_end = headed_end(text, segment)
    for hit in _MENTION.finditer(text, segment.start, segment.end):
        if conclusion := _stated(text, segment, hit, heading_end):
            yield conclusion


def _stated(text: str, segment: Segment, hit: re.Match[str], heading_end: int) -> Conclusion | None:
    begin = max(segment.start, hit.start() - _SEEN)
    sentence = text[begin : hit.start()]
    begin = max(begin, max(text.rfind(stop, begin, hit.start()) for stop in _STOPS) + 1)
    if begin == heading_end or begin < heading_end:
        begin = segment.start
    clause = text[begin : hit.start()]
    if cut := list(_NEW_START.finditer(clause)):
        clause = clause[cut[-1].start() :]
    if re.search("[与和跟同]$", clause) and (unrelated := _UNRELATED.match(text, hit.end())):
        return Conclusion(hit.start(), unrelated.end(), bool(hit["non"]))
    if _is_open(text, hit, sentence, clause) or not _is_linked(text, hit, clause, begin < heading_end):
        return None
    negations = [*_NEGATIONS.findall(clause), *_TAIL_NEGATIONS.findall(text[hit.end() : hit.end() + 16])[:1]]
    start = begin + len(clause) - len(clause.lstrip()) if not cut else begin
    return Conclusion(start, hit.end(), not is_odd(negations, bool(hit["non"])))


def _is_linked(text: str, hit: re.Match[str], clause: str, headed: bool) -> bool:
    """Whether a verb or a heading links the text with the word."""
    if _UTTERS.search(clause) and "言论" in hit.group():
        return True  # who utters hate speech states it; who utters hatred may be spoken about
    links = list(_LINK.finditer(clause))
    if hit.group()[0] in "hn" and not re.search("[\u4e00-\u9fff]", clause[-3:]):
        return False  # English, and read as such
    if headed and not links:
        return True
    return bool(links) and len(clause) - links[-1].end() <= _REACH and not _ABOUT.search(clause, links[0].start())


def _is_open(text: str, hit: re.Match[str], sentence: str, clause: str) -> bool:
    """Whether the sentence doubts, asks, makes a condition or tells what others say."""
    contrasts = list(_CONTRAST.finditer(sentence))
    since = sentence[contrasts[-1].end() :] if contrasts else sentence
    if _DOUBTS.search(clause) or _OTHERS.search(clause) or _CONDITION.search(since):
        return True
    return text[hit.end() : hit.end() + 1] in ("吗", "么") or _UNDECIDED.match(text, hit.end()) is not None
