"""Questions as a design file has them: what is read, what is refused, and that writing and reading agree."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.domain.categories import DEFAULT_CATEGORIES
from annotation.domain.design.file import BadDesign, as_json, read_design
from annotation.domain.questions.design_rows import KEYS, question_row, read_questions
from annotation.domain.questions.question import Asked, Option, Question, QuestionKind, When
from annotation.domain.questions.refusals import BadQuestions

WORDS = st.dictionaries(
    st.sampled_from(["", "ko", "zh-hans"]),
    st.text("abc가나 ", min_size=1, max_size=20).filter(str.strip).map(str.strip),
)
CODES = st.from_regex(r"[a-z][a-z0-9_-]{0,10}", fullmatch=True)


@st.composite
def questions(draw):
    """A list of questions as the site keeps them: at their places, each with a code of its own."""
    rows = []
    for place, code in enumerate(draw(st.lists(CODES, unique=True, max_size=12)), start=1):
        kind = draw(st.sampled_from(list(QuestionKind)))
        options = draw(st.lists(CODES, unique=True, min_size=2, max_size=6)) if kind in ("one", "many") else []
        asked = draw(st.sampled_from(list(Asked)))
        codes = draw(st.sets(st.sampled_from(range(6)), min_size=1)) if asked is Asked.CATEGORIES else ()
        rows.append(
            Question(
                code,
                kind,
                wording=draw(WORDS),
                help=draw(WORDS),
                options=tuple(Option(code, draw(WORDS)) for code in options),
                points=draw(st.integers(3, 9)) if kind is QuestionKind.SCALE else None,
                low=draw(WORDS) if kind is QuestionKind.SCALE else {},
                high=draw(WORDS) if kind is QuestionKind.SCALE else {},
                limit=draw(st.integers(1, 4000)) if kind is QuestionKind.TEXT else None,
                key=KEYS[place - 1],
                place=place,
                required=draw(st.booleans()),
                when=When(asked, tuple(sorted(codes))),
            )
        )
    return tuple(rows)


@given(questions())
def test_what_is_written_is_read_again(asked):
    assert read_questions([question_row(question) for question in asked], DEFAULT_CATEGORIES) == asked


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner)
            | st.dictionaries(
                st.sampled_from(["code", "kind", "points", "options", "when", "key", "limit", "wording"]), inner
            )
        ),
        max_leaves=8,
    )
)
def test_whatever_is_no_question_is_refused_and_never_fails(raw):
    try:
        read_questions([raw], DEFAULT_CATEGORIES)
    except BadQuestions as bad:
        assert bad.sentence.endswith(".")
        assert "\n" not in bad.sentence


def test_the_four_questions_of_the_documentation_are_read():
    severity, targets, why, words = read_questions(
        [
            {"code": "severity", "kind": "scale", "points": 5, "low": "mild", "high": "severe", "when": "hateful"},
            {
                "code": "targets",
                "kind": "many",
                "options": [{"code": "migrants", "name": "People who moved"}, {"code": "women"}],
            },
            {"code": "why_so", "kind": "text", "limit": 300},
            {"code": "words", "kind": "span", "when": [1, 2], "required": True},
        ],
        DEFAULT_CATEGORIES,
    )
    assert (severity.points, severity.low, severity.when) == (5, {"": "mild"}, When(Asked.HATEFUL))
    assert [option.title("ko") for option in targets.options] == ["People who moved", "women"]
    assert (why.limit, why.title()) == (300, "why so")
    assert (words.when, words.required, words.key) == (When(Asked.CATEGORIES, (1, 2)), True, "f")


SCALE = {"code": "severity", "kind": "scale", "points": 5}
LIST = {"code": "targets", "kind": "many", "options": [{"code": "a"}, {"code": "b"}]}


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        ("severity", "Questions are a list"),
        (["severity"], "Question 1 must be an object"),
        ([{"kind": "text"}], "Question 1 needs a code"),
        ([{**SCALE, "code": "Severity"}], "Question 1 needs a code: at most 40 small letters"),
        ([{**SCALE, "code": "x" * 41}], "Question 1 needs a code"),
        ([{**SCALE, "kind": "stars"}], "Question severity needs a kind: one, many, scale, text, span"),
        ([{**SCALE, "limit": 5}], "of the kind scale, which has no field 'limit'"),
        ([{**SCALE, "points": 10}], "needs points: a whole number from 3 to 9"),
        ([{**SCALE, "points": True}], "needs points"),
        ([{"code": "severity", "kind": "scale"}], "needs points"),
        ([{**SCALE, "required": "yes"}], "required is true or false"),
        ([{**SCALE, "when": "sometimes"}], 'when is "always", "hateful", or a list'),
        ([{**SCALE, "when": []}], "when is"),
        ([{**SCALE, "when": [9]}], "is asked beside category 9, which is not there"),
        ([{**SCALE, "key": "0"}], "a key is one of adefhimovjkx"),
        ([{**SCALE, "key": "n"}], "a key is one of adefhimovjkx"),
        ([{**SCALE, "key": "a"}, {**LIST, "key": "a"}], "Question targets and question severity share the key a"),
        ([{**SCALE, "wording": 4}], "wording must be a text, or one text per language"),
        ([{**SCALE, "wording": "x" * 201}], "Question severity, wording: The text has 201 characters"),
        ([{**SCALE, "low": "a\x00"}], "Question severity, low: The text holds a NUL"),
        ([SCALE, SCALE], "Two questions share the code 'severity'"),
        ([{**LIST, "options": [{"code": "a"}]}], "needs 2 to 40 options; this list has 1"),
        ([{**LIST, "options": ["a", "b"]}], "an option is {code, name}"),
        ([{**LIST, "options": [{"code": "a b"}, {"code": "b"}]}], "an option's code has at most 40"),
        ([{**LIST, "options": [{"code": "a"}, {"code": "A"}]}], "two options share the code 'A'"),
        ([{"code": "why", "kind": "text", "limit": 0}], "its limit is a whole number from 1 to 4,000"),
        ([{"code": f"q{n}", "kind": "text"} for n in range(13)], "at most 12 further questions; this list has 13"),
    ],
)
def test_what_is_no_question_is_refused_with_one_sentence(rows, sentence):
    with pytest.raises(BadDesign) as refused:
        read_design(
            {
                "categories": as_json(
                    read_design([{"code": code, "name": str(code), "hateful": bool(code)} for code in range(6)])
                )["categories"],
                "questions": rows,
            }
        )
    assert sentence in refused.value.sentence


def test_a_key_of_a_category_is_no_key_of_a_question():
    rows = [{"code": 0, "name": "Fine", "hateful": False}, {"code": 1, "name": "Hate", "hateful": True, "key": "a"}]
    with pytest.raises(BadDesign, match=r"Question severity and category 1 \(Hate\) share the key a"):
        read_design({"categories": rows, "questions": [{**SCALE, "key": "a"}]})
    design = read_design({"categories": rows, "questions": [SCALE]})
    assert [question.key for question in design.questions] == ["d"]


def test_a_design_without_the_field_says_nothing_about_questions():
    rows = [{"code": 0, "name": "Fine", "hateful": False}, {"code": 1, "name": "Hate", "hateful": True}]
    assert read_design(rows).questions is None
    assert "questions" not in as_json(read_design(rows))
    assert read_design({"categories": rows, "questions": []}).questions == ()
