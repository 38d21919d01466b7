"""The face of a source: who publishes a page, who wrote it, when, and how it rates a claim, as the page states it.

Read of JSON-LD (schema.org), of the meta elements of Open Graph, Dublin Core and scholarly journals, of microdata, of
the lines about the heading (`byline`), and of the address. Nothing is guessed: what a page does not state is unknown.
All of it is a stranger's text that a prompt must fence.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from datetime import date, datetime
from itertools import islice
from typing import Any

import lxml.html

_MOST_NODES, _DEEPEST = 2000, 12
_LONGEST_JSON = 500_000
_LONGEST = 200  # characters of a name
_LONGEST_CLAIM = 500
_ARTICLES = re.compile(r"(?:.*Article|.*Posting|.*Review|.*Work|Report|WebPage|Dataset|Book|Thesis)\Z")
_PUBLISHERS = ("og:site_name", "citation_publisher", "citation_journal_title", "dc.publisher", "dcterms.publisher",
               "publisher", "application-name")  # fmt: skip
_AUTHORS = ("author", "citation_author", "dc.creator", "dcterms.creator", "article:author", "parsely-author",
            "byl", "sailthru.author")  # fmt: skip
_PUBLISHED = ("article:published_time", "citation_publication_date", "citation_date", "dc.date.issued",
              "dcterms.issued", "dcterms.created", "dc.date", "dcterms.date", "date", "pubdate", "publishdate",
              "datepublished", "og:published_time", "published_time", "publish-date", "parsely-pub-date",
              "sailthru.date")  # fmt: skip
_CHANGED = ("article:modified_time", "og:updated_time", "dcterms.modified", "last-modified", "revised")
_OF_OTHERS = {"Comment", "Answer", "Person", "Organization", "ImageObject", "VideoObject"}
"""Items of microdata whose author and date are not the page's."""
_MOST_REVIEWS = 5


@dataclass(frozen=True)
class ClaimReview:
    """How a fact-checker's page rates a claim, in its own words."""

    claim: str
    rating: str


@dataclass(frozen=True)
class PageSource:
    """What a page states of itself. Dates are ISO ("2024", "2024-05", "2024-05-14"); what it does not state is empty.

    `paywall` is None where the page does not say whether its text is free.
    """

    publisher: str = ""
    author: str = ""
    published: str = ""
    changed: str = ""
    claim_review: ClaimReview | None = None
    paywall: bool | None = None

    def as_json(self) -> dict[str, Any]:
        """Return it as JSON: what is unknown is null."""
        return {name: None if value == "" else value for name, value in asdict(self).items()}


NOT_SAID = PageSource()


def source_of(tree: lxml.html.HtmlElement) -> PageSource:
    """Return what a parsed page states of itself."""
    nodes = list(islice(_linked_data(tree), _MOST_NODES))
    meta, (items, properties) = _meta(tree), _microdata(tree)
    articles, item_articles = _articles(nodes), _articles(items)
    named = {node["@id"]: node for node in nodes if isinstance(node.get("@id"), str) and _name(node)}

    def first(key: str, names: tuple[str, ...], read: Any) -> str:
        written = (
            *(_referred(node.get(key), named) for node in articles),
            *(value for name in names for value in meta.get(name, ())[: None if key == "author" else 1]),
            *(item.get(key) for item in item_articles),
            *properties.get(key, ()),
        )
        return next((value for value in map(read, written) if value), "")

    authors = meta.get("citation_author", [])
    return PageSource(
        publisher=first("publisher", _PUBLISHERS, _name),
        author=_name(authors) if authors else first("author", _AUTHORS, _name),
        published=first("datePublished", _PUBLISHED, date_of),
        changed=first("dateModified", _CHANGED, date_of),
        claim_review=_all_reviews([review for node in (*nodes, *items) if (review := _review(node))]),
        paywall=next((paid for node in nodes if (paid := _is_paid(node)) is not None), None),
    )


def _articles(nodes: list[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    articles = [node for node in nodes if any(_ARTICLES.match(kind) for kind in _kinds(node))]
    return sorted(articles, key=lambda node: "WebPage" in _kinds(node))  # the article's own words go before its page's


def _linked_data(tree: lxml.html.HtmlElement) -> Iterator[Mapping[str, Any]]:
    for script in tree.iter("script"):
        if script.get("type", "").split(";")[0].strip().lower() == "application/ld+json":
            try:
                # Some sites wrap it in comments or CDATA, and write line breaks into its texts.
                written = (script.text or "")[:_LONGEST_JSON].strip().removeprefix("<!--").removesuffix("-->")
                yield from _nodes(json.loads(written, strict=False), _DEEPEST)
            except (ValueError, RecursionError):
                continue


def _nodes(value: Any, depth: int) -> Iterator[Mapping[str, Any]]:
    if isinstance(value, Mapping):
        yield value
    inner = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ()
    for each in inner if depth else ():
        if isinstance(each, Mapping | list):
            yield from _nodes(each, depth - 1)


def _referred(value: Any, named: Mapping[str, Any]) -> Any:
    """Return a value of JSON-LD with the nodes that it refers to by `@id` in their place."""
    if isinstance(value, list):
        return [_referred(each, named) for each in value[:20] if not isinstance(each, list)]
    is_reference = isinstance(value, Mapping) and not value.get("name") and isinstance(value.get("@id"), str)
    return named.get(value["@id"], value) if is_reference else value


def _kinds(node: Mapping[str, Any]) -> list[str]:
    kinds = node.get("@type", ())
    return [kind for kind in (kinds if isinstance(kinds, list) else [kinds]) if isinstance(kind, str)]


def _meta(tree: lxml.html.HtmlElement) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for node in tree.iter("meta"):
        name = node.get("property") or node.get("name") or node.get("http-equiv") or ""
        if content := node.get("content", "").strip():
            found.setdefault(name.strip().lower(), []).append(content)
    return found


def _microdata(tree: lxml.html.HtmlElement) -> tuple[list[Mapping[str, Any]], dict[str, list[Any]]]:
    """Return the items of microdata, as JSON-LD would have them, and the values that stand in no item of their own."""
    items: dict[lxml.html.HtmlElement, dict[str, Any]] = {}
    loose: dict[str, list[Any]] = {}
    for node in tree.iter():
        if not isinstance(node.tag, str):
            continue
        if "itemscope" in node.attrib and len(items) < _MOST_NODES:
            items[node] = {"@type": [kind.rsplit("/", 1)[-1] for kind in node.get("itemtype", "").split()]}
        if name := node.get("itemprop") or ("author" if node.get("rel") == "author" else ""):
            value = items.get(node) or (node.get("content") or node.get("datetime") or node.text_content())[:_LONGEST]
            owner = next((items[outer] for outer in node.iterancestors() if outer in items), None)
            if owner is not None:
                owner.setdefault(name, value)
            if owner is None or _OF_OTHERS.isdisjoint(owner["@type"]):
                loose.setdefault(name, []).append(value)
        elif node.tag == "time" and "pubdate" in node.attrib:
            loose.setdefault("datePublished", []).append(node.get("datetime") or node.text_content()[:_LONGEST])
    return list(items.values()), loose


def _name(value: Any) -> str:
    """Return a name, or several, of a text or of a person or organisation in JSON-LD; empty for an address."""
    if isinstance(value, list):
        return ", ".join(dict.fromkeys(filter(None, map(_name, value[:20]))))[:_LONGEST]
    if isinstance(value, Mapping):
        value = value.get("name") or value.get("legalName") or ""
        return _name(value) if isinstance(value, str | list) else ""
    if not isinstance(value, str) or re.match(r"\s*(?:https?:|www\.|//|#)", value, re.IGNORECASE):
        return ""
    return " ".join(value.split())[:_LONGEST]


def _review(node: Mapping[str, Any]) -> ClaimReview | None:
    if "ClaimReview" not in _kinds(node):
        return None
    rated = node.get("reviewRating")
    rating = rated if isinstance(rated, Mapping) else {}
    words = _name(rating.get("alternateName")) or _name(rating.get("name")) or _grade(rating)
    claim = node.get("claimReviewed")
    claimed = " ".join(claim.split())[:_LONGEST_CLAIM] if isinstance(claim, str) else ""
    return ClaimReview(claimed, words) if words else None


def _all_reviews(reviews: list[ClaimReview]) -> ClaimReview | None:
    """Return the only review; of several one that numbers their claims and their ratings."""
    some = list(dict.fromkeys(reviews))[:_MOST_REVIEWS]
    if len(some) < 2:
        return some[0] if some else None
    claims = " ".join(f"({number}) {review.claim}" for number, review in enumerate(some, 1))
    ratings = " ".join(f"({number}) {review.rating}" for number, review in enumerate(some, 1))
    return ClaimReview(claims[: 2 * _LONGEST_CLAIM], ratings[:_LONGEST])


def _grade(rating: Mapping[str, Any]) -> str:
    """Return a rating in numbers, as "1 of 5"; empty if there is none."""
    grade, best = rating.get("ratingValue"), rating.get("bestRating")
    if not isinstance(grade, str | int | float) or isinstance(grade, bool) or not str(grade).strip():
        return ""
    return f"{grade} of {best}"[:40] if isinstance(best, str | int | float) and str(best).strip() else str(grade)[:40]


def _is_paid(node: Mapping[str, Any]) -> bool | None:
    free = node.get("isAccessibleForFree")
    if isinstance(free, bool):
        return not free
    said = str(free).strip().lower().rsplit("/", 1)[-1]
    return {"true": False, "false": True}.get(said) if isinstance(free, str) else None


_YEAR_FIRST = re.compile(
    r"(\d{4})(?:\s*[-/.年년]\s*(\d{1,2})(?:\s*[-/.月월]\s*(\d{1,2})\s*[日일.]?)?\s*[月월.]?)?(?:[T\s(（,].*)?\Z",
    re.DOTALL,
)
_COMPACT = re.compile(r"(\d{4})(\d{2})(\d{2})(?:T?\d{4,6}.*)?\Z")
_DAY_FIRST = re.compile(r"(\d{1,2})(?:st|nd|rd|th|er|º)?\.?\s+(?:de\s+)?([^\W\d_]{3,12})\.?,?\s+(?:de\s+)?(\d{4})\b")
_MONTH_FIRST = re.compile(r"([^\W\d_]{3,12})\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(\d{4})\b")
_NUMBERS = re.compile(r"(\d{1,2})([./-])(\d{1,2})\2(\d{4})\b")
_MONTHS = (
    "jan ene gen oca янв sty يناير", "feb fev fév şub фев lut فبراير", "mar mär mae maa mrt мар مارس",
    "apr abr avr nis апр kwi أبريل ابريل", "may mai mag maj mei май мая مايو", "jun juin giu haz июн cze يونيو",
    "jul juil lug tem июл lip يوليو", "aug ago aoû aou ağu авг sie أغسطس", "sep set eyl сен wrz سبتمبر",
    "oct okt ott out eki окт paź أكتوبر", "nov kas ноя lis نوفمبر", "dec dez dic déc ara дек gru ديسمبر",
)  # fmt: skip
_FIRST_YEAR = 1000


def date_of(value: Any) -> str:
    """Return a written date as ISO, to the day, month or year as it states; empty for none, and for no day at all.

    Whether "05/04/2024" is of April or May nobody can tell: it is none.
    """
    if isinstance(value, list):
        value = value[0] if value else None
    if isinstance(value, bool) or not isinstance(value, str | int):
        return ""
    written = re.sub(r"^[A-Za-z]{3,9},\s+", "", str(value).strip()[:60])
    if numbers := _COMPACT.match(written) or _YEAR_FIRST.match(written):
        return _day(*numbers.groups())
    if named := _DAY_FIRST.search(written):
        return _day(named[3], _month(named[2]), named[1])
    if named := _MONTH_FIRST.search(written):
        return _day(named[3], _month(named[1]), named[2])
    if numbers := _NUMBERS.match(written):
        return _of_numbers(int(numbers[1]), int(numbers[3]), numbers[2], numbers[4])
    return ""


_ADDRESS = re.compile(r"://[^/]+/(?:[^?#]*[/_-])?((?:19|20)\d\d)([/-]?)(\d\d)\2(\d\d)(?=[/_.-]|\Z)")


def date_in_address(url: str) -> str:
    """Return the day that stands in the path of an address, as ISO; empty for none."""
    found = _ADDRESS.search(url)
    return _day(found[1], found[3], found[4]) if found else ""


_WRITTEN = re.compile(
    r"(?<!\d)\d{4}\s?[-/.年년]\s?\d{1,2}\s?[-/.月월]\s?\d{1,2}(?:\s?[日일]|\.)?(?!\d)"
    r"|(?<!\d)\d{1,2}(?:st|nd|rd|th|er|º)?\.?\s(?:de\s)?[^\W\d_]{3,12}\.?,?\s(?:de\s)?\d{4}(?!\d)"
    r"|[^\W\d_]{3,12}\.?\s\d{1,2}(?:st|nd|rd|th)?,?\s\d{4}(?!\d)|(?<!\d)\d{1,2}([./-])\d{1,2}\1\d{4}(?!\d)"
)


def dates_in(line: str) -> Iterator[tuple[int, int, str]]:
    """Yield where a date is written, from and to, and the date as ISO; empty where it may be another day or none."""
    for found in _WRITTEN.finditer(line):
        yield found.start(), found.end(), date_of(found[0])


def _of_numbers(first: int, second: int, sign: str, year: str) -> str:
    if sign == "." or first > 12 or first == second:  # with full stops the day goes first
        return _day(year, str(second), str(first))
    return _day(year, str(first), str(second)) if second > 12 else ""


def _month(name: str) -> str:
    start = name.casefold()
    for number, beginnings in enumerate(_MONTHS, 1):
        if start.startswith(tuple(beginnings.split())):
            return str(number)
    return "0"


def _day(year: str, month: str | None = None, day: str | None = None) -> str:
    """Return the date as ISO; empty if the calendar has no such day."""
    try:
        real = date(int(year), int(month or 1), int(day or 1))
    except ValueError:
        return ""
    if real.year < _FIRST_YEAR:
        return ""
    return real.isoformat()[: 10 if day else 7 if month else 4]


def not_after(stated: str, moment: datetime) -> str:
    """Return the date unless it lies after the moment (a day is left for time zones): then the page cannot state it."""
    latest = date.fromordinal(moment.date().toordinal() + 1).isoformat()
    return stated if stated <= latest[: len(stated)] else ""
