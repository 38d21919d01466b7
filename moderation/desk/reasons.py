"""Reasons that were given before: those of the post that is decided again, one's own, and the project's newest."""

from dataclasses import dataclass

from django.db.models import Q, QuerySet

from annotation.domain.choices import Stage
from annotation.models import Adjudication, Item, Membership

READ = 200
"""How many decisions of a reviewer, and how many of the project, are searched."""
SHOWN = 12


@dataclass(frozen=True)
class UsedReason:
    """A reason, with the newest decision that gave it."""

    decision: Adjudication
    is_own: bool

    @property
    def text(self) -> str:
        """The reason as it was written."""
        return self.decision.rationale


def used_reasons(reviewer: Membership, item: Item, words: str = "") -> list[UsedReason]:
    """Return reasons that hold all these words, each once: those about this item, the reviewer's own, the others'.

    Those about other posts that are open again are left out: whoever is asked about them should not know.
    """
    closed = Q(item__stage__in=(Stage.GOLD, Stage.EXCLUDED)) | Q(item=item)
    rows = Adjudication.objects.filter(closed, item__project=reviewer.project).order_by("-pk")
    about, own = rows.filter(item=item), rows.filter(reviewer=reviewer)
    wanted = words.casefold().split()
    found: dict[str, UsedReason] = {}
    for decision in (row for part in (about, own, rows) for row in _newest(part)):
        normal = " ".join(decision.rationale.casefold().split())
        if normal and normal not in found and all(word in normal for word in wanted):
            found[normal] = UsedReason(decision, decision.reviewer_id == reviewer.pk)
    return list(found.values())[:SHOWN]


def reason_of(reviewer: Membership, public_id: str) -> str:
    """Return the reason of a decision in the reviewer's project; nothing if there is none with this id."""
    rows = Adjudication.objects.filter(item__project=reviewer.project)
    return next((row.rationale for row in _newest(rows.order_by("-pk")) if str(row.public_id) == public_id), "")


def _newest(rows: QuerySet[Adjudication]) -> list[Adjudication]:
    return list(rows.only("public_id", "rationale", "reviewer", "created_at")[:READ])
