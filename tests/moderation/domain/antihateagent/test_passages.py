"""Quotations of pages: word for word, in whole words and numbers, with their sentence."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moderation.domain.antihateagent.passages import find_quote, sentence_of, sentences

PAGE = "People  say:\n“Weeds” are\u00a0new­comers – nothing else. ＷＥＥＤＳ again."


def test_quotations_are_found_whatever_their_marks_and_spaces() -> None:
    span = find_quote('"weeds" are newcomers - nothing else', PAGE)
    assert span is not None
    assert PAGE[span.start : span.end] == "Weeds” are\u00a0new­comers – nothing else"
    assert find_quote("weeds again", PAGE) is not None


def test_what_leaves_words_out_or_is_too_short_is_no_quotation() -> None:
    assert find_quote("Weeds … nothing else", PAGE) is None
    assert find_quote("say", PAGE) is None
    assert find_quote("", PAGE) is None


@given(st.text(alphabet="abc “”–\u00a0é\u0301ｗ", max_size=200), st.data())
def test_a_piece_of_a_page_is_found_on_it_where_it_counts(text: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(text)))
    span = find_quote(text[at : at + 40], text)
    assert span is None or 0 <= span.start < span.end <= len(text)


def quoted(quote: str, text: str) -> str | None:
    span = find_quote(quote, text)
    return span and text[span.start : span.end]


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("In 2023 the office counted 412 newcomers.", "the office counted 4"),
        ("In 2023 the office counted 412 newcomers.", "12 newcomers"),
        ("the share rose by 4.12 percent", "the share rose by 4.1"),
        ("The budget was 1,200 crowns", "The budget was 1,2"),
        ("The budget was 1,200 crowns", "The budget was 1"),
        ("Le budget fut de 1 200 couronnes", "Le budget fut de 1"),
        ("They sowed about 10^6 seeds", "They sowed about 10"),
        ("They sowed about 10² seeds", "They sowed about 10"),
        ("the season of 2019–2020 was wet", "the season of 2019"),
        ("on 2023-05-14 it rained", "on 2023-05"),
        ("Newcomers | 118 | 4.1 %", "Newcomers | 118 | 4"),
        ("공원에 412만 명이 왔다", "공원에 모두 412"),
        ("공원에 412만 명이 왔다", "공원에 412"),
        ("这里的人口为一百二十万人", "这里的人口为一百二"),
        ("这里的人口为412万人左右", "这里的人口为412"),
        ("weeds are legal immigrants", "weeds are legal immigr"),
        ("weeds are legal immigr\u00adants", "weeds are legal immigr"),
        ("weeds are illegal immigrants", "legal immigrants"),
        ("the non-hateful content of it", "hateful content of it"),
        ("an anti‑immigrant riot in May", "immigrant riot in May"),
        ("They can't vote in this town", "vote in this town and they can"),
        ("They can’t vote in this town", "They can"),
        ("이주민은 잡초다 라는 말은 거짓이다", "주민은 잡초다"),
        ("the e\u0301toile of the garden", "toile of the garden"),
    ],
)
def test_a_quotation_never_ends_inside_a_word_or_a_number(text: str, quote: str) -> None:
    assert quoted(quote, text) is None


@pytest.mark.parametrize(
    ("text", "quote", "whole"),
    [
        ("it was 1.2 million people", "it was 1.2", "it was 1.2 million"),
        ("it rose by 4.1 % in May", "it rose by 4.1", "it rose by 4.1 %"),
        ("it fell: -4.1 percent in all", "4.1 percent in all", "-4.1 percent in all"),
        ("공원에 412명이 왔다", "공원에 412", "공원에 412명이"),
        ("이주민은 잡초가 아니다", "이주민은 잡초", "이주민은 잡초가"),
        ("大家都说新移民不是罪犯，这是事实。", "是罪犯，这是", "大家都说新移民不是罪犯，这是事实"),
        ("weeds—newcomers cause harm—are here", "newcomers cause harm", "newcomers cause harm"),
        (
            "weeds are legal immigr, weeds are legal immigrants",
            "weeds are legal immigrants",
            "weeds are legal immigrants",
        ),
        ("of 4120 and then of 412 newcomers", "of 412 newcomers", "of 412 newcomers"),
        # A number in words is one number.
        ("about two hundred thousand newcomers came", "about two hundred", "about two hundred thousand"),
        ("about two hundred thousand newcomers came", "thousand newcomers came", "two hundred thousand newcomers came"),
        ("it was three and a half million in all", "it was three", "it was three and a half million"),
        ("one hundred and five of them came", "one hundred", "one hundred and five"),
        ("nearly half a million came here", "nearly half", "nearly half a million"),
        ("deux cent mille personnes sont venues", "deux cent", "deux cent mille"),
        ("llegaron doscientas mil personas", "llegaron doscientas", "llegaron doscientas mil"),
        ("it was 4.1 mn in this country", "it was 4.1", "it was 4.1 mn"),
        ("es waren 300 Tsd. im Land", "es waren 300", "es waren 300 Tsd"),
        ("hubo 3 mil casos en mayo", "hubo 3 mil casos", "hubo 3 mil casos"),
        ("sobre 3 mil casos en mayo", "sobre 3", "sobre 3 mil"),
        ("there were 2 lakh of them", "there were 2", "there were 2 lakh"),
        ("one of the two came in May", "one of the two", "one of the two"),
        ("the first one hundred metres", "the first", "the first"),
        ("only one and then two came", "only one", "only one"),
        ("on 2 May 2023 412 newcomers came", "412 newcomers came", "412 newcomers came"),
        ("2023年Newcomers来了很多", "Newcomers", "Newcomers"),
    ],
)
def test_a_quotation_is_widened_where_that_keeps_it_whole(text: str, quote: str, whole: str) -> None:
    assert quoted(quote, text) == whole


def test_a_later_place_where_the_words_are_whole_is_found() -> None:
    assert quoted("the office counted 4", "the office counted 412; the office counted 4.") == "the office counted 4"


_KINDS = ["weeds", "non-hateful", "4.12", "1,200", "10^6", "can't", "잡초는", "no"]
WORDS = st.lists(st.sampled_from(_KINDS), min_size=3)


@given(WORDS, st.data())
def test_what_is_found_is_made_of_whole_words(words: list[str], data: st.DataObject) -> None:
    text = " ".join(words)
    start = data.draw(st.integers(0, len(text)))
    span = find_quote(text[start : start + data.draw(st.integers(6, 30))], text)
    if span is not None:
        assert set(text[span.start : span.end].split()) <= set(words)


@pytest.mark.parametrize(
    ("text", "quote", "sentence"),
    [
        (
            "It rained. It is not true that newcomers cause half of all crime. Nobody counted.",
            "newcomers cause half",
            "It is not true that newcomers cause half of all crime.",
        ),
        ("Dr. Example. The share rose by 4.1 percent in May.", "share rose", "The share rose by 4.1 percent in May."),
        ("Year | Newcomers\n2023 | 412 of them\n2024 | 4", "412 of them", "2023 | 412 of them"),
        ("天没有下雨。新来者造成一半犯罪，这是谣言。没人数过。", "新来者造成一半", "新来者造成一半犯罪，这是谣言。"),
        ("비는 오지 않았다. 이주민은 잡초가 아니다. 끝.", "이주민은 잡초가", "이주민은 잡초가 아니다."),
        ("First of two. Second of two. Third.", "of two. Second of", "First of two. Second of two."),
        (
            "The office of the town has counted each of the\nnewcomers who came to it in May. More.",
            "newcomers who came",
            "The office of the town has counted each of the\nnewcomers who came to it in May.",
        ),
        ("He said: “They are weeds!” And went.", "They are weeds", "He said: “They are weeds!”"),
    ],
)  # fmt: skip
def test_a_passage_has_its_sentence(text: str, quote: str, sentence: str) -> None:
    span = find_quote(quote, text)
    assert span is not None
    place = sentence_of(text, span)
    assert text[place.start : place.end] == sentence


@given(st.text(alphabet="ab .\n。!”", max_size=300))
def test_sentences_hold_the_text_in_order(text: str) -> None:
    found = [text[place.start : place.end] for place in sentences(text)]
    assert "".join("".join(found).split()) == "".join(text.split())
    assert all(part and part == part.strip() for part in found)
