"""Pages of many languages and layouts, drawn by rules, with what a person sees on each.

What a person sees is: the outcome (its text, or which notice), the sentences with their figures, the quotations, the
publisher and the dates. Every other page is `sealed`: rules were written with the open half in view, and the sealed
half was read once, for the figures in docs/evidence.md.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from wire.threads import LAYOUTS, thread

HTML = "text/html; charset=utf-8"
_WALLS = Path(__file__).with_name("consent_walls.jsonl")


@dataclass(frozen=True)
class SeenPage:
    """A page: its bytes, the type in its header, and what a person sees of it.

    `says` are sentences in the order of the page, `hides` what is not its text. `source` holds what it states of
    itself; `others` are further codes that name the page as truly.
    """

    name: str
    kind: str
    content: bytes
    type: str = HTML
    code: str = ""
    says: tuple[str, ...] = ()
    hides: tuple[str, ...] = ()
    encoding: str = ""
    source: Mapping[str, Any] = field(default_factory=dict)
    others: tuple[str, ...] = ()
    sealed: bool = False


def _page(body: str, head: str = "", lang: str = "en", title: str = "A page") -> bytes:
    return (
        f'<!DOCTYPE html><html lang="{lang}"><head><meta charset="utf-8"><title>{title}</title>{head}</head>'
        f"<body>{body}</body></html>"
    ).encode()


# ── Walls of consent ──────────────────────────────────────────────────────────

_WALL_LAYOUTS = (
    '<div class="qc-cmp2-container"><div><h2>{title}</h2><p>{text}</p><div>{buttons}</div></div></div>',
    "<div><div><h1>{title}</h1><div>{text}</div></div><div>{buttons}</div></div>",
    '<div role="dialog" aria-modal="true"><h2>{title}</h2><p>{text}</p><p>{links}</p></div>',
    "<section><h2>{title}</h2><p>{text}</p><ul>{vendors}</ul>{buttons}</section>",
)
_VENDORS = ("Acre Media GmbH", "Bluebell Data Ltd", "Cobble Ads Inc.", "Dovecot Metrics SAS", "Elmtree Oy", "Furrow BV")


def _walls() -> Iterator[SeenPage]:
    for at, row in enumerate(map(json.loads, _WALLS.read_text("utf-8").splitlines())):
        buttons = "".join(f"<button>{label}</button>" for label in row["buttons"])
        links = " ".join(f'<a href="#" role="button">{label}</a>' for label in row["buttons"])
        vendors = "".join(f"<li>{name}</li>" for name in _VENDORS)
        body = _WALL_LAYOUTS[at % 4].format(**row | {"buttons": buttons, "links": links, "vendors": vendors})
        yield SeenPage(
            f"wall in {row['lang']}", "wall", _page(body, lang=row["lang"], title=row["title"]), code="consent_wall"
        )


def _beside_walls() -> Iterator[SeenPage]:
    """Yield texts that speak of consent, or have a banner, and are texts all the same."""
    banner = '<div id="cookie-banner"><p>We and our 90 partners use cookies.</p><button>Accept</button></div>'
    story = (
        "The council counted 318 gardens in the valley this spring, nine fewer than in 2019.",
        "Two of them were given up after the flood, and the rest became a car park.",
        "The gardeners ask for a new plot behind the station, where the soil is poor but dry.",
    )
    told = "".join(f"<p>{sentence}</p>" for sentence in story)
    yield SeenPage("banner over a story", "no wall", _page(f"{banner}<main><h1>Gardens</h1>{told}</main>"), says=story)
    policy = (
        "We keep your letters for ten years, as the law on archives asks of every office.",
        "Cookies are set only when you sign in, and they are gone when you close the browser.",
        "Whoever wants to know what is stored may ask at the counter, Monday to Thursday from 9 to 12.",
        "You may refuse, and nothing changes for you at the counter or on the telephone.",
        "Complaints go to the commissioner for data protection in the capital.",
    )
    body = "".join(f"<p>{sentence}</p>" for sentence in policy)
    yield SeenPage("a policy", "no wall", _page(f"<h1>Privacy</h1>{body}"), says=policy)
    german = (
        "Das Gericht hat die Banner von 12 Verlagen geprüft, und nur bei zweien war das Ablehnen so leicht wie das "
        "Zustimmen.",
        "Geklagt hatte ein Verein, der seit 2016 für die Rechte der Leser eintritt.",
        "Die Verlage wollen in Berufung gehen und sprechen von 740 Partnern, die ohne Werbung nicht leben könnten.",
    )
    body = "".join(f"<p>{sentence}</p>" for sentence in german)
    yield SeenPage("on banners, in German", "no wall", _page(f"<article><h1>Banner</h1>{body}</article>", lang="de"),
                   says=german)  # fmt: skip
    korean = (
        "개인정보보호위원회는 맞춤 광고를 내보낸 37개 업체를 조사했다고 14일 밝혔다.",
        "이용자의 동의를 받지 않은 업체는 9곳이었고 과징금은 모두 4억 1,200만 원이다.",
        "위원회는 내년부터 아동이 쓰는 앱도 살펴볼 계획이다.",
    )
    body = "".join(f"<p>{sentence}</p>" for sentence in korean)
    yield SeenPage("on consent, in Korean", "no wall", _page(f"<article>{body}</article>", lang="ko"), says=korean)
    entry = "Vendor list: in advertising, a register of firms that ask for consent; the first had 21 entries in 2018."
    yield SeenPage("an entry on vendor lists", "no wall", _page(f"<p>{entry}</p>"), says=(entry,))
    index = "".join(f"<li><a href=/t{n}>Topic {n}: what to sow in week {n}</a></li>" for n in range(1, 30))
    yield SeenPage("an index with a banner", "no wall", _page(f"{banner}<ul>{index}</ul>"), says=("Topic 7: what to",))


# ── Threads ───────────────────────────────────────────────────────────────────


def _threads() -> Iterator[SeenPage]:
    for name in LAYOUTS:
        content, told, _lang = thread(name)
        says = (told[0], told[0], told[1], told[1], told[2], told[3])
        yield SeenPage(f"thread of {name}", "thread", content.encode(), says=says)


# ── Sources: publishers, dates, figures ───────────────────────────────────────

_FILL = {
    "en": "The mill stands at the lower end of the valley, where three brooks meet and the road turns to the east.",
    "ko": "방앗간은 골짜기 아래쪽에 있으며, 세 개울이 만나고 길이 동쪽으로 굽는 곳이다.",
    "zh": "磨坊坐落在山谷下端，三条小溪在那里汇合，道路也在那里向东转弯。",
    "ja": "水車小屋は谷の下のほうにあり、三つの小川が合わさって道が東へ曲がるところである。",
    "de": "Die Mühle steht am unteren Ende des Tals, wo drei Bäche zusammenfließen und die Straße nach Osten biegt.",
    "fr": "Le moulin se trouve au bas de la vallée, là où trois ruisseaux se rejoignent et où la route tourne à l'est.",
    "es": "El molino está en la parte baja del valle, donde se juntan tres arroyos y el camino gira hacia el este.",
    "ar": "تقع الطاحونة في أسفل الوادي حيث تلتقي ثلاثة جداول وينعطف الطريق نحو الشرق.",
    "ru": "Мельница стоит в нижней части долины, где сходятся три ручья и дорога поворачивает на восток.",
    "tr": "Değirmen, üç derenin birleştiği ve yolun doğuya döndüğü vadinin alt ucunda duruyor.",
    "pl": "Młyn stoi w dolnej części doliny, gdzie łączą się trzy potoki, a droga skręca na wschód.",
    "it": "Il mulino si trova in fondo alla valle, dove tre ruscelli si uniscono e la strada piega verso est.",
    "nl": "De molen staat onder in het dal, waar drie beken samenkomen en de weg naar het oosten buigt.",
    "pt": "O moinho fica no fundo do vale, onde três ribeiros se juntam e a estrada vira para leste.",
}


def _linked(**stated: Any) -> str:
    value = {"@context": "https://schema.org", "@type": "NewsArticle", **stated}
    return f'<script type="application/ld+json">{json.dumps(value, ensure_ascii=False)}</script>'


def _meta(**stated: str) -> str:
    return "".join(f'<meta name="{name.replace("__", ".")}" content="{value}">'
                   for name, value in stated.items())  # fmt: skip


def _article(name: str, lang: str, said: str, sees: tuple[str, ...], head: str = "", **source: Any) -> SeenPage:
    fill = _FILL[lang]
    body = f"<main><article><h1>A report</h1><p>{fill}</p>{said}<p>{fill} {fill}</p></article></main>"
    return SeenPage(name, "source", _page(body, head, lang, "A report"), says=sees, source=source)


def _sources() -> Iterator[SeenPage]:
    count = "<p>The office counted 412 newcomers in 2023, 4.1 % more than in 2022.</p>"
    yield _article(
        "JSON-LD", "en", count, ("412 newcomers in 2023, 4.1 % more",),
        _linked(datePublished="2024-05-14T09:12:00+02:00", dateModified="2024-06-01",
                publisher={"@type": "Organization", "name": "The Valley Courier"}, author=[{"name": "Ada Reed"}]),
        publisher="The Valley Courier", published="2024-05-14", changed="2024-06-01", author="Ada Reed",
    )  # fmt: skip
    graph = [
        {"@type": "Article", "datePublished": "2023-11-02", "publisher": {"@id": "#org"}, "author": {"@id": "#a"}},
        {"@type": "Organization", "@id": "#org", "name": "Hill Post"},
        {"@type": "Person", "@id": "#a", "name": "Ben Moor"},
    ]
    head = (
        f'<script type="application/ld+json">{json.dumps({"@context": "https://schema.org", "@graph": graph})}</script>'
    )
    yield _article("JSON-LD that refers", "en", count, ("412 newcomers",), head,
                   publisher="Hill Post", published="2023-11-02", author="Ben Moor")  # fmt: skip
    head = (
        '<meta property="og:site_name" content="골짜기신문">'
        '<meta property="article:published_time" content="2024-05-14T09:00:00+09:00">'
    )
    yield _article("Open Graph", "ko", "<p>지난해 새로 온 사람은 1만 2천 명이며 4.1% 늘었다.</p>",
                   ("1만 2천 명이며 4.1% 늘었다",), head, publisher="골짜기신문", published="2024-05-14")  # fmt: skip
    micro = (
        '<div itemscope itemtype="https://schema.org/NewsArticle"><span itemprop="author">林青</span><time itemprop='
        '"datePublished" datetime="2024-03-08">2024年3月8日</time><p>去年新来的人共有1.2万，比前年多4.1％。</p></div>'
    )
    yield _article("microdata", "zh", micro, ("共有1.2万，比前年多4.1％",), author="林青", published="2024-03-08")
    head = _meta(DC__publisher="Talverlag", DC__date="2022-10", DC__creator="Eva Bach")
    yield _article("Dublin Core", "de", "<p>Im Jahr 2021 waren es 1.204 Familien, also 3,5 % mehr.</p>",
                   ("1.204 Familien, also 3,5 % mehr",), head, publisher="Talverlag", published="2022-10",
                   author="Eva Bach")  # fmt: skip
    head = _meta(citation_journal_title="Revue des vallées", citation_publication_date="2020/07/03",
                 citation_author="Luc Pré")  # fmt: skip
    yield _article("a journal", "fr", "<p>La vallée compte 1 204 familles, soit 10<sup>3</sup> de plus que prévu.</p>",
                   ("1 204 familles, soit 10^3 de plus",), head, publisher="Revue des vallées",
                   published="2020-07-03", author="Luc Pré")  # fmt: skip
    review = {"@type": "ClaimReview", "claimReviewed": "Los nuevos causan la mitad de los delitos.",
              "reviewRating": {"alternateName": "Falso"}, "datePublished": "2024-02-29",
              "author": {"name": "Verifica Valle"}}  # fmt: skip
    yield _article("a fact-check", "es", "<p>Fueron 31 de 412 casos, el 7,5 %.</p>", ("31 de 412 casos, el 7,5 %",),
                   _linked(**review),
                   claim_review={"claim": "Los nuevos causan la mitad de los delitos.", "rating": "Falso"})  # fmt: skip
    yield _article("a day that may be two", "it", "<p>Erano 412 famiglie, il 4,1 % in più.</p>", ("412 famiglie",),
                   _meta(date="05/04/2024"), published=None)  # fmt: skip
    yield _article("a day that is none", "pl", "<p>Było ich 1 204, o 4,1 % więcej.</p>", ("Było ich 1 204, o 4,1 %",),
                   _linked(datePublished="2024-02-30", publisher={"name": "Dolina"}), published=None,
                   publisher="Dolina")  # fmt: skip
    powers = "<p>去年は4万1200人で、前年より3.5％多い。面積は12 m<sup>2</sup>である。</p>"
    yield _article("powers", "ja", powers, ("4万1200人で、前年より3.5％多い。面積は12 m^2である",))
    table = (
        "<table><tr><th>السنة</th><th>العدد</th></tr><tr><td>2022</td><td>396</td></tr><tr><td>2023</td><td>412</td></tr>"
        "</table>"
    )
    yield _article("a table", "ar", table, ("2022", "396", "2023", "412"))
    listed = "<dl><dt>Приехало в 2023 году</dt><dd>412 человек</dd><dt>Уехало</dt><dd>31 человек</dd></dl>"
    yield _article("a list of terms", "ru", listed, ("Приехало в 2023 году", "412 человек", "Уехало", "31 человек"))
    head = _linked(headline="Rapor", datePublished="14 Mayıs 2024", publisher={"name": "Vadi Gazetesi"})
    yield _article("a month in words", "tr", "<p>Geçen yıl 1.204 kişi geldi, %4,1 artış.</p>",
                   ("1.204 kişi geldi, %4,1 artış",), head,
                   publisher="Vadi Gazetesi", published="2024-05-14")  # fmt: skip
    struck = "<p>Er kwamen <del>4.120</del> <ins>412</ins> mensen bij, zegt het kantoor.</p>"
    page = _article("a struck figure", "nl", struck, ("Er kwamen 412 mensen bij",))
    yield replace(page, hides=("4.120",))
    claim = "<blockquote><p>Metade dos crimes é dos novos.</p></blockquote><p>Isso é falso: foram 31 de 412.</p>"
    yield _article("a quotation that is denied", "pt", claim, ("“Metade dos crimes é dos novos.”", "foram 31 de 412"))
    comments = '<section id="comments"><h2>2 Comments</h2><p>I saw 900 of them, believe me.</p></section>'
    yield _article("comments below", "en", count + comments, ("412 newcomers", "I saw 900 of them"))


# ── Encodings ─────────────────────────────────────────────────────────────────


def _old(name: str, words: str, codec: str, label: str, encoding: str, *, in_page: bool = False) -> SeenPage:
    declared = f'<meta charset="{label}">' if in_page else ""
    body = f"<html><head>{declared}<title>{words}</title></head><body><p>{words} {words} {words}</p></body></html>"
    kind = "text/html" if in_page else f"text/html; charset={label}"
    return SeenPage(name, "encoding", body.encode(codec), kind, says=(words,), encoding=encoding)


def _encodings() -> Iterator[SeenPage]:
    yield _old("two words of kanji", "雑草 隣人", "cp932", "shift_jis", "shift_jis")
    yield _old("kanji in the page", "町内会 議事録 近藤良平 欠席", "cp932", "Shift_JIS", "shift_jis", in_page=True)
    yield _old("kanji in EUC", "雑草 隣人", "euc_jp", "euc-jp", "euc-jp")
    yield _old("names in EUC", "山田太郎 佐藤花子 出席", "euc_jp", "EUC-JP", "euc-jp", in_page=True)
    yield _old("two words of hanja", "雜草 隣人", "euc_kr", "euc-kr", "euc-kr")
    yield _old("names in hanja", "金哲洙 李英姬 出席", "euc_kr", "ks_c_5601-1987", "euc-kr", in_page=True)
    yield _old("two words of hanzi", "杂草 邻居", "gb2312", "gb2312", "gbk")
    yield _old("names in hanzi", "王小明 李芳 出席 缺席", "gb2312", "gb2312", "gbk", in_page=True)
    yield _old("two words in Big5", "雜草 鄰居", "big5", "big5", "big5")
    yield _old("a word in Shift_JIS", "蕁麻", "cp932", "x-sjis", "shift_jis", in_page=True)
    korean = "<p>쐐기풀꾼이라는 말은 새로 온 사람들을 낮추어 부르는 말입니다.</p>"
    yield SeenPage("Korean that says Latin", "encoding", korean.encode("cp949"), "text/html; charset=iso-8859-1",
                   says=("쐐기풀꾼이라는 말은",), encoding="euc-kr")  # fmt: skip
    yield SeenPage("Korean that says nothing", "encoding", korean.encode("cp949"), "text/html",
                   says=("쐐기풀꾼이라는 말은",), encoding="euc-kr")  # fmt: skip


# ── Types ─────────────────────────────────────────────────────────────────────

_JSON = json.dumps({"posts": [{"id": n, "text": f"Nettle number {n} <b>grows</b>"} for n in range(9)]})
_FEED = (
    '<?xml version="1.0"?><rss version="2.0"><channel><title>Valley</title><item><title>Nettles</title>'
    "<description>They grow in the valley, as they did last year.</description></item></channel></rss>"
)


def _types() -> Iterator[SeenPage]:
    said = "Nettles grow in the valley, as they did last year."
    named = {"kind": "type", "code": "bad_type"}
    yield SeenPage("JSON as HTML", content=_JSON.encode(), **named)
    yield SeenPage("a list of JSON as HTML", content=b"\xef\xbb\xbf \n[\n" + _JSON.encode() + b"\n]\n", **named)
    lines = "\n".join(json.dumps({"id": n, "text": f"Nettle {n}"}) for n in range(5))
    yield SeenPage("lines of JSON as HTML", content=lines.encode(), **named)
    yield SeenPage("JSON cut off as HTML", content=_JSON.encode()[:-40], **named)
    yield SeenPage("a feed as HTML", content=_FEED.encode(), **named)
    atom = '<feed xmlns="http://www.w3.org/2005/Atom"><title>Valley</title><entry><title>Nettles</title></entry></feed>'
    yield SeenPage("an Atom feed as HTML", content=atom.encode(), **named)
    yield SeenPage("a page without a type", "type", _page(f"<p>{said}</p>"), "", says=(said,))
    yield SeenPage("a text without a type", "type", said.encode(), "", says=(said,))
    yield SeenPage("a picture without a type", content=b"\x89PNG\r\n\x1a\n" + bytes(80), type="", **named)
    yield SeenPage("JSON without a type", content=_JSON.encode(), type="", **named)
    yield SeenPage("a page of unknown type", "type", _page(f"<p>{said}</p>"), "application/unknown", says=(said,))
    odd = f"<p>{{{said}}}</p>"
    yield SeenPage("a text in braces", "type", _page(odd), says=(said,))


def seen_pages() -> list[SeenPage]:
    """Return all pages; every other one of each kind is sealed."""
    pages: list[SeenPage] = []
    for make in (_walls, _beside_walls, _threads, _sources, _encodings, _types):
        pages += [replace(page, sealed=at % 2 == 1) for at, page in enumerate(make())]
    return pages
