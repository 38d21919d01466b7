"""On SQLite, short transactions of all processes take turns by the lock of a file."""

import fcntl
import threading
from pathlib import Path

import pytest
from django.db import connection

from annotation.core.transactions import short_transaction
from builders import make_project

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_short_transaction_waits_for_who_has_the_turn_and_gives_it_on() -> None:
    if connection.vendor != "sqlite":
        pytest.skip("PostgreSQL locks rows")
    done = threading.Event()

    def write() -> None:
        try:
            short_transaction(make_project)()
            done.set()
        finally:
            connection.close()

    writer = threading.Thread(target=write)
    with Path(f"{connection.settings_dict['NAME']}.turn").open("ab") as queue:
        fcntl.flock(queue, fcntl.LOCK_EX)
        writer.start()
        assert not done.wait(0.3)
    writer.join(30)
    assert done.is_set()
    with Path(f"{connection.settings_dict['NAME']}.turn").open("ab") as queue:
        fcntl.flock(queue, fcntl.LOCK_EX | fcntl.LOCK_NB)


def test_a_transaction_inside_another_needs_no_second_turn() -> None:
    outer = short_transaction(lambda: short_transaction(make_project)().pk)
    assert outer()
