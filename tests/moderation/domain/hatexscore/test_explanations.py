"""Explanations as models write them, read as people labelled them. Korean ones that need kiwi have their own file."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labelled_explanations import labelled, rules_alone, sentences, shares
from moderation.domain.hatexscore.htc import conclusions, verdict
from moderation.domain.hatexscore.plain_text import plain
from moderation.domain.hatexscore.quotations import quotations
from moderation.domain.hatexscore.score import read
from moderation.domain.hatexscore.tgi import groups, identified


@pytest.mark.parametrize("language", ["en", "zh"])
def test_explanations_are_read_as_people_labelled_them(language: str) -> None:
    found = shares(language)
    assert found.right >= 0.96 and found.opposite <= 0.001 and found.tgi >= 0.95, found


@pytest.mark.parametrize("language", ["en", "ko", "zh"])
def test_single_sentences_are_read_as_they_are_meant(language: str) -> None:
    wrong = [row for row in sentences(language) if rules_alone(row["text"]) is not row["conclusion"]]
    assert wrong == []


@pytest.mark.parametrize("language", ["en", "ko", "zh"])
def test_the_labelled_explanations_are_many_and_of_several_families(language: str) -> None:
    rows = labelled(language)
    assert len({row.text for row in rows}) == len(rows) >= 150
    assert len({row.family for row in rows}) >= 5
    assert min([row.conclusion for row in rows].count(label) for label in (True, False, None)) >= 15


@pytest.mark.parametrize(
    ("text", "hateful"),
    [
        ("It says “a plague”.\nConclusion: hateful", True),
        ("It says “algae”.\nConclusion: non-hateful", False),
        ("…\n**Conclusion: not hateful.**", False),
        ("…\nConclusion: hateful\nConclusion: non-hateful", None),
        ("Initial verdict: non-hateful\n…\nFinal verdict: hateful", True),
        ("Conclusion: hateful to whom?", None),
        ("No hate here.", False),
        ("No word of it is explained here.", None),
        ("결론: Hateful", True),
        ("结论：Hateful", True),
        ("✅ **Conclusion: Non‑hateful**", False),
    ],
)
def test_label_and_score_follow_the_same_conclusion(text: str, hateful: bool | None) -> None:
    assert verdict(text) is hateful
    assert read("a plague", text, language="en").stated is hateful


@given(st.text(), st.booleans())
def test_whatever_stands_before_it_a_single_conclusion_is_found(text: str, hateful: bool) -> None:
    before = text.replace("onclusion", "")
    assert verdict(f"{before}\nConclusion: {'hateful' if hateful else 'non-hateful'}") is hateful


@given(st.text())
def test_plain_text_keeps_every_place(text: str) -> None:
    assert len(plain(text)) == len(text)


@pytest.mark.parametrize(
    "thoughts", ["<think>It is hateful.</think>\nIt is not hateful.", "It is hateful.\n</think>\nIt is not hateful."]
)
def test_what_a_model_thought_aloud_is_no_conclusion(thoughts: str) -> None:
    assert [conclusion.hateful for conclusion in conclusions(thoughts)] == [False]


def ties(explanation: str) -> list[tuple[str, str]]:
    found = groups(explanation, quotations(explanation), "en", {"Gender": ["women"], "Race": ["ethnic group"]})
    return [(group.term, group.tie) for group in found]


@pytest.mark.parametrize(
    ("explanation", "found"),
    [
        ('The post says "vermin". This is directed at women.', [("women", "quote")]),
        ("The text is about women. It insults them.", [("women", "insult")]),
        ("- Target: women\n- Key phrase: “dolls”", [("women", "target")]),
        ("- Group: women\n- Length: short\n- Place: none\n- Tone: none\n- Phrase: “dolls”", [("women", "quote")]),
        ("Women live here. It is an insult.", [("women", "")]),
        ("The words 'all women' are an attack.", []),
        ("The text attacks no ethnic group.", []),
        ("The text attacks an ethnic group.", [("ethnic group", "attack")]),
        ('A woman said "weeds".', []),
        ("It insults a woman.", [("women", "insult")]),
        ('{"target": "women", "reason": "an insult"}', [("women", "target")]),
    ],
)
def test_the_tie_may_stand_in_a_neighbouring_sentence_or_a_list(explanation: str, found: list[tuple[str, str]]) -> None:
    assert ties(explanation) == found


@pytest.mark.parametrize(
    "explanation",
    [
        "It mocks older people.",
        "It mocks men.",
        "It mocks disabled people.",
        "It mocks gay people.",
        "它嘲笑老人。",
        "它嘲笑男人。",
        "它嘲笑残疾人。",
        "它嘲笑同性恋者。",
        "它嘲笑農村婦女。",
    ],
)
def test_groups_that_models_name_today_are_known(explanation: str) -> None:
    assert identified(read("", explanation).groups, prediction=True)
