"""Words are found in other forms of the same letters, on both databases; texts of before are folded by the upgrade."""

import unicodedata

import pytest
from django.db import connection

import builders
from annotation.core import text_index
from annotation.domain.choices import Role
from annotation.domain.folding.text import folded
from annotation.items.search import find_items
from annotation.models import Item

pytestmark = pytest.mark.django_db

OTHER_FORMS = (
    # what is asked, what stands in the text
    ("잡초", unicodedata.normalize("NFD", "또 잡초가 났다")),
    (unicodedata.normalize("NFD", "이웃집"), "옆 이웃집 사람"),
    ("골목", "골\u200b목에 누가"),
    ("골목에또", "골목에 또 왔네"),
    ("골목에 또", "골목에또 왔네"),
    ("골목에  또", "골목에\n또 왔네"),
    ("ABC아파트", "ＡＢＣ아파트 앞"),
    ("123동", "１２３동 사람들"),
    ("ＡＢＣ", "abc마트"),
    ("잡초", "ﾸￂﾲﾺￌ 반각"),
    ("잡초", "ㅈㅏㅂㅊㅗ 뽑기"),
    ("골목", "ㄱㅗㄹㅁㅗㄱ 풀이 많다"),
    ("잡초", "잡ㆍ초 심하다"),
    ("잡초", "잡·초 심하다"),
    ("잡ㆍ초", "잡초 심하다"),
    ("이웃사람", "이웃・사람"),
    ("잡초", "잡 초 뽑 자"),
    ("새로온사람", "새로 온 사람들"),
    ("2023년", "２０２３년 ５월"),
    ("5月14日", "２０２３年５月１４日"),
    ("杂草", "巷子裡又長雜草了"),
    ("雜草", "巷子里又长杂草了"),
    ("邻居", "這個鄰居很好"),
    ("鄰居", "这个邻居很好"),
    ("杂草", "杂\u200b草真多"),
    ("杂草真多", "杂 草 真 多"),
    ("杂草", "杂·草"),
    ("@小草莓", "＠小草莓 你好"),
    ("微信", "微\u2060信群"),
    ("金属", "⾦属做的"),
    ("カタカナ", "ｶﾀｶﾅ の 文字"),
    ("ガーデン", "ｶﾞｰﾃﾞﾝ"),
    ("café", "the cafe\u0301 corner"),
    ("cafe\u0301", "the café corner"),
    ("ÉCLAIR", "an éclair"),
    ("strasse", "die STRASSE"),
    ("straße", "die Strasse"),
    ("garden gnome", "GARDEN\u00a0\u00a0GNOME"),
    ("garden", "gar\u00adden"),
    ("finch", "ﬁnch"),
    ("عصفور", "عُصْفُورٌ صغير"),
    ("عصفور", "عصـفـور"),
    ("ارنب", "أرنب"),
    ("घोडा", "घोड़ा"),
    ("שלום", "שָׁלוֹם"),
    ("ΣΊΣΥΦΟΣ", "σίσυφος"),
    ("❤", "❤️ love"),
    ("２", "room 2b"),
)
NOT_FOUND = (
    ("잡초", "잡담"),
    ("杂草", "杂志，草地"),
    ("garden gnome", "gardengnome"),
    ("진짜", "진자"),
    ("cafe", "café"),
    ("잡초", "잡, 초"),
)


@pytest.fixture
def project():
    return builders.make_project("folded")


@pytest.fixture
def admin(project):
    return builders.make_member(project, Role.ADMIN)


def found(admin, term):
    return set(find_items(admin, {"q": [term]}).values_list("pk", flat=True))


def test_words_in_other_forms_are_found(project, admin):
    items = {text: builders.make_item(project, text).pk for _asked, text in OTHER_FORMS}
    missed = [(asked, text) for asked, text in OTHER_FORMS if items[text] not in found(admin, asked)]
    assert len(OTHER_FORMS) >= 40 and not missed


def test_other_words_are_not_found(project, admin):
    items = {text: builders.make_item(project, text).pk for _asked, text in NOT_FOUND}
    assert not [(asked, text) for asked, text in NOT_FOUND if items[text] in found(admin, asked)]


def test_texts_of_before_are_folded_and_found(project, admin):
    keys = [builders.make_item(project, f"雜草 {number}").pk for number in range(5)]
    Item.objects.filter(pk__in=keys).update(folded="")
    assert not found(admin, "杂草")
    assert text_index.fill(connection) == 5
    assert found(admin, "杂草") == set(keys)
    assert text_index.fill(connection) == 0


@pytest.mark.parametrize("text", ["진짜ㅋ 좋아ㅋㅋㅋ", "ㅠㅠ", "👨‍👩‍👧‍👦 🇰🇷", "", " ", "ㆍ", "\u200b"])
def test_folding_twice_changes_nothing_more(text):
    assert folded(folded(text)) == folded(text)
