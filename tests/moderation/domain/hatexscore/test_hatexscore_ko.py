"""Korean explanations. All tests that need kiwi stand in this file: it takes seconds to load, once a process."""

import json
from pathlib import Path
from typing import Any

import pytest

from labelled_explanations import shares
from moderation.domain.hatexscore.score import read, score
from moderation.domain.hatexscore.tgi import identified
from moderation.domain.hatexscore.words.tokenize_ko import segmenter, tokenize


def worked() -> list[Any]:
    lines = (Path(__file__).with_name("worked_ko.jsonl")).read_text(encoding="utf-8").splitlines()
    return [pytest.param(json.loads(line), id=str(number)) for number, line in enumerate(lines, 1)]


@pytest.mark.parametrize("case", worked())
def test_korean_explanations_come_out_as_worked_by_hand(case: dict[str, Any]) -> None:
    reading = read(case["text"], case["explanation"])
    found = score(reading, case["prediction"], case["p"], case["p_masked"])
    assert reading.language == "ko"
    assert [each.quote for each in reading.rationales] == case["rationales"]
    assert (found.htc, found.qf, found.tgi, found.cc) == (
        case["htc"],
        pytest.approx(case["qf"]),
        case["tgi"],
        case["cc"],
    )
    assert found.score == pytest.approx((case["htc"] + case["qf"] + case["tgi"] + case["cc"]) / 4)


def test_kiwi_is_loaded_once() -> None:
    assert segmenter() is segmenter()


def test_morphemes_keep_their_places() -> None:
    text = "이주민은 여기 산다."
    assert [text[token.start : token.end] for token in tokenize(text)][:2] == ["이주민", "은"]


def test_long_korean_texts_are_scored() -> None:
    explanation = "“잡초”는 이주민을 비하하므로 혐오 표현이다. " * 200
    found = score(read("잡초가 많다.", explanation), True, 1, 0)
    assert (found.htc, found.qf, found.tgi, found.cc) == (1, 1, 1, 1)


def test_korean_explanations_are_read_as_people_labelled_them() -> None:
    found = shares("ko")
    assert found.right >= 0.96 and found.opposite <= 0.001 and found.tgi >= 0.95, found


@pytest.mark.parametrize("group", ["노인", "남성", "장애인", "동성애자", "중국인"])
def test_korean_groups_that_models_name_today_are_known(group: str) -> None:
    assert identified(read("", f"이 글은 {group}을 조롱한다.").groups, prediction=True)
