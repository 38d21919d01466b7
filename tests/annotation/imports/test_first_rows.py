"""Which column is offered as the text where none is called as texts are."""

import pytest

from annotation.domain.sources.first_rows import of_prose

CASES = (
    ("templates", "id case form", ["1|I like my cats.|I like my [X].", "2|I like my dogs.|I like my [X]."], ["case"]),
    ("labels in words", "post said", ["hm|against a group", "We met in the garden.|against a group"], []),
    ("a short one", "said", ["hm", "We met in the garden.", "They came late again."], ["said"]),
    ("labels and codes", "id label", ["1|not hateful", "2|hateful"], []),
    ("Chinese without blanks", "编号 话", ["1|今天的花园里有很多人在种花", "2|邻居们昨天晚上一起做饭吃"], ["话"]),
    ("Korean", "번호 말", ["1|오늘은 이웃과 꽃을 심었다", "2|어제 저녁은 모두 함께 먹었다"], ["말"]),
    ("addresses", "link", ["https://example.org/a b c d", "https://example.org/e f g h"], []),
    ("a list", "said", ['["one of", "them is", "mine"]'], []),
    ("a cell that is no sentence", "said", ["We met them in the garden.", "yes"], []),
    ("cells that are missing", "id said", ["1|", "2|We met them in the garden."], ["said"]),
)  # fmt: skip


@pytest.mark.parametrize(("names", "rows", "expected"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_sentences_are_offered_as_the_text(names: str, rows: list[str], expected: list[str]) -> None:
    assert of_prose(names.split(), [row.split("|") for row in rows]) == expected
