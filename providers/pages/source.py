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
from itertools import islice
from typing import Any

import lxml.html

from providers.pages.dates import date_of

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


def language_of(tree: lxml.html.HtmlElement) -> str:
    """Return the language that the page's meta elements state; empty if they state none, or several."""
    meta = _meta(tree)
    stated = next((meta[name][0] for name in ("content-language", "language", "og:locale") if name in meta), "")
    return stated.replace("_", "-")


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
