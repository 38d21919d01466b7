"""Passages of brat, INCEpTION and doccano: all places in code points, whatever the program counts."""

from collections.abc import Callable
from typing import Any

import pytest

from annotation.domain.formats.base import BadValue
from annotation.domain.formats.tools.passages import Document, of_brat, of_cas, of_doccano, of_webanno

WEBANNO_HEAD = "#FORMAT=WebAnno TSV 3.3\n#T_SP=a.Hate|value\n"
EMOJI = "ab 😀 bad 👩‍👩‍👧 word"  # a family is five code points, and eight units of UTF-16
BAD, WORD = (5, 8), (15, 19)


def marked(document: Document) -> list[tuple[str, str]]:
    return [(document.text[start:end], name) for start, end, name in document.passages]


def test_the_text_of_these_tests_is_as_they_say() -> None:
    assert (EMOJI[slice(*BAD)], EMOJI[slice(*WORD)]) == ("bad", "word")


@pytest.mark.parametrize(
    ("marks", "expected"),
    [
        ("T1\tSlur 5 8\tbad\n", [("bad", "Slur")]),
        ("T2\tTarget 15 19\tword\nT1\tSlur 5 8\tbad\n", [("bad", "Slur"), ("word", "Target")]),
        ("T1\tSlur 5 8;15 19\tbad word\n", [("bad", "Slur"), ("word", "Slur")]),
        ("T1\tSlur 5 8\tbad\nA1\tStrong T1\n#1\tAnnotatorNotes T1\tHm.\nR1\tOf Arg1:T1 Arg2:T1\n", [("bad", "Slur")]),
        ("", []),
    ],
)
def test_brat_counts_characters(marks: str, expected: list[tuple[str, str]]) -> None:
    assert marked(of_brat(f"{EMOJI}\n", marks)) == expected


@pytest.mark.parametrize(
    ("marks", "words"),
    [
        ("T1\tSlur 5 80\tbad\n", "The passage 5 to 80 lies outside the text."),
        ("T1 Slur 5 8\n", "no annotation of brat"),
    ],
)
def test_what_is_no_passage_of_brat_is_told(marks: str, words: str) -> None:
    with pytest.raises(BadValue, match=words):
        of_brat(EMOJI, marks)


def units(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


def webanno(*sentences: tuple[str, list[tuple[str, str]]], layers: str = "#T_SP=webanno.custom.Hate|value") -> str:
    """Return a document of WebAnno TSV: sentences, each with its tokens and what they are marked as."""
    out, begin = [f"#FORMAT=WebAnno TSV 3.3\n{layers}\n\n"], 0
    for number, (sentence, tokens) in enumerate(sentences, start=1):
        out.append(f"\n#Text={sentence}\n")
        at = 0
        for place, (token, mark) in enumerate(tokens, start=1):
            at = sentence.index(token, at)
            start = begin + units(sentence[:at])
            out.append(f"{number}-{place}\t{start}-{start + units(token)}\t{token}\t{mark}\t\n")
            at += len(token)
        begin += units(sentence) + 1
    return "".join(out)


WEBANNO: dict[str, tuple[str, list[tuple[str, str]]]] = {
    "one token, after an emoji": (
        webanno((EMOJI, [("ab", "_"), ("😀", "_"), ("bad", "slur"), ("word", "_")])), [("bad", "slur")]
    ),
    "a number joins tokens": (
        webanno(("go away now", [("go", "slur[1]"), ("away", "slur[1]"), ("now", "_")])), [("go away", "slur")]
    ),
    "two passages side by side": (
        webanno(("go away now", [("go", "slur"), ("away", "slur"), ("now", "_")])), [("go", "slur"), ("away", "slur")]
    ),
    "passages over one another": (
        webanno(("go away now", [("go", "slur[1]|order[2]"), ("away", "order[2]"), ("now", "_")])),
        [("go", "slur"), ("go away", "order")],
    ),
    "without a name": (webanno(("go away", [("go", "*"), ("away", "*[1]")])), [("go", ""), ("away", "")]),
    "in the second sentence, after an emoji in the first": (
        webanno((EMOJI, [("ab", "_")]), ("go away", [("go", "_"), ("away", "slur")])), [("away", "slur")]
    ),
    "of two layers": (
        webanno(("go away", [("go", "slur\tcalm"), ("away", "_\t_")]), layers="#T_SP=a.Hate|value\n#T_SP=a.Tone|value"),
        [("go", "calm"), ("go", "slur")],
    ),
    "nothing": (webanno(("go away", [("go", "_"), ("away", "_")])), []),
}  # fmt: skip


@pytest.mark.parametrize("name", WEBANNO)
def test_webanno_counts_units_of_java(name: str) -> None:
    content, expected = WEBANNO[name]
    assert sorted(marked(of_webanno(content))) == sorted(expected)


def test_sentences_of_webanno_stand_where_their_tokens_say() -> None:
    content = webanno((EMOJI, [("ab", "_")]), ("go away", [("go", "_")]))
    assert of_webanno(content).text == f"{EMOJI}\ngo away"


def cas(*structures: dict[str, Any]) -> dict[str, Any]:
    sofa = {"%ID": 1, "%TYPE": "uima.cas.Sofa", "sofaString": EMOJI}
    return {"%TYPES": {}, "%FEATURE_STRUCTURES": [sofa, *structures], "%VIEWS": {}}


def test_cas_counts_units_of_java_and_leaves_what_nobody_marked() -> None:
    token = {"%ID": 2, "%TYPE": "de.tudarmstadt.ukp.dkpro.core.api.segmentation.type.Token", "begin": 0, "end": 2}
    start = units(EMOJI[: WORD[0]])
    mark = {"%ID": 3, "%TYPE": "webanno.custom.Hate", "@sofa": 1, "begin": start, "end": start + 4, "label": "slur"}
    assert marked(of_cas(cas(token, mark))) == [("word", "slur")]


def test_a_cas_without_a_text_is_told() -> None:
    with pytest.raises(BadValue, match="The document has no text"):
        of_cas({"%FEATURE_STRUCTURES": []})


@pytest.mark.parametrize(
    ("value", "places"),
    [
        ([[5, 8, "slur"]], [(5, 8, "slur")]),
        ([{"id": 1, "label": "slur", "start_offset": 5, "end_offset": 8}], [(5, 8, "slur")]),
        (["Racist"], []),
        ([[5, 8, "slur"], "Racist"], []),
        ([{"annotator": "a", "category": 1}], []),
        ([[True, 8, "slur"]], []),
        ([], []),
        (None, []),
    ],
)
def test_passages_of_doccano_are_told_from_categories(value: Any, places: list[tuple[int, int, str]]) -> None:
    assert list(of_doccano(value)) == places


HOSTILE: dict[str, tuple[Callable[[], Document], str]] = {
    "a number without an end": (lambda: of_brat(EMOJI, f"T1\tSlur 5 {'9' * 5_000}\tbad\n"), "no annotation of brat"),
    "passages without an end": (
        lambda: of_brat(EMOJI, "".join(f"T{n}\tSlur 5 8\tbad\n" for n in range(501))), "501 passages; at most 500"
    ),
    "a token far away": (
        lambda: of_webanno(f"{WEBANNO_HEAD}#Text=a\n1-1\t999999999-999999999\ta\t_\t\n"), "longer than 20,000"
    ),
    "a token of many digits": (
        lambda: of_webanno(f"{WEBANNO_HEAD}#Text=a\n1-1\t{'9' * 5_000}-1\ta\t_\t\n"), "is no token"
    ),
    "a token without its place": (lambda: of_webanno(f"{WEBANNO_HEAD}#Text=a\n1-1\n"), "Line 4 is no token"),
    "an annotation outside the text": (
        lambda: of_cas(cas({"%TYPE": "x.Hate", "begin": 3, "end": 10**30})), "lies outside the text"
    ),
    "an annotation before the text": (lambda: of_cas(cas({"%TYPE": "x.Hate", "begin": -3, "end": 2})), "lies outside"),
    "no document": (lambda: of_cas([]), "The document has no text"),
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_a_file_made_to_be_slow_is_refused_at_once(name: str) -> None:
    read, words = HOSTILE[name]
    with pytest.raises(BadValue, match=words):
        read()
