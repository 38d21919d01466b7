"""The counterspeech work that a person's personal-data export contains (`annotation.personal`)."""

from annotation.members.personal_parts import Parts
from generation.domain.counterspeech.explanations import Explanation
from generation.domain.counterspeech.preferences import Criterion
from generation.models import (
    Claim,
    Comparison,
    Exemplar,
    Explanations,
    FirstStep,
    Posting,
    PostingCheck,
    Reply,
    ReplyComment,
    Submission,
)

PARTS: Parts = {
    "replies": (
        Reply,
        "author",
        {
            "project": "exchange__project__slug",
            "item": "exchange__item__public_id",
            "reply": "public_id",
            **{name: name for name in ("intent", "text", "state", "created_at", "submitted_at", "approved_at")},
            "replaces": "replaces__public_id",
            "correction_reason": "correction_reason",
        },
    ),
    "reply_texts": (
        Submission,
        "reply__author",
        {"reply": "reply__public_id", **{name: name for name in ("number", "intent", "text", "submitted_at")}},
    ),
    "replies_approved": (
        Reply,
        "approver",
        {
            "project": "exchange__project__slug",
            "item": "exchange__item__public_id",
            "reply": "public_id",
            **{name: name for name in ("flags", "override_reason", "approved_at")},
        },
    ),
    "replies_withdrawn": (
        Reply,
        "withdrawn_by",
        {
            "project": "exchange__project__slug",
            "item": "exchange__item__public_id",
            "reply": "public_id",
            **{name: name for name in ("withdrawn_at", "withdrawal_reason")},
        },
    ),
    "claims_decided": (
        Claim,
        "decided_by",
        {
            "project": "exchange__project__slug",
            "item": "exchange__item__public_id",
            "reply": "reply__public_id",
            **{name: name for name in ("sentence", "state", "card", "reason", "decided_at")},
        },
    ),
    "reply_comments": (
        ReplyComment,
        "author",
        {
            "project": "reply__exchange__project__slug",
            "reply": "reply__public_id",
            **{name: name for name in ("text", "created_at")},
        },
    ),
    "explanations": (
        Explanations,
        "author",
        {
            "project": "exchange__project__slug",
            "item": "exchange__item__public_id",
            "number": "number",
            **{explanation.value: explanation.value for explanation in Explanation},
            **{name: name for name in ("insults", "created_at")},
        },
    ),
    "first_steps": (
        FirstStep,
        "member",
        {
            "project": "exchange__project__slug",
            "item": "exchange__item__public_id",
            **{name: name for name in ("choice", "reasons", "note", "created_at")},
        },
    ),
    "replies_posted": (
        Posting,
        "member",
        {
            "project": "reply__exchange__project__slug",
            "reply": "reply__public_id",
            **{name: name for name in ("platform", "address", "posted_at")},
        },
    ),
    "postings_checked": (
        PostingCheck,
        "member",
        {
            "project": "posting__reply__exchange__project__slug",
            "posting": "posting__public_id",
            **{name: name for name in ("after", "deleted", "answered", "harassed", "reactions", "note", "created_at")},
        },
    ),
    "library_checked": (
        Exemplar,
        "checked_by",
        {"project": "project__slug", "entry": "external_id", "checked_at": "checked_at"},
    ),
    "reply_comparisons": (
        Comparison,
        "judge",
        {
            "project": "first__exchange__project__slug",
            "first": "first__public_id",
            "second": "second__public_id",
            **{criterion.value: criterion.value for criterion in Criterion},
            "created_at": "created_at",
        },
    ),
}
"""A person's own texts and choices: replies and explanations as last saved, replies as handed in, comments and
comparisons; what they approved and withdrew, and what they decided about claims.
"""
