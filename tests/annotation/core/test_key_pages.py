"""Pages by key hold every row once, in the order of the list, in both directions."""

from datetime import UTC, datetime

import pytest

import builders
from annotation.core.key_pages import UnknownKey, key_of, page_by_key
from annotation.domain.choices import Stage
from annotation.items.search import ORDERS
from annotation.models import Item, KnownAnswer
from annotation.training.results import KEY, known_items

pytestmark = pytest.mark.django_db


@pytest.fixture
def items():
    """Nine posts: three priorities, and closed at two moments or never."""
    project = builders.make_project()
    moments = (None, datetime(2026, 1, 1, tzinfo=UTC), datetime(2026, 1, 2, tzinfo=UTC))
    for number in range(9):
        builders.make_item(
            project, priority=number % 3, closed_at=moments[number // 3], gold_at=moments[number // 4 % 3]
        )
    return Item.objects.filter(project=project)


@pytest.mark.parametrize("order", ORDERS)
def test_each_order_is_walked_forwards_and_back(items, order):
    walk(items.order_by(*ORDERS[order]), items)


def test_known_answers_are_walked_in_use_first_and_by_the_key_of_their_post(items):
    project = items[0].project
    items.update(stage=Stage.KNOWN)
    KnownAnswer.objects.bulk_create(
        KnownAnswer(item=item, category=builders.category(project, 1), active=n % 3 > 0, training=n % 2 > 0)
        for n, item in enumerate(items)
    )
    rows = known_items(project)
    walk(rows, rows, KEY)


def walk(ordered, among, key="public_id"):
    """Go to the end, two rows a page, and back to the beginning."""
    pages, page = [], page_by_key(ordered, among, {"after": ""}, 2, key)
    assert page.previous is None
    while True:
        pages.append(list(page.rows))
        if page.next is None:
            break
        page = page_by_key(ordered, among, {"after": page.next}, 2, key)
    assert [row for rows in pages for row in rows] == list(ordered)
    for rows in reversed(pages[:-1]):
        page = page_by_key(ordered, among, {"before": page.previous}, 2, key)
        assert list(page.rows) == rows
        assert page.next == key_of(rows[-1], key)
    assert page.previous is None


def test_a_list_goes_on_at_a_row_that_has_left_it(items):
    first, second, *_ = items.order_by("pk")
    ordered = items.exclude(pk=first.pk).order_by("pk")
    assert page_by_key(ordered, items, {"after": str(first.public_id)}, 1).rows == [second]


@pytest.mark.parametrize("key", ["1", "é", "0", "00000000-0000-4000-8000-000000000000"])
def test_a_key_of_no_row_is_refused(items, key):
    with pytest.raises(UnknownKey):
        page_by_key(items.order_by("pk"), items, {"after": key}, 2)


def test_nothing_after_the_last_row_leads_back(items):
    last = items.order_by("pk").last()
    page = page_by_key(items.order_by("pk"), items, {"after": str(last.public_id)}, 2)
    assert (page.rows, page.previous, page.next) == ([], str(last.public_id), None)
