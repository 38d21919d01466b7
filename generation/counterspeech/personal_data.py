"""The counterspeech work that a person's personal-data export contains (`annotation.personal`)."""

from annotation.members.personal_parts import Parts
from generation.domain.counterspeech.explanations import Explanation
from generation.domain.counterspeech.preferences import Criterion
from generation.models import Comparison, Explanations, Reply, ReplyComment

PARTS: Parts = {
    "replies": (
        Reply,
        "author",
        {
            "project": "exchange__project__slug",
            "item": "exchange__item__public_id",
            "reply": "public_id",
            **{name: name for name in ("intent", "text", "state", "created_at", "submitted_at", "approved_at")},
        },
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
"""A person's own texts and choices: replies and explanations as last saved, approvals, comments, comparisons."""
