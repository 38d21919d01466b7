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
from page_states import pages_of_states, write_report
from rows_of_every_model import LEARNT_OF, add_missing_rows
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
def everything(world: World, settings: Any) -> World:
    """A site with a row of everything that shows words, the objects of all addresses among it."""
    settings.MODEL_BINDINGS = {"MODEL_TEXT": LEARNT_OF}
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


def marks_at(client: Client, address: str, *, follow: bool = False) -> set[str]:
    """Look at what the address answers. Return the marks in it. What is followed has to be there."""
    answer = client.get(address, follow=follow)
    assert answer.status_code == 200 or not follow, address
    page = content_of(answer)
    kind = answer.get("Content-Type", "").partition(";")[0]
    if kind == "text/html":
        assert_harmless(page, address)
    elif answer.status_code == 200:
        assert answer["X-Content-Type-Options"] == "nosniff", address
        assert kind in NO_PAGE, (address, kind)
    return {f"c{number}q" for number in MARK.findall(html.unescape(page))}


@pytest.mark.once  # a walk through all addresses: what a page makes of words does not depend on what stored them
@pytest.mark.parametrize("pair", PAIRS)
def test_words_are_only_words_on_every_page(pair: str, everything: World):
    words = f"{WORDS[pair]} {WORDS[PAIRS[pair]]}"
    record("settings", project=everything.project, actor=everything.other, item=everything.item, reason=words)
    addresses = {name: reverse(name, kwargs=dict(route.parts(everything))) for name, route in sorted(ROUTES.items())}
    more = list(pages_of_states(everything))
    columns, seen = poison(words), set()
    write_report()
    member = everything.members[Role.ANNOTATOR]
    assert member.user is not None
    member.user.is_staff = member.user.is_superuser = True
    member.user.save(update_fields=("is_staff", "is_superuser"))
    client = Client()
    client.force_login(member.user)
    opened = [address for name, address in addresses.items() if "get" in ROUTES[name].methods]
    for address in opened:
        seen |= marks_at(client, address)
    for address in (*map(reverse, ACCOUNT_PAGES), *admin_pages(everything), *more):
        seen |= marks_at(client, address, follow=True)
    unseen = {columns[mark] for mark in columns.keys() - seen}
    assert sorted(unseen - CUT) == sorted(ON_NO_PAGE)


CUT = {"Candidate.model", "Explanations.model", "PoolPicture.model", "Event.facts"}
"""Names of models are shown from their last slash on, and facts cut: some words lose their mark."""
_COMPARED = "it is compared and never shown"
_COPIED = "what it becomes has a copy, which is seen"
_TO_MODELS = "models alone are sent it; pages of runs are about posts of the project"
_KEPT = "it is kept and never read"
_FOUND = "a claim is found in its text, which is seen; other words than those make it no claim of that text"
ON_NO_PAGE = {
    "AccessRequest.accepted_terms": _KEPT,
    "Claim.reason": _FOUND,
    "Claim.sentence": _FOUND,
    "EvaluationCase.picture_path": "a worker alone opens it",
    "EvaluationCase.text": _TO_MODELS,
    "Exemplar.cn_type": _COPIED,  # conan.jsonl, where the reply has no register
    "Exemplar.licence": _KEPT,
    "ExemplarVector.model": _COMPARED,
    "Item.picture_name": _COPIED,  # Import.outcome, when a file does not have it
    "ItemVector.model": _COMPARED,
    "Membership.imported_name": _COMPARED,
    "PoolPicture.explanation": _COPIED,  # Prior.explanation, when a sample is accepted
    "Score.about": _COMPARED,
    "Trigger.text": _TO_MODELS,
}
"""Columns whose texts no page, file or answer of the site shows, and why."""


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
