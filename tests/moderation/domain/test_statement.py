"""What keeps a statement of reasons from being valid: the limits of the public register's own validator."""

from typing import Any

import pytest

from moderation.domain.statement import BadLists, Wrong, cut, problems, read_lists

VALID: dict[str, Any] = {
    "decision_visibility": "Removed",
    "decision_ground": "incompatible",
    "incompatible_content_ground": "Community rule 4",
    "incompatible_content_explanation": "The metaphor is about people.",
    "content_type": ["text", "image"],
    "category": "1 Racist",
    "application_date": "2026-03-01",
    "decision_facts": "Three people labelled it.",
    "source_type": "own initiative",
    "automated_detection": True,
    "automated_decision": "not automated",
    "puid": "interplay-7_A",
}


def test_a_full_statement_has_no_problems():
    assert problems(VALID) == {}


@pytest.mark.parametrize("measure", ["decision_monetary", "decision_provision", "decision_account"])
def test_any_one_measure_is_enough(measure):
    assert problems({**VALID, "decision_visibility": "", measure: "Suspended"}) == {}


@pytest.mark.parametrize(
    ("change", "field", "wrong"),
    [
        ({"decision_visibility": " "}, "decision_visibility", Wrong.NO_MEASURE),
        ({"decision_visibility": "x" * 501}, "decision_visibility", Wrong.TOO_LONG),
        ({"decision_ground": ""}, "decision_ground", Wrong.MISSING),
        ({"decision_ground": "dislike"}, "decision_ground", Wrong.UNKNOWN_VALUE),
        ({"decision_ground": "illegal"}, "illegal_content_legal_ground", Wrong.MISSING),
        (
            {"decision_ground": "illegal", "illegal_content_legal_ground": "§ 1"},
            "illegal_content_explanation",
            Wrong.MISSING,
        ),
        ({"illegal_content_legal_ground": "x" * 501}, "illegal_content_legal_ground", Wrong.TOO_LONG),
        ({"illegal_content_explanation": "x" * 2001}, "illegal_content_explanation", Wrong.TOO_LONG),
        ({"incompatible_content_ground": "x" * 501}, "incompatible_content_ground", Wrong.TOO_LONG),
        ({"incompatible_content_explanation": ""}, "incompatible_content_explanation", Wrong.MISSING),
        ({"incompatible_content_explanation": "x" * 2001}, "incompatible_content_explanation", Wrong.TOO_LONG),
        ({"content_type": []}, "content_type", Wrong.MISSING),
        ({"content_type": "text"}, "content_type", Wrong.BAD_TEXT),
        ({"territorial_scope": ["KR"] * 51}, "territorial_scope", Wrong.TOO_MANY),
        ({"category": ""}, "category", Wrong.MISSING),
        ({"application_date": "yesterday"}, "application_date", Wrong.BAD_DAY),
        ({"application_date": "2026-02-30"}, "application_date", Wrong.BAD_DAY),
        ({"end_date": "2026-02-28"}, "end_date", Wrong.BEFORE),
        ({"decision_facts": "x" * 5001}, "decision_facts", Wrong.TOO_LONG),
        ({"decision_facts": "a\x00b"}, "decision_facts", Wrong.BAD_TEXT),
        ({"source_type": ""}, "source_type", Wrong.MISSING),
        ({"automated_decision": "fully automated"}, "automated_decision", Wrong.UNKNOWN_VALUE),
        ({"automated_detection": "yes"}, "automated_detection", Wrong.MISSING),
        ({"puid": ""}, "puid", Wrong.MISSING),
        ({"puid": "with space"}, "puid", Wrong.BAD_PUID),
        ({"puid": "ünique"}, "puid", Wrong.BAD_PUID),
        ({"puid": "x" * 501}, "puid", Wrong.TOO_LONG),
    ],
)
def test_each_limit_is_told_for_its_field(change, field, wrong):
    found = problems({**VALID, **change})
    assert found[field].wrong is wrong


@pytest.mark.parametrize(
    ("field", "limit"),
    [("decision_visibility", 500), ("decision_facts", 5000), ("redress", 2000)],
)
def test_what_just_fits_is_taken(field, limit):
    assert problems({**VALID, field: "가" * limit}) == {}


def test_a_text_is_cut_with_a_mark():
    assert cut("garden", 6) == "garden"
    assert cut("gardens", 6) == "garde…"


def test_a_platforms_values_close_a_field_and_leave_others_open():
    lists = read_lists({"category": ["hate speech", " fraud "], "content_type": ["text", "image"]})
    assert lists["category"] == ["hate speech", "fraud"]
    found = problems(VALID, lists)
    assert list(found) == ["category"] and found["category"].wrong is Wrong.UNKNOWN_VALUE
    assert found["category"].about == "hate speech, fraud"
    assert problems({**VALID, "category": "fraud"}, lists) == {}
    assert list(problems({**VALID, "category": "fraud", "content_type": ["text", "smell"]}, lists)) == ["content_type"]
    # A field that may be empty stays so, and what is missing is called missing.
    assert problems({**VALID, "category": "fraud"}, {**lists, "territorial_scope": ["DE"]}) == {}
    assert problems({**VALID, "category": ""}, lists)["category"].wrong is Wrong.MISSING


@pytest.mark.parametrize(
    "given",
    [
        [], "x", {"puid": ["a"]}, {"decision_ground": ["illegal"]}, {"nothing": ["a"]}, {"category": []},
        {"category": "a"}, {"category": [1]}, {"category": [" "]}, {"category": ["x" * 501]},
        {"category": ["a"] * 501}, {"content_language": ["x" * 21]},
    ],
)  # fmt: skip
def test_lists_that_cannot_be_used_are_refused(given):
    with pytest.raises(BadLists):
        read_lists(given)
