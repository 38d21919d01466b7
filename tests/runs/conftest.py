"""What tests of runs share."""

from collections.abc import Iterator

import pytest
from scripted_runs import Rounds

from runs import method as methods


@pytest.fixture
def rounds(monkeypatch: pytest.MonkeyPatch, transactional_db: None) -> Iterator[Rounds]:
    """The method under test, registered as `rounds`; set its rounds. Transactions are real, as in a worker."""
    made = Rounds()
    original = methods._made
    monkeypatch.setitem(methods._paths, "rounds", "rounds")
    monkeypatch.setattr(methods, "_made", lambda path: made if path == "rounds" else original(path))
    yield made
