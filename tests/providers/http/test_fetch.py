"""The guarded fetcher against servers and a resolver of our own (threats T7, B82-B100; F29).

Two servers: an outer one at a public address, and an inner one behind every address that is not public. Whatever is
tried, the inner server's log stays empty.
"""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from providers.http.denied import Denied, read_denied, read_nat64
from providers.http.fetch import PICTURES, FetchedPage, Fetcher
from providers.http.safe_urls import FetchFault, check_url, is_public
from wire.certificates import certified
from wire.pages import OTHER, OUTER, Answer, PageServer, Web, dripping, endless, packed, page, promising, redirect

HELLO = page("<html><head><title>Hello</title></head><body><p>Hello there.</p></body></html>")


@pytest.fixture
def web() -> Iterator[Web]:
    with PageServer({"/": HELLO}) as outer, PageServer({"/": page("secret of the house")}) as inner:
        yield Web(
            outer,
            inner,
            {
                "pages.example": [OUTER],
                "other.example": [OTHER],
                "localhost": ["127.0.0.1"],
                "inner.example": ["10.1.2.3"],
                "mixed.example": [OUTER, "10.0.0.5"],
                "six.example": ["64:ff9b::7f00:1"],
                "many.example": [OUTER, "2606:4700::1111"],
                "empty.example": [],
            },
        )


def refusal(web: Web, url: str, **more: Any) -> str:
    """The code with which the URL is refused; the inner server has heard nothing."""
    with pytest.raises(FetchFault) as caught:
        web.fetcher(**more).fetch(url)
    assert web.inner.log == []
    sentence = caught.value.sentence
    assert sentence.endswith((".", ").")) and sentence.count(". ") == 0  # one sentence
    return caught.value.code


TABLE = [
    ("B82 localhost", "http://localhost/", "blocked_address"),
    ("B82 loopback", "http://127.0.0.1/", "blocked_address"),
    ("B82 this host", "http://0.0.0.0/", "blocked_address"),
    ("B82 zero", "http://0/", "blocked_address"),
    ("B83 one number", "http://2130706433/", "blocked_address"),
    ("B83 hexadecimal", "http://0x7f000001/", "blocked_address"),
    ("B83 octal", "http://0177.0.0.1/", "blocked_address"),
    ("B83 short", "http://127.1/", "blocked_address"),
    ("B83 a public address as one number", "http://1572395042/", "blocked_address"),
    ("B84 IPv6 loopback", "http://[::1]/", "blocked_address"),
    ("B84 mapped", "http://[::ffff:127.0.0.1]/", "blocked_address"),
    ("B84 mapped in hexadecimal", "http://[::ffff:7f00:1]/", "blocked_address"),
    ("B85 NAT64", "http://[64:ff9b::7f00:1]/", "blocked_address"),
    ("B85 6to4", "http://[2002:7f00:1::]/", "blocked_address"),
    ("B85 NAT64 for local use", "http://[64:ff9b:1::a9fe:a9fe]/", "blocked_address"),
    ("B85 Teredo", "http://[2001:0:4136:e378:8000:63bf:80ff:fffe]/", "blocked_address"),
    ("B85 protocol assignments", "http://192.0.0.192/", "blocked_address"),
    ("B85 multicast", "http://224.0.0.1/", "blocked_address"),
    ("B85 NAT64 by name", "http://six.example/", "blocked_address"),
    ("B86 metadata", "http://169.254.169.254/latest/meta-data", "blocked_address"),
    ("B86 a cloud's wire server", "http://168.63.129.16/machine?comp=goalstate", "blocked_address"),
    ("B86 ISATAP", "http://[2606:4700::5efe:127.0.0.1]/", "blocked_address"),
    ("B86 ISATAP, global", "http://[2606:4700::200:5efe:10.0.0.1]/", "blocked_address"),
    ("B86 metadata over IPv6", "http://[fd00:ec2::254]/", "blocked_address"),
    ("B86 shared space", "http://100.64.0.1/", "blocked_address"),
    ("B86 benchmarks", "http://198.18.0.1/", "blocked_address"),
    ("B86 private", "http://10.0.0.1/", "blocked_address"),
    ("B86 private by name", "http://inner.example/", "blocked_address"),
    ("B87 backslash", "http://127.0.0.1:6666\\@1.1.1.1/", "bad_url"),
    ("B88 circled digits", "http://①②⑦.⓪.⓪.①/", "blocked_address"),
    ("B88 ideographic dots", "http://127。0。0。1/", "blocked_address"),
    ("B88 full-width digits", "http://１２７.０.０.１/", "blocked_address"),
    ("B89 user and password", "http://user:pw@example.com/", "bad_url"),
    ("B89 carriage return", "http://pages.example/\r\nX: y", "bad_url"),
    ("B89 NUL", "http://pages.example/\x00", "bad_url"),
    ("B89 space", "http://pages.example/a b", "bad_url"),
    ("B89 no-break space", "http://pages.example/a\u00a0b", "bad_url"),
    ("B90 ssh", "http://pages.example:22/", "blocked_port"),
    ("B90 mail", "http://pages.example:25/", "blocked_port"),
    ("B90 PostgreSQL", "http://pages.example:5432/", "blocked_port"),
    ("B90 Redis", "http://pages.example:6379/", "blocked_port"),
    ("B91 file", "file:///etc/passwd", "bad_scheme"),
    ("B91 ftp", "ftp://pages.example/", "bad_scheme"),
    ("B91 gopher", "gopher://pages.example/", "bad_scheme"),
    ("B91 data", "data:text/html,hello", "bad_scheme"),
    ("B91 javascript", "javascript:alert(1)", "bad_scheme"),
    ("B95 public and private", "http://mixed.example/", "blocked_address"),
    ("B96 long host", f"http://{'a' * 1100}/", "bad_url"),
    ("B96 no host", "http://:80", "bad_url"),
    ("B96 no scheme", "//x", "bad_url"),
    ("B96 nothing", "", "bad_url"),
    ("B96 zone", "http://[fe80::1%25eth0]/", "bad_url"),
    ("F29 unknown name", "http://nowhere.example/", "unreachable"),
    ("F29 name without an address", "http://empty.example/", "unreachable"),
]


@pytest.mark.parametrize(("url", "code"), [pytest.param(*row[1:], id=row[0]) for row in TABLE])
def test_what_is_refused_before_anything_is_sent(web: Web, url: str, code: str) -> None:
    assert refusal(web, url) == code
    assert web.outer.log == []
    assert web.connected == []


ON_THE_WAY: list[tuple[str, dict[str, Answer], str]] = [
    ("B92 to a private address", {"/": redirect("http://10.0.0.1/")}, "blocked_address"),
    ("B92 to loopback in another form", {"/": redirect("http://0x7f.1/")}, "blocked_address"),
    ("B92 to a private name", {"/": redirect("//inner.example/")}, "blocked_address"),
    ("B92 to a file", {"/": redirect("file:///etc/passwd")}, "bad_scheme"),
    ("B92 to another port", {"/": redirect("http://pages.example:6379/")}, "blocked_port"),
    ("B92 with a backslash", {"/": redirect("http://other.example\\@127.0.0.1/")}, "bad_url"),
    ("B92 to nowhere", {"/": redirect("")}, "bad_url"),
    ("B93 loop", {"/": redirect("/")}, "too_many_redirects"),
    (
        "B93 ten hops",
        {"/": redirect("/1"), **{f"/{n}": redirect(f"/{n + 1}") for n in range(1, 11)}},
        "too_many_redirects",
    ),
    ("B98 a byte at a time", {"/": dripping(60)}, "timeout"),
    ("B100 an archive", {"/": page(b"PK", "application/zip")}, "bad_type"),
    ("B100 a picture", {"/": page(b"GIF89a", "image/gif")}, "bad_type"),
    ("B100 packed twice", {"/": packed(b"hello", "gzip, gzip")}, "bad_type"),
    ("not there", {"/": page("gone", status=404)}, "status"),
    ("robots", {"/robots.txt": page("User-agent: *\nDisallow: /", "text/plain"), "/": HELLO}, "robots"),
    ("robots out of order", {"/robots.txt": page("", status=503), "/": HELLO}, "robots"),
]


@pytest.mark.parametrize(("pages", "code"), [pytest.param(*row[1:], id=row[0]) for row in ON_THE_WAY])
def test_what_is_refused_on_the_way(web: Web, pages: dict[str, Answer], code: str) -> None:
    web.outer.pages = pages
    began = time.monotonic()
    assert refusal(web, "http://pages.example/", seconds=0.8) == code
    assert time.monotonic() - began < 40  # the page that drips takes a minute
    assert len(web.outer.read()) <= 4  # the page and three redirects


def test_a_robots_file_cannot_lead_inside(web: Web) -> None:
    web.outer.pages = {"/robots.txt": redirect("http://10.0.0.1/robots.txt"), "/": HELLO}
    assert web.fetcher().fetch("http://pages.example/").content
    assert web.inner.log == []


def test_a_page_comes_with_its_type_and_where_it_was_in_the_end(web: Web) -> None:
    web.outer.pages = {"/a": redirect("/b"), "/b": redirect("http://other.example/c?q=1#x"), "/c?q=1": HELLO}
    fetched = web.fetcher().fetch("http://pages.example/a")
    assert fetched == FetchedPage("http://other.example/c?q=1", "text/html", "utf-8", fetched.content, False)
    assert web.outer.read() == ["pages.example/a", "pages.example/b", "other.example/c?q=1"]
    sent = web.outer.headers[-1]
    assert sent["User-Agent"] == "Interplay-test"
    assert not {"Cookie", "Authorization", "Referer"} & set(sent)


def test_b94_the_address_that_was_checked_is_the_one_connected_to(web: Web) -> None:
    web.names["turning.example"] = [[OUTER], ["127.0.0.1"]]  # public first, loopback ever after
    assert web.fetcher(robots=False).fetch("http://turning.example/").content
    assert web.asked == ["turning.example"]
    assert web.connected == [(OUTER, 80)]
    assert refusal(web, "http://turning.example/") == "blocked_address"


def test_b95_another_address_of_the_host_is_tried_if_one_is_down(web: Web) -> None:
    def reach(address: str, port: int) -> tuple[str, int]:
        return ("127.0.0.1", 1) if address == OUTER else web.reach(address, port)

    fetcher = Fetcher(resolve=web.resolve, reach=reach, robots=False)
    assert fetcher.fetch("http://many.example/").content
    assert web.connected == [("2606:4700::1111", 80)]


def test_b97_proxies_of_the_environment_are_not_heard(web: Web, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{web.inner.port}")
    assert web.fetcher().fetch("http://pages.example/").content
    assert web.inner.log == []


def test_f29_a_name_server_that_hangs_costs_no_more_than_the_clock(web: Web) -> None:
    web.names["slow.example"] = 30.0
    began = time.monotonic()
    assert refusal(web, "http://slow.example/", seconds=0.3) == "timeout"
    assert time.monotonic() - began < 25


@pytest.mark.parametrize("answer", [endless, packed(b"a" * 20_000_000)], ids=["B99 100 MB", "B99 gzip bomb"])
def test_b99_a_long_body_is_cut_or_refused(web: Web, answer: Answer) -> None:
    web.outer.pages = {"/": answer}
    fetched = web.fetcher(size=300_000).fetch("http://pages.example/")
    assert (len(fetched.content), fetched.cut) == (300_000, True)
    with pytest.raises(FetchFault) as caught:
        web.fetcher(size=300_000).fetch("http://pages.example/", whole=True)
    assert caught.value.code == "too_large"


def test_b100_a_page_that_sends_its_reader_on_is_not_followed(web: Web) -> None:
    web.outer.pages = {"/": page('<meta http-equiv="refresh" content="0; url=http://10.0.0.1/"><p>Hello</p>')}
    web.fetcher().fetch("http://pages.example/")
    assert web.outer.read() == ["pages.example/"]
    assert web.inner.log == []


def test_robots_are_asked_once_and_heeded_by_path(web: Web) -> None:
    rules = "User-agent: interplay-test\nDisallow: /private\n\nUser-agent: *\nDisallow: /"
    web.outer.pages |= {"/robots.txt": page(rules, "text/plain"), "/open": HELLO, "/private/a": HELLO}
    fetcher = web.fetcher()
    fetcher.fetch("http://pages.example/open")
    with pytest.raises(FetchFault, match="robots"):
        fetcher.fetch("http://pages.example/private/a")
    assert web.outer.log == ["pages.example/robots.txt", "pages.example/open"]


def test_pictures_are_fetched_whole_or_not_at_all(web: Web) -> None:
    web.outer.pages = {"/a.png": page(b"\x89PNG....", "image/png")}
    assert web.fetcher().fetch("http://pages.example/a.png", PICTURES, whole=True).media_type == "image/png"


def test_tls_verifies_the_name_although_the_address_is_pinned(tmp_path: Path) -> None:
    server_side, trust = certified(tmp_path, "pages.example")
    with PageServer({"/": HELLO}, context=server_side) as outer, PageServer() as inner:
        web = Web(outer, inner, {"pages.example": [OUTER], "false.example": [OUTER]})
        fetcher = web.fetcher(trust=trust, robots=False)
        assert fetcher.fetch("https://pages.example/").url == "https://pages.example/"
        with pytest.raises(FetchFault) as caught:
            fetcher.fetch("https://false.example/")
        assert caught.value.code == "unreachable"
        assert web.outer.log == ["pages.example/"]


def test_hosts_in_other_scripts_are_looked_up_in_their_ascii_form() -> None:
    assert check_url("http://한국.kr/가").url == "http://xn--3e0b707e.kr/%EA%B0%80"


DENIED = Denied(*read_denied(["93.184.216.0/24", "2606:4700::/32", "*.Köln.example", "other.example"]), ())
DENY_TABLE = [
    ("an address", "http://93.184.216.34/"),
    ("a network, by name", "http://pages.example/"),
    ("one of two addresses", "http://many.example/"),
    ("IPv6", "http://[2606:4700::1111]/"),
    ("a host", "http://other.example/"),
    ("a host below it", "http://a.b.Other.example/"),
    ("a host in full", "http://other.example./"),
    ("a host in another script", "http://www.k%C3%B6ln.example/".replace("%C3%B6", "ö")),
]


@pytest.mark.parametrize("url", [pytest.param(row[1], id=row[0]) for row in DENY_TABLE])
def test_what_the_operator_denies_is_refused(web: Web, url: str) -> None:
    web.names |= {"a.b.other.example": [OTHER], "www.xn--kln-sna.example": [OTHER], "free.example": [OTHER]}
    assert refusal(web, url, denied=DENIED, robots=False) == "blocked_address"
    assert web.connected == []
    web.outer.pages["/on"] = redirect(url)
    assert refusal(web, "http://free.example/on", denied=DENIED, robots=False) == "blocked_address"
    assert [address for address, _port in web.connected] == [OTHER]


@pytest.mark.parametrize(
    ("prefix", "address"),  # RFC 6052, section 2.4: 192.0.2.33 under each length; here 10.1.2.3 and a denied one
    [
        ("64:ff9b::/96", "64:ff9b::a01:203"),
        ("64:ff9b:1:ff00::/96", "64:ff9b:1:ff00::a01:203"),
        ("64:ff9b:1::/48", "64:ff9b:1:a01:2:300::"),
        ("2610::/32", "2610:0:a01:203::"),
        ("2610:0:100::/40", "2610:0:10a:102:3::"),
        ("2610:0:122::/48", "2610:0:122:a01:2:300::"),
        ("2610:0:122:300::/56", "2610:0:122:30a:1:203::"),
        ("2610:0:122:344::/64", "2610:0:122:344:a:102:300:0"),
        ("2610:0:122:344::/96", "2610:0:122:344::a01:203"),
        ("2610:0:122:344::/96", "2610:0:122:344::5db8:d822"),
    ],
)
def test_an_address_that_a_translator_turns_into_a_denied_one_is_refused(prefix: str, address: str) -> None:
    assert not Denied(DENIED.networks, (), read_nat64([prefix])).allows(address)
    assert not Denied().allows(address) or address.startswith("2610")


def test_a_translated_public_address_is_fetched_where_the_prefix_is_known() -> None:
    assert Denied((), (), read_nat64(["64:ff9b::/96"])).allows("64:ff9b::9765:145")
    assert not Denied().allows("64:ff9b::9765:145")


@pytest.mark.parametrize("address", [OUTER, OTHER, "8.8.8.8", "2606:4700::1111"])
def test_public_addresses_are_public(address: str) -> None:
    assert is_public(address)


@pytest.mark.parametrize(
    ("answer", "content", "cut"),
    [
        (promising(b"<html><p>All of it.</p></html>\n", 50), b"<html><p>All of it.</p></html>\n", False),
        (promising(b"<html><p>Half of", 50), b"<html><p>Half of", True),
        (promising(b"<p>No type.", 0, ""), b"<p>No type.", False),
        (page(b"<p>Odd type.", "html"), b"<p>Odd type.", False),
        (page(b"<p>Unknown.", "application/unknown"), b"<p>Unknown.", False),
    ],
    ids=["promises more", "is cut", "no type", "no real type", "unknown type"],
)
def test_what_a_browser_shows_in_spite_of_its_header_is_fetched(
    web: Web, answer: Answer, content: bytes, cut: bool
) -> None:
    web.outer.pages["/"] = answer
    fetched = web.fetcher().fetch("http://pages.example/")
    assert (fetched.content, fetched.cut) == (content, cut)


def test_nothing_at_all_or_half_a_picture_is_still_unreachable(web: Web) -> None:
    web.outer.pages["/"] = promising(b"", 50)
    assert refusal(web, "http://pages.example/") == "unreachable"
    web.outer.pages["/"] = promising(b"GIF89a", 50, "image/gif")
    with pytest.raises(FetchFault) as caught:
        web.fetcher().fetch("http://pages.example/", PICTURES, whole=True)
    assert caught.value.code == "unreachable"


def test_a_long_page_without_a_type_is_cut_and_a_pdf_is_not(web: Web) -> None:
    web.outer.pages["/"] = promising(b"<p>" + b"a" * 5000, 0, "")
    web.outer.pages["/pdf"] = promising(b"%PDF-" + b"a" * 5000, 0, "")
    cut, whole = (web.fetcher(size=1000).fetch(f"http://pages.example/{path}") for path in ("", "pdf"))
    assert (len(cut.content), cut.cut) == (1000, True)
    assert (len(whole.content), whole.cut) == (5005, False)
