"""How the answers in PREDICT are read: every written form of a label, and nothing that only contains one."""

from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from pydantic import ValidationError

from moderation.domain.predict import protocol
from moderation.domain.predict.answers import DONT_KNOW, Argument, Judgement, Position, Response, view_shape
from moderation.domain.predict.perspectives import SEEDED, Perspective
from moderation.domain.predict.protocol import Stance

PERSPECTIVES = {perspective.code: perspective for perspective in SEEDED}
KOLD = PERSPECTIVES["kold"]
"""Offensive or Not offensive."""
UNSMILE = PERSPECTIVES["unsmile"]
"""Hate speech or Not hate speech."""


def label_of_judge(written: Any) -> str:
    return Judgement.model_validate({"reason": "why", "label": written}).label


def stance(perspective: Perspective, written: Any) -> Stance:
    answer = view_shape(perspective).model_validate({"label": written, "reason": "because"})
    return protocol.vote(perspective, answer.model_dump()).stance


# ── The judge ─────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "written",
    ["Hate", "hate", "HATE", "Hateful", "hateful.", "“Hate”", "**Hate**", " Hate ", "Hate speech", "혐오", "仇恨"],
)
def test_the_judge_s_hate_is_read_in_its_usual_forms(written: str):
    assert label_of_judge(written) == "Hate"


@pytest.mark.parametrize(
    "written",
    [
        *("Non-hate", "non-hate", "Non-hateful", "NON-HATEFUL", "Nonhate", "non hate", "Not hateful", "Not hate"),
        *("Non\u2011hateful", "Non–hate", "non_hate", "Not hate speech", "Non-hate speech."),
        *("비혐오", "비 혐오", "혐오 아님", "혐오 표현이 아님", "非仇恨", "不是仇恨言论", "Label: Non-hate"),
    ],
)
def test_the_judge_s_non_hate_is_read_in_its_usual_forms(written: str):
    assert label_of_judge(written) == "Non-hate"


@pytest.mark.parametrize(
    "written",
    [
        *(
            "hateful, or non-hate",
            "Hate or Non-hate",
            "not Hate at all",
            "Hate? No",
            "nonhat",
        ),
        *("¬Hate", "- Hate", "!Hate", "", "Offensive", "혐오 아님?", "不仇恨吗"),
        *(None, 1, True, ["Hate"], {"label": "Hate"}),
    ],
)
def test_a_label_inside_more_words_is_not_guessed(written: Any):
    with pytest.raises(ValidationError) as fault:
        label_of_judge(written)
    assert fault.value.errors()[0]["type"] == "invalid_label"


@given(st.text(max_size=30))
def test_whatever_holds_a_negation_is_never_read_as_hate(words: str):
    for written in (f"not {words}", f"non-{words}", f"비{words}", f"{words} 아님"):
        try:
            label = label_of_judge(written)
        except ValidationError:
            continue
        assert label == "Non-hate"


# ── Keys ──────────────────────────────────────────────────────────────────────


def test_the_paper_s_capital_keys_are_read_by_everybody():
    judgement = Judgement.model_validate({"Label": "Hateful", "Reason": "why"})
    assert (judgement.label, judgement.reason) == ("Hate", "why")
    assert view_shape(KOLD).model_validate({"LABEL": "Offensive", "Reason ": "why"}).label == "Offensive"
    response = Response.model_validate({"Argument": "N2", "Position": "Disagree"})
    assert (response.argument, response.position) == ("N2", Position.REBUT)
    assert Argument.model_validate({"Argument": "N1", "Confidence": 1}).argument == "N1"


def test_a_key_with_two_values_is_no_answer_and_the_same_value_twice_is_one():
    with pytest.raises(ValidationError, match="label has two values"):
        Judgement.model_validate({"label": "Hate", "Label": "Non-hate", "reason": "why"})
    assert Judgement.model_validate({"label": "Hate", "Label": "Hate", "reason": "why"}).label == "Hate"


@pytest.mark.parametrize("value", [[], "Hate", None, 3, [{"label": "Hate", "reason": "why"}]])
def test_what_is_no_object_is_no_answer(value: Any):
    with pytest.raises(ValidationError):
        Judgement.model_validate(value)


# ── Positions ─────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("written", "position"),
    [
        *[(written, Position.AGREE) for written in ("agree", "Agree.", "I agree", "AGREED", "同意", "동의")],
        *[(written, Position.REBUT) for written in ("rebut", "Rebut", "disagree", "I disagree", "Disagreed.", "반박")],
    ],
)
def test_a_position_is_read_in_its_usual_forms(written: str, position: Position):
    assert Response(argument="N2", position=written).position is position


@pytest.mark.parametrize("written", ["agree or rebut", "partly agree", "not agree", "", None, "neither", "dis agree?"])
def test_a_position_between_the_two_is_none(written: Any):
    with pytest.raises(ValidationError):
        Response.model_validate({"argument": "N2", "position": written})


# ── Perspectives ──────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("perspective", "written", "expected"),
    [
        (KOLD, "Offensive", Stance.HATE),
        (KOLD, "offensive.", Stance.HATE),
        (KOLD, "NOT OFFENSIVE", Stance.NON_HATE),
        (KOLD, "Non-offensive", Stance.NON_HATE),
        (KOLD, "not-offensive", Stance.NON_HATE),
        (KOLD, "I don’t know.", Stance.ABSTAINED),
        (KOLD, "I do not know", Stance.ABSTAINED),
        (KOLD, "공격적", Stance.HATE),
        (KOLD, "공격적이지 않음", Stance.NON_HATE),
        (KOLD, "冒犯", Stance.HATE),
        (KOLD, "不具冒犯性", Stance.NON_HATE),
        (KOLD, "모르겠음", Stance.ABSTAINED),
        (KOLD, "不确定", Stance.ABSTAINED),
        (UNSMILE, "혐오 표현", Stance.HATE),
        (UNSMILE, "不是仇恨言论", Stance.NON_HATE),
        (UNSMILE, "Hate speech", Stance.HATE),
        (UNSMILE, "Hateful", Stance.HATE),
        (UNSMILE, "Non-hateful", Stance.NON_HATE),
        (UNSMILE, "Not hate", Stance.NON_HATE),
        (UNSMILE, "no hate", Stance.NON_HATE),
    ],
)
def test_a_label_is_read_in_its_usual_forms(perspective: Perspective, written: str, expected: Stance):
    assert stance(perspective, written) is expected


@pytest.mark.parametrize(
    ("perspective", "written"),
    [
        *[(KOLD, written) for written in ("Hate speech", "Hateful", "Non-hateful", "not really offensive", "off", "")],
        *[(KOLD, written) for written in (None, "Offensive or not", "inoffensive", "unknown", "혐오")],
        *[(UNSMILE, written) for written in ("Offensive", "Not offensive", "Hate speech?", "maybe")],
    ],
)
def test_a_label_of_another_perspective_is_none_of_this_one(perspective: Perspective, written: Any):
    with pytest.raises(ValidationError) as fault:
        stance(perspective, written)
    assert fault.value.errors()[0]["type"] == "invalid_label"


def test_only_who_abstains_may_leave_out_the_reason():
    shape = view_shape(KOLD)
    assert shape.model_validate({"label": "I don't know", "reason": ""}).label == DONT_KNOW
    with pytest.raises(ValidationError):
        shape.model_validate({"label": "Offensive", "reason": " "})


LABELS = st.text(st.characters(codec="utf-8", exclude_categories=("Cs", "Cc")), min_size=1, max_size=12).map(str.strip)


@given(LABELS, LABELS)
def test_a_perspective_s_own_two_labels_are_always_told_apart(hateful: str, other: str):
    assume(hateful and other and hateful.casefold() != other.casefold())
    assume(DONT_KNOW.casefold() not in (hateful.casefold(), other.casefold()))
    own = Perspective(code="own", name="Own", criteria="", hateful_label=hateful, other_label=other)
    assert stance(own, hateful) is Stance.HATE
    assert stance(own, other) is Stance.NON_HATE


def test_a_label_of_its_own_counts_before_a_word_for_not_knowing():
    own = Perspective(code="own", name="Own", criteria="", hateful_label="Known", other_label="모르겠음")
    assert (stance(own, "모르겠음"), stance(own, "I don't know")) == (Stance.NON_HATE, Stance.ABSTAINED)


@pytest.mark.parametrize(("hateful", "other"), [("A-B", "AB"), ("hate", "'hate'"), ("X", "not X"), ("not X", "X")])
def test_labels_that_differ_by_signs_only_are_read_letter_by_letter(hateful: str, other: str):
    own = Perspective(code="own", name="Own", criteria="", hateful_label=hateful, other_label=other)
    assert (stance(own, hateful), stance(own, other)) == (Stance.HATE, Stance.NON_HATE)
