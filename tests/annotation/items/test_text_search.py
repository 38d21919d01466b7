"""Search for words: the same items with the index, without it, and by the plain twin; on both databases."""

from io import StringIO

import pytest
from django.core.checks import run_checks
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from hypothesis import given
from hypothesis import settings as example_settings
from hypothesis import strategies as st

import builders
from annotation.core import text_index
from annotation.core.text_index import ITEMS, PICTURES, candidates
from annotation.domain.choices import Role
from annotation.items import text_search
from annotation.items.search import find_items
from annotation.models import Item, PictureText
from sql_twins import items_with_words

pytestmark = pytest.mark.django_db

TEXTS = (
    "Roses and weeds in the garden",
    "ROSES AND WEEDS",
    "오늘 아침 정원의 장미와 잡초",
    "장미",
    "今天早上邻居们谈到花园里的玫瑰和杂草",
    "花园里",
    "Straße ẞ İstanbul ıI ﬁne ÉCLAIR éclair ΣΊΣΥΦΟΣ",
    "100 % \\ _under_ 'quoted' \"double\" a*b NEAR AND OR NOT (x) {y} ^z -w",
    "e\u0301clair \u200b zero \ufeff width 👩‍👩‍👧 🏳️‍🌈 \t tab \n line",
    "aaaaaaaaaa",
)
TERMS = (
    "roses",
    "ROSES",
    "장미와",
    "장미",
    "정원의 장미",
    "花园里",
    "花园",
    "玫瑰和杂草",
    "straße",
    "ẞ İ",
    "ıI ",
    "ﬁne",
    "éclair",
    "e\u0301c",
    "σίσ",
    "% \\",
    "_under_",
    "'quoted'",
    '"double"',
    '"""',
    "a*b",
    "NEAR AND",
    " OR ",
    "text:abc",
    "(x) {y}",
    "^z -w",
    "👩‍👩",
    "🏳️‍🌈",
    "\t tab",
    "aaa",
    "   ",
    "x-3",
    "nothing like it",
    "'; DROP TABLE annotation_item; --",
    "a" * 1000,
    "Roses and weeds in the garden of nobody who is here",
)
WHERE = ("q", "text", "picture_text")


@pytest.fixture
def project():
    return builders.make_project("find")


@pytest.fixture
def admin(project):
    return builders.make_member(project, Role.ADMIN)


@pytest.fixture
def posts(project):
    """Each text once as a post and once as the words of another post's picture."""
    other = builders.make_project("other")
    for number, text in enumerate(TEXTS):
        builders.make_item(project, text, external_id=f"x-{number}")
        item = builders.make_item(project, "A picture.", external_id=f"Ünïcode-{number}")
        PictureText.objects.create(item=item, text="earlier " + text[::-1], reader="bench", current=False)
        PictureText.objects.create(item=item, text=text, reader="bench")
        builders.make_item(other, text)


def found(admin, term, where):
    return list(find_items(admin, {where: [term]}).values_list("pk", flat=True))


@pytest.mark.parametrize("where", WHERE)
def test_a_term_finds_what_the_plain_search_finds(where, project, admin, posts):
    assert text_index.is_there()
    for term in TERMS:
        assert found(admin, term, where) == items_with_words(project.pk, term, where), ascii(term)


def test_a_common_term_finds_what_the_plain_search_finds(project, admin, posts, monkeypatch):
    monkeypatch.setattr(text_search, "MOST_COSTLY", 0)
    for term in TERMS:
        assert found(admin, term, "q") == items_with_words(project.pk, term, "q"), ascii(term)


def test_terms_find_something(project, admin, posts):
    silent = [term for term in TERMS if not found(admin, term, "q")]
    assert len(silent) <= 10
    assert len(found(admin, "장미와", "q")) == 2 and len(found(admin, "花园里", "text")) == 2


@given(st.lists(st.text(min_size=1, max_size=12).filter(lambda text: "\x00" not in text), max_size=4), st.data())
@example_settings(max_examples=25)
def test_any_part_of_any_text_is_found_as_by_the_plain_search(texts, data):
    project = builders.make_project()
    admin = builders.make_member(project, Role.ADMIN)
    for text in texts:
        builders.make_item(project, text)
    whole = "".join(texts) or "roses"
    start = data.draw(st.integers(0, len(whole) - 1))
    term = whole[start : start + data.draw(st.integers(1, 8))]
    assert found(admin, term, "q") == items_with_words(project.pk, term, "q")


def test_a_changed_and_a_removed_text_are_no_longer_found(project, admin, posts):
    item = Item.objects.get(project=project, external_id="x-0")
    item.text = "Nothing but turnips"
    item.save()
    assert item.pk not in found(admin, "roses", "text") and found(admin, "turnips", "text") == [item.pk]
    words = PictureText.objects.filter(text="花园里").get()
    words.delete()
    assert words.item_id not in found(admin, "花园里", "picture_text")


def plan_of(rows) -> str:
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL enable_seqscan = off")  # of so few rows the planner would read all
    return str(rows.explain())


@pytest.mark.skipif(connection.vendor != "sqlite", reason="PostgreSQL's planner decides itself")
@pytest.mark.parametrize(
    ("where", "tables"), [("q", (ITEMS, PICTURES)), ("text", (ITEMS,)), ("picture_text", (PICTURES,))]
)
def test_sqlite_asks_its_index(where, tables, admin, posts):
    plan = plan_of(find_items(admin, {where: ["花园里的"]}))
    for table in tables:
        assert f"{table}_words" in plan


@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has another index")
@pytest.mark.parametrize(
    ("rows", "condition", "index"),
    [
        (Item.objects, "folded__contains", "annotation_item_folded_words"),
        (Item.objects, "external_id__icontains", "annotation_item_external_id_words"),
        (PictureText.objects, "folded__contains", "annotation_picturetext_folded_words"),
    ],
)
def test_the_planner_of_postgresql_can_use_each_index(rows, condition, index, posts):
    assert index in plan_of(rows.filter(**{condition: "花园里的"}).order_by())


def test_without_the_index_the_same_is_found_and_the_page_says_that_it_takes_longer(project, admin, posts):
    client, address = Client(), reverse("annotation:items", args=["find"])
    client.force_login(admin.user)
    note = "Searching for words takes longer here"
    assert note not in client.get(address, {"q": "roses"}).content.decode()
    before = {term: found(admin, term, "q") for term in TERMS}
    connection.check_constraints()  # PostgreSQL alters no table with checks that wait
    text_index.remove(connection)
    assert not text_index.is_there()
    assert {term: found(admin, term, "q") for term in TERMS} == before
    assert note in client.get(address, {"q": "roses"}).content.decode()
    assert note not in client.get(address, {"stage": "gold"}).content.decode()
    assert [fault.id for fault in run_checks(tags=["database"], databases=["default"])] == ["annotation.W001"]

    printed = StringIO()
    call_command("text_index", "--json", stdout=printed)
    assert text_index.is_there() and "there" in printed.getvalue()
    assert {term: found(admin, term, "q") for term in TERMS} == before
    assert not run_checks(tags=["database"], databases=["default"])


def test_a_role_that_may_not_create_the_extension_goes_on_without_it(project, admin, posts, monkeypatch):
    connection.check_constraints()
    text_index.remove(connection)
    monkeypatch.setattr(text_index, "_create_extension", lambda database: False)
    if connection.vendor == "postgresql":
        assert not text_index.create(connection)
        with pytest.raises(CommandError, match="CREATE EXTENSION pg_trgm"):
            call_command("text_index")
        assert found(admin, "roses", "q")
    else:
        assert text_index.create(connection)


def test_a_term_of_two_letters_needs_no_trigram(admin, posts):
    assert candidates("花园") == candidates("")
    assert (candidates("花园里") == candidates("")) == (connection.vendor == "postgresql")
    assert len(found(admin, "花园", "q")) == 4


def test_a_search_asks_no_more_questions_for_more_items(project, admin, posts):
    def asked() -> int:
        with CaptureQueriesContext(connection) as queries:
            found(admin, "roses", "q")
        return len(queries)

    first = asked()
    for number in range(20):
        builders.make_item(project, f"Roses {number}")
    assert asked() == first <= 4
