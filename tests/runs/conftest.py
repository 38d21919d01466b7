"""What tests of runs share."""

from collections.abc import Iterator

import pytest

from runs.methods import method
from scripted_runs import Rounds


@pytest.fixture
def rounds(monkeypatch: pytest.MonkeyPatch, transactional_db: None) -> Iterator[Rounds]:
    """The method under test, registered as `rounds`; set its rounds. Transactions are real, as in a worker."""
    made = Rounds()
    original = method._instance
    monkeypatch.setitem(method._paths, "rounds", "rounds")
    monkeypatch.setattr(method, "_instance", lambda path: made if path == "rounds" else original(path))
    yield made
