"""A text that is called ordinary by its characters holds nothing that a finder would find."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.domain.masking.mask import _FIND, Mask, find
from annotation.domain.masking.ordinary import is_ordinary
from annotation.domain.masking.regions import regions_of
from annotation.domain.masking.spans import _plain, read

CASES = Path(__file__).parent / "cases"
SECRETS = [json.loads(line) for line in (CASES / "secrets.jsonl").read_text(encoding="utf-8").splitlines()]
PARTS = [
    *"日本語카타ひらカナ一二三四五零〇공영일이삼사오육칠팔구ㅇ가나라 　\n.．，,。…-—·・(（［〒号街로길시@＠a1９①½№",
    *(
        "사서함",
        "信箱",
        "전화",
        "联系",
        "골뱅이",
        "아이디",
        "微信",
        "카톡",
        "丁目",
        "한국",
        "中国",
        "みんな",
        "\u200b",
        "\ufe0f",
    ),
]


def found_by_all_finders(text: str) -> list[Mask]:
    plain, _at = read(text)
    return [kind for kind, find_kind in _FIND.items() if list(find_kind(plain, regions_of(["ko", "zh", "ja"])))]


def test_no_secret_stands_in_an_ordinary_text() -> None:
    assert [row["text"] for row in SECRETS if is_ordinary(row["text"])] == []


@pytest.mark.parametrize(
    "text",
    ["예시．한국", "예시.中国", "공일공－일이삼사－오육칠팔", "打一三八零零五五零一九九", "〇九〇の一二三四の五六七八"],
)
def test_what_needs_neither_digits_nor_latin_letters_is_not_ordinary(text: str) -> None:
    assert not is_ordinary(text)
    assert find(text, list(Mask))


@pytest.mark.parametrize(
    "text",
    ["오늘 날씨가 좋다!", "今天，天气“不错”……", "今日は〜天気がいい（笑）", "ㅋㅋㅋ 🐶 ♥", "一共二三四个", "..."],
)
def test_most_posts_are_ordinary(text: str) -> None:
    assert is_ordinary(text)


def test_signs_that_are_read_as_digits_and_letters_are_not_ordinary() -> None:
    assert [
        sign for sign, form in _plain().items() if (form.isalnum() or form in "@.") and is_ordinary(chr(sign))
    ] == []


@given(st.lists(st.sampled_from(PARTS), max_size=40).map("".join))
def test_in_an_ordinary_text_no_finder_finds_anything(text: str) -> None:
    assert not is_ordinary(text) or found_by_all_finders(text) == []
