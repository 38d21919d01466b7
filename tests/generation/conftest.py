"""What holds for every test of the desk: a database that begins anew has rows with the keys of the one before."""

import pytest

from generation.counterspeech import request


@pytest.fixture(autouse=True)
def _no_store_of_another_test() -> None:
    request._store.cache_clear()
