"""What is read of a page: what a person would see there, and nothing else (threats PI7)."""

from time import monotonic

import pytest

from providers.http.fetch import FetchedPage
from providers.pages.text import LONGEST, read_page

PAGE = """<html><head><title> About  weeds </title><meta name="description" content="ORDER-meta">
<style>.gone, p.away { display : none } #low{visibility:hidden}</style></head><body>
<!-- ORDER-comment --><nav hidden>ORDER-hidden</nav>
<article><h1>Weeds</h1>
<p>People on some boards call newcomers &ldquo;weeds&rdquo; since 2024, which is said to demean them.</p>
<p style="color: red; display:none">ORDER-inline</p><p class="x gone">ORDER-class</p><p class="away">ORDER-rule</p>
<div id="low">ORDER-id</div><span aria-hidden="true">ORDER-aria</span><span style="font-size:0">ORDER-small</span>
<div style="position:absolute; left:-9999px">ORDER-away</div><img src="a.png" alt="a bed of weeds" title="ORDER-title">
<script>ORDER-script</script><noscript>ORDER-noscript</noscript><template>ORDER-template</template>
<p style="color:#333; font-size: 0.9em; margin-left:-4px">A second paragraph, in small print, that is to be seen.</p>
</article></body></html>"""


def fetched(content: bytes, media_type: str = "text/html", charset: str = "utf-8", cut: bool = False) -> FetchedPage:
    return FetchedPage("https://a.example/", media_type, charset, content, cut)


def test_pi7_only_what_a_reader_sees_is_read() -> None:
    read = read_page(fetched(PAGE.encode()))
    assert "ORDER" not in read.text
    assert "call newcomers “weeds” since 2024" in read.text
    assert "in small print" in read.text and "[a bed of weeds]" in read.text
    assert read.title == "About weeds"


def test_a_short_page_without_any_form_is_read_too() -> None:
    assert read_page(fetched(b"<p>Two words.</p>")).text == "Two words."


@pytest.mark.parametrize(("charset", "meta"), [("euc-kr", ""), ("", '<meta charset="euc-kr">'), ("nonsense", "")])
def test_old_encodings_are_read(charset: str, meta: str) -> None:
    encoding = "utf-8" if charset == "nonsense" else "euc-kr"
    page = f"<html><head>{meta}<title>글</title></head><body><p>잡초라는 말은 욕이다.</p></body></html>"
    read = read_page(fetched(page.encode(encoding), charset=charset))
    assert (read.title, read.text) == ("글", "잡초라는 말은 욕이다.")


def test_plain_text_is_read_as_it_is() -> None:
    assert read_page(fetched(b"one\r\n\r\n\r\n\r\ntwo\x00", "text/plain")).text == "one\n\ntwo"


@pytest.mark.parametrize(
    "content",
    [b"", b"<", b"\xff\xfe\x00<\x00", b"<div>" * 50_000, b"<p>" + b"word " * 400_000, b"<a href=/x>l</a>" * 60_000],
    ids=["nothing", "cut", "odd bytes", "deep", "one line", "links"],
)
def test_pages_made_to_break_a_reader_do_not(content: bytes) -> None:
    read = read_page(fetched(content, cut=True))
    assert len(read.text) <= LONGEST


TORN = "They call <b>news</b>comers <i>weeds</i> in our <a href=x>street</a>."
WHOLE = "They call newscomers weeds in our street."
MORE = "Neighbours say that the word came up on a board for gardeners, and that everybody knows who is meant. " * 5


@pytest.mark.parametrize(
    "body",
    [
        f"{TORN} {MORE}",
        f"<center><font size=2>{TORN} {MORE}</font></center>",
        f"<section>{TORN} {MORE}</section>",
        f"<h1>W<i>or</i>ds</h1><ul><li>{TORN}</li><li>{TORN}</li></ul>",
        f"<ol><li>{TORN} And more of it.</li><li>{TORN} And more of it.</li></ol>",
        f"<p>{TORN} {MORE}</p>",
        f"<div><span class=lead>{TORN}</span> {MORE}</div>",
    ],
    ids=["body", "font", "section", "list", "numbers", "paragraph", "span"],
)
def test_a_sentence_with_tags_in_it_stays_in_one_line(body: str) -> None:
    page = f"<html><head><title>T</title></head><body>{body}</body></html>"
    assert WHOLE in read_page(fetched(page.encode())).text


def test_loose_text_is_read_beside_paragraphs_and_lines_stay_lines() -> None:
    body = f"{TORN}<br>A second line.<p>{MORE}</p>A loose <em>end</em> after it."
    lines = read_page(fetched(f"<html><body>{body}</body></html>".encode())).text.splitlines()
    assert lines == [WHOLE, "A second line.", MORE.strip(), "A loose end after it."]


OLD_PAGE = f"""<html><head><title>Garden board</title></head><body bgcolor=white>
<a href=/>Home</a> | <a href=/news>All the news</a> | <a href=/about>About the board</a><hr>
<h2>What is a <i>weed</i>?</h2>
{TORN} {MORE}<br><br>
{MORE} <b>Un</b>believable, <a href=/w>they say</a>.
<hr><a href=/imprint>Imprint</a> | <a href=/privacy>Privacy</a> | <a href=/contact>Contact</a></body></html>"""

NEW_PAGE = f"""<html><head><title>The Daily</title></head><body><header><nav><ul><li><a href=/a>Politics today</a></li>
<li><a href=/b>Sports and games</a></li><li><a href=/c>Weather maps</a></li></ul></nav></header>
<main><article><h1>A word <em>changes</em></h1><p>{MORE}</p><p>{TORN} {MORE}</p>
<ul><li><strong>Wee</strong>ds: people who moved here</li><li>Roses: people who always lived here</li></ul>
<p>{MORE}</p></article></main><aside><h3>Most read stories</h3><ul><li><a href=/1>Ten roses for small balconies</a></li>
<li><a href=/2>How to talk with neighbours</a></li></ul></aside>
<footer><a href=/i>Imprint of the paper</a> <a href=/p>Privacy rules</a></footer></body></html>"""


def test_an_old_page_of_loose_text_is_read_without_its_menu() -> None:
    text = read_page(fetched(OLD_PAGE.encode())).text
    assert WHOLE in text and "Unbelievable, they say." in text
    assert "All the news" not in text and "About the board" not in text


def test_a_page_of_a_newspaper_is_read_without_menus_and_other_stories() -> None:
    text = read_page(fetched(NEW_PAGE.encode())).text
    assert WHOLE in text and "Weeds: people who moved here" in text and "A word changes" in text
    for menu in ("Politics today", "Weather maps", "Ten roses", "Imprint of the paper"):
        assert menu not in text


def test_many_tags_in_one_sentence_are_read_in_no_time() -> None:
    body = "<a href=x>l</a> <span>wo</span>rd <b>b</b>" * 3600
    began = monotonic()
    assert "l word b" in read_page(fetched(f"<html><body>{body}</body></html>".encode())).text
    assert monotonic() - began < 10


def test_a_style_sheet_without_braces_is_read_in_no_time() -> None:
    began = monotonic()
    page = f"<html><head><style>{'a' * 300_000}</style></head><body><p>{MORE}</p></body></html>"
    assert MORE.strip() in read_page(fetched(page.encode())).text
    assert monotonic() - began < 10
