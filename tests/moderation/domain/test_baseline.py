"""How the prose of the one-call methods is read."""

import pytest

from moderation.domain.baseline import read_comment


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("hate speech: it calls them a plague", (True, "it calls them a plague")),
        ("not hate speech: it is about algae", (False, "it is about algae")),
        ("Not hate speech: it says: no.\n", (False, "it says: no.")),
        ("**Hate speech**: bold", (True, "bold")),
        ("혐오 표현: 사람들을 잡초라고 부른다: 그렇다.", (True, "사람들을 잡초라고 부른다: 그렇다.")),
        ("혐오 표현 아님: 조류에 관한 글이다.", (False, "조류에 관한 글이다.")),
        ("仇恨言论：把人叫作杂草。", (True, "把人叫作杂草。")),
        ("不是仇恨言论：说的是藻类。", (False, "说的是藻类。")),
        ("hate speech (not hate speech): which", None),
        ("혐오 표현 여부: 아님", None),
        ("不是仇恨言论", None),
        ("I think hate speech: yes", None),
        ("hate speech:", None),
        ("hate speech", None),
        ("", None),
    ],
)
def test_a_comment_is_read_from_one_of_its_two_forms(text: str, wanted: tuple[bool, str] | None) -> None:
    assert read_comment(text) == wanted
