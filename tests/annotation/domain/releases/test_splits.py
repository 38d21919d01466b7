"""Train, dev and test: what hangs together stays together, and every part gets its share of each stratum."""

import random
from collections import Counter, defaultdict
from io import BytesIO
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageDraw

from annotation.domain.imports import near_duplicates
from annotation.domain.imports.near_duplicates import near_texts, words_of
from annotation.domain.pictures.perceptual_hash import likeness, near_pairs, telling
from annotation.domain.releases.splits import BadShares, Member, Part, Shares, deal
from annotation.domain.releases.topic_clusters import topics_of
from annotation.domain.union_find import Chains

EIGHTY = Shares(80, 10, 10)


def members_of(count, strata=1):
    return [Member(f"i{n}", f"s{n % strata}") for n in range(count)]


@pytest.mark.parametrize(
    ("written", "train", "dev", "test"),
    [("80/10/10", 0.8, 0.1, 0.1), ("8/1/1", 0.8, 0.1, 0.1), ("75/25", 0.75, 0, 0.25), ("0/50/50", 0, 0.5, 0.5)],
)
def test_shares_are_parts_of_the_whole(written, train, dev, test):
    shares = Shares.read(written)
    assert [shares.of(part) for part in Part] == pytest.approx([train, dev, test])


@pytest.mark.parametrize("written", ["", "80", "a/b", "80/10/10/5", "-1/2/3", "0/0/0", "nan/1/1", "inf/1/1"])
def test_shares_that_cannot_be_dealt_are_refused(written):
    with pytest.raises(BadShares):
        Shares.read(written)


@pytest.mark.parametrize("written", ["80/10/10", "8/1/1", "75/25", "33/33/33", "33.4/33.3/33.3", "0.8/0.2", "100/0/0"])
def test_shares_of_a_person_are_percents_of_the_whole_or_ratios(written):
    assert Shares.read_whole(written) == Shares.read(written)


@pytest.mark.parametrize(
    ("written", "sum"), [("80/30", 110), ("80/10/20", 110), ("70/10/10", 90), ("800/100/100", 1000)]
)
def test_percents_that_are_no_whole_are_refused(written, sum):
    with pytest.raises(BadShares, match=f"add up to {sum}, not to 100"):
        Shares.read_whole(written)


def test_each_stratum_is_dealt_by_the_shares():
    # Four strata of 50: 40, 5, 5 of each.
    dealt = deal(members_of(200, strata=4), {}, EIGHTY, seed=1)
    assert dealt.strata == {f"s{n}": {"train": 40, "dev": 5, "test": 5} for n in range(4)}


def test_the_seed_decides_and_the_order_does_not():
    members = members_of(60, strata=3)
    one = dict(zip(members, deal(members, {}, EIGHTY, 7).parts, strict=True))
    shuffled = random.Random(2).sample(members, len(members))
    assert dict(zip(shuffled, deal(shuffled, {}, EIGHTY, 7).parts, strict=True)) == one
    assert deal(members, {}, EIGHTY, 8).parts != list(one.values())


@settings(max_examples=150)
@given(
    st.integers(1, 60),
    st.lists(st.lists(st.integers(0, 59), min_size=2, max_size=5), max_size=25),
    st.tuples(st.integers(0, 9), st.integers(0, 9), st.integers(1, 9)),
    st.integers(0, 2**31 - 1),
)
def test_no_tie_is_ever_cut_and_empty_parts_stay_empty(count, ties, shares, seed):
    ties = [[place % count for place in tie] for tie in ties]
    dealt = deal(members_of(count, strata=3), {"text": ties}, Shares(*shares), seed)
    assert all(len({dealt.parts[place] for place in tie}) == 1 for tie in ties)
    assert dealt.as_json()["leakage"] == 0
    assert sum(dealt.as_json()["sizes"].values()) == count
    assert {part for part in dealt.parts if Shares(*shares).of(part) == 0} == set()


@settings(max_examples=50)
@given(st.integers(30, 200), st.integers(1, 4), st.integers(0, 1000))
def test_sizes_are_near_the_shares_where_nothing_is_tied(count, strata, seed):
    sizes = deal(members_of(count, strata), {}, EIGHTY, seed).as_json()["sizes"]
    for part in Part:
        assert abs(sizes[part] - EIGHTY.of(part) * count) <= strata + 1


def test_a_frozen_list_is_kept_and_what_hangs_on_it_follows():
    frozen = {"i0": Part.TEST, "i1": Part.DEV}
    dealt = deal(members_of(10), {"text": [[0, 5], [1, 6, 7]]}, Shares(1, 0, 0), 0, frozen)
    assert [dealt.parts[n] for n in (0, 5)] == [Part.TEST] * 2
    assert [dealt.parts[n] for n in (1, 6, 7)] == [Part.DEV] * 3
    assert {dealt.parts[n] for n in (2, 3, 4, 8, 9)} == {Part.TRAIN}


def test_a_cut_that_a_frozen_list_makes_is_counted():
    dealt = deal(members_of(4), {"picture": [[0, 1], [2, 3]]}, EIGHTY, 0, {"i0": Part.TEST, "i1": Part.TRAIN})
    assert dealt.as_json()["leakage"] == 1
    assert dealt.leaks["picture"].cut == 1


# ── Texts ─────────────────────────────────────────────────────────────────────

WORDS = [f"{a}{b}" for a in "bdfgklmnprst" for b in ("a", "e", "i", "o", "u", "ar", "el", "in") if a + b != "no"]


def near_texts_held_whole(texts):
    """The same by dictionaries of all keys and marks: what flat columns, sorted in parts, have to yield."""
    runs, chains = [near_duplicates.runs_of(text) for text in texts], Chains(len(texts))
    owners, buckets = defaultdict(list), defaultdict(list)
    for place, of_text in enumerate(runs):
        for key in set(near_duplicates.keys_of(of_text)) if any(of_text) else ():
            owners[key].append(place)
    yield from (pair for key in sorted(owners) for pair in pairwise(owners[key]) if chains.join(*pair))
    levels = [near_duplicates.level_of(of_text) for of_text in runs]
    pieces = {
        place: near_duplicates.pieces_of(level)
        for place, level in enumerate(levels)
        if len(level) >= near_duplicates.LEAST_PIECES
    }
    for place, level in enumerate(levels):
        for mark in near_duplicates.band_marks(level, near_duplicates.negations_in(runs[place])):
            buckets[mark].append(place)
    for members in buckets.values():
        for at, place in enumerate(members[1:], start=1):
            for earlier in (members[0], *members[max(1, at - 8) : at]):
                alike = near_duplicates.in_common(pieces[earlier], pieces[place]) > near_duplicates.ALIKE
                if alike and chains.join(earlier, place):
                    yield earlier, place


@pytest.mark.parametrize("in_memory", [4096, 3], ids=["held", "mostly in files"])
def test_texts_that_come_once_give_the_same_pairs_as_texts_held_whole(in_memory, monkeypatch):
    monkeypatch.setattr(near_duplicates, "_IN_MEMORY", in_memory)
    dice = random.Random(5)
    texts = [""]
    for _ in range(100):
        words = dice.choice(texts).split() if dice.random() < 0.6 else []
        words = words or dice.choices([*WORDS, "not", "花", "园", "정원"], k=dice.randint(1, 20))
        for _ in range(dice.randint(0, 3)):
            words[dice.randrange(len(words))] = dice.choice(WORDS)
        texts.append(" ".join(words))
    pairs = list(near_texts(iter(texts), len(texts), texts.__getitem__))
    assert pairs == list(near_texts_held_whole(texts)) == list(near_texts(texts))
    assert len(pairs) > 20


def test_texts_with_most_pieces_in_common_share_a_mark_and_other_texts_hardly_ever_do():
    # 16 bands of 4: at 0.7 one of 80 pairs shares none, (1 - 0.7 ** 4) ** 16; at 0.05 one of 10,000 shares one.
    dice, marks = random.Random(7), near_duplicates.band_marks
    texts = [["".join(dice.choices("bdfgklmnprstaeiou", k=6)) for _ in range(40)] for _ in range(100)]
    changed = [" ".join(["zzzzzz", "yyyyyy", "xxxxxx", *words[3:]]) for words in texts]
    of_texts = [set(marks(" ".join(words), 0)) for words in texts]
    assert sum(bool(own & set(marks(text, 0))) for own, text in zip(of_texts, changed, strict=True)) >= 98
    assert sum(bool(own & other) for at, own in enumerate(of_texts) for other in of_texts[:at]) <= 5


@settings(max_examples=100)
@given(
    st.lists(st.sampled_from(WORDS), min_size=4, max_size=30),
    st.integers(0, 99),
    st.sampled_from(("set", "cut", "add")),
)
def test_one_word_changed_dropped_or_added_is_always_found(words, place, act):
    changed, at = list(words), place % len(words)
    if act == "set":
        changed[at] = "zzz"
    elif act == "add":
        changed.insert(at, "zzz")
    elif len(words) > 4:
        del changed[at]
    assert list(near_texts([" ".join(words), "", "Something else altogether here.", " ".join(changed)])) == [(0, 3)]


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("Weeds in the white roses again", "weeds, in the WHITE roses… again!"),
        ("Look at https://a.example/1 and laugh now", "look at https://b.example/2 and laugh now"),
        ("Such non-white roses, again?", "Such changed roses, again?"),
        ("@anna said it again today", "@berta said it again today"),
        ("杂草又长在白玫瑰里了真讨厌", "杂草又长在红玫瑰里了真讨厌"),
        ("杂草又长在白玫瑰园子里面了真是非常讨厌啊", "杂草又长在大公园园子里面了真是非常讨厌啊"),
        ("흰 장미 사이에 또 잡초가 있다", "흰 장미 사이에 또 들풀이 있다"),
        ("흰 장미 사이에 또 잡초가 있다", "흰장미 사이에또 잡초가있다"),
        ("골목에 잡초", "골목에잡초"),
        ("Weeds in the white roses again", "Wееds in thе whitе rоsеs аgаin"),
        ("雜草又長在白玫瑰裡了", "杂草又长在白玫瑰里了"),
        ("Weeds\u200b in the ｗｈｉｔｅ roses", "weeds in the white roses"),
        ("ㅈㅏㅂㅊㅗ 또 왔네", "잡초 또 왔네"),
        ("The roses do not grow here at all", "The roses do not bloom here at all"),
        (
            "Weeds grow in the white roses again, and nobody in this garden seems to mind them at all any more",
            "So weeds grow in the white roses again, and nobody in this park seems to mind them at all any more",
        ),
    ],
)
def test_texts_that_say_almost_the_same_are_found(one, two):
    assert list(near_texts([one, "Nothing of the kind.", two])) == [(0, 2)]


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("Good roses", "Bad roses"),
        ("!!!", "???"),
        ("", ""),
        ("The roses are in bloom today", "The weather was bad all week"),
        ("The new neighbours are welcome here", "The new neighbours are not welcome here"),
        ("The new neighbours are welcome here", "The new neighbours aren't welcome here"),
        ("Everybody likes the new neighbours", "Nobody likes the new neighbours"),
        ("새로 온 이웃은 정말 나쁘다", "새로 온 이웃은 정말 안 나쁘다"),
        ("새로 온 이웃은 나쁜 사람이다", "새로 온 이웃은 나쁜 사람이 아니다"),
        ("新来的邻居是很好的人", "新来的邻居不是很好的人"),
        ("Die neuen Nachbarn sind willkommen", "Die neuen Nachbarn sind nicht willkommen"),
        (
            "Weeds grow in the white roses again and nobody in this garden minds them at all any more, so it goes",
            "Weeds grow in the white roses again and somebody in this garden minds them at all any more, so it goes",
        ),
    ],
)
def test_texts_that_do_not_are_left_apart(one, two):
    assert list(near_texts([one, two])) == []


def test_pictographs_are_words():
    assert words_of("Roses 🌹!") == ["roses", "🌹"]


# ── Pictures ──────────────────────────────────────────────────────────────────


def drawn(seed, size=(320, 240)):
    dice = random.Random(seed)
    picture = Image.new("RGB", size, tuple(dice.randrange(256) for _ in range(3)))
    pen = ImageDraw.Draw(picture)
    for _ in range(12):
        x, y = dice.randrange(size[0]), dice.randrange(size[1])
        colour = tuple(dice.randrange(256) for _ in range(3))
        pen.ellipse((x - 50, y - 40, x + dice.randrange(20, 90), y + dice.randrange(20, 90)), fill=colour)
    return picture


def coded(picture, form="JPEG", **options):
    out = BytesIO()
    picture.save(out, form, **options)
    return likeness(out.getvalue())


def test_a_picture_encoded_anew_or_scaled_looks_the_same():
    prints = [coded(drawn(n), "PNG") for n in range(40)]
    for n in range(40):
        others = [
            coded(drawn(n), quality=40),
            coded(drawn(n), "WEBP", quality=50),
            coded(drawn(n).resize((200, 150)), quality=70),
        ]
        for other in others:
            assert (n, 40) in set(near_pairs([*prints, other]))


def test_different_pictures_do_not():
    prints = [coded(drawn(n), "PNG") for n in range(150)]
    assert list(near_pairs(prints)) == []
    assert all(telling(each) for each in prints)


def test_an_even_surface_tells_nothing():
    assert not telling(coded(Image.new("RGB", (64, 64), "red")))


@settings(max_examples=30)
@given(st.integers(0, 2**128 - 1), st.sets(st.integers(0, 127), max_size=10))
def test_ten_bits_apart_are_always_found(bits, flipped):
    other = bits
    for place in flipped:
        other ^= 1 << place
    assert list(near_pairs([f"{bits:032x}", f"{other:032x}"]))[:1] == [(0, 1)]


def test_topics_put_what_points_the_same_way_together():
    vectors = np.array([[1, 0], [0.9, 0.1], [0, 1], [0.1, 0.9], [0, 0]], dtype=np.float32)
    one, two, three, four, none = topics_of(vectors, 2, seed=0)
    assert one == two != three == four
    assert none is None
    assert Counter(topics_of(vectors, 9, seed=0))[None] == 1
