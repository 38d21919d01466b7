import json
import warnings
from typing import Any

import pytest

from annotation.analytics.quality import competence


@pytest.fixture
def fit_in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fit by the child's own function, with input and output as JSON; a child needs seconds to load its library.

    `test_competence.py` starts the child by the command, and on HateXplain.
    """
    with warnings.catch_warnings(action="ignore"):
        from annotation.analytics.quality.competence_process import fit  # noqa: PLC0415 (loads pandas and crowd-kit)

    def fitted(labels: dict[str, Any]) -> Any:
        with warnings.catch_warnings(action="ignore"):  # as the child does
            return json.loads(json.dumps(fit(json.loads(json.dumps(labels))), allow_nan=False))

    monkeypatch.setattr(competence, "_fitted", fitted)
