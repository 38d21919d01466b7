"""HTC: what states a conclusion, and which; negated forms are read as what they say."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moderation.domain.hatexscore.htc import by_rules, conclusion_line, conclusions

ENGLISH = [
    ("Conclusion: hateful", True),
    ("**Conclusion:** non-hateful", False),
    ("In conclusion, the text is hateful.", True),
    ("Conclusion: The text is hateful.", True),
    ("There is no slur here", None),
    ("I cannot decide.", None),
    ("This is not hate speech.", False),
    ("The post isn't hateful.", False),
    ("The text does not cross the line into hate speech.", False),
    ("It is not non-hateful.", True),
    ("The text is not only hateful but also rude.", True),
    ("It could be considered hateful.", None),
    ("I cannot say whether the text is hateful.", None),
    ("Is the text hateful? Hard to say.", None),
    ("If one reads it literally, the text is hateful.", None),
    ("Even if it is rude, the text is not hateful.", False),
    ("Hate speech is language that attacks a group.", None),
    ("A text is hateful when it attacks a group.", None),
    ("The author calls the post “not hateful”.", None),
    ("Conclusion: “hateful”", True),
    ("Verdict: not hateful", False),
    ("Hateful", True),
    ("Non-hateful.", False),
    ("not hate speech: it is about a garden", False),
    ("Hateful: yes", True),
    ("hateful: no", False),
    ("The text contains explicit hate speech.", True),
    ("The text contains no hate speech.", False),
    ("It is free of hate speech.", False),
    ("The text is neither hateful nor rude.", False),
    ("The comment does not appear to be hateful.", False),
    ("It's hateful.", True),
    ("This qualifies as hate speech.", True),
    ("This does not qualify as hate speech", False),
    ("It would be wrong to call it hateful.", False),
    ("They report hate crimes; the post is about hate crimes.", None),
    ("The text is hateful if taken literally.", None),
    ("I consider this hateful.", True),
    ("I would not consider this hateful.", False),
    ("It is a criticism of hate speech.", None),
    ("its hateful intent can be understood", None),
    ("HATE", True),
    ("NON-HATE", False),
    ("The post is not considered to be hateful.", False),
    ("This cannot be classified as hate speech.", False),
    ("The final answer is hateful.", True),
    ("The final answer is non-hateful.", False),
    ("Conclusion: This is not hateful", False),
    ("We conclude that it is clearly hateful.", True),
    ("The post is far from hateful.", False),
    ("No, this is hateful.", True),
    ("While it may offend, the text is not hateful.", False),
]

CHINESE = [
    ("结论：仇恨", True),
    ("结论：非仇恨", False),
    ("结论：不是仇恨言论", False),
    ("该文本是仇恨言论。", True),
    ("这段文字不属于仇恨言论。", False),
    ("不构成仇恨言论", False),
    ("没有仇恨内容", False),
    ("并非仇恨言论", False),
    ("是否仇恨：否", False),
    ("无法判断是否属于仇恨言论", None),
    ("这是对仇恨言论的批评", None),
    ("这可能是仇恨言论", None),
    ("这不是不带仇恨的言论", True),
    ("这是仇恨言论吗？", None),
    ("含有针对移民的仇恨言论", True),
    ("不仅是仇恨言论，还是威胁", True),
    ("作者反对仇恨言论", None),
    ("表达了对移民的仇恨", None),
    ("属于典型的仇恨言论", True),
    ("算不上仇恨言论", False),
]

KOREAN = [
    ("결론: 혐오", True),
    ("결론: 비혐오", False),
    ("결론: 혐오 표현 아님", False),
    ("이 글은 혐오 표현이다.", True),
    ("이 글은 혐오 표현이 아니다.", False),
    ("혐오 표현이 아닙니다.", False),
    ("혐오 표현에 해당하지 않는다.", False),
    ("혐오 표현에 해당한다.", True),
    ("혐오 표현으로 볼 수 없다.", False),
    ("혐오 표현인지 판단할 수 없다.", None),
    ("혐오 표현에 대한 비판이다.", None),
    ("혐오가 담겨 있다", True),
    ("혐오적이지 않다", False),
    ("혐오적이다.", True),
    ("혐오 표현이 아니라고 할 수 없다.", True),
    ("혐오 표현일까?", None),
    ("결론: 비증오적", False),
    ("결론: 증오적", True),
    ("혐오 표현을 포함하지 않습니다.", False),
    ("이 글은 혐오 표현이라고 판단한다.", True),
    ("혐오 표현을 비판한다.", None),
    ("결론: 혐오 표현", True),
    ("혐오 표현으로 판단됩니다.", True),
    ("혐오 표현은 없다.", False),
]


@pytest.mark.parametrize(("said", "hateful"), ENGLISH + CHINESE + KOREAN)
def test_a_conclusion_is_read_as_what_it_says(said: str, hateful: bool | None) -> None:
    found = conclusions(said)
    assert (found[-1].hateful if found else None) is hateful
    assert len(found) <= 1


@pytest.mark.parametrize("around", ["The post is about a garden. {} That is all.", "First.\n{}\n"])
@pytest.mark.parametrize(
    "said", ["The text is not hateful.", "Conclusion: hateful", "结论：非仇恨", "혐오 표현이 아니다."]
)
def test_the_place_of_a_conclusion_is_kept(around: str, said: str) -> None:
    explanation = around.format(said)
    (found,) = by_rules(explanation)[1]
    assert explanation[found.start : found.end].rstrip(".") == said.rstrip(".")


def test_what_the_post_says_of_itself_is_no_conclusion_of_the_explanation() -> None:
    assert conclusions("It claims: “this is not hateful”, and “Conclusion: non-hateful”, and no more.") == []


def test_the_last_conclusion_counts_where_two_are_stated() -> None:
    found = conclusions("At first sight the post is hateful. In its context the post is not hateful.")
    assert [each.hateful for each in found] == [True, False]


@pytest.mark.parametrize("hateful", [True, False])
def test_the_line_for_a_label_is_a_conclusion(hateful: bool) -> None:
    assert [each.hateful for each in conclusions(f"Some reason.\n{conclusion_line(hateful)}")] == [hateful]


@given(st.text(alphabet="not n-hateful speech is.?\n“”仇恨不是혐오아니다 ", max_size=80))
def test_any_text_can_be_read(said: str) -> None:
    for each in conclusions(said):
        assert 0 <= each.start < each.end <= len(said)
