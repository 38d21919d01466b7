"""Conclusions as Chinese states them, in simplified and traditional characters."""

import re
from collections.abc import Iterator

from moderation.domain.hatexscore.conclusion import Conclusion, is_odd, trimmed

_STOPS = "，。；：！？,;:!?\n\x01"
_HATE = re.compile(
    r"(?P<non>(?<![并並绝絕])非)?仇恨(?:性)?+(?:的)?+(?:言论|言論|内容|內容|言语|言語|信息|文本|帖子|表达|表達|评论|評論|语言|語言)?+"
    r"(?!的?(?:对象|對象|犯罪|团体|團體|批评|批評|批判|反对|反對|谴责|譴責|讨论|討論|定义|定義|标准|標準|报道|報道|反思"
    r"|受害者|研究|检测|檢測|意味|情绪|情緒|对立|對立))"
)
_MARK = re.compile(
    r"(?:结论|結論|判断|判斷|判定|裁定|答案|分类|分類|标签|標籤|结果|結果|预测|預測|類別|类别)\s*(?:[:：为為]|是)"
    r"\s*[*_“「\s]*(?P<tail>[^，。；！？,;!?\n]{0,12})$"
)
_LINK = re.compile(
    r"是|属于|屬於|构成|構成|算|视为|視為|看作|判定为|判断为|判定為|判斷為|认定为|認定為|归为|歸為|归类为|歸類為|含有"
    r"|包含|包括|带有|帶有|具有|存在|[没沒]?有|充满|充滿|达到|達到|不含|无|無|不具|不带|不帶|并非|並非|绝非|絕非|谈不上"
    r"|談不上|算不上|称不上|稱不上|够不上"
)
_NEGATIONS = re.compile(
    r"并不|並不|不(?!仅|僅|但|只|过|過|得不)|没有|沒有|没|沒|未|毫无|毫無|无(?!疑)|無(?!疑)|并非|並非|绝非|絕非|非(?!常)"
)
_DOUBTS = re.compile(
    r"是否|可能|也许|也許|或许|或許|如果|若|要是|无法(?:判断|确定|断定|判定)|無法(?:判斷|確定|斷定|判定)|难以|難以"
    r"|不确定|不確定|不清楚|会不会|會不會|是不是|算不算|有没有|有沒有|恐怕|假如|取决于|取決於"
)
_ABOUT = re.compile(
    r"反对|反對|谴责|譴責|批评|批評|批判|抵制|讽刺|諷刺|引用|复述|複述|打击|打擊|拒绝|拒絕|讨论|討論|关于|關於|遭受|受到"
)
_ALONE = re.compile(
    r"^[ \t\u00a0\u3000*_#>\-–—“「]*"
    r"(?P<no>不是|并非|並非|没有|沒有|无|無|非)?仇恨(?:言论|言論|内容|內容)?[\s*_”」。！]*$",
    re.MULTILINE,
)
_YES_NO = re.compile(
    r"是否(?:为|為|属于|屬於|构成|構成|含有|是)?仇恨(?:言论|言論|内容|內容)?\s*[:：?？]\s*(?P<said>不是|是|否)"
)
_STOP = re.compile(r"[。；！？.;!?\n]")
_REACH = 14  # characters between the verb and the word


def stated(text: str) -> Iterator[Conclusion]:
    """What the text states, some of it twice."""
    for hit in _YES_NO.finditer(text):
        yield Conclusion(hit.start(), hit.end(), hit["said"] == "是")
    for hit in _ALONE.finditer(text):
        yield trimmed(hit, not hit["no"])
    for hit in _HATE.finditer(text):
        if found := _stated(text, hit):
            yield found


def _stated(text: str, hit: re.Match[str]) -> Conclusion | None:
    begin = max(text.rfind(stop, 0, hit.start()) for stop in _STOPS) + 1
    clause = text[begin : hit.start()]
    if _DOUBTS.search(clause) or _asks(text, hit.end()):
        return None
    if marked := _MARK.search(text, max(0, hit.start() - 30), hit.start()):
        negated = is_odd(_NEGATIONS.findall(marked["tail"]), bool(hit["non"]))
        return Conclusion(marked.start(), hit.end(), not negated)
    links = list(_LINK.finditer(clause))
    if not links or len(clause) - links[-1].end() > _REACH or _ABOUT.search(clause, links[0].start()):
        return None
    near = clause[max(0, links[0].start() - 3) :]
    return Conclusion(begin, hit.end(), not is_odd(_NEGATIONS.findall(near), bool(hit["non"])))


def _asks(text: str, end: int) -> bool:
    stop = _STOP.search(text, end, end + 40)
    return text[end : end + 1] in ("吗", "嗎") or (stop is not None and stop.group() in "？?")
