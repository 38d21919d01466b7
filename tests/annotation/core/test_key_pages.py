"""Pages by key hold every row once, in the order of the list, in both directions."""

from datetime import UTC, datetime

import pytest

import builders
from annotation.core.key_pages import UnknownKey, page_by_key
from annotation.items.search import ORDERS
from annotation.models import Item

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
    ordered = items.order_by(*ORDERS[order])
    pages, page = [], page_by_key(ordered, items, {"after": ""}, 2)
    assert page.previous is None
    while True:
        pages.append(list(page.rows))
        if page.next is None:
            break
        page = page_by_key(ordered, items, {"after": page.next}, 2)
    assert [row for rows in pages for row in rows] == list(ordered)
    for rows in reversed(pages[:-1]):
        page = page_by_key(ordered, items, {"before": page.previous}, 2)
        assert list(page.rows) == rows
        assert page.next == str(rows[-1].public_id)
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
