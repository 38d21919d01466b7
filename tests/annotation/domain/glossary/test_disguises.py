"""What people do to words, in labelled cases of three languages, and by properties."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import glossary_cases
from annotation.domain.glossary import korean_words
from annotation.domain.glossary.disguises import SWITCHES, How
from annotation.domain.glossary.matching import Hit, Matcher, Term
from annotation.domain.glossary.normalize import folded, readings
from annotation.domain.glossary.sounds import korean_sound

WANTED_RECALL, MOST_FALSE = 0.97, 0.03


def matcher_of(language: str) -> Matcher[str]:
    terms, _cases = glossary_cases.read(language)
    return Matcher(
        Term(listed.term, listed.term, listed.languages, listed.variants, initials=listed.initials) for listed in terms
    )


@pytest.mark.parametrize("language", ["en", "ko", "zh"])
def test_disguised_terms_are_found_and_innocent_words_are_left_alone(language: str) -> None:
    matcher, (_terms, cases) = matcher_of(language), glossary_cases.read(language)
    assert len(cases) >= 100
    missed, wanted, false, innocent = [], 0, [], 0
    for case in cases:
        places = {(hit.key, hit.start, hit.end) for hit in matcher.find(case.text)}
        wanted += len(case.places)
        missed += [(case.text, place) for place in case.places if place not in places]
        innocent += not case.places
        false += [case.text] if places - set(case.places) and not case.places else []
    assert len(missed) <= (1 - WANTED_RECALL) * wanted, missed
    assert len(false) <= MOST_FALSE * innocent, false


@pytest.mark.parametrize("language", ["en", "ko", "zh"])
def test_texts_with_terms_of_their_own_are_read_as_labelled(language: str) -> None:
    cases = glossary_cases.with_own_terms(language)
    wanted = sum(len(case.expected) for case in cases)
    innocent = sum(not case.expected for case in cases)
    assert min(wanted, innocent) >= 100
    missed, false = [], []
    for case in cases:
        found = {hit.key for hit in Matcher(Term(term, term, (language,)) for term in case.terms).find(case.text)}
        missed += [(case.text, term) for term in case.expected - found]
        false += [case.text] if found and not case.expected else []
    assert len(missed) <= (1 - WANTED_RECALL) * wanted, missed
    assert len(false) <= MOST_FALSE * innocent, false


FORMS = glossary_cases.forms()


def found_in_form(case: glossary_cases.Form) -> list[Hit[int]]:
    return Matcher([Term(1, case.term, (case.language,), sounds=case.sounds, initials=case.initials)]).find(case.text)


@pytest.mark.parametrize("languages", [("en", "ko", "zh"), ("de", "es", "fr", "tr", "ar", "hi", "ru", "ja")])
def test_breaks_entities_joined_words_sounds_and_clitics_hide_no_term(languages: tuple[str, ...]) -> None:
    cases = [case for case in FORMS if case.language in languages]
    disguised, innocent = [case for case in cases if case.found], [case for case in cases if not case.found]
    assert len(disguised) >= 50 and len(innocent) >= 25
    missed = [case for case in disguised if not found_in_form(case)]
    wrong = [case for case in innocent if found_in_form(case)]
    assert len(missed) <= (1 - WANTED_RECALL) * len(disguised), missed
    assert len(wrong) <= MOST_FALSE * len(innocent), wrong


@pytest.mark.parametrize(
    ("term", "language", "text", "how", "sureness"),
    [
        ("weed", "en", "a weed", How.WRITTEN, 0.8),
        ("weed", "en", "the weeds", How.INFLECTED, 0.76),
        ("weed", "en", "a w33d", How.LETTERS, 0.9),
        ("brickbird", "en", "a brickbird", How.WRITTEN, 1.0),
        ("벌레", "ko", "저 벌레들", How.WRITTEN, 0.8),
        ("벽돌새", "ko", "저 벽돌새들", How.WRITTEN, 1.0),
        ("벽돌새", "ko", "벽돌새퇴치", How.SPLIT, 0.7),
        ("杂草", "zh", "杂草！", How.WRITTEN, 0.8),
        ("铁皮鸟", "zh", "铁皮鸟！", How.WRITTEN, 1.0),
        ("brickbird", "en", "br&#105;ckbird", How.VARIANT, 0.95),
        ("brickbird", "en", "#stopbrickbirdsnow", How.SPLIT, 0.7),
        ("Nesthocker", "de", "Stubennesthocker", How.SPLIT, 0.7),
    ],
)
def test_a_word_of_everyday_language_is_less_sure(
    term: str, language: str, text: str, how: How, sureness: float
) -> None:
    (hit,) = Matcher([Term(1, term, (language,))]).find(text)
    assert (hit.how, hit.sureness) == (how, sureness)


def test_initials_of_pinyin_count_only_where_the_entry_asks_and_by_themselves() -> None:
    assert Matcher([Term(1, "铁皮鸟", ("zh",))]).find("那个tpn") == []
    matcher = Matcher([Term(1, "铁皮鸟", ("zh",), initials=True)])
    (hit,) = matcher.find("那个TPN又来")
    assert (hit.start, hit.end, hit.how, hit.sureness) == (2, 5, How.INITIALS, 0.5)
    for text in ("a tpn is here", "那个tpn.example.com", "型号tpn-2", "那个tpng", "文件x_tpn"):
        assert matcher.find(text) == [], text


@pytest.mark.parametrize(
    ("term", "text"),
    [("强盗", "弓虽盗来了"), ("强盗", "又是弓虽次皿"), ("机器人", "木几器人"), ("強盗", "弓雖盗")],
)
def test_characters_that_are_taken_apart_are_put_together(term: str, text: str) -> None:
    found = Matcher([Term(1, term, ("zh",))]).find(text)
    assert [hit.how for hit in found] == [How.SPLIT]
    assert Matcher([Term(1, term, ("zh",), off=frozenset({How.SPLIT}))]).find(text) == []


def test_sounds_count_only_where_the_entry_asks() -> None:
    for term, language, text in (
        ("벽돌새", "ko", "벽똘쌔들"),
        ("铁皮鸟", "zh", "贴皮鸟"),
        ("铁皮鸟", "zh", "tie pi niao"),
    ):
        assert Matcher([Term(1, term, (language,))]).find(text) == []
        (hit,) = Matcher([Term(1, term, (language,), sounds=True)]).find(text)
        assert (hit.start, hit.how) == (0, How.SOUND)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("옷걸이", "옫꺼리"),
        ("국물", "궁물"),
        ("입학", "이팍"),
        ("같이", "가치"),
        ("좋아", "조아"),
        ("신라", "실라"),
        ("독립", "동닙"),
        ("값이", "갑시"),
        ("져서", "저서"),
        ("왜", "웨"),
    ],
)
def test_spellings_of_one_sound_are_one(one: str, other: str) -> None:
    assert korean_sound(one) == korean_sound(other)


def test_without_segmenters_the_rules_decide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(korean_words, "kiwi", lambda: None)
    assert Matcher([Term(1, "벽돌새", ("ko",))]).find("벽돌새퇴치") == []
    assert Matcher([Term(1, "쥐", ("ko",))]).find("저 쥐가") == []
    assert [hit.sureness for hit in Matcher([Term(1, "벌레", ("ko",))]).find("저 벌레들")] == [1.0]


@pytest.mark.parametrize(
    ("text", "how"),
    [
        ("zorbling", How.WRITTEN),
        ("zorblings", How.INFLECTED),
        ("z0rbling", How.LETTERS),
        ("z.o.r.b.l.i.n.g", How.SEPARATED),
        ("zorrrbling", How.REPEATED),
        ("zor bling", How.SPLIT),
        ("z*rbling", How.MASKED),
        ("snarl", How.VARIANT),
        ("ㅍㅜㄹㅁㅜㅇ", How.JAMO),
    ],
)
def test_an_entry_may_switch_a_disguise_off(text: str, how: How) -> None:
    def hits(off: frozenset[How]) -> list[How]:
        terms = [Term(1, "zorbling", variants=("snarl",), off=off), Term(2, "풀뭉", ("ko",), off=off)]
        return [hit.how for hit in Matcher(terms).find(text)]

    assert hits(frozenset()) == [how]
    if how is not How.WRITTEN:
        assert hits(frozenset({how})) == []
    assert hits(frozenset(SWITCHES) - {how}) == [how]


def test_a_hit_of_two_disguises_counts_only_where_the_entry_allows_both() -> None:
    term = Term(1, "zorbling", off=frozenset({How.INFLECTED}))
    assert Matcher([term]).find("z0rblings") == []
    (hit,) = Matcher([Term(1, "zorbling")]).find("z0rblings")
    assert (hit.how, hit.sureness) == (How.LETTERS, 0.9)


def test_a_disguise_is_never_surer_than_the_written_word() -> None:
    assert all(0 < how.sureness <= How.WRITTEN.sureness for how in How)


def test_initial_consonants_count_only_where_the_entry_asks() -> None:
    assert Matcher([Term(1, "풀뭉꾼", ("ko",))]).find("저 ㅍㅁㄲ") == []
    (hit,) = Matcher([Term(1, "풀뭉꾼", ("ko",), initials=True)]).find("저 ㅍㅁㄲ는")
    assert (hit.start, hit.end, hit.how) == (2, 5, How.INITIALS)


SIGNS = st.sampled_from(["", ".", "-", "_", "/", "·", "\u200b", "\u2060", "~", "•", "^", "…"])


@given(st.sampled_from(["zorbling", "flimsnark", "잡초벌레", "흰장미", "杂草人", "绿龟蛋"]), st.data())
def test_signs_inside_a_term_keep_the_hit_and_its_place(term: str, data: st.DataObject) -> None:
    signs = data.draw(st.lists(SIGNS, min_size=len(term) - 1, max_size=len(term) - 1))
    disguised = term[0] + "".join(sign + char for sign, char in zip(signs, term[1:], strict=True))
    text = f"x, {disguised} !"
    hits = Matcher([Term(1, term, ("ko",) if term[0] > "가" else ())]).find(text)
    assert [(hit.start, hit.end) for hit in hits] == [(3, 3 + len(disguised))]


@given(st.lists(st.integers(1, 4), min_size=8, max_size=8))
def test_repeated_letters_keep_the_hit_and_its_place(times: list[int]) -> None:
    stretched = "".join(char * number for char, number in zip("zorbling", times, strict=True))
    (hit,) = Matcher([Term(1, "zorbling")]).find(f"a {stretched}.")
    assert (hit.start, hit.end) == (2, 2 + len(stretched))


@given(st.lists(st.booleans(), min_size=8, max_size=8))
def test_full_width_and_mathematical_letters_keep_the_hit(changed: list[bool]) -> None:
    for first in (0xFF41, 0x1D41A, 0x24D0):
        word = "".join(
            chr(first + ord(char) - 97) if is_changed else char
            for char, is_changed in zip("zorbling", changed, strict=True)
        )
        (hit,) = Matcher([Term(1, "zorbling")]).find(f"<{word}>")
        assert (hit.start, hit.end) == (1, 9)


def test_a_sign_that_is_two_letters_is_read_as_both() -> None:
    assert readings("b1g") == ("big", "blg")
    assert folded("ᴢᴏʀʙ") == "zorb"
    assert len(readings("1" * 40 + "a")) <= 8


@pytest.mark.parametrize(
    ("term", "language", "text", "found"),
    [
        ("plonkwit", "en", "p.l.0.n.k.w.1.t", "p.l.0.n.k.w.1.t"),
        ("solo", "en", "5 0 1 0", ""),
        ("plonkwit", "en", "plonkwittery", "plonkwittery"),
        ("Nörgelfichte", "de", "die Noergelfichte", "Noergelfichte"),
        ("goblin hoarder", "en", "- goblin\n- hoarder", ""),
        ("brackmuffin", "en", "https://example.org/brack/muffin", ""),
        ("brackmuffin", "en", "brack/muffin", "brack/muffin"),
        ("헐렁뱅", "ko", "ㅎㅓㄹㄹㅓㅇㅂㅐㅇ", "ㅎㅓㄹㄹㅓㅇㅂㅐㅇ"),
        ("멍굴쇠", "ko", "멍, 굴, 쇠", ""),
        ("铁锅贼", "zh", "这铁丨锅丨贼", "铁丨锅丨贼"),
        ("酸菜猴", "zh", "是酸酸菜菜猴猴啊", "酸酸菜菜猴猴"),
        ("土豆K", "zh", "土豆Kg价格", ""),
    ],
)
def test_a_term_is_found_as_people_write_it_and_not_in_what_only_looks_like_it(
    term: str, language: str, text: str, found: str
) -> None:
    assert "".join(text[hit.start : hit.end] for hit in Matcher([Term(1, term, (language,))]).find(text)) == found


def test_initial_consonants_may_have_signs_between_them() -> None:
    (hit,) = Matcher([Term(1, "풀뭉꾼", ("ko",), initials=True)]).find("저 ㅍ.ㅁ.ㄲ는")
    assert (hit.start, hit.end, hit.how) == (2, 7, How.INITIALS)


@pytest.mark.parametrize(
    ("term", "text", "places"),
    [
        ("hob", "pure h.o.b talk", [(5, 10)]),
        ("hob", "a H-O-B.", [(2, 7)]),
        ("hob", "p.h.o.b and h.o.b.s and h o b and ho-b", []),
        ("찔레덕", "저 찔레더억 좀", [(2, 6)]),
        ("황토곰", "황토고오오옴들", [(0, 6)]),
        ("놔두리", "놔아아두리", [(0, 5)]),
        ("황토곰", "황토 고오옴", [(0, 6)]),
        ("황토곰", "황토고양", []),
        ("破箩筐", "破箩箩筐", [(0, 4)]),
        ("泡菜鬼", "泡菜鬼鬼鬼", [(0, 5)]),
        ("豆渣", "豆豆渣", [(1, 3)]),
    ],
)
def test_letters_apart_and_drawn_out_syllables(term: str, text: str, places: list[tuple[int, int]]) -> None:
    language = "ko" if term >= "가" else "zh" if term > "z" else "en"
    assert [(hit.start, hit.end) for hit in Matcher([Term(term, term, (language,))]).find(text)] == places


@pytest.mark.parametrize(
    ("term", "text", "places"),
    [
        ("weed", "see https://example.org/weed/ for weed", [(34, 38)]),
        ("잡초", "https://example.kr/잡초/ 에서", []),
        ("泡菜鬼", "看https://example.cn/abc这些泡菜鬼又来了", [(25, 28)]),
        ("泡菜鬼", "这些泡菜鬼https://example.cn/abc", [(2, 5)]),
        ("泡菜鬼", "https://example.cn/abc，泡菜鬼", [(23, 26)]),
        ("泡菜鬼", "https://example.cn/wiki/泡菜鬼?q=泡菜鬼", []),
        ("weedling", "Weed (ling)", [(0, 10)]),
        ("weedling", "Weed (ling and salt)", []),
        ("肥料佬", "肥料（佬先生推荐）", []),
        ("破箩筐", "破(箩)筐", [(0, 5)]),
        ("泡菜鬼", "泡、菜、鬼", [(0, 5)]),
        ("泡菜鬼", "泡、菜、鬼、油", []),
        ("锄头帮", "这把锄头帮我拿一下", []),
        ("锄头帮", "这些锄头帮的人", [(2, 5)]),
        ("물뿌리개", "물뿌리개단지를 샀다", [(0, 4)]),
        ("물뿌리개", "물뿌리개들이었다니까요", [(0, 4)]),
        ("weed", "write to weed@example.org", []),
        ("weed", "example.org/weed", []),
        ("weed", "GET /api/weed?n=1", []),
        ("weed", "/weed/", [(1, 5)]),
        ("泡菜", "www.example.cn/nc泡菜", []),
        ("88", "8.88 or 88,000 or 0.88", []),
        ("88", "I say 88.", [(6, 8)]),
        ("weedling", "wееdliпg", [(0, 8)]),
        ("고양이", "참고 양이 많다", []),
        ("上海", "他们坐上海船出发", []),
    ],
)
def test_addresses_brackets_lists_and_other_words_hold_no_term(
    term: str, text: str, places: list[tuple[int, int]]
) -> None:
    language = "ko" if term >= "가" else "zh" if term > "z" else "en"
    assert [(hit.start, hit.end) for hit in Matcher([Term(term, term, (language,))]).find(text)] == places
