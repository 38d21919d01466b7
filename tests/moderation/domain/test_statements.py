"""What keeps a statement of reasons from being valid: the limits of the public register's own validator."""

from typing import Any

import pytest

from moderation.domain.statements import Wrong, cut, problems

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
