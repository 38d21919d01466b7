"""Quotes: which strings are quoted, where they stand in the text, and what is masked."""

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moderation.domain.hatexscore.masking import edits, mask
from moderation.domain.hatexscore.quotations import quotations


@pytest.mark.parametrize(
    ("said", "quoted"),
    [
        ('It says "weeds" and "white roses".', ["weeds", "white roses"]),
        ("It says “weeds” twice: “weeds”.", ["weeds", "weeds"]),
        ("It says ‘don’t touch the neighbours’.", ["don’t touch the neighbours"]),
        ("The neighbour’s garden isn't theirs, it's the '90s.", []),
        ("Elle dit « mauvaises herbes » et «roses».", ["mauvaises herbes", "roses"]),
        ("Sie schreibt „Unkraut“ in den Garten.", ["Unkraut"]),
        ("作者说「杂草」和『花园』。", ["杂草", "花园"]),
        ("글쓴이는 ‘잡초’라고 했다.", ["잡초"]),
        ('A 5" pipe and "weeds"', ["weeds"]),
        ('Not closed: "weeds\n\nand "roses" later', ["roses"]),
        ("“outer ‘inner’ outer”", ["outer ‘inner’ outer", "inner"]),
        ('“”, "", « »', []),
    ],
)
def test_what_stands_in_quotation_marks_is_quoted_an_apostrophe_quotes_nothing(said: str, quoted: list[str]) -> None:
    found = quotations(said)
    assert [each.text for each in found] == quoted
    assert all(said[each.start : each.end] == each.text for each in found)


@pytest.mark.parametrize(
    ("text", "quotes", "masked"),
    [
        # as written, without regard to case, the form of apostrophes, or spaces
        ("The Weeds choke the roses.", ["weeds"], "The [MASK] choke the roses."),
        ("They don't choke.", ["don’t choke"], "They [MASK]."),
        ("New\n weeds here", ["new weeds"], "[MASK] here"),
        # everywhere it stands, but never within a word
        ("Weeds, weeds and seaweeds.", ["weeds"], "[MASK], [MASK] and seaweeds."),
        ("A man was as bad as a cat.", ["a", "as", "man"], "[MASK] [MASK] was [MASK] bad [MASK] [MASK] cat."),
        # up to 15 % edits: 17 characters allow two, eleven one, six none
        ("the new neigbours moved", ["the new neighbours"], "[MASK] moved"),
        ("white roses", ["white rosses"], "[MASK]"),
        ("a rosy day", ["roses"], "a rosy day"),
        # a comma of the explanation's own, an ellipsis
        ("weeds in the garden", ["weeds,"], "[MASK] in the garden"),
        ("weeds in the garden of the street", ["weeds … street"], "[MASK] in the garden of the [MASK]"),
        ("weeds in the garden", ["weeds … motorway"], "weeds in the garden"),
        # quotes that overlap become one mask
        ("new weeds are choking roses", ["new weeds are", "are choking"], "[MASK] roses"),
        # scripts without spaces, particles, accents in two forms, joined emoji, right to left
        ("这些害虫又来了", ["害虫"], "这些[MASK]又来了"),
        ("저 해충들이 왔다", ["해충"], "저 [MASK]들이 왔다"),
        (unicodedata.normalize("NFD", "un café noir"), ["CAFÉ"], "un [MASK] noir"),
        (unicodedata.normalize("NFD", "저 해충들"), ["해충"], unicodedata.normalize("NFD", "저 [MASK]들")),
        ("le cafe noir", ["caf"], "le cafe noir"),
        ("go 👨‍👩‍👧 home", ["👨"], "go 👨‍👩‍👧 home"),
        ("go 👍🏽 home 👍", ["👍"], "go 👍🏽 home [MASK]"),
        ("الأعشاب الضارة تخنق الورود", ["الضارة"], "الأعشاب [MASK] تخنق الورود"),
        ("العشب והעשב", ["עשב"], "العشب והעשב"),
        ("İstanbul weeds", ["weeds"], "İstanbul [MASK]"),
        # what is a mask already stays one
        ("[MASK] and mask", ["mask"], "[MASK] and [MASK]"),
    ],
)
def test_quotes_are_masked_where_they_stand(text: str, quotes: list[str], masked: str) -> None:
    found = mask(text, quotes)
    assert found.text == masked
    assert mask(masked, quotes).text == masked
    pieces, at = [], 0
    for start, end in found.spans:
        pieces += [text[at:start], "[MASK]"]
        at = end
    assert "".join([*pieces, text[at:]]) == masked


def test_a_quote_keeps_all_its_places() -> None:
    (found,) = mask("Weeds and weeds.", ["weeds", "roses"]).rationales
    assert (found.quote, found.spans) == ("weeds", ((0, 5), (10, 15)))


@pytest.mark.parametrize(
    ("one", "other", "distance"), [("", "", 0), ("kitten", "sitting", 3), ("weeds", "weeds", 0), ("a", "abcdefgh", 4)]
)
def test_edits_are_counted_up_to_a_bound(one: str, other: str, distance: int) -> None:
    assert edits(one, other, 3) == distance


_SAID = "weeds Weeds weed white roses rosse the a [MASK] mask 害虫 花园 해충 들이 é e\u0301 👍🏽 الورود . , ’s"
_WORDS = st.sampled_from(_SAID.split())
_TEXTS = st.builds(lambda words, by: by.join(words), st.lists(_WORDS, max_size=12), st.sampled_from([" ", "", "  "]))


@settings(max_examples=60)
@given(_TEXTS, st.lists(_TEXTS, max_size=3))
def test_masking_twice_equals_masking_once(text: str, quotes: list[str]) -> None:
    once = mask(text, quotes)
    twice = mask(once.text, quotes)
    assert twice.text == once.text
    assert twice.spans == ()
    ends = [0, *(end for _, end in once.spans)]
    assert all(start >= end for (start, _), end in zip(once.spans, ends, strict=False))


@settings(max_examples=60)
@given(st.text(max_size=60), st.lists(st.text(min_size=1, max_size=20), max_size=3))
def test_any_text_and_any_quotes_can_be_masked(text: str, quotes: list[str]) -> None:
    once = mask(text, quotes).text
    assert mask(once, quotes).text == once


def test_long_texts_are_masked() -> None:
    text = "The weeds choke the white roses of the street. " * 425  # 19,975 characters
    found = mask(text, ["choke the white rosses", "weeds"])
    assert len(found.spans) == 850
