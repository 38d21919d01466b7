"""More than 1,300 secrets and 1,020 look-alikes in eight languages, each as in a campaign of its language."""

import json
import re
from pathlib import Path

import pytest

from annotation.domain.masking import messengers
from annotation.domain.masking.mask import Mask, mask
from annotation.domain.masking.regions import Regions, chosen, regions_of, unknown
from annotation.domain.masking.spans import Plain, narrow, seen

CASES = Path(__file__).parent / "cases"
SECRETS, LOOK_ALIKES = (
    [json.loads(line) for line in (CASES / name).read_text(encoding="utf-8").splitlines()]
    for name in ("secrets.jsonl", "look_alikes.jsonl")
)


def what_is_left(row: dict[str, str]) -> set[str]:
    """Return the numbers of the secret that still stand there; of one without numbers its words."""
    secret = row["secret"]
    part = re.compile(r"\d+" if re.search(r"\d", secret) else r"\w{3,}")
    of_others = set(part.findall(row["text"].replace(secret, " ")))
    return set(part.findall(secret)) & set(part.findall(masked_as(row))) - of_others


def masked_as(row: dict[str, str]) -> str:
    return mask(row["text"], list(Mask), regions_of([row["language"]]))[0]


def test_of_the_secrets_nothing_is_left() -> None:
    assert [row["text"] for row in SECRETS if what_is_left(row) or masked_as(row) == row["text"]] == []


def test_what_looks_like_a_secret_stays() -> None:
    assert [row["text"] for row in LOOK_ALIKES if masked_as(row) != row["text"]] == []


@pytest.mark.parametrize(
    ("text", "regions", "is_masked"),
    [
        ("698765432", Regions(), False),
        ("698765432", regions_of(["es"]), True),
        ("698765432", chosen(["FR"]), False),
        ("06 39 98 12 34 ce soir", Regions(), False),
        ("06 39 98 12 34 ce soir", chosen(["FR"]), True),
        ("010-1234-5678로", chosen(["US"]), False),
        ("+82 10-1234-5678", chosen(["US"]), True),  # it says itself where it is from
        ("01 12 2024", chosen(["FR"]), False),
        ("612 345 678 personas", regions_of(["es"]), False),
        ("llame al 612 345 678", regions_of(["es"]), True),
    ],
)
def test_numbers_are_those_of_the_campaigns_countries(text: str, regions: Regions, is_masked: bool) -> None:
    assert (mask(text, [Mask.PHONES], regions)[0] != text) is is_masked


def test_languages_name_countries_and_scripts_add_to_them() -> None:
    assert regions_of(["ko", "zh-hans", "", "xx"]).named == ("KR", "CN", "TW", "HK")
    assert regions_of(["ko"]).of("日本 (かな)") == ("KR", "JP", "CN", "TW", "HK")
    assert chosen(["US"]).of("전화") == ("US",)
    assert unknown(["KR", "XX", "Korea"]) == ["XX", "Korea"]


NO_ADDRESSES = [
    "학생으로 20명이 갔다",
    "서울시 강남구로 3명이 갔다",
    "마음대로 2에 살",
    "부산 동구 이동 5분",
    "인천시 남동 2-1 승리",
    "路边1号店",
    "走路3号",
    "在马路2号口",
    "他们走了一条街3号人",
    "東京都で3-4人",
    "渋谷区1-2位",
    "横浜市が3-0で勝った",
    "新宿区2023-05-14の",
    "In 2019 Wall Street lost 50000 points",
    "100 Great Way to spend 90210 dollars",
    "Les 3 rue de la paix en 1999 Paris",
    "24 heures, place aux 75002 Paris",
    "calle 13 canta 15 temas, 28013 personas",
]


@pytest.mark.parametrize("text", NO_ADDRESSES)
def test_numbers_beside_streets_are_no_addresses(text: str) -> None:
    assert mask(text, [Mask.ADDRESSES])[0] == text


def test_the_quick_look_for_names_of_messengers_leaves_none_out() -> None:
    for row in (*SECRETS, *LOOK_ALIKES):
        text = Plain(seen(narrow(row["text"]))[0])
        slowly = {word.start() for word in messengers.NAME.finditer(text)}
        assert slowly <= set(messengers.beginnings(text)), row["text"]


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("@南瓜汤说得对", "<user>说得对"),
        ("刚才@阿绿骂我是废物", "刚才<user>骂我是废物"),
        ("你去问@蓝色风筝要证据", "你去问<user>要证据"),
        ("@小河边的石头：今天真热", "<user>：今天真热"),
        ("转自@苍鹭_2020的动态", "转自<user>的动态"),
        ("@初音未来 早", "<user> 早"),
        ("回复@不想说话的鱼：好", "回复<user>：好"),
        ("@再见了我的爱 你好", "<user> 你好"),
        ("@草莓熊跟他是一伙的", "<user>跟他是一伙的"),
        ("@胡萝卜丝被封号了", "<user>被封号了"),
        ("@초록우산77이 먼저", "<user>이 먼저"),
        ("@달빛여우한테 물어봐", "<user>한테 물어봐"),
        ("＠もちうさぎが言ってた", "<user>が言ってた"),
        ("@森の小人さんへ", "<user>さんへ"),
    ],
)
def test_a_handle_ends_before_a_verb_or_a_particle(text: str, masked: str) -> None:
    assert mask(text, [Mask.HANDLES])[0] == masked
