"""The parts of a person's data export that contain their work on evidence."""

from annotation.members.personal_data import Parts
from moderation.models import Evidence

PARTS: Parts = {
    "evidence_struck": (
        Evidence,
        "struck_by",
        {
            "project": "item__project__slug",
            "item": "item__public_id",
            "card": "public_id",
            "reason": "struck_because",
            "at": "struck_at",
        },
    ),
}
"""The cards that a person removed, and why."""
