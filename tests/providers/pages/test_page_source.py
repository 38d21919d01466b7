"""What a page states of itself: publisher, author, dates, a rated claim, whether its text is paid for."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from providers.http.fetch import FetchedPage
from providers.pages.dates import date_of, dates_in, not_after
from providers.pages.text import read_page

UNKNOWN = {"publisher": None, "author": None, "published": None, "changed": None, "claim_review": None, "paywall": None}
TEXT = "<p>The office has counted newcomers in the town each spring since the flood.</p>"


def source(head: str, body: str = TEXT) -> dict[str, Any]:
    page = f"<html><head>{head}</head><body>{body}</body></html>".encode()
    return dict(read_page(FetchedPage("https://a.example/", "text/html", "utf-8", page, False)).source)


def linked(**node: Any) -> str:
    return f'<script type="application/ld+json">{json.dumps({"@context": "https://schema.org"} | node)}</script>'


ADA = {"@type": "Person", "name": "Ada Example"}


@pytest.mark.parametrize(
    ("head", "stated"),
    [
        ("", {}),
        (
            linked(**{"@type": "NewsArticle", "publisher": {"name": "The Leaf"}, "author": [ADA, "B. Other"],
                      "datePublished": "2019-05-14T10:00:00+09:00", "dateModified": "2024-01-02",
                      "isAccessibleForFree": "True"}),
            {"publisher": "The Leaf", "author": "Ada Example, B. Other", "published": "2019-05-14",
             "changed": "2024-01-02", "paywall": False},
        ),
        (
            linked(**{"@graph": [{"@type": "WebPage", "datePublished": "2001-01-01"},
                                 {"@type": ["Article", "Thing"], "author": ADA, "datePublished": "2020-03"}]}),
            {"author": "Ada Example", "published": "2020-03"},
        ),
        (
            linked(**{"@type": "ClaimReview", "claimReviewed": "Newcomers cause half of all crime.",
                      "datePublished": "2023-02-01", "author": {"name": "Check It"},
                      "reviewRating": {"ratingValue": 1, "bestRating": 5, "alternateName": "False"}}),
            {"author": "Check It", "published": "2023-02-01",
             "claim_review": {"claim": "Newcomers cause half of all crime.", "rating": "False"}},
        ),
        (
            linked(**{"@type": "ClaimReview", "claimReviewed": "A claim.",
                      "reviewRating": {"ratingValue": "2", "bestRating": "5"}}),
            {"claim_review": {"claim": "A claim.", "rating": "2 of 5"}},
        ),
        (
            '<meta property="og:site_name" content="The Leaf"><meta name="author" content="Ada Example">'
            '<meta property="article:published_time" content="2022-11-30T08:00:00Z">'
            '<meta property="article:modified_time" content="2022-12-01">',
            {"publisher": "The Leaf", "author": "Ada Example", "published": "2022-11-30", "changed": "2022-12-01"},
        ),
        (
            '<meta name="citation_author" content="Example, A."><meta name="citation_author" content="Other, B.">'
            '<meta name="citation_journal_title" content="Journal of Beds">'
            '<meta name="citation_publication_date" content="2018/07/02">',
            {"publisher": "Journal of Beds", "author": "Example, A., Other, B.", "published": "2018-07-02"},
        ),
        ('<meta property="article:author" content="https://social.example/ada">', {}),
        (linked(**{"@type": "NewsArticle", "datePublished": "31 February 2031"}), {}),
        ('<script type="application/ld+json">{"@type": "NewsArticle", broken</script>', {}),
        (linked(**{"@type": "NewsArticle", "author": 5, "publisher": {"name": ["A", {"name": {"x": 1}}]}}),
         {"publisher": "A"}),
        (linked(**{"@type": "BreadcrumbList", "name": "Beds", "datePublished": "2020-01-01"}), {}),
    ],
)  # fmt: skip
def test_a_page_is_said_to_state_what_it_states(head: str, stated: dict[str, Any]) -> None:
    assert source(head) == UNKNOWN | stated


def test_a_long_page_that_is_paid_for_says_so() -> None:
    assert source(linked(**{"@type": "NewsArticle", "isAccessibleForFree": False}), TEXT * 60)["paywall"] is True


def test_microdata_is_read_too() -> None:
    body = (
        '<article><span itemprop="author">Ada Example</span> <time itemprop="datePublished" datetime="2021-04-05">'
        f"5 April</time>{TEXT}</article>"
    )
    assert source("", body) == UNKNOWN | {"author": "Ada Example", "published": "2021-04-05"}


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("2024-05-14T10:00:00+09:00", "2024-05-14"),
        ("2024-05", "2024-05"),
        ("2024", "2024"),
        ("20240514", "2024-05-14"),
        ("May 14, 2024", "2024-05-14"),
        ("14 May 2024", "2024-05-14"),
        ("Tue, 14 May 2024 10:00:00 GMT", "2024-05-14"),
        ("2024年5月14日", "2024-05-14"),
        ("2024. 5. 14. 오전 10:12", "2024-05-14"),
        ("2024년 5월 14일", "2024-05-14"),
        ("14.05.2024", "2024-05-14"),
        ("3 juin 2020", "2020-06-03"),
        ("1er août 2020", "2020-08-01"),
        ("14 de mayo de 2024", "2024-05-14"),
        ("14 Ağustos 2024", "2024-08-14"),
        ("3 октября 2024 г.", "2024-10-03"),
        ("5 maja 2024", "2024-05-05"),
        ("14. maaliskuuta 2024", "2024-03-14"),
        ("3. marraskuuta 2024", "2024-11-03"),
        ("14 Μαρτίου 2024", "2024-03-14"),
        ("2024. március 14.", "2024-03-14"),
        ("2024 m. kovo 14 d.", "2024-03-14"),
        ("2024. gada 14. marts", "2024-03-14"),
        ("14. července 2023", "2023-07-14"),
        ("14. června 2023", "2023-06-14"),
        ("14 липня 2023", "2023-07-14"),
        ("14. lipnja 2023.", "2023-06-14"),
        ("14. listopada 2023.", "2023-10-14"),
        ("14 listopada 2023", "2023-11-14"),
        ("14. listopadu 2023", "2023-11-14"),
        ("14 tháng 3 năm 2024", "2024-03-14"),
        ("14 मई 2024", "2024-05-14"),
        ("14 มีนาคม 2567", "2024-03-14"),
        ("14 במרץ 2024", "2024-03-14"),
        ("14 آذار 2024", "2024-03-14"),
        ("令和6年3月14日", "2024-03-14"),
        ("令和元年5月1日", "2019-05-01"),
        ("民國113年3月14日", "2024-03-14"),
        ("二〇二四年三月二十一日", "2024-03-21"),
        ("14th of March 2024", "2024-03-14"),
        ("14-Mar-2024", "2024-03-14"),
        ("12 people 2024", ""),
        ("05/14/2024", "2024-05-14"),
        ("05/04/2024", ""),
        ("31 February 2031", ""),
        ("2023-02-29", ""),
        ("2024-13-01", ""),
        ("yesterday", ""),
        ("1700000000", ""),
        (None, ""),
        (True, ""),
        (["2020-01-02"], "2020-01-02"),
    ],
)
def test_a_date_is_read_as_it_is_written_or_not_at_all(written: object, read: str) -> None:
    assert date_of(written) == read


@pytest.mark.parametrize(
    ("line", "days"),
    [
        ("입력 2024.03.14. 오전 9:12 수정 2024.03.15. 오후 1:02", ["2024-03-14", "2024-03-15"]),
        ("Publicat: 14 martie 2024, actualizat: 16 martie 2024", ["2024-03-14", "2024-03-16"]),
        ("公開日：令和6年3月14日 更新日：令和6年3月20日", ["2024-03-14", "2024-03-20"]),
        ("In 2024 there were 12 boats, 3 of 2019.", []),
    ],
)
def test_the_dates_of_a_line_are_found(line: str, days: list[str]) -> None:
    assert [day for _start, _end, day in dates_in(line)] == days


def test_a_page_cannot_be_of_a_day_to_come() -> None:
    now = datetime(2026, 3, 1, 23, tzinfo=UTC)
    assert [not_after(day, now) for day in ("2026-03-02", "2026-03-03", "2026", "2027", "2026-04", "")] == [
        "2026-03-02", "", "2026", "", "", "",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("said", "changed"),
    [
        ("This page was last edited on 3 June 2022, at 10:11 (UTC).", "2022-06-03"),
        ("Page last reviewed: 7 July 2021. Next review due: 7 July 2024", "2021-07-07"),
        ("이 문서는 2022년 6월 3일 (금) 10:11에 마지막으로 편집되었습니다.", "2022-06-03"),
        ("本页面最后修订于2022年6月3日 (星期五) 10:11。", "2022-06-03"),
        ("Diese Seite wurde zuletzt am 3. Juni 2022 um 10:11 Uhr bearbeitet.", "2022-06-03"),
        ("Last edited by bob on 3 June 2022", None),
        ("Last edited on 3 June 2022. Last updated on 4 June 2022.", None),
    ],
)
def test_the_end_of_a_page_says_when_it_was_last_changed(said: str, changed: str | None) -> None:
    assert source("", f"<main><h1>Newcomers</h1>{TEXT}{TEXT}</main><div>{said}</div>")["changed"] == changed


@pytest.mark.parametrize(
    ("line", "publisher"),
    [
        ("来源：江湾晚报　作者：林一舟　2023年4月5日 08:30", "江湾晚报"),
        ("2023.04.05 출처: 나루일보", "나루일보"),
        ("图片来源：市档案馆", None),
    ],
)
def test_a_line_with_a_date_says_where_the_page_is_from(line: str, publisher: str | None) -> None:
    assert source("", f"<article><h1>统计</h1><p>{line}</p>{TEXT}</article>")["publisher"] == publisher
