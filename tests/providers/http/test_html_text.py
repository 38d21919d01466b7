"""What is read of a page: what a person would see there, and nothing else (threats PI7)."""

import pytest

from providers.http.fetch import FetchedPage
from providers.http.page_text import LONGEST, read_page

PAGE = """<html><head><title> About  weeds </title><meta name="description" content="ORDER-meta">
<style>.gone, p.away { display : none } #low{visibility:hidden}</style></head><body>
<!-- ORDER-comment --><nav hidden>ORDER-hidden</nav>
<article><h1>Weeds</h1>
<p>People on some boards call newcomers &ldquo;weeds&rdquo; since 2024, which is said to demean them.</p>
<p style="color: red; display:none">ORDER-inline</p><p class="x gone">ORDER-class</p><p class="away">ORDER-rule</p>
<div id="low">ORDER-id</div><span aria-hidden="true">ORDER-aria</span><span style="font-size:0">ORDER-small</span>
<div style="position:absolute; left:-9999px">ORDER-away</div><img src="a.png" alt="ORDER-alt" title="ORDER-title">
<script>ORDER-script</script><noscript>ORDER-noscript</noscript><template>ORDER-template</template>
<p style="color:#333; font-size: 0.9em; margin-left:-4px">A second paragraph, in small print, that is to be seen.</p>
</article></body></html>"""


def fetched(content: bytes, media_type: str = "text/html", charset: str = "utf-8", cut: bool = False) -> FetchedPage:
    return FetchedPage("https://a.example/", media_type, charset, content, cut)


def test_pi7_only_what_a_reader_sees_is_read() -> None:
    read = read_page(fetched(PAGE.encode()))
    assert "ORDER" not in read.text
    assert "call newcomers “weeds” since 2024" in read.text
    assert "in small print" in read.text
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
