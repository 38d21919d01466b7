"""What a value may look like: in every field the same forms are read, and nothing that is in doubt."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, TypeAdapter, ValidationError

from annotation.domain.priors.schema import answer_shape
from annotation.domain.votes import Category
from generation.domain.counterspeech.options import SeenIntent, Toxicity
from generation.domain.injection.schema import look_shape
from moderation.domain.antihateagent import actions
from moderation.domain.arcade_statements import cues_shape
from moderation.domain.baseline import AgentAnswer
from moderation.domain.hatexscore.estimate import Estimate
from moderation.domain.predict.answers import Response, view_shape
from moderation.domain.predict.perspectives import SEEDED
from moderation.domain.task import Task
from moderation.domain.verdicts import verdict_shape
from vocabulary.folded_words import folded
from vocabulary.written_values import ClosedSet, Share, Whole, YesNo

pytestmark = pytest.mark.once

CATEGORIES = (
    Category(0, "NotHate", False, ("비혐오",)),
    Category(1, "Racist", True, ("인종차별", "种族歧视")),
    Category(2, "Sexist", True, ("성차별", "性别歧视")),
)
KNOWN = ClosedSet({row.code: (str(row.code), row.name, *row.aliases) for row in CATEGORIES})

RACIST = [
    *(
        1,
        "1",
        "Racist",
        "RACIST",
        "racist.",
        " “Racist” ",
        "**1**",
        "1 (Racist)",
        "Racist (1)",
        "1: Racist",
        "1 - Racist",
    ),
    *("1. Racist", "1) Racist", "1 Racist", "Category 1", "Category 1: Racist", "category: racist", "[1] Racist"),
    *(
        "#1",
        "1=Racist",
        "1, Racist",
        "인종차별입니다",
        "인종차별적인 표현",
        "是种族歧视",
        "种族歧视性言论",
        "属于种族歧视",
        "1번",
    ),
    *("인종차별", "인종차별 (Racist)", "범주 1: 인종차별", "种族歧视", "类别：种族歧视", "1（种族歧视）", "１"),
]
IN_DOUBT = [
    *("1 (Sexist)", "Racist, Sexist", "Racist or Sexist", "1/2", "1 (Racist), 2 (Sexist)", "not racist", "Racist?"),
    *("Racist (not quite)", "non-racist", "rac", "11", "-1", "Category", "", "인종차별 아님", "不是种族歧视"),
    *(
        "인종차별이 아닙니다",
        "没有种族歧视",
        "非种族歧视性言论",
        "不仅是种族歧视",
        "有无种族歧视",
        "是否种族歧视",
        "비인종차별적",
    ),
    *("인종차별이 없습니다", "非常种族歧视", "racism or sexism", "反种族歧视", "racist language is absent"),
    *(True, False, None, 1.5, [1], {"code": 1}, "1" * 500),
]


@pytest.mark.parametrize("written", RACIST)
def test_a_value_is_read_in_every_form_that_leaves_no_doubt(written: Any) -> None:
    assert KNOWN.read(written) == 1
    assert (
        answer_shape(CATEGORIES).model_validate({"explanation": "x", "category": written, "severity": 0}).category == 1
    )
    read = verdict_shape(CATEGORIES, Task.SIX).model_validate({"reason": "x", "category": written})
    assert read.model_dump()["category"] == 1


@pytest.mark.parametrize("written", IN_DOUBT)
def test_what_is_in_doubt_is_none(written: Any) -> None:
    assert KNOWN.read(written) is None
    with pytest.raises(ValidationError) as fault:
        verdict_shape(CATEGORIES, Task.SIX).model_validate({"reason": "x", "category": written})
    assert fault.value.errors()[0]["type"] == "invalid_label"


@given(st.sampled_from([row.name for row in CATEGORIES]), st.text(max_size=12), st.text(max_size=12))
def test_words_around_a_name_are_never_left_out(name: str, before: str, after: str) -> None:
    written = f"{before}{name}{after}"
    code = KNOWN.read(written)
    own = next(row.code for row in CATEGORIES if row.name == name)
    assert code in (None, own)
    if any(letter.isalpha() for letter in before + after) and code is not None:
        words = folded(before), folded(after)
        assert all(not word or KNOWN.read(word) in (None, own) for word in words)
        assert not {"not", "non", "no", "비"} & set(words)


@given(st.sampled_from(CATEGORIES), st.sampled_from(CATEGORIES))
def test_two_values_are_read_only_where_they_are_one(first: Category, second: Category) -> None:
    for written in (
        f"{first.code} ({second.name})",
        f"Category {first.code}: {second.name}",
        f"{first.name} - {second.code}",
    ):
        assert KNOWN.read(written) == (first.code if first is second else None)


def test_a_form_of_two_values_stands_for_neither_unless_it_is_spelled_exactly() -> None:
    known = ClosedSet({1: ("Hate",), 2: ("hate", "other"), 3: ("other",)})
    assert [known.read(word) for word in ("Hate", "hate", "HATE", "other")] == [1, 2, None, None]


@pytest.mark.parametrize(
    ("kind", "written", "value"),
    [
        *[(YesNo, word, True) for word in (True, "yes", "Yes.", "TRUE", "예", "네", "是", "“true”")],
        *[(YesNo, word, False) for word in (False, "no", "False", "아니오", "아니요", "否", "不是")],
        *[(Share, word, 0.86) for word in (0.86, "0.86", "86%", "86 %", "86 per cent", "８６％")],
        *[(Share, word, 0.86) for word in (".86", "0,86", "약 86%", "约86%", "about 86%", "百分之86")],
        *[(YesNo, word, True) for word in ("그렇다", "그렇습니다", "맞아요")],
        *[(YesNo, word, False) for word in ("아니다", "아닙니다", "그렇지 않다", "그렇지 않습니다")],
        *[
            (Whole, word, 2)
            for word in ("2 (severe)", "Severity: 2", "level 2", "2 - clear", "심각도 2", "严重程度：2")
        ],
        *[(Share, word, 1.0) for word in (1, "1", "100%", "1.0")],
        *[(Whole, word, 2) for word in (2, "2", " 2 ", "２")],
    ],
)
def test_words_and_numbers_in_quotation_marks_are_read(kind: Any, written: Any, value: Any) -> None:
    assert TypeAdapter(kind).validate_python(written) == value


@pytest.mark.parametrize(
    ("kind", "written"),
    [
        *[(YesNo, word) for word in ("maybe", "yes and no", 1, 0, None, "yes/no", "")],
        *[(Share, word) for word in ("high", "101%", "86", 86, "nan", "inf", True, None, "0.8 of 1", "-1%")],
        *[
            (Whole, word)
            for word in ("two", "2.5", 2.0, True, None, "2/3", "2 (of 3)", "2 or 3", "not 2", "1 (low), 2")
        ],
        *[(Share, word) for word in ("1 (low)", "1,86", "8,6", "about 1.5", "~")],
    ],
)
def test_what_is_no_such_value_is_none(kind: Any, written: Any) -> None:
    with pytest.raises(ValidationError):
        TypeAdapter(kind).validate_python(written)


CUE = {"id": "c1", "target_group": "g", "claim": "c", "justification": "j"}
JUDGED = {"text": "a post", "effect": "none"}


def act(action: str, **arguments: Any) -> dict[str, Any]:
    return {"thought": "t", "action": action, "action_input": arguments}


SEGMENT = {"quote": "q", "bearing": "b"}
IN_WORDS: list[tuple[Any, str, dict[Any, tuple[str, ...]]]] = [
    (
        verdict_shape(CATEGORIES, Task.BINARY),
        "hateful",
        {
            True: ("혐오 표현입니다", "혐오적이다", "是仇恨言论", "具有仇恨性", "Hate speech"),
            False: (
                "혐오 표현이 아닙니다",
                "혐오적이지 않습니다",
                "不属于仇恨言论",
                "没有仇恨内容",
                "no hate speech",
                "비혐오적",
            ),
        },
    ),
    (
        view_shape(SEEDED[0]),
        "label",
        {
            "Offensive": ("offensive language", "공격적인 표현", "공격적입니다", "冒犯性言论", "有冒犯", "属于冒犯"),
            "Not offensive": (
                "공격적이지 않습니다",
                "공격적 표현이 아님",
                "没有冒犯",
                "非冒犯性言论",
                "不属于冒犯",
            ),
            "I don't know": ("cannot tell", "모르겠어요", "판단하기 어렵다", "难以判断", "판단할 수 없음"),
        },
    ),
    (
        Response,
        "position",
        {
            "agree": ("agrees", "동의해요", "수긍", "认同", "concedes"),
            "rebut": ("rebuts", "disagrees", "refute", "반론", "비동의", "반대합니다", "不认同"),
        },
    ),
    (
        SeenIntent,
        "intent",
        {"informative": ("정보성", "信息型"), "denouncing": ("비판적", "批判"), "questioning": ("질문형",)},
    ),
]


@pytest.mark.parametrize(
    ("shape", "field", "value", "word"),
    [(shape, field, value, word) for shape, field, words in IN_WORDS for value, said in words.items() for word in said],
)
def test_words_of_the_post_s_language_are_read_with_their_endings(
    shape: Any, field: str, value: Any, word: str
) -> None:
    read = shape.model_validate({"reason": "r", "argument": "a", field: word})
    assert getattr(read, field) == value


@pytest.mark.parametrize(
    "word",
    [
        "非常冒犯",
        "不仅冒犯",
        "공격적이지 않은 것은 아니다",
        "不是不冒犯",
        "是否冒犯",
        "offensive or not",
        "not not offensive",
    ],
)
def test_a_label_with_more_words_is_asked_for_again(word: str) -> None:
    with pytest.raises(ValidationError):
        view_shape(SEEDED[0]).model_validate({"reason": "r", "label": word})


ANYWHERE: dict[str, tuple[type[BaseModel], Any, Any]] = {
    "a cue in Korean": (
        cues_shape(CATEGORIES, 2),
        {"cues": [CUE | {"cue_type": "은유적", "hate_type": "1 (인종차별)"}]},
        {"cues": [CUE | {"cue_type": "Metaphor", "hate_type": 1}]},
    ),
    "a cue in Chinese": (
        cues_shape(CATEGORIES, 2),
        {"cues": [CUE | {"cue_type": "类型：直接", "hate_type": "性别歧视"}]},
        {"cues": [CUE | {"cue_type": "Direct", "hate_type": 2}]},
    ),
    "a cue with its kind": (
        cues_shape(CATEGORIES, 2),
        {"cues": [CUE | {"cue_type": "Direct cue", "hate_type": "2"}]},
        {"cues": [CUE | {"cue_type": "Direct", "hate_type": 2}]},
    ),
    "a prior": (
        answer_shape(CATEGORIES),
        {"explanation": "x", "category": "RACIST", "severity": "2"},
        {"explanation": "x", "category": 1, "severity": 2},
    ),
    "the base agent": (AgentAnswer, {"label": "Not Hateful.", "reason": "r"}, {"label": "not hateful", "reason": "r"}),
    "the base agent in Chinese": (AgentAnswer, {"label": "仇恨", "reason": "r"}, {"label": "hateful", "reason": "r"}),
    "a position": (Response, {"argument": "a", "position": "不同意"}, {"argument": "a", "position": "rebut"}),
    "a share": (Estimate, {"probability": "86%"}, {"probability": 0.86}),
    "a bare share": (Estimate, "0.86", {"probability": 0.86}),
    "pages": (
        actions.select_pages({1, 2}, 2),
        act("selectpages", pages=["1", 2], other_queries_may_help="아니오"),
        act("SelectPages", pages=[1, 2], other_queries_may_help=False),
    ),
    "a passage": (
        actions.extract_evidence(),
        act("ExtractEvidence", segments=[SEGMENT | {"stance": "支持", "relevance": "3"}]),
        act("ExtractEvidence", segments=[SEGMENT | {"stance": "supports", "relevance": 3}]),
    ),
    "a judgment": (
        actions.reconfirm_text("a post"),
        act("ReconfirmText", **JUDGED, judgment="혐오 아님", confidence="80%", sufficient="yes"),
        act("ReconfirmText", **JUDGED, judgment="NON-HATE", confidence=0.8, sufficient=True),
    ),
    "the truth": (
        actions.final_judgment("a claim", claimed=True),
        act("FinalJudgment", text="a claim", verdict=False, confidence="0.9", rationale="r"),
        act("FinalJudgment", text="a claim", verdict="FALSE", confidence=0.9, rationale="r"),
    ),
    "toxicity": (Toxicity, {"toxicity": "5%"}, {"reason": "", "toxicity": 0.05}),
    "an intent": (SeenIntent, {"intent": "질문"}, {"reason": "", "intent": "questioning"}),
    "a look": (
        look_shape(CATEGORIES, ["women"]),
        {"description": "d", "category": "Sexist (2)", "target_group": "Women."},
        {"description": "d", "category": 2, "target_group": "women"},
    ),
}


@pytest.mark.parametrize(("shape", "written", "value"), ANYWHERE.values(), ids=ANYWHERE.keys())
def test_every_field_is_read_in_the_same_forms(shape: type[BaseModel], written: Any, value: Any) -> None:
    assert shape.model_validate_json(json.dumps(written)).model_dump(mode="json") == value


@pytest.mark.parametrize("shape", [shape for shape, _written, _value in ANYWHERE.values()])
def test_the_schema_that_is_sent_names_the_values_alone(shape: type[BaseModel]) -> None:
    schema = json.dumps(shape.model_json_schema(), ensure_ascii=False)
    assert not any(word in schema for word in ('"ge"', '"le"', "은유", "인종차별", "支持"))
