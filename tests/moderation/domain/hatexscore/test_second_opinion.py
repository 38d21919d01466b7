"""The second opinion on what the rules read: what it weighs, and that it only ever takes a conclusion back."""

import hashlib
import json
from pathlib import Path

import pytest

from moderation.domain.hatexscore.conclusion import Conclusion
from moderation.domain.hatexscore.htc import by_rules, conclusions
from moderation.domain.hatexscore.second_opinion import is_doubted, is_weighed, weighed

HERE = Path(__file__).parent
MISREADINGS = Path(__file__).parents[4] / "bench" / "data" / "misreadings.tsv"


def texts(pattern: str) -> list[tuple[str, bool | None]]:
    rows = [json.loads(line) for path in sorted(HERE.glob(pattern)) for line in path.read_text("utf-8").splitlines()]
    return [(row["text"], row.get("conclusion", row.get("hateful"))) for row in rows]


def test_the_sentence_of_the_conclusion_the_next_and_the_last_are_weighed_for_its_side() -> None:
    text = "a plant. it is not hateful. it grows. that is all"
    seen = weighed(text, Conclusion(9, 26, False))
    assert {"-", "-own not hateful", "-next it grows", "-last is all", "-# behind 2", "-# before 1"} <= seen
    assert not [feature for feature in seen if "plant" in feature or not feature.startswith("-")]


@pytest.mark.parametrize(
    ("text", "order"),
    [
        ("it is not hateful", "copula negation hate"),
        ("혐오가 아니다", "hate negation copula"),
        ("不是仇恨", "negation copula hate"),
    ],
)
def test_the_order_of_signs_is_weighed_by_the_same_names_in_all_languages(text: str, order: str) -> None:
    assert {f"-own @{order}", "-own @hate", "-own @negation"} <= weighed(text, Conclusion(0, len(text), False))


def test_a_verdict_with_a_heading_of_its_own_stands() -> None:
    text = "conclusion: hateful"
    assert not is_weighed(text, Conclusion(0, len(text), True))
    assert is_weighed("it is hateful", Conclusion(6, 13, True))


def test_what_is_doubted_concludes_nothing_and_never_the_opposite() -> None:
    read = [(by_rules(text)[1], conclusions(text)) for text, _ in texts("held_out/kept-*conclusions-??.jsonl")]
    assert all(said in ([], found) for found, said in read)
    assert 0 < sum(bool(found) and not said for found, said in read) < len(read) / 5


def test_what_was_once_misread_is_doubted_and_what_is_read_right_rarely() -> None:
    by_digest = {hashlib.sha256(text.encode()).hexdigest()[:12]: text for text, _ in texts("**/*_en.jsonl")}
    rows = [line.split("\t") for line in MISREADINGS.read_text("utf-8").splitlines()]
    wrong = [
        is_doubted(by_rules(by_digest[digest])[0], Conclusion(int(start), int(end), side == "hateful"))
        for digest, start, end, side in rows
        if digest in by_digest
    ]
    assert sum(wrong) / len(wrong) >= 0.9
    right = [(own, found[-1]) for text, label in texts("sentences_??.jsonl") if label is not None
             for own, found in [by_rules(text)]]  # fmt: skip
    assert sum(is_doubted(own, said) for own, said in right) / len(right) <= 0.02
