"""A PREDICT debate as its page shows it."""

import pytest

from moderation.methods.predict.presenter import ShownDebate
from runs.domain.states import RunState
from runs.models import Run, Turn

pytestmark = pytest.mark.no_database


@pytest.mark.parametrize(
    ("state", "label"),
    [(RunState.SUCCEEDED, "Hate"), (RunState.RUNNING, "Hate"), (RunState.CANCELLED, ""), (RunState.FAILED, "")],
)
def test_a_debate_that_ended_without_a_verdict_has_no_label(state: RunState, label: str) -> None:
    judge = Turn(key="judge", role="judge", value={"label": "Hate"})
    assert ShownDebate.of(Run(method="predict", state=state), [judge]).label == label
    assert ShownDebate.of(Run(method="predict", state=state), []).label == ""
