"""What people do to words, in labelled cases of three languages, and by properties."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import glossary_cases
from annotation.domain.glossary.disguises import SWITCHES, How
from annotation.domain.glossary.matching import Matcher, Term
from annotation.domain.glossary.normalize import folded, readings

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
