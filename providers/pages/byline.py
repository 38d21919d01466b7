"""The lines about a page's heading: when it was published and changed, and by whom, as a person reads them there.

Only a line that says little else counts: a date in a sentence may be that of anything. A date with a word before it
(published, changed) is what that word says. A date alone is the day of publication if no other stands there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

import lxml.etree
import lxml.html

from providers.pages.dates import date_of, dates_in

_CHANGED = re.compile(
    r"updat|modif|chang|edited|revis|correct|aktualisier|geändert|stand\b|mis à jour|mise à jour|màj|actualiz|atualiz"
    r"|aggiornat|bijgewerkt|gewijzigd|aktualiz|aktuali[sz]|zmien|güncel|обновл|измен|оновл|تحديث|수정|업데이트|更新|修改|编辑"
    r"|編輯|ažurir|frissít|módosít|päivitetty|opdater|uppdater|oppdater|ενημ|diperbarui|cập nhật|อัปเดต|अपडेट|עודכן",
    re.IGNORECASE,
)
_PUBLISHED = re.compile(
    r"\bpubli|posted|issued|\bdated?\b|released|created|erstellt|veröffentlicht|posté\b|escrito|pubblicat|scritto"
    r"|geplaatst|gepubliceerd|opublik|utworz|dodan|yayın|tarih|eklen|опублик|дата|созда|نشر|تاريخ"
    r"|publicer|publikov|vydán|objav|közzét|megjelen|julkaist|udgivet|δημοσ|опубл|diterbit|đăng|เผยแพร่|प्रकाशित|פורסם"
    r"|입력|등록|작성|게시|승인|발행|发布|發布|发表|發表|時間|时间|日期|公開|掲載|投稿|配信|作成",
    re.IGNORECASE,
)
_BY = re.compile(
    r"(?:^|[^\w])(?:written by|posted by|by|von|por|par|di|door|przez|av|af|írta|szerző|kirjoittaja|oleh|napsala?"
    r"|autor(?:a|en|ja|ul)?|author|auteur|autore"
    r"|texto?|yazan"
    r"|автор|بقلم|كتب)\s*[:：]?\s+",
    re.IGNORECASE,
)
_BY_UNSPACED = re.compile(r"(?:作者|撰文|记者|記者|文)\s*[:：・/／]\s*([\u3040-\u30ff\u4e00-\u9fff]{2,8})")
_BY_KOREAN = re.compile(r"(?:^|\s)([가-힣]{2,4})\s(?:선임)?기자(?:\s|$)|(?:글쓴이|작성자)\s*[:：]?\s*([가-힣]{2,8})")
_PARTICLES = {"de", "da", "do", "dos", "di", "del", "della", "la", "le", "van", "von", "der", "den", "ter", "al", "el",
              "bin", "y", "e", "i", "and", "und", "et", "en", "ve", "&", "и", "و"}  # fmt: skip
_TIME = re.compile(
    r"(?:오전|오후|上午|下午|klo|um|às|at|a las|à)?\s*\d{1,2}\s?[:h.時时시]\s?\d{2}(?:\s?[:m분分]\s?(?:\d{2})?)?\s*"
    r"(?:uhr|h|[ap]\.?m\.?|gmt|utc|[cem]e?s?t)?\b",
    re.IGNORECASE,
)
_HEADINGS = ("h1", "h2", "h3")
_HOLDERS = ("article", "main")
_ASIDE = ("aside", "nav", "footer", "select", "form", "button")
_REPEATED = ("article", "li", "tr", "section", "div", "table", "dl")
_MOST_LINES, _BEFORE = 40, 3
_PROSE = 100  # letters; a character of East Asian scripts counts as three
_ENDS = (".", "!", "?", "。", "！", "？", "”", '"')
_LEFT = 14
"""Letters beside the date and its word: with more the line tells of something else."""
_EAST_ASIAN = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_MARK = re.compile("\x1e([pc?])(\\d{4}[\\d-]*)\x1f")


@dataclass(frozen=True)
class Byline:
    """What the lines about the heading say; a date is ISO, empty if none is said."""

    published: str = ""
    changed: str = ""
    author: str = ""
    publisher: str = ""


def byline_of(tree: lxml.html.HtmlElement) -> Byline:
    """Return what the lines about the heading of a page say; what a person does not see is left out already."""
    lines = list(_lines_about(tree))
    said: dict[str, list[str]] = {"p": [], "c": [], "?": []}
    for line in lines:
        for kind, day in _dates_of(line):
            said[kind].append(day)
    alone = set(said["?"])
    published = said["p"][0] if said["p"] else alone.pop() if len(alone) == 1 else ""
    changed = said["c"][0] if said["c"] else _last_changed(tree)
    author = next((name for line in lines if (name := _author(_MARK.sub("|", line)))), "")
    publisher = next((name for line in lines if (name := _publisher(line))), "")
    return Byline(published, changed if changed >= published else "", author, publisher)


# What the end of a page says of the whole page, as wikis and offices write it. Of a single post it is said by whom.
_LAST_CHANGED = re.compile(
    r"\blast (?:edited|modified|updated|changed|revised|reviewed)\b(?! by\b)|\bzuletzt\b"
    r"|\bdernière (?:modification|mise à jour)"
    r"|por última vez|última (?:edición|actualización|modificación)|ultima modifica|último? (?:edição|atualização)"
    r"|последн\w+ (?:изменен|обновлен)|마지막으로? (?:편집|수정|업데이트)|최종 ?(?:수정|업데이트)"
    r"|最[后後](?:修[订訂改]|编辑|編輯|更新)|最終更新",
    re.IGNORECASE,
)
_AT_THE_END, _AROUND = 4000, 60


def _last_changed(tree: lxml.html.HtmlElement) -> str:
    """Return the day on which the end of the page says that it was last changed; empty for none, or for several."""
    end = " ".join("".join(tree.itertext())[-_AT_THE_END:].split())
    days = {day for said in _LAST_CHANGED.finditer(end) if (day := _day_beside(end, said.start(), said.end()))}
    return days.pop() if len(days) == 1 else ""


def _day_beside(text: str, start: int, end: int) -> str:
    """Return the date behind a word, else the one before it."""
    behind = next(dates_in(text[end : end + _AROUND]), None)
    before = [*dates_in(text[max(0, start - _AROUND) : start])]
    return behind[2] if behind else before[-1][2] if before else ""


_FROM = re.compile(r"(?:来源|來源|稿源|출처|제공)\s?[:：]\s?([^\s|·,，、:：\x1e]{2,20})")


def _publisher(line: str) -> str:
    """Return where a line that has a date says that the page is from; empty if it says nothing."""
    found = _FROM.search(line) if _MARK.search(line) or next(dates_in(line), None) else None
    return found[1] if found else ""


def _dates_of(line: str) -> Iterator[tuple[str, str]]:
    """Yield the dates of a line with what they are of: p published, c changed, ? not said."""
    places = [(mark.start(), mark.end(), mark[2], mark[1]) for mark in _MARK.finditer(line)]
    places += [(start, end, day, "?") for start, end, day in dates_in(line)]
    places.sort()
    ends = [0, *(end for _start, end, _day, _kind in places)]
    words = [line[end:start] for end, (start, *_rest) in zip(ends, places, strict=False)]
    rest = "".join([*words, line[ends[-1] :]])
    is_short = len(places) < 5 and _letters(_AUTHOR_PART.sub(" ", _TIME.sub(" ", rest))) <= _LEFT
    for (_start, _end, day, kind), before in zip(places, words, strict=True):
        told = "c" if _CHANGED.search(before) else "p" if _PUBLISHED.search(before) else kind
        is_named = bool(_STATES.search(before)) and _letters(_TIME.sub(" ", rest)) <= 4 * _LEFT
        if day and (kind != "?" or is_short or is_named):
            yield told if kind == "?" else kind, day


_ON = r"\b(?:on|am|vom|em|le|il|el|at|op|w dniu|في)\b"
_STATES = re.compile(rf"(?:{_CHANGED.pattern}|{_PUBLISHED.pattern})\w*\W*(?:{_ON}\W*)?\Z", re.IGNORECASE)
_AUTHOR_PART = re.compile(
    rf"(?:{_CHANGED.pattern}|{_PUBLISHED.pattern})\w*|{_ON}"
    r"|(?:\bby|\bvon|\bpor|\bpar|\bdi|\bdoor|autor\w*|author|yazan|автор)\s*:?\s(?:[^\W\d_][\w.'’-]*\s?){1,5}"
    r"|[가-힣]{2,4}\s기자|(?:作者|来源|來源|记者|責任編集|编辑)\s*[:：]\s*\S+",
    re.IGNORECASE,
)


def _author(line: str) -> str:
    """Return whom a line names as its author; empty if it names nobody."""
    if found := _BY_UNSPACED.search(line) or _BY_KOREAN.search(line):
        return str(next(filter(None, found.groups())))
    named = _BY.search(line)
    if named is None or _weight(line) > _PROSE:
        return ""
    words: list[str] = []
    for word in re.split(r"[\s\u00a0]+", re.split(r"[|·•,;:—–(/\d\x1e]| - ", line[named.end() :])[0].strip()):
        if not (word[:1].isupper() or word.lower() in _PARTICLES or _is_of_one_case(word)):
            break
        words.append(word)
    while words and words[-1].lower() in _PARTICLES:
        words.pop()
    return " ".join(words)[:200] if 1 < len(words) < 9 else ""


def _is_of_one_case(word: str) -> bool:
    return bool(word) and word[0].isalpha() and word.lower() == word.upper()


def _letters(text: str) -> int:
    return sum(1 for letter in text if letter.isalnum())


def _weight(text: str) -> int:
    return len(text) + 2 * len(_EAST_ASIAN.findall(text))


def _lines_about(tree: lxml.html.HtmlElement) -> Iterator[str]:
    """Yield the short lines that stand before and after the heading, up to the second paragraph."""
    before, after = _around_heading(tree)
    yield from (line for line in before[-_BEFORE:] if _weight(line) < 2 * _PROSE)
    paragraphs = 0
    for line in after[:_MOST_LINES]:
        is_dated = _MARK.search(line) or next(dates_in(line), None)
        paragraphs += not is_dated and _weight(line) >= (_PROSE // 2 if line.endswith(_ENDS) else _PROSE)
        if paragraphs > 1:
            return
        if _weight(line) < 3 * _PROSE:
            yield line


def _heading(tree: lxml.html.HtmlElement) -> lxml.html.HtmlElement | None:
    """Return the page's heading: that of its article, else the first of the highest level."""
    for name in _HEADINGS:
        found = [node for node in tree.iter(name) if next(node.iterancestors("nav", "aside", "footer"), None) is None]
        inner = [node for node in found if next(node.iterancestors(*_HOLDERS), None) is not None]
        if found:
            return (inner or found)[0]
    return None


def _around_heading(tree: lxml.html.HtmlElement) -> tuple[list[str], list[str]]:
    """Return the lines before the heading in its own part of the page, and those after it."""
    heading = _heading(tree)
    holder = next(heading.iterancestors(*_HOLDERS) if heading is not None else tree.iter(*_HOLDERS), None)
    near = holder if holder is not None or heading is None else heading.getparent()
    pieces: list[str] = []
    outside, stop = 0, None
    whole = tree if holder is None else holder
    for event, node in lxml.etree.iterwalk(whole, events=("start", "end")):
        if node.tag in _ASIDE:
            outside += 1 if event == "start" else -1
        if node.tag not in _WITHIN:
            pieces.append("\n")
        elif event == "start" and node.getprevious() is not None and not node.getprevious().tail:
            pieces.append(" ")  # what sets two parts of a line apart is drawn by a style
        if event == "start":
            pieces.append(_NEAR if node is near and near.tag != "body" else "")
            pieces.append("" if outside else _marked(node) if node.tag == "time" else _in_a_line(node.text))
        else:
            pieces.append(_HEAD if node is heading else "")
            pieces.append("" if outside or node is whole else _in_a_line(node.tail))
            stop = len(pieces) + _MOST_PIECES if node is heading else stop
        if len(pieces) > (stop or _MOST_PIECES * 10):
            break
    before, _, after = "".join(pieces).rpartition(_HEAD)
    parts = (before.rpartition(_NEAR)[2] if _NEAR in before else "", after.replace(_NEAR, ""))
    both = [[" ".join(line.split(" ")).strip() for line in part.split("\n")] for part in parts]
    return [line for line in both[0] if line], [line for line in both[1] if line]


_NEAR, _HEAD = "\x1c", "\x1d"  # where the part of the heading begins, and where the heading ends
_MOST_PIECES = 1000


def _in_a_line(text: str | None) -> str:
    """Return a text without the breaks and signs that mark lines and dates here."""
    return re.sub(r"\s+|[\x1c-\x1f]", " ", text or "")


_WITHIN = {"a", "abbr", "address", "b", "bdi", "cite", "em", "font", "i", "small", "span", "strong", "sub", "sup",
           "time", "u"}  # fmt: skip


def _marked(node: lxml.html.HtmlElement) -> str:
    """Return a mark for the date of a `time`, or its words; neither for one of many parts that is not the oldest."""
    day = date_of(node.get("datetime"))
    if not day:
        return _in_a_line(node.text)
    if not _is_of_page(node, day):
        return ""
    named = f"{node.get('class', '')} {node.get('itemprop', '')} {node.get('title', '')}"
    kind = "c" if _CHANGED.search(named) else "p" if re.search(r"publi|posted|creat", named, re.IGNORECASE) else "?"
    return f" \x1e{kind}{day}\x1f "


def _is_of_page(node: lxml.html.HtmlElement, day: str) -> bool:
    """Return whether no repeated part around it (a post, an entry of a list) stands beside an older one or is later."""
    for part in node.iterancestors(*_REPEATED):
        before = part.getprevious()
        if before is not None and _likeness(before) == _likeness(part) and _first_day(before):
            return False
        later = (
            other for other in islice(part.itersiblings(part.tag), _MOST_PARTS) if _likeness(other) == _likeness(part)
        )
        if any(other_day < day for other in later if (other_day := _first_day(other))):
            return False
    return True


_MOST_PARTS = 50


def _likeness(part: lxml.html.HtmlElement) -> str:
    return re.sub(r"\d", "", f"{part.tag} {part.get('class', '')}")


def _first_day(part: lxml.html.HtmlElement) -> str:
    return next((date_of(node.get("datetime")) for node in part.iter("time")), "")
