"""What tests of runs share."""

import pytest

from scripted_runs import Rounds, register


@pytest.fixture
def rounds(monkeypatch: pytest.MonkeyPatch, transactional_db: None) -> Rounds:
    """The method under test, registered as `rounds`; set its rounds. Transactions are real, as in a worker."""
    return register(Rounds(), monkeypatch)
