"""The pages that verdicts and decisions about items rest on, as rows of a release hold them."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from annotation.core.extensions import claim_checks
from annotation.domain.columns.evidence import ground_row
from annotation.models import Project


def evidence_of(
    project: Project, items: Sequence[Mapping[str, Any]], decisions: Mapping[int, tuple[str, datetime]]
) -> dict[int, list[dict[str, object]]]:
    """Return the cards of each item by its key. `decisions`: reason and time of reviewers' decisions."""
    checks = claim_checks()
    if checks is None:
        return {}
    key_of = {item["public_id"]: item["pk"] for item in items}
    decided = {post: decisions[key][1] if key in decisions else None for post, key in key_of.items()}
    grounds = checks.grounds(project.public_id, decided)
    return {key_of[post]: [ground_row(ground) for ground in found] for post, found in grounds.items()}
