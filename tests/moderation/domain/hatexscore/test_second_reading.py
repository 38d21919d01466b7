"""What a second reader says, as a value: how it is read, which groups it names, who read what."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moderation.domain.hatexscore.record import read_by_of, record_of, scored, stated_in
from moderation.domain.hatexscore.score import Measure, read, score
from moderation.domain.hatexscore.second_reading import ReadBy, ReaderAnswer, SecondReading, read_by
from providers.structured_output import InvalidAnswer, ReadAnswer, read_answer

TEXT = "Weeds in the white roses again."
OPEN = (
    "Who says “weeds” here means the migrants: it is a plague of a sentence, said by one who knows. Women read it too."
)
WHOLE = {"refusal": False, "conclusion": True, "group": "the migrants", "tie": "plague"}


def second(**changed: Any) -> SecondReading:
    return SecondReading.of("openai:reader", WHOLE | changed)


@pytest.mark.parametrize(
    ("written", "conclusion"),
    [(True, True), ("hateful", True), ("not hateful", False), ("false", False), ("비혐오", False), (None, None)]
    + [("null", None), ("None", None), ("", None)],
)
def test_a_conclusion_is_read_in_the_forms_in_which_models_write(written: Any, conclusion: bool | None) -> None:
    answer = read_answer(json.dumps(WHOLE | {"conclusion": written}), ReaderAnswer)
    assert isinstance(answer, ReadAnswer) and answer.value.conclusion is conclusion


@pytest.mark.parametrize(
    "changed",
    [
        {"refusal": True},
        {"refusal": None},
        {"refusal": "perhaps"},
        {"conclusion": "perhaps"},
        {"conclusion": 0.7},
        {"conclusion": ["hateful"]},
        {"group": ["migrants"]},
        {"group": "m" * 201},
        {"tie": 3},
    ],
)
def test_any_other_answer_is_none(changed: dict[str, Any]) -> None:
    assert isinstance(read_answer(json.dumps(WHOLE | changed), ReaderAnswer), InvalidAnswer)


@pytest.mark.parametrize("missing", WHOLE)
def test_an_answer_names_all_four(missing: str) -> None:
    some = {name: value for name, value in WHOLE.items() if name != missing}
    assert isinstance(read_answer(json.dumps(some), ReaderAnswer), InvalidAnswer)


@pytest.mark.parametrize(
    ("changed", "named"),
    [
        ({}, [("migrant", "plague")]),
        ({"group": "The Migrants"}, [("migrant", "plague")]),
        ({"tie": "quote"}, [("migrant", "quote")]),
        ({"tie": None}, [("migrant", "")]),
        ({"tie": "vermin"}, [("migrant", "")]),  # it does not stand there
        ({"group": "Muslims"}, []),  # nor do they
        ({"group": "weeds"}, []),  # only quoted
        ({"group": "one who knows"}, []),  # no group of the list
        ({"group": None}, []),
    ],
)
def test_only_a_group_of_the_list_that_stands_in_the_explanation_counts(
    changed: dict[str, Any], named: list[tuple[str, str]]
) -> None:
    reading = read(TEXT, OPEN, second=second(**changed))
    assert [(group.term, group.tie) for group in reading.second_groups] == named
    for group in reading.second_groups:
        assert OPEN[group.start : group.end].lower() == "migrants"


def test_a_tie_by_quotation_needs_a_quotation() -> None:
    plain = OPEN.replace("“", "").replace("”", "")
    assert [group.tie for group in read(TEXT, plain, second=second(tie="quote")).second_groups] == [""]


def test_a_list_of_ones_own_still_decides_who_is_a_group() -> None:
    assert read(TEXT, OPEN, second=second(), listed={"work": ["gardener"]}).second_groups == []


def test_htc_and_tgi_count_what_the_reader_read() -> None:
    said = "The migrants moved in here. Weather follows. And then there is the plague, and so it goes without saying."
    alone = read(TEXT, said)
    assert alone.stated is None and [group.tie for group in alone.groups] == [""]
    plain, helped = score(alone, True, 0.9, 0.1), score(read(TEXT, said, second=second()), True, 0.9, 0.1)
    assert [(one.htc, one.tgi) for one in (plain, helped)] == [(0, 0), (1, 1)]
    record = record_of(read(TEXT, said, second=second()))
    assert scored(record, 0.0, True, Measure()).score == helped.score
    assert (stated_in(record), read_by_of(record)) == (True, ReadBy.READER)
    assert json.loads(json.dumps(record)) == record


def test_what_the_rules_concluded_stands() -> None:
    sure = read(TEXT, "It attacks the migrants. Conclusion: hateful", second=second(conclusion=False))
    assert sure.stated is True and read_by_of(record_of(sure)) is ReadBy.RULES


def test_a_record_without_a_reader_is_as_it_was() -> None:
    assert list(record_of(read(TEXT, OPEN))) == [
        *("language", "conclusions", "quotations", "rationales", "spans", "masked", "groups", "trivial", "evidence")
    ]


@pytest.mark.parametrize(
    ("is_stated", "is_refused", "second_reading", "who"),
    [
        (True, False, None, ReadBy.RULES),
        (False, True, None, ReadBy.RULES),
        (False, False, None, ReadBy.NOBODY),
        (False, False, second(), ReadBy.READER),
        (False, True, second(), ReadBy.READER),
        (False, False, second(conclusion=None), ReadBy.NOBODY),
        (False, True, second(conclusion=None), ReadBy.NOBODY),
        (False, True, second(refusal=True, conclusion=None), ReadBy.READER),
        (True, False, second(), ReadBy.RULES),
        (True, True, second(refusal=True, conclusion=None), ReadBy.READER),
    ],
)
def test_each_explanation_is_read_by_one(
    is_stated: bool, is_refused: bool, second_reading: SecondReading | None, who: ReadBy
) -> None:
    assert read_by(is_stated, is_refused, second_reading) is who


@given(
    explanation=st.text(alphabet=st.sampled_from("the migrants women“”\"'. plague不是혐오İß\n"), max_size=120),
    group=st.text(alphabet=st.sampled_from("migrants women不혐İ"), max_size=12),
    tie=st.sampled_from(["quote", "plague", "", "İ"]),
)
def test_no_reader_adds_a_word_that_the_explanation_does_not_hold(explanation: str, group: str, tie: str) -> None:
    reading = read(TEXT, explanation, second=second(group=group, tie=tie), language="en")
    plain = read(TEXT, explanation, language="en")
    assert reading.groups == plain.groups and reading.conclusions == plain.conclusions
    for named in reading.second_groups:
        assert group.casefold() and explanation[named.start : named.end].strip()
        assert named.tie in ("", "quote") or named.tie in explanation
