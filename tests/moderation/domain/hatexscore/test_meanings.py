"""Explanations whose meaning hangs on their structure: keys, readings, parts and wholes, fields, verbs of judging."""

import json
from pathlib import Path
from typing import Any

import pytest

from labelled_explanations import rules_alone
from moderation.domain.hatexscore.htc import by_rules

LANGUAGES = ["en", "ko", "zh"]


def rows(language: str) -> list[dict[str, Any]]:
    lines = Path(__file__).with_name(f"meanings_{language}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_read_is_what_is_meant(language: str) -> None:
    read = [(row, rules_alone(row["text"])) for row in rows(language)]
    assert [row for row, said in read if said is not None and said is not row["hateful"]] == []
    assert sum(said is row["hateful"] for row, said in read) / len(read) >= 0.94  # the rest is null


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_kind_has_rows_of_each_rules_alone(language: str) -> None:
    said = {(row["kind"], row["hateful"]) for row in rows(language)}
    assert {(kind, label) for kind in ("part", "readings", "keys") for label in (True, False, None)} <= said


def test_a_conclusion_by_a_code_stands_where_the_code_does() -> None:
    text = "Label: 1 (1 = hateful, 0 = not hateful)"
    assert [text[said.start : said.end] for said in by_rules(text)[1]] == ["1"]


def test_a_number_between_two_of_a_key_says_what_the_nearer_says_or_nothing() -> None:
    key = "(1 = not hateful, 9 = very hateful)"
    assert [rules_alone(f"Score: {number} {key}") for number in (2, 5, 8, 12)] == [False, None, True, None]


@pytest.mark.parametrize(("language", "right", "wrong"), [("en", 60, 5), ("ko", 41, 0), ("zh", 30, 2)])
def test_what_is_said_of_another_subject_or_scope_concludes_little_but_not_the_opposite(
    language: str, right: int, wrong: int
) -> None:
    lines = Path(__file__).with_name(f"scopes_{language}.jsonl").read_text(encoding="utf-8").splitlines()
    read = [(row["hateful"], rules_alone(row["text"])) for row in map(json.loads, lines)]
    assert sum(said is not None and said is not meant for meant, said in read) <= wrong
    assert sum(said is not None and said is meant for meant, said in read) >= right


@pytest.mark.parametrize(
    ("text", "hateful"),
    [
        ("Rating: 1/5 (5 = very hateful).", False),
        ("I would score this 2 of 10, where 10 means extremely hateful.", False),
        ("Score: 9 of 10, where 10 means extremely hateful.", True),
        ("Score: 4 of 10, where 10 means extremely hateful.", None),
        ("Severity 4/4. (4: calls for violence, 0: no hate)", True),
        ("Severity 0/4. (4: calls for violence, 0: no hate)", False),
        ("On a scale from 1 (harmless) to 7 (openly hateful), this post gets a 6.", True),
        ("On a scale from 1 (harmless) to 7 (openly hateful) I saw 6 posts and 2 replies.", None),
        ("Score 5/5 (5 = harmless).", False),
        ("Toxicity 3/5, hate 1/5 (5 = hateful)", None),
        ("Label: 0 (1 = hateful). 2 of 5 people disagree.", False),
        ("Score: 4 (5 means hateful)", True),
        ("Score: 3 (5 means hateful)", None),
        ("I'd put it at 3 out of 100, 100 being outright hate.", False),
        ("Score 2/10 (higher means more hateful)", False),
        ("혐오 점수: 1/5 (5는 매우 혐오적)", False),
        ("점수 0.5/10, 10에 가까울수록 혐오적.", False),
        ("评分 9/10，分数越高越仇恨", True),
        ("10점 만점에 9점입니다 (10점이 가장 혐오적).", True),
        ("评分：2分（满分10分，10分代表严重仇恨）", False),
    ],
)
def test_a_rating_counts_and_what_explains_the_ends_of_its_scale_does_not(text: str, hateful: bool | None) -> None:
    assert rules_alone(text) is hateful


@pytest.mark.parametrize(
    ("text", "hateful"),
    [
        ("Hate level: low (low / medium / high)", False),
        ("Hate level: medium", None),
        ("Risk: high (low / medium / high)", True),
        ("Risk: high. The post is not hateful.", False),
        ("혐오 수준: 하 (상·중·하)", False),
        ("혐오 수준: 상 (상·중·하)", True),
        ("혐오 수준: 중", None),
        ("혐오 정도: 9/10", True),
        ("위험도: 낮음 (상/중/하 중)", False),
        ("风险等级：低（低/中/高）", False),
        ("仇恨程度：中", None),
    ],
)
def test_a_level_is_its_value_and_not_its_name(text: str, hateful: bool | None) -> None:
    assert rules_alone(text) is hateful


@pytest.mark.parametrize(
    ("text", "hateful"),
    [
        ("Hateful. Wait, no.", None),
        ("Hateful. Actually, no: the author speaks of weeds.", None),
        ("Hateful. Actually, no: the author speaks of weeds. Not hateful.", False),
        ("Verdict: hateful. Correction: the target is a chess opening. Verdict: not hateful.", False),
        ("혐오입니다. 아니, 다시 보니 잡초 이야기네요.", None),
        ("属于仇恨言论。不对，再看一遍，说的是杂草。", None),
        ("**结论**：~~仇恨~~ **非仇恨**", False),
        ("Verdict: <del>hateful</del> not hateful", False),
        ("It is not true that this post is not hateful.", True),
        ("It is false that this post is hateful.", False),
        ("You would be hard pressed not to call this hateful.", True),
        ("By no stretch of the imagination is this hateful.", False),
        ("A. hateful B. not hateful\nAnswer: B", False),
        ("보기: 가. 혐오 나. 비혐오\n정답: 가", True),
        ("Of hateful and not hateful I choose the latter.", False),
        ("혐오와 비혐오 중 하나를 고르면 전자입니다.", True),
    ],
)
def test_what_is_taken_back_struck_out_or_denied_as_a_whole_is_not_concluded(text: str, hateful: bool | None) -> None:
    assert rules_alone(text) is hateful
