"""Terms of a glossary found in texts: as written, inflected, disguised; and what an entry may hold."""

import json
from io import BytesIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.domain.folding.text import plain
from annotation.domain.formats.base import RowError, Unreadable
from annotation.domain.glossary.disguises import How
from annotation.domain.glossary.entry import key_of, read_entry
from annotation.domain.glossary.file_format import ListedEntry, read_entries
from annotation.domain.glossary.matching import Matcher, Term, first_of_each
from annotation.domain.glossary.normalize import folded
from annotation.domain.text_rules import BadText

GARDEN = Matcher(
    [
        Term("gnome", "garden gnome"),
        Term("weed", "weed"),
        Term("rose", "흰장미"),
        Term("gardener", "园丁"),
        Term("number", "1488x"),
        Term("flower", "🌹"),
        Term("brackets", "((("),
        Term("unkraut", "Unkraut", ("de",)),
        Term("short", "h8"),
        Term("cafe", "Café corner"),
    ]
)


def found(text: str) -> list[tuple[str, str, How]]:
    return [(hit.key, text[hit.start : hit.end], hit.how) for hit in GARDEN.find(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A weed, they say.", [("weed", "weed", How.WRITTEN)]),
        ("Pull the WEEDS!", [("weed", "WEEDS", How.INFLECTED)]),
        ("Two garden  gnomes", [("gnome", "garden  gnomes", How.INFLECTED)]),
        ("the Garden-Gnome", [("gnome", "Garden-Gnome", How.WRITTEN)]),
        ("gardengnome", [("gnome", "gardengnome", How.SPLIT)]),
        ("w33d and W€€D", [("weed", "w33d", How.LETTERS), ("weed", "W€€D", How.LETTERS)]),
        ("the w33ds", [("weed", "w33ds", How.LETTERS)]),
        ("w e e d", [("weed", "w e e d", How.SEPARATED)]),
        ("w.e.e.d", [("weed", "w.e.e.d", How.SEPARATED)]),
        ("we-ed", [("weed", "we-ed", How.SEPARATED)]),
        ("weeeeeed", [("weed", "weeeeeed", How.REPEATED)]),
        ("w*ed", [("weed", "w*ed", How.MASKED)]),
        ("ｗｅｅｄ", [("weed", "ｗｅｅｄ", How.WRITTEN)]),
        ("we\u200bed", [("weed", "we\u200bed", How.WRITTEN)]),
        ("wееd", [("weed", "wееd", How.LETTERS)]),  # the two e are Cyrillic
        ("cafe corner", [("cafe", "cafe corner", How.LETTERS)]),
        ("우리 흰장미들이", [("rose", "흰장미", How.WRITTEN)]),
        ("흰 장미", [("rose", "흰 장미", How.SPLIT)]),
        ("老园丁说", [("gardener", "园丁", How.WRITTEN)]),
        ("园 丁", [("gardener", "园 丁", How.SPLIT)]),
        ("公园 丁香", []),  # a blank between two words
        ("🌹🏽", [("flower", "🌹", How.WRITTEN)]),
        ("(((them)))", [("brackets", "(((", How.WRITTEN)]),
        ("die Unkräuter", [("unkraut", "Unkräuter", How.INFLECTED)]),
        ("h8", [("short", "h8", How.WRITTEN)]),
        ("hb", []),
        ("1488X", [("number", "1488X", How.WRITTEN)]),
        ("seaweed", []),
        ("we'd need it", []),
        ("", []),
    ],
)
def test_a_term_is_found_as_written_inflected_or_disguised(text: str, expected: object) -> None:
    assert found(text) == expected


def test_each_term_is_told_once_by_its_surest_place() -> None:
    hits = first_of_each(GARDEN.find("w33d weeds weed gnome"))
    assert {key: hit.how for key, hit in hits.items()} == {"weed": How.LETTERS}  # a weed may be a plant, a w33d hardly
    hits = first_of_each(GARDEN.find("the 흰 장미 and 흰장미"))
    assert {key: hit.how for key, hit in hits.items()} == {"rose": How.WRITTEN}


@given(st.text(max_size=300))
def test_every_hit_lies_in_the_text_and_looking_again_finds_the_same(text: str) -> None:
    hits = GARDEN.find(text)
    assert all(0 <= hit.start < hit.end <= len(text) for hit in hits)
    assert GARDEN.find(text) == hits


@given(st.text(alphabet="abcdefghij", min_size=4, max_size=12), st.text(max_size=40), st.text(max_size=40))
def test_a_word_standing_alone_is_always_found(term: str, before: str, after: str) -> None:
    text = f"{before} {term} {after}"
    at = len(before) + 1
    hits = Matcher([Term(1, term)]).find(text)
    assert any((hit.start, hit.end, hit.how) == (at, at + len(term), How.WRITTEN) for hit in hits)


@given(st.text(alphabet="aeist", min_size=1, max_size=3), st.text(alphabet="bcdfg", min_size=3, max_size=5))
def test_look_alikes_never_hide_a_word(front: str, back: str) -> None:
    disguised = "b" + front.translate(str.maketrans("aeist", "@3!5+")) + back
    assert folded(disguised) == f"b{front}{back}"
    hits = Matcher([Term(1, f"b{front}{back}")]).find(f"so f{front}, {disguised}.")
    assert [hit.how for hit in hits] == [How.LETTERS]


@given(st.text(max_size=60))
def test_folding_twice_changes_nothing_more(word: str) -> None:
    assert plain(plain(word)) == plain(word)


def test_ten_thousand_terms_do_not_change_what_is_found() -> None:
    many = Matcher([*(Term(str(n), f"term{n:05d}") for n in range(10_000)), Term("weed", "weed")])
    assert [hit.key for hit in many.find("the weeds of term00042 and term10001")] == ["weed", "42"]


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"term": " ", "meaning": "m"}, "blank_text"),
        ({"term": "t\x00t", "meaning": "m"}, "nul_character"),
        ({"term": "weed", "meaning": "\u200b"}, "blank_text"),
        ({"term": "x" * 121, "meaning": "m"}, "text_too_long"),
        ({"term": "ㅋ", "meaning": "m"}, "bad_term"),
        ({"term": "あ", "meaning": "m"}, "bad_term"),
        ({"term": "a", "meaning": "m"}, "bad_term"),
        ({"term": "one two three four five six seven", "meaning": "m"}, "bad_term"),
        ({"term": "weed", "meaning": "m", "kind": "riddle"}, "bad_kind"),
        ({"term": "weed", "meaning": "m", "languages": ["english"]}, "bad_language"),
        ({"term": "weed", "meaning": "m", "languages": ["en", "de", "fr", "es", "it", "pt"]}, "bad_language"),
    ],
)
def test_what_cannot_be_an_entry_is_refused_with_a_sentence(fields: dict[str, object], code: str) -> None:
    with pytest.raises(BadText) as refused:
        read_entry(**fields)  # type: ignore[arg-type]
    assert refused.value.code == code
    assert refused.value.sentence.endswith(".")


def test_one_term_has_one_key_however_it_is_written() -> None:
    assert key_of("Garden  Gnome") == key_of("ｇarden gnome") == key_of("GARDEN\u200b GNOME")


CSV = b"term,meaning,kind,languages,examples,source\n"


def test_entries_come_from_tables_and_from_json_lines() -> None:
    table = CSV + b'weed,"an unwanted person",term,"en, de","pull the weeds",a book\n'
    values = {"term": "weed", "meaning": "an unwanted person", "languages": ["en", "de"], "source": "a book"}
    lines = json.dumps(values | {"examples": ["pull the weeds"]})
    for data in (table, lines.encode()):
        (entry,) = read_entries(BytesIO(data))
        assert isinstance(entry, ListedEntry)
        assert entry.values.languages == ("en", "de")
        assert (entry.values.examples, entry.source) == ("pull the weeds", "a book")


def test_bad_rows_are_named_by_their_lines() -> None:
    data = CSV + b"weed,unwanted,,,,\nWEED,again,,,,\nrose,,,,,\nx,one letter,,,,\nshort\n"
    errors = [read for read in read_entries(BytesIO(data)) if isinstance(read, RowError)]
    assert [(error.line, error.code) for error in errors] == [
        (3, "duplicate_term"),
        (4, "blank_text"),
        (5, "bad_term"),
        (6, "column_count"),
    ]


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "empty_file"),
        (b"term,meaning\n", "no_rows"),
        (b"word,meaning\nweed,m\n", "missing_column"),
        (b"term,term,meaning\na,b,c\n", "duplicate_column"),
        (b'term,meaning\n"weed,m\n', "unterminated_quote"),
        ("term,meaning\nweed,m\n".encode("utf-16"), "encoding"),
        (b"term,meaning\nw\xe9d,m\n", "encoding"),
    ],
)
def test_files_that_are_no_glossary_are_refused(data: bytes, code: str) -> None:
    with pytest.raises(Unreadable) as refused:
        list(read_entries(BytesIO(data)))
    assert refused.value.error.code == code
