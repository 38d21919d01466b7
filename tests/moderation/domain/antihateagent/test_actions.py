"""The forms of the investigator's answers: what is read, and what is asked again."""

import json
from typing import Any

import pytest

from moderation.domain.antihateagent import actions
from providers.structured_output import InvalidAnswer, ReadAnswer, read_answer

TEXT = "Weeds in the white roses again."


def judged(confidence: Any) -> ReadAnswer[Any] | InvalidAnswer:
    said = {"text": TEXT, "verdict": "HATE", "confidence": confidence, "rationale": "By its words."}
    answer = {"thought": "so", "action": "FinalJudgment", "action_input": said}
    return read_answer(json.dumps(answer), actions.final_judgment(TEXT))


@pytest.mark.parametrize(
    ("written", "share"),
    [
        (0.85, 0.85),
        (1, 1.0),
        (0, 0.0),
        (85, 0.85),
        (62.5, 0.625),
        (100, 1.0),
        ("85%", 0.85),
        ("85 %", 0.85),
        ("0.85", 0.85),
    ],
)
def test_a_confidence_is_a_share_or_a_percentage(written: Any, share: float) -> None:
    read = judged(written)
    assert isinstance(read, ReadAnswer)
    assert read.value.action_input.confidence == share


@pytest.mark.parametrize("written", [5, 2, 101, -1, "high", "8 of 10", True, None, "1e1", ""])
def test_a_grade_of_another_scale_is_asked_for_again(written: Any) -> None:
    assert isinstance(judged(written), InvalidAnswer)


def test_the_schema_names_the_results_that_can_be_selected() -> None:
    schema = actions.select_pages({3, 1, 2}, 2).model_json_schema()
    pages = schema["$defs"]["SelectPagesArguments"]["properties"]["pages"]
    assert (pages["items"], pages["maxItems"]) == ({"type": "integer", "enum": [1, 2, 3]}, 2)
    none = actions.select_pages(set(), 2).model_json_schema()
    assert none["$defs"]["SelectPagesArguments"]["properties"]["pages"]["items"] == {"type": "integer"}
