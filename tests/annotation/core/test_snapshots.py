"""Reads in the state of one moment."""

import pytest

from annotation.core.snapshots import snapshot
from annotation.models import Item
from builders import make_item, make_project
from concurrency import at_once

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_snapshot_may_be_the_first_thing_that_a_process_reads() -> None:
    """A thread has a connection of its own, which is not open yet, as in a command."""
    make_item(make_project(), "A post.")

    def count() -> int:
        with snapshot():
            return Item.objects.count()

    assert at_once([count]) == [1]
