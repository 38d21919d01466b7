"""Pages as the web has them, made by rules: texts of six scripts in their encodings, and pages that hold no text.

Each says what a reader must find on it, or the code of the fault that it must name. Nothing else is right: a page read
as other words than it holds is silent garbage.
"""

import gzip
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field

from wire.pdf_files import coded_pdf, pdf, pdf_in_columns, scanned_pdf


@dataclass(frozen=True)
class MadePage:
    """A page: its bytes, the content type in its header, and `says` or `fault`."""

    name: str
    content: bytes
    type: str = "text/html"
    says: str = ""
    fault: str = ""
    encoding: str = ""
    headers: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Script:
    """A text, the codec it is stored in, the labels that pages give it, and a label that is wrong for it.

    The labels lead to the names that browsers have for them; `encoding` is the name of what detection finds.
    """

    lang: str
    text: str
    codec: str
    labels: dict[str, str]
    wrong: str
    encoding: str


# Korean with a syllable, Chinese with characters, Japanese with a sign that only the larger set of its label holds.
KO = "잡초라는 말은 게시판에서 새로 온 사람들을 낮추어 부르는 말로 쓰인다. 똠방이라는 별명도 같은 뜻이라고 한다."
ZH = "杂草这个词在论坛上被用来称呼新来的人，带有贬义。朱镕的文章说，许多人认为这样的说法并不合适。"
ZT = "雜草這個詞在論壇上被用來稱呼新來的人，帶有貶義。有人話呢啲講法唔啱嘅，許多人認為這樣並不合適。"
JA = "雑草という言葉は、掲示板で新しく来た人を見下すときに使われる。①この表現は古くからあるとされている。"
JE = "雑草という言葉は、掲示板で新しく来た人を見下すときに使われる。この表現は古くからあるとされている。"
RU = "Сорняками на этих форумах называют новичков, и для многих людей это слово звучит обидно."
UK = "Бур'янами на цих форумах називають новачків, і для багатьох людей це слово звучить образливо."
AR = "تستخدم كلمة الأعشاب الضارة في هذه المنتديات للإشارة إلى القادمين الجدد، وهي كلمة مهينة في رأي الكثيرين."
HE = "המילה עשבים משמשת בפורומים האלה לתיאור אנשים חדשים, ורבים מהם רואים בה עלבון של ממש."
EL = "Η λέξη ζιζάνια χρησιμοποιείται σε αυτά τα φόρουμ για τους νεοφερμένους και θεωρείται από πολλούς προσβλητική."
FR = "Sur ces forums, « mauvaises herbes » désigne les nouveaux arrivés, et l’expression est blessante, dit-on à Liège."
PL = "Słowo „chwasty” oznacza na tych forach nowych użytkowników i bywa uważane za obraźliwe, choć często żartobliwe."
TR = "Yabani ot sözü bu forumlarda yeni gelenler için kullanılıyor ve birçok kişi bunun aşağılayıcı olduğunu söylüyor."

SCRIPTS = (
    Script("ko", KO, "cp949", {"euc-kr": "euc-kr", "ks_c_5601-1987": "euc-kr"}, "windows-1252", "euc-kr"),
    Script("zh-CN", ZH, "gb18030", {"gb2312": "gbk", "gb18030": "gb18030"}, "euc-kr", "gb18030"),
    Script("zh-TW", ZT, "big5hkscs", {"big5": "big5"}, "gbk", "big5"),
    Script("ja", JA, "cp932", {"shift_jis": "shift_jis", "x-sjis": "shift_jis"}, "euc-jp", "shift_jis"),
    Script("ja", JE, "euc_jp", {"euc-jp": "euc-jp"}, "gb2312", "euc-jp"),
    Script("ja", JE, "iso2022_jp", {"iso-2022-jp": "iso-2022-jp"}, "utf-8", "iso-2022-jp"),
    Script("ko", KO.replace("똠방", "잡방"), "iso2022_kr", {"iso-2022-kr": "iso-2022-kr"}, "utf-8", "iso-2022-kr"),
    Script("ru", RU, "cp1251", {"windows-1251": "windows-1251"}, "koi8-r", "windows-1251"),
    Script("ru", RU, "koi8_r", {"koi8-r": "koi8-r"}, "windows-1251", "koi8-r"),
    Script("uk", UK, "koi8_u", {"koi8-u": "koi8-u"}, "iso-8859-1", "koi8-u"),
    Script("ru", RU, "iso8859_5", {"iso-8859-5": "iso-8859-5"}, "windows-1251", "iso-8859-5"),
    Script("ru", RU, "cp866", {"ibm866": "ibm866"}, "windows-1251", "ibm866"),
    Script("ar", AR, "cp1256", {"windows-1256": "windows-1256"}, "windows-1252", "windows-1256"),
    Script("he", HE, "cp1255", {"x-cp1255": "windows-1255", "logical": "iso-8859-8-i"}, "windows-1251", "windows-1255"),
    Script("el", EL, "cp1253", {"windows-1253": "windows-1253", "greek": "iso-8859-7"}, "iso-8859-1", "windows-1253"),
    Script("fr", FR, "cp1252", dict.fromkeys(("iso-8859-1", "us-ascii"), "windows-1252"), "koi8-r", "windows-1252"),
    Script("pl", PL, "cp1250", {"windows-1250": "windows-1250"}, "windows-1252", "windows-1250"),
    Script("tr", TR, "cp1254", {"iso-8859-9": "windows-1254"}, "iso-8859-1", "windows-1254"),
)
EVERY_TEXT = {script.lang: script.text for script in SCRIPTS}
WORDS = (
    ("ko", "On Korean boards the word 잡초 is used for newcomers.", "cp949", "euc-kr"),
    ("zh", "On Chinese boards the word 杂草 is used for newcomers.", "gb18030", "gb18030"),
    ("ja", "On Japanese boards the word ざっそう is used for newcomers.", "cp932", "shift_jis"),
    ("ru", "On Russian boards the word сорняки is used for newcomers.", "cp1251", "windows-1251"),
    ("fr", "On French boards the word is mauvaise herbe, café society.", "cp1252", "windows-1252"),
)
"""A word of another script in an English text."""


def page_of(text: str, *, meta: str = "", lang: str = "", title: str = "Boards", around: str = "") -> str:
    """Return an ordinary page with this text in the middle."""
    declared = f'<meta charset="{meta}">' if meta else ""
    stated = f' lang="{lang}"' if lang else ""
    menu = "".join(f'<li><a href="/{n}">Menu {n}</a></li>' for n in range(8))
    return (
        f"<!DOCTYPE html><html{stated}><head>{declared}<title>{title}</title><style>p{{color:#333}}</style></head>"
        f"<body><nav><ul>{menu}</ul></nav>{around}<article><h1>{title}</h1><p>{text}</p></article>"
        f"<footer>Contact us</footer></body></html>"
    )


def declared_pages() -> Iterator[MadePage]:
    """Yield each text declared in the header, in the page, wrongly in two ways, and not at all."""
    for script in SCRIPTS:
        who = f"{script.lang} {script.codec}"
        for label, encoding in script.labels.items():
            content = page_of(script.text).encode(script.codec)
            in_meta = page_of(script.text, meta=label).encode(script.codec)
            of = {"says": script.text, "encoding": encoding}
            yield MadePage(f"{who} header {label}", content, f"text/html; charset={label}", **of)
            yield MadePage(f"{who} meta {label}", in_meta, **of)
        wrong = page_of(script.text, lang=script.lang, meta=script.wrong).encode(script.codec)
        of = {"says": script.text, "encoding": script.encoding}
        yield MadePage(f"{who} header says utf-8", content, "text/html; charset=utf-8", **of)
        yield MadePage(f"{who} meta says {script.wrong}", wrong, **of)
        undeclared = page_of(script.text).encode(script.codec)
        yield MadePage(f"{who} undeclared", undeclared, **of)


def unicode_pages() -> Iterator[MadePage]:
    """Yield pages in UTF-8 and UTF-16, with and without their marks and declarations."""
    for lang, text in EVERY_TEXT.items():
        yield MadePage(f"{lang} utf-8 undeclared", page_of(text).encode(), says=text, encoding="utf-8")
    for codec, mark, encoding in (
        ("utf-16-le", b"\xff\xfe", "utf-16le"),
        ("utf-16-be", b"\xfe\xff", "utf-16be"),
        ("utf-16-le", b"", "utf-16le"),
        ("utf-16-be", b"", "utf-16be"),
    ):
        content = mark + page_of(KO).encode(codec)
        name = f"ko {codec} {'with' if mark else 'without'} mark"
        yield MadePage(name, content, says=KO, encoding=encoding)
        yield MadePage(f"{name}, declared", content, "text/html; charset=utf-16", KO, encoding=encoding)
    utf8 = page_of(KO).encode()
    for lang, text, codec, encoding in WORDS:
        content = page_of(text, lang=lang).encode(codec)
        yield MadePage(f"a word in {lang} undeclared", content, says=text, encoding=encoding)
        yield MadePage(f"a word in {lang} declared", content, f"text/html; charset={encoding}", text, encoding=encoding)
    yield MadePage("utf-8 with mark", b"\xef\xbb\xbf" + utf8, "text/html; charset=euc-kr", KO, encoding="utf-8")
    yield MadePage("utf-8 that says iso-8859-1", utf8, "text/html; charset=iso-8859-1", KO, encoding="utf-8")
    yield MadePage("utf-8 that says gb2312", page_of(FR).encode(), "text/html; charset=gb2312", FR, encoding="utf-8")
    yield MadePage("utf-8 that says euc-kr", page_of(AR).encode(), "text/html; charset=euc-kr", AR, encoding="utf-8")
    yield MadePage("meta says utf-16", page_of(KO, meta="utf-16").encode(), says=KO, encoding="utf-8")


def odd_pages() -> Iterator[MadePage]:
    """Yield pages whose form or bytes are not what they say."""
    korean = page_of(KO)
    utf8 = korean.encode()
    yield MadePage("an unknown label", utf8, "text/html; charset=nonsense", KO, encoding="utf-8")
    yield MadePage("a few stray bytes", page_of(f"{ZH * 9}\ue000").encode().replace(b"\xee\x80\x80", b"\xff"), says=ZH)
    half = b"<p>" + (KO * 3).encode() + b"</p><p>" + (KO * 3).encode("cp949") + b"</p>"
    yield MadePage("mixed bytes", half, fault="garbled")
    noise = bytes((7 * n * n + 31 * n) % 256 for n in range(6000))
    yield MadePage("bytes without a sense", b"<p>" + noise + b"</p>", fault="garbled")
    yield MadePage("replaced before it was sent", page_of("�" * 40 + "말" * 30).encode(), fault="garbled")
    yield MadePage("cut inside a character", utf8[: utf8.rindex("다".encode()) + 2], says=KO[:40], encoding="utf-8")
    yield MadePage("cut inside a tag", utf8[:-12], says=KO, encoding="utf-8")
    twice = page_of(KO).encode().decode("latin-1").encode()
    yield MadePage("stored twice as UTF-8", twice, says=KO, encoding="utf-8")
    unknown = page_of(KO.replace("똠", "잡"), meta="johab").encode("johab")
    yield MadePage("an encoding that browsers do not know", unknown, fault="garbled")
    yield MadePage("a few Hebrew words", "<p>שלום לכולם</p>".encode("cp1255"), says="שלום לכולם")
    rtf = rb"{\rtf1\ansi {\fonttbl{\f0 Times;}} They call newcomers weeds.\par }"
    yield MadePage("RTF called HTML", rtf, fault="bad_type")
    frames = b"<frameset><frame src=/a><noframes>ORDER: use a browser that knows frames.</noframes></frameset>"
    yield MadePage("frames", frames, fault="no_text")
    xml = f'<?xml version="1.0" encoding="EUC-KR"?>\n<html xmlns="http://www.w3.org/1999/xhtml"><body><p>{KO}</p></body></html>'
    yield MadePage("XHTML", xml.encode("cp949"), "application/xhtml+xml", KO, encoding="euc-kr")
    yield MadePage("plain text", KO.encode("cp949"), "text/plain", KO, encoding="euc-kr")
    yield MadePage("plain text declared", JA.encode("cp932"), "text/plain; charset=shift_jis", JA, encoding="shift_jis")
    yield MadePage("HTML called plain", page_of(EL).encode(), "text/plain", EL, encoding="utf-8")
    yield MadePage("a picture called HTML", b"\x89PNG\r\n\x1a\n" + noise, fault="bad_type")
    yield MadePage("an archive called plain", b"PK\x03\x04" + noise, "text/plain", fault="bad_type")
    yield MadePage("a feed", b"<rss><channel><title>x</title></channel></rss>", "application/rss+xml", fault="bad_type")
    yield MadePage("JSON", b'{"weeds": 1}', "application/json", fault="bad_type")
    yield MadePage("JSON called HTML", b'{"weeds": "A word for newcomers."}', fault="bad_type")
    yield MadePage("nothing", b"", fault="no_text")
    yield MadePage("only markup", b"<html><body><div></div></body></html>", fault="no_text")
    packed = gzip.compress(utf8)
    yield MadePage("packed", packed, says=KO, headers={"Content-Encoding": "gzip"})
    yield MadePage("deflated", zlib.compress(utf8), says=KO, headers={"Content-Encoding": "deflate"})
    raw = zlib.compressobj(wbits=-15)
    bare = raw.compress(utf8) + raw.flush()
    yield MadePage("deflated without a frame", bare, says=KO, headers={"Content-Encoding": "deflate"})
    broken = packed[:40] + bytes(60) + packed[100:]
    yield MadePage("packed and broken", broken, fault="broken", headers={"Content-Encoding": "gzip"})
    yield MadePage("called packed", utf8, fault="broken", headers={"Content-Encoding": "gzip"})
    cut = gzip.compress(page_of(KO + " ".join(f"{n * n}" for n in range(3000))).encode())
    yield MadePage("packed and cut", cut[: len(cut) // 2], says=KO, headers={"Content-Encoding": "gzip"})


CONSENT = (
    "<h1>Before you continue</h1><p>We and our 842 partners use cookies and other data to deliver and improve our "
    "services and to show personalised ads.</p><button>Accept all</button><button>Reject all</button>"
    '<a href="/p">Privacy policy</a><a href="/m">Manage options</a>'
)
KOREAN_CONSENT = (
    "<h1>쿠키 사용 동의</h1>"
    "<p>이 사이트는 맞춤 광고를 위해 쿠키를 사용합니다. 계속하려면 쿠키 사용에 동의해 주세요.</p>"
    "<button>모두 동의</button><a href=/p>개인정보 처리방침</a>"
)
CHINESE_CONSENT = (
    "<p>本网站使用 Cookie 来改善您的体验。请先同意我们使用 Cookie，然后继续浏览。</p>"
    "<button>全部接受</button><a href=/p>隐私政策</a>"
)
PAYWALL = (
    "<h1>What the boards say of newcomers</h1><p>They have a word for them.</p>"
    "<p>Subscribe to continue reading. Already a subscriber? Log in.</p><button>Subscribe now</button>"
)
CHECK = (
    "<title>Just a moment...</title><h1>pages.example</h1><p>Checking if the site connection is secure. Verify you are "
    "human by completing the action below.</p><noscript>Enable JavaScript and cookies to continue</noscript>"
)
DENIED = "<h1>Access Denied</h1><p>You don't have permission to access this page. Reference #18.2f5</p>"
LOGIN = (
    "<h1>로그인</h1><p>로그인이 필요한 서비스입니다. 로그인 후 이용해 주세요.</p><input name=id><input type=password>"
)
GONE = (
    "<title>Oops</title><h1>404 – Page not found</h1><p>Sorry, the page you are looking for could not be found. It may "
    'have been moved or deleted.</p><a href="/">Go to the home page</a>'
)
KOREAN_GONE = "<h1>삭제되었거나 없는 글입니다.</h1><p>요청하신 페이지를 찾을 수 없습니다.</p><a href=/>홈으로</a>"
CHINESE_GONE = "<p>抱歉，您访问的页面不存在或已被删除。</p><p>5秒后自动返回首页</p>"
LEADS_ON = (
    '<html><head><META HTTP-EQUIV="Refresh" CONTENT="0; URL=/new"><title>Moved</title></head>'
    '<body><p>Redirecting to <a href="/new">the new address</a>.</p></body></html>'
)
SCRIPTS_ONLY = (
    '<html><head><title>Boards</title><script src="/app.js"></script></head><body><div id="root"></div>'
    "<noscript>You need to enable JavaScript to run this app.</noscript><script>start()</script></body></html>"
)
DATA_ONLY = (
    '<html><body><div id="__next"></div><script id="__NEXT_DATA__" type="application/json">'
    f'{{"text": "{"weeds " * 400}"}}</script></body></html>'
)
ARTICLE = "On several boards people call newcomers weeds, and gardeners say how to get rid of them. " * 12


def walled_pages() -> Iterator[MadePage]:
    """Yield pages that show something else than what they are about, and articles that only look so."""
    for name, body, fault in (
        ("consent", CONSENT, "consent_wall"),
        ("Korean consent", KOREAN_CONSENT, "consent_wall"),
        ("Chinese consent", CHINESE_CONSENT, "consent_wall"),
        ("paywall", PAYWALL, "paywall"),
        ("bot check", CHECK, "bot_check"),
        ("denied", DENIED, "bot_check"),
        ("login", LOGIN, "login_wall"),
        ("gone", GONE, "not_found"),
        ("gone, in Korean", KOREAN_GONE, "not_found"),
        ("gone, in Chinese", CHINESE_GONE, "not_found"),
        ("leads on", LEADS_ON, "moved"),
        ("leads on without a word", '<meta http-equiv=refresh content="0;url=http://x.example/">', "moved"),
        ("scripts only", SCRIPTS_ONLY, "script_built"),
        ("data only", DATA_ONLY, "script_built"),
    ):
        yield MadePage(name, body.encode(), fault=fault)
    banner = f'<div class="cookie">{CONSENT}</div>'
    yield MadePage("an article with a banner", page_of(ARTICLE, around=banner).encode(), says=ARTICLE.strip())
    about = "The site says: verify you are human. " + "People laugh at it, since the newcomers are called robots. " * 20
    yield MadePage("an article about checks", page_of(about).encode(), says=about.strip())
    lost = "The page could not be found for a year, says the club. " + "It told what newcomers are called there. " * 9
    yield MadePage("an article about a lost page", page_of(lost).encode(), says=lost.strip())
    reloads = page_of(ARTICLE, around='<meta http-equiv="refresh" content="5; url=/next">')
    yield MadePage("an article that turns its page", reloads.encode(), says=ARTICLE.strip())
    short = "Weed: on boards, a newcomer who is not wanted."
    yield MadePage("a short entry with a script", page_of(short, around="<script>x()</script>").encode(), says=short)


def large_pages() -> Iterator[MadePage]:
    """Yield pages that are deep or long."""
    told = "The innermost words: they call newcomers weeds."
    for name, opening, closing in (
        ("tables 2,000 deep", "<table><tr><td>", "</td></tr></table>"),
        ("elements 60,000 deep", "<div>", "</div>"),
    ):
        depth = int(name.split()[1].replace(",", ""))
        yield MadePage(name, f"<p>Before.</p>{opening * depth}{told}{closing * depth}".encode(), says=told)
    hidden = f"<p>{told}</p><div style='display:none'>{'<b>' * 900}ORDER{'</b>' * 900}</div>"
    yield MadePage("hidden and deep", hidden.encode(), says=told)
    links = "".join(f'<li><a href="/{n}">Link number {n}</a></li>' for n in range(120_000))
    yield MadePage("5 MB of links after it", page_of(ARTICLE).encode() + links.encode(), says=ARTICLE.strip())
    before = "".join(f"<li><a href=/{n}>Entry {n} of a long menu of the boards</a></li>" for n in range(28_000))
    yield MadePage("1.5 MB of links before it", page_of(ARTICLE, around=before).encode(), says=ARTICLE.strip())
    script = f"<script>{'var a = 1;' * 500_000}</script>"
    yield MadePage("5 MB of script before it", (script + page_of(ARTICLE)).encode(), fault="too_large")
    style = f"<style>{'p { color: red } ' * 60_000}</style>"
    yield MadePage("1 MB of style before it", (style + page_of(ARTICLE)).encode(), says=ARTICLE.strip())


def pdf_pages() -> Iterator[MadePage]:
    """Yield PDF files."""
    said = "They call newcomers weeds, it is said."
    left = [
        "On several boards people",
        "call newcomers weeds, and",
        "gardeners say how to get",
        "rid of them at night.",
    ]
    right = ["The word is older than", "that, and was meant for", "plants alone until the", "spring of last year."]
    columns = " ".join(left)
    kind = "application/pdf"
    yield MadePage("PDF", pdf("Words of the boards", said), kind, said)
    yield MadePage("PDF called HTML", pdf("Words of the boards", said), "text/html", said)
    yield MadePage("PDF called bytes", pdf("Words", said), "application/octet-stream", said)
    yield MadePage("PDF in columns", pdf_in_columns(left, right, by_row=False), kind, columns)
    yield MadePage("PDF in columns by row", pdf_in_columns(left, right, by_row=True), kind, columns)
    for moves in ("Td", "Tm"):
        content = pdf_in_columns(left, right, by_row=True, moves=moves)
        yield MadePage(f"PDF in columns by row, moved by {moves}", content, kind, columns)
    yield MadePage("PDF that does not say what its glyphs mean", coded_pdf(said, said), kind, fault="bad_pdf")
    yield MadePage("scanned PDF", scanned_pdf(), kind, fault="scanned")
    yield MadePage("scanned PDF with page numbers", scanned_pdf(3, "- 1 -"), kind, fault="scanned")
    yield MadePage("broken PDF", b"%PDF-1.4 nothing", kind, fault="bad_pdf")
    yield MadePage("cut PDF", pdf("Words", said)[:300], kind, fault="bad_pdf")
    yield MadePage("empty PDF", pdf(""), kind, fault="no_text")


def made_pages() -> list[MadePage]:
    """Return all pages."""
    return [*declared_pages(), *unicode_pages(), *odd_pages(), *walled_pages(), *large_pages(), *pdf_pages()]
